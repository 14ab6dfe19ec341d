#pragma once
// Writes JSON in the order of the calls, on one line, without a tree in between. Numbers come out as people write them
// (44.12, not 4.412E1), text always as valid UTF-8.

#include <concepts>
#include <string>
#include <string_view>

namespace reckon::text {

[[nodiscard]] std::string json_string(std::string_view text);
// Fixed decimals; null for NaN and infinities, which JSON does not have.
[[nodiscard]] std::string json_number(double value, int decimals = 3);

class JsonObject {
 public:
  JsonObject& text(std::string_view key, std::string_view value);
  JsonObject& number(std::string_view key, double value, int decimals = 3) {
    return raw(key, json_number(value, decimals));
  }
  JsonObject& boolean(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  template <std::integral T>
  JsonObject& integer(std::string_view key, T value) {
    return raw(key, std::to_string(value));
  }
  JsonObject& null(std::string_view key) { return raw(key, "null"); }
  // `value` is JSON already.
  JsonObject& raw(std::string_view key, std::string_view value);
  // All members of `other`, behind those that are there.
  JsonObject& merge(const JsonObject& other);
  [[nodiscard]] std::string str() const { return "{" + body_ + "}"; }

 private:
  void begin(std::string_view key);

  std::string body_;
};

class JsonArray {
 public:
  JsonArray& text(std::string_view value) { return raw(json_string(value)); }
  template <std::integral T>
  JsonArray& integer(T value) {
    return raw(std::to_string(value));
  }
  // `value` is JSON already.
  JsonArray& raw(std::string_view value);
  [[nodiscard]] bool empty() const { return body_.empty(); }
  [[nodiscard]] std::string str() const { return "[" + body_ + "]"; }

 private:
  std::string body_;
};

}  // namespace reckon::text
