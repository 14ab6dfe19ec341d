#include "grammar/schema_check.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "text/utf8.h"

namespace reckon::grammar {
namespace {

using text::Json;

std::size_t n_characters(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size(); ++n) i += text::decode_utf8(text, i).length;
  return n;
}

bool is_found(const std::string& pattern, const std::string& text) {
  int error = 0;
  PCRE2_SIZE place = 0;
  const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF | PCRE2_DOLLAR_ENDONLY,
                    &error, &place, nullptr),
      &pcre2_code_free);
  if (!code) return false;
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create_from_pattern(code.get(), nullptr), &pcre2_match_data_free);
  return pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, match.get(), nullptr) >=
         0;
}

double number_of(const Json& json) {
  return json.as_int() != nullptr ? static_cast<double>(*json.as_int()) : *json.as_double();
}
bool is_number(const Json& json) { return json.as_int() != nullptr || json.as_double() != nullptr; }

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.as_bool() != nullptr;
  if (type == "integer") return is_number(value) && std::floor(number_of(value)) == number_of(value);
  if (type == "number") return is_number(value);
  if (type == "string") return value.as_string() != nullptr;
  if (type == "array") return value.as_array() != nullptr;
  return type == "object" && value.as_object() != nullptr;
}

std::string check_number(double number, const Json& schema) {
  const auto bound = [&](const char* name, auto good) {
    const Json* limit = schema.find(name);
    return limit == nullptr || good(number, number_of(*limit));
  };
  if (!bound("minimum", std::greater_equal<>())) return "minimum";
  if (!bound("maximum", std::less_equal<>())) return "maximum";
  if (!bound("exclusiveMinimum", std::greater<>())) return "exclusiveMinimum";
  if (!bound("exclusiveMaximum", std::less<>())) return "exclusiveMaximum";
  return {};
}

std::string check_count(std::size_t n, const Json& schema, const char* min, const char* max) {
  if (const Json* limit = schema.find(min); limit != nullptr && static_cast<double>(n) < number_of(*limit)) return min;
  if (const Json* limit = schema.find(max); limit != nullptr && static_cast<double>(n) > number_of(*limit)) return max;
  return {};
}

std::string check_string(const std::string& text, const Json& schema) {
  if (const Json* pattern = schema.find("pattern"); pattern != nullptr && !is_found(*pattern->as_string(), text)) {
    return "pattern";
  }
  return check_count(n_characters(text), schema, "minLength", "maxLength");
}

std::string check_object(const Json::Object& object, const Json& schema, const Json& root) {
  const Json* properties = schema.find("properties");
  const Json* others = schema.find("additionalProperties");
  for (const text::JsonMember& member : object) {
    const Json* own = properties != nullptr ? properties->find(member.name) : nullptr;
    if (own == nullptr) own = others;
    if (own == nullptr) continue;
    if (auto problem = misfit(member.value, *own, root); !problem.empty()) return member.name + "." + problem;
  }
  if (const Json* required = schema.find("required")) {
    for (const Json& name : *required->as_array()) {
      const auto found = std::ranges::find(object, *name.as_string(), &text::JsonMember::name);
      if (found == object.end()) return "required " + *name.as_string();
    }
  }
  return check_count(object.size(), schema, "minProperties", "maxProperties");
}

std::string check_array(const Json::Array& array, const Json& schema, const Json& root) {
  const Json* prefix = schema.find("prefixItems");
  const Json* items = schema.find("items");
  for (std::size_t i = 0; i < array.size(); ++i) {
    const bool in_prefix = prefix != nullptr && i < prefix->as_array()->size();
    const Json* own = in_prefix ? &(*prefix->as_array())[i] : items;
    if (own == nullptr) continue;
    if (auto problem = misfit(array[i], *own, root); !problem.empty()) return std::to_string(i) + "." + problem;
  }
  return check_count(array.size(), schema, "minItems", "maxItems");
}

std::string check_choices(const Json& value, const Json& schema, const Json& root) {
  for (const char* name : {"anyOf", "oneOf"}) {
    const Json* branches = schema.find(name);
    if (branches == nullptr) continue;
    const bool any = std::ranges::any_of(*branches->as_array(),
                                         [&](const Json& branch) { return misfit(value, branch, root).empty(); });
    if (!any) return name;
  }
  if (const Json* parts = schema.find("allOf")) {
    for (const Json& part : *parts->as_array()) {
      if (auto problem = misfit(value, part, root); !problem.empty()) return problem;
    }
  }
  if (const Json* list = schema.find("enum")) {
    const std::string own = text::dump_json(value);
    const bool any = std::ranges::any_of(*list->as_array(), [&](const Json& x) { return text::dump_json(x) == own; });
    if (!any) return "enum";
  }
  const Json* constant = schema.find("const");
  return constant != nullptr && text::dump_json(*constant) != text::dump_json(value) ? "const" : "";
}

}  // namespace

std::string misfit(const Json& value, const Json& schema, const Json& root) {
  if (const bool* flag = schema.as_bool()) return *flag ? "" : "false";
  if (const Json* reference = schema.find("$ref")) {
    const std::string name = reference->as_string()->substr(reference->as_string()->rfind('/') + 1);
    const Json* target = name == "#" ? &root : root.find("$defs")->find(name);
    if (auto problem = misfit(value, *target, root); !problem.empty()) return problem;
  }
  if (const Json* type = schema.find("type")) {
    const bool fits =
        type->as_array() == nullptr
            ? has_type(value, *type->as_string())
            : std::ranges::any_of(*type->as_array(), [&](const Json& t) { return has_type(value, *t.as_string()); });
    if (!fits) return "type";
  }
  std::string problem = check_choices(value, schema, root);
  if (problem.empty() && is_number(value)) problem = check_number(number_of(value), schema);
  if (problem.empty() && value.as_string() != nullptr) problem = check_string(*value.as_string(), schema);
  if (problem.empty() && value.as_object() != nullptr) problem = check_object(*value.as_object(), schema, root);
  if (problem.empty() && value.as_array() != nullptr) problem = check_array(*value.as_array(), schema, root);
  return problem;
}

}  // namespace reckon::grammar
