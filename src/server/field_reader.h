#pragma once
// Typed reading of the members of one JSON object, each with its range, a line a field. The first thing that is wrong
// is kept and names the field, what was wanted and what came. null is the same as absent. Members that nobody asked for
// are listed. Borrows the object. Thread: one.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/api_error.h"
#include "text/json.h"

namespace reckon::server {

struct NumberRange {
  double least = 0;
  double most = 0;
};

struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

class FieldReader {
 public:
  // `path` stands before names in messages: "messages[3]."; empty for the body itself.
  explicit FieldReader(const text::Json& object, std::string path = {});

  // Leave `out` alone where the field is absent, null or wrong.
  void number(std::string_view name, NumberRange range, std::optional<double>& out);
  void whole(std::string_view name, WholeRange range, std::optional<std::int64_t>& out);
  void whole(std::string_view name, WholeRange range, std::optional<int>& out);  // the range fits an int
  void boolean(std::string_view name, std::optional<bool>& out);
  void boolean(std::string_view name, bool& out);
  void string(std::string_view name, std::size_t max_bytes, std::optional<std::string>& out);
  void string(std::string_view name, std::size_t max_bytes, std::string& out);

  [[nodiscard]] bool has(std::string_view name) const { return fields_.contains(name); }  // null counts
  // Null where absent, null or wrong; any() takes every type.
  const text::Json* any(std::string_view name);
  const text::Json* object(std::string_view name);
  const text::Json::Array* array(std::string_view name, std::size_t max_items);

  // Known, but without an effect here.
  void accept(std::initializer_list<std::string_view> names);

  void fail(std::string_view name, std::string message, std::string code = {});
  // "temperature: want a number from 0 to 10, got \"hot\"".
  void fail_type(std::string_view name, std::string_view wanted, const text::Json& got);

  // An error of an object inside of this one, with its own path.
  void adopt(const std::optional<ApiError>& inner) {
    if (!error_ && inner) error_ = inner;
  }

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const std::optional<ApiError>& error() const { return error_; }
  [[nodiscard]] std::string path_of(std::string_view name) const { return path_ + std::string(name); }
  // Names nobody asked for, at most kMaxUnknown, with their path.
  [[nodiscard]] std::vector<std::string> unknown() const;

  static constexpr std::size_t kMaxUnknown = 16;

 private:
  struct Field {
    const text::Json* value;
    bool asked = false;
  };
  const text::Json* take(std::string_view name);

  const text::Json::Object* members_;
  std::string path_;
  std::unordered_map<std::string_view, Field> fields_;
  std::optional<ApiError> error_;
};

// At most 60 bytes of the value as JSON, for messages.
[[nodiscard]] std::string shown(const text::Json& value);
// At most `max_bytes` of the text, whole characters, with "..." where something was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t max_bytes = 60);

}  // namespace reckon::server
