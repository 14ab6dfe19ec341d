#include "text/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "text/json.h"

namespace reckon::text {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string json_number(double value, int decimals) {
  if (!std::isfinite(value)) return "null";
  return fmt::format("{:.{}f}", value, decimals);
}

JsonObject& JsonObject::text(std::string_view key, std::string_view value) {
  begin(key);
  append_json_string(body_, value);
  return *this;
}

JsonObject& JsonObject::raw(std::string_view key, std::string_view value) {
  begin(key);
  body_ += value;
  return *this;
}

JsonObject& JsonObject::merge(const JsonObject& other) {
  if (!body_.empty() && !other.body_.empty()) body_ += ", ";
  body_ += other.body_;
  return *this;
}

void JsonObject::begin(std::string_view key) {
  if (!body_.empty()) body_ += ", ";
  append_json_string(body_, key);
  body_ += ": ";
}

JsonArray& JsonArray::raw(std::string_view value) {
  if (!body_.empty()) body_ += ", ";
  body_ += value;
  return *this;
}

}  // namespace reckon::text
