#include "text/json.h"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace reckon::text {
namespace {

namespace json = boost::json;

// Python, JavaScript and Boost agree on this: of members with equal names the last value counts, at the first place.
void drop_repeated_names(Json::Object& object) {
  if (object.size() < 2) return;
  std::unordered_map<std::string_view, std::size_t> first;
  first.reserve(object.size());
  bool repeated = false;
  for (std::size_t i = 0; i < object.size(); ++i) repeated |= !first.emplace(object[i].name, i).second;
  if (!repeated) return;
  for (std::size_t i = 0; i < object.size(); ++i) {
    const std::size_t home = first.find(object[i].name)->second;
    if (home != i) object[home].value = std::move(object[i].value);
  }
  Json::Object kept;
  for (std::size_t i = 0; i < object.size(); ++i) {
    if (first.find(object[i].name)->second == i) kept.push_back({object[i].name, std::move(object[i].value)});
  }
  object = std::move(kept);
}

// Builds the tree from the events of the parser. The depth limit is the parser's own: it stops before we grow.
class TreeBuilder {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  Json root;

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) { return open(Json{Json::Array{}}); }
  bool on_array_end(std::size_t, json::error_code&) { return close(); }
  bool on_object_begin(json::error_code&) { return open(Json{Json::Object{}}); }
  bool on_object_end(std::size_t, json::error_code&) {
    drop_repeated_names(std::get<Json::Object>(open_.back().value));
    return close();
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    part_.append(part.data(), part.size());
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code&) {
    part_.append(part.data(), part.size());
    return add(Json{std::exchange(part_, {})});
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    part_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    part_.append(part.data(), part.size());
    std::get<Json::Object>(open_.back().value).push_back({std::exchange(part_, {}), Json{}});
    return true;
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, json::error_code&) { return add(Json{number}); }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) {
    return add(Json{static_cast<double>(number)});  // only beyond int64: smaller ones come as on_int64
  }
  bool on_double(double number, json::string_view, json::error_code&) { return add(Json{number}); }
  bool on_bool(bool value, json::error_code&) { return add(Json{value}); }
  bool on_null(json::error_code&) { return add(Json{}); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool open(Json container) {
    open_.push_back(std::move(container));
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (auto* array = std::get_if<Json::Array>(&open_.back().value)) {
      array->push_back(std::move(value));
    } else {
      std::get<Json::Object>(open_.back().value).back().value = std::move(value);
    }
    return true;
  }

  std::vector<Json> open_;
  std::string part_;
};

std::string place_of(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  std::size_t line_start = 0;
  offset = std::min(offset, text.size());
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++line;
      line_start = i + 1;
    }
  }
  return fmt::format("line {}, column {}", line, offset - line_start + 1);
}

// Bytes of the character at `i`, 0 where it is not valid UTF-8 (RFC 3629).
std::size_t valid_utf8(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || i + n > text.size()) return 0;
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(i + 1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return n;
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  out.append(buffer, end);
}

void append_json(std::string& out, const Json& json) {
  if (const auto* flag = json.as_bool()) {
    out += *flag ? "true" : "false";
  } else if (const auto* integer = json.as_int()) {
    out += fmt::format_int(*integer).c_str();
  } else if (const auto* number = json.as_double()) {
    append_double(out, *number);
  } else if (const auto* string = json.as_string()) {
    append_json_string(out, *string);
  } else if (const auto* array = json.as_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i != 0) out += ',';
      append_json(out, (*array)[i]);
    }
    out += ']';
  } else if (const auto* object = json.as_object()) {
    out += '{';
    for (std::size_t i = 0; i < object->size(); ++i) {
      if (i != 0) out += ',';
      append_json_string(out, (*object)[i].name);
      out += ':';
      append_json(out, (*object)[i].value);
    }
    out += '}';
  } else {
    out += "null";
  }
}

}  // namespace

const Json* Json::find(std::string_view name) const {
  const auto* object = as_object();
  if (object == nullptr) return nullptr;
  for (const JsonMember& member : *object) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  json::parse_options options;
  options.max_depth = limits.max_depth;
  try {
    json::basic_parser<TreeBuilder> parser(options);
    json::error_code error;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
    if (!error && !parser.done()) error = json::error::incomplete;
    if (!error && used < text.size()) error = json::error::extra_data;
    if (error == json::error::too_deep) {
      return fail(ErrorCode::kLimit,
                  fmt::format("JSON is nested deeper than {} levels at {}", limits.max_depth, place_of(text, used)));
    }
    if (error) {
      return fail(ErrorCode::kInvalidInput, fmt::format("JSON: {} at {}", error.message(), place_of(text, used)));
    }
    return std::move(parser.handler().root);
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInvalidInput, fmt::format("JSON: {}", exception.what()));
  }
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t n = valid_utf8(text, i);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (n == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out.append(text, i, n);
    }
    i += std::max<std::size_t>(n, 1);
  }
  out += '"';
}

std::string dump_json(const Json& json) {
  std::string out;
  append_json(out, json);
  return out;
}

}  // namespace reckon::text
