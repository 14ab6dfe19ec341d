#include "arch/keys.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace reckon::arch {
namespace {

// Scalars of either kind, as a double: for keys that must have one harmless value.
Result<std::optional<double>> any_number(const formats::TensorFile& file, std::string_view key) {
  if (auto real = file.get_float(key)) return *real;
  if (auto flag = file.get_bool(key)) return flag->has_value() ? std::optional<double>(**flag ? 1 : 0) : std::nullopt;
  RECKON_TRY(const auto whole, file.get_uint(key));
  return whole.has_value() ? std::optional<double>(static_cast<double>(*whole)) : std::nullopt;
}

}  // namespace

std::string Keys::full(std::string_view key) const { return fmt::format("{}.{}", architecture_, key); }

std::unexpected<Error> Keys::bad(std::string_view key, std::string_view what, ErrorCode code) const {
  return fail(code, fmt::format("{}: key '{}': {}", file_->label(), full(key), what));
}

Result<int> Keys::in_range(std::string_view key, std::uint64_t value, IntRange range) const {
  if (std::cmp_less(value, range.min) || std::cmp_greater(value, range.max)) {
    return bad(key, fmt::format("found {}, expected {} to {}: the file is damaged", value, range.min, range.max));
  }
  return static_cast<int>(value);
}

Result<int> Keys::require_int(std::string_view key, IntRange range) const {
  RECKON_TRY(const auto value, file_->get_uint(full(key)));
  if (!value) return bad(key, "missing: the file was not converted properly, take another one");
  return in_range(key, *value, range);
}

Result<int> Keys::get_int(std::string_view key, IntRange range, int otherwise) const {
  RECKON_TRY(const auto value, file_->get_uint(full(key)));
  return value ? in_range(key, *value, range) : Result<int>(otherwise);
}

Result<std::uint64_t> Keys::get_uint(std::string_view key) const {
  RECKON_TRY(const auto value, file_->get_uint(full(key)));
  return value.value_or(0);
}

Result<float> Keys::require_float(std::string_view key, FloatRange range) const {
  if (!has(key)) return bad(key, "missing: the file was not converted properly, take another one");
  return get_float(key, range, 0);
}

Result<float> Keys::get_float(std::string_view key, FloatRange range, float otherwise) const {
  RECKON_TRY(const auto value, file_->get_float(full(key)));
  if (!value) return otherwise;
  if (!(*value >= range.min && *value <= range.max)) {  // NaN fails both
    return bad(key,
               fmt::format("found {:g}, expected {:g} to {:g}: the file is damaged", *value, range.min, range.max));
  }
  return static_cast<float>(*value);
}

Result<std::string> Keys::get_string(std::string_view key, std::string_view otherwise) const {
  RECKON_TRY(const auto value, file_->get_string(full(key)));
  return std::string(value.value_or(otherwise));
}

Result<int> Keys::get_int_or_same_for_layers(std::string_view key, IntRange range, int n_layers, int otherwise) const {
  const auto list = file_->get_ints(full(key));
  if (!list) return get_int(key, range, otherwise);
  if (!*list) return otherwise;
  const std::vector<std::int64_t>& values = **list;
  if (std::cmp_not_equal(values.size(), n_layers)) {
    return bad(key, fmt::format("found a list of {}, expected one number for each of {} layers: the file is damaged",
                                values.size(), n_layers));
  }
  for (const std::int64_t value : values) {
    if (value != values[0]) {
      return bad(key, "layers of different shapes cannot be run here", ErrorCode::kUnsupported);
    }
  }
  if (values[0] < range.min || values[0] > range.max) {
    return bad(key, fmt::format("found {}, expected {} to {}: the file is damaged", values[0], range.min, range.max));
  }
  return static_cast<int>(values[0]);
}

Result<void> Keys::refuse_unless(std::string_view key, double harmless, std::string_view what) const {
  RECKON_TRY(const auto value, any_number(*file_, full(key)));
  if (!value || *value == harmless) return {};
  return bad(key, fmt::format("found {:g}: {} cannot be run here, take another model", *value, what),
             ErrorCode::kUnsupported);
}

}  // namespace reckon::arch
