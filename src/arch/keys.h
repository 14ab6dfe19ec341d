#pragma once
// Reads the hyperparameters of a model, each within its range. Errors name the file, the key, what was found and
// what was expected.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/tensor_file.h"

namespace reckon::arch {

// Inclusive.
struct IntRange {
  std::int64_t min = 1;
  std::int64_t max = 0;
};
struct FloatRange {
  double min = 0;
  double max = 0;
};

// Keys are given without the architecture in front: "block_count" reads "qwen2.block_count".
class Keys {
 public:
  // `file` is borrowed.
  Keys(const formats::TensorFile& file, std::string architecture)
      : file_(&file), architecture_(std::move(architecture)) {}

  [[nodiscard]] std::string full(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return file_->has(full(key)); }

  Result<int> require_int(std::string_view key, IntRange range) const;
  Result<int> get_int(std::string_view key, IntRange range, int otherwise) const;
  Result<std::uint64_t> get_uint(std::string_view key) const;  // 0 where absent
  Result<float> require_float(std::string_view key, FloatRange range) const;
  Result<float> get_float(std::string_view key, FloatRange range, float otherwise) const;
  Result<std::string> get_string(std::string_view key, std::string_view otherwise) const;

  // A number for the whole model, or a list with the same one for each layer.
  Result<int> get_int_or_same_for_layers(std::string_view key, IntRange range, int n_layers, int otherwise) const;

  // Fails with kUnsupported where the key is there with another value: a feature that would change every result.
  Result<void> refuse_unless(std::string_view key, double harmless, std::string_view what) const;

  // "<file>: key '<key>': <what>"
  [[nodiscard]] std::unexpected<Error> bad(std::string_view key, std::string_view what,
                                           ErrorCode code = ErrorCode::kInvalidInput) const;

 private:
  Result<int> in_range(std::string_view key, std::uint64_t value, IntRange range) const;

  const formats::TensorFile* file_;
  std::string architecture_;
};

}  // namespace reckon::arch
