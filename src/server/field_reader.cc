#include "server/field_reader.h"

#include <fmt/format.h>

#include <cmath>

#include "text/utf8.h"

namespace reckon::server {

using text::Json;

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::string_view head = text.substr(0, max_bytes);
  head.remove_suffix(text::unfinished_utf8_tail(head));
  return std::string(head) + "...";
}

std::string shown(const Json& value) {
  // A long list or object would be printed for nothing.
  if (const auto* array = value.as_array(); array != nullptr && array->size() > 8) {
    return fmt::format("a list of {}", array->size());
  }
  if (const auto* object = value.as_object(); object != nullptr && object->size() > 8) {
    return fmt::format("an object of {} members", object->size());
  }
  if (const std::string* string = value.as_string()) return "\"" + shortened(*string) + "\"";
  return shortened(text::dump_json(value));
}

FieldReader::FieldReader(const Json& object, std::string path) : members_(object.as_object()), path_(std::move(path)) {
  if (members_ == nullptr) {
    const std::string name = path_.empty() ? "the body" : path_.substr(0, path_.size() - 1);
    error_ =
        refuse(path_.empty() ? "" : name, fmt::format("{}: want a JSON object, got {}", name, shown(object))).error();
    return;
  }
  fields_.reserve(members_->size());
  for (const text::JsonMember& member : *members_) fields_.emplace(member.name, Field{&member.value});
}

const Json* FieldReader::take(std::string_view name) {
  const auto found = fields_.find(name);
  if (found == fields_.end()) return nullptr;
  found->second.asked = true;
  return found->second.value->is_null() ? nullptr : found->second.value;
}

void FieldReader::fail(std::string_view name, std::string message, std::string code) {
  if (error_) return;
  std::string field = path_of(name);
  message = field + ": " + message;
  error_ = refuse(std::move(field), std::move(message), std::move(code)).error();
}

void FieldReader::fail_type(std::string_view name, std::string_view wanted, const Json& got) {
  fail(name, fmt::format("want {}, got {}", wanted, shown(got)));
}

void FieldReader::number(std::string_view name, NumberRange range, std::optional<double>& out) {
  const Json* json = take(name);
  if (json == nullptr) return;
  std::optional<double> value;
  if (const auto* whole = json->as_int()) value = static_cast<double>(*whole);
  if (const auto* real = json->as_double()) value = *real;
  // NaN is in no range.
  if (!value || !(*value >= range.least && *value <= range.most)) {
    return fail_type(name, fmt::format("a number from {} to {}", range.least, range.most), *json);
  }
  out = value;
}

void FieldReader::whole(std::string_view name, WholeRange range, std::optional<std::int64_t>& out) {
  const Json* json = take(name);
  if (json == nullptr) return;
  std::optional<std::int64_t> value;
  if (const auto* whole_number = json->as_int()) value = *whole_number;
  // Some clients write 256.0.
  if (const auto* real = json->as_double(); real != nullptr && std::abs(*real) < 9e15 && std::floor(*real) == *real) {
    value = static_cast<std::int64_t>(*real);
  }
  if (!value || *value < range.least || *value > range.most) {
    return fail_type(name, fmt::format("a whole number from {} to {}", range.least, range.most), *json);
  }
  out = value;
}

void FieldReader::whole(std::string_view name, WholeRange range, std::optional<int>& out) {
  std::optional<std::int64_t> value;
  whole(name, range, value);
  if (value) out = static_cast<int>(*value);
}

void FieldReader::boolean(std::string_view name, std::optional<bool>& out) {
  const Json* json = take(name);
  if (json == nullptr) return;
  if (json->as_bool() == nullptr) return fail_type(name, "true or false", *json);
  out = *json->as_bool();
}

void FieldReader::boolean(std::string_view name, bool& out) {
  std::optional<bool> value;
  boolean(name, value);
  if (value) out = *value;
}

void FieldReader::string(std::string_view name, std::size_t max_bytes, std::optional<std::string>& out) {
  const Json* json = take(name);
  if (json == nullptr) return;
  const std::string* value = json->as_string();
  if (value == nullptr) return fail_type(name, "a string", *json);
  if (value->size() > max_bytes) return fail(name, fmt::format("at most {} bytes, got {}", max_bytes, value->size()));
  out = *value;
}

void FieldReader::string(std::string_view name, std::size_t max_bytes, std::string& out) {
  std::optional<std::string> value;
  string(name, max_bytes, value);
  if (value) out = std::move(*value);
}

const Json* FieldReader::any(std::string_view name) { return take(name); }

const Json* FieldReader::object(std::string_view name) {
  const Json* json = take(name);
  if (json == nullptr || json->as_object() != nullptr) return json;
  fail_type(name, "an object", *json);
  return nullptr;
}

const Json::Array* FieldReader::array(std::string_view name, std::size_t max_items) {
  const Json* json = take(name);
  if (json == nullptr) return nullptr;
  const Json::Array* items = json->as_array();
  if (items == nullptr) {
    fail_type(name, "a list", *json);
    return nullptr;
  }
  if (items->size() <= max_items) return items;
  fail(name, fmt::format("at most {} entries, got {}", max_items, items->size()));
  return nullptr;
}

void FieldReader::accept(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) take(name);
}

std::vector<std::string> FieldReader::unknown() const {
  std::vector<std::string> names;
  if (members_ == nullptr) return names;
  for (const text::JsonMember& member : *members_) {
    if (fields_.at(member.name).asked) continue;
    if (names.size() == kMaxUnknown) {
      names.emplace_back("...");
      break;
    }
    names.push_back(path_of(shortened(member.name)));
  }
  return names;
}

}  // namespace reckon::server
