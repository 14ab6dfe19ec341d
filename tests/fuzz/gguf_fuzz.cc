// Any bytes are a model file or a clean error: opens them, reads every key, plans, sums up and decodes a row of each
// tensor, as the loader would.

#include <cstdint>
#include <span>
#include <vector>

#include "arch/model_config.h"
#include "arch/summary.h"
#include "base/check.h"
#include "formats/tensor_file.h"
#include "quant/dequantize.h"

namespace {

using namespace reckon;

void check_message(const Error& error) {
  RECKON_CHECK(!error.message.empty() && error.message.find('\n') == std::string::npos);
}

template <class T>
void visit(const Result<T>& result) {
  if (!result) check_message(result.error());
}

void read_keys(const formats::TensorFile& file) {
  for (const auto& [key, text] : file.describe()) {
    visit(file.get_uint(key));
    visit(file.get_float(key));
    visit(file.get_bool(key));
    visit(file.get_string(key));
    visit(file.get_strings(key));
    visit(file.get_ints(key));
    visit(file.get_floats(key));
  }
}

void decode_rows(const formats::TensorFile& file) {
  std::vector<float> row;
  for (const formats::Tensor& tensor : file.tensors()) {
    visit(quant::check_finite(tensor.type, tensor.data, "x"));
    RECKON_CHECK(quant::row_bytes(tensor.type, tensor.n_elements()) == tensor.data.size());
    row.resize(static_cast<std::size_t>(tensor.n_cols()));
    quant::dequantize_row(tensor.type, tensor.data.data(), tensor.n_cols(), row.data());
    const std::size_t last = tensor.data.size() - quant::row_bytes(tensor.type, tensor.n_cols());
    quant::dequantize_row(tensor.type, tensor.data.data() + last, tensor.n_cols(), row.data());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto file = formats::open_model_bytes({bytes.begin(), bytes.end()});
  visit(file);
  if (!file) return 0;
  read_keys(**file);
  decode_rows(**file);
  const auto plan = arch::make_plan(**file);
  visit(plan);
  if (plan) RECKON_CHECK(arch::summarize(**file, *plan).n_parameters > 0);
  return 0;
}
