#include "grammar/schema_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "grammar/limits.h"

namespace reckon::grammar {
namespace {

using text::Json;

constexpr std::size_t kMaxSteps = 200'000;

constexpr std::string_view kWithoutEffect[] = {"title",      "description", "default",    "examples", "example",
                                               "deprecated", "readOnly",    "writeOnly",  "$comment", "$schema",
                                               "$id",        "$defs",       "definitions"};

constexpr std::string_view kEnforced[] = {"type",
                                          "nullable",
                                          "enum",
                                          "const",
                                          "properties",
                                          "required",
                                          "items",
                                          "prefixItems",
                                          "minItems",
                                          "maxItems",
                                          "minLength",
                                          "maxLength",
                                          "pattern",
                                          "format",
                                          "minimum",
                                          "maximum",
                                          "exclusiveMinimum",
                                          "exclusiveMaximum",
                                          "minProperties",
                                          "maxProperties",
                                          "multipleOf",
                                          "anyOf",
                                          "oneOf",
                                          "additionalProperties",
                                          "uniqueItems"};

bool is_in(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// One part of a JSON pointer in a fragment: %XX, then ~1 and ~0. Empty where it is malformed.
std::optional<std::string> decoded(std::string_view part) {
  std::string bytes;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      bytes += part[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = part.substr(i + 1, 2);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (status != std::errc() || end != digits.data() + 2) return std::nullopt;
    bytes += static_cast<char>(value);
    i += 2;
  }
  std::string name;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_escape = bytes[i] == '~' && i + 1 < bytes.size();
    if (is_escape && bytes[i + 1] == '1') {
      name += '/', ++i;
    } else if (is_escape && bytes[i + 1] == '0') {
      name += '~', ++i;
    } else {
      name += bytes[i];
    }
  }
  return name;
}

const Json* child_of(const Json& json, std::string_view name) {
  if (const auto* array = json.as_array()) {
    std::size_t index = 0;
    const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (status != std::errc() || end != name.data() + name.size() || index >= array->size()) return nullptr;
    return &(*array)[index];
  }
  return json.find(name);
}

// Only a $ref, apart from what has no effect.
const Json* lone_reference(const Json& schema) {
  const Json* reference = schema.find("$ref");
  if (reference == nullptr) return nullptr;
  for (const text::JsonMember& member : *schema.as_object()) {
    if (member.name != "$ref" && !is_in(member.name, kWithoutEffect) && !member.name.starts_with("x-")) return nullptr;
  }
  return reference;
}

}  // namespace

std::string pointer_to(const std::string& pointer, std::string_view name) {
  std::string out = pointer + "/";
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  if (out.size() > 512) out = out.substr(0, 253) + "..." + out.substr(out.size() - 253);
  return out;
}

std::unexpected<Error> field_error(const Field& field, std::string_view what, ErrorCode code) {
  return fail(code, fmt::format("schema {}: {}", field.pointer, what));
}

std::unexpected<Error> unsupported_field(const Field& field, std::string_view why) {
  return fail(ErrorCode::kUnsupported,
              fmt::format("schema {}: \"{}\" cannot be enforced{}", field.pointer, field.keyword, why));
}

const Field* Fields::find(std::string_view keyword) const {
  const auto found = std::ranges::find(all, keyword, &Field::keyword);
  return found == all.end() ? nullptr : &*found;
}

Result<SchemaAt> SchemaReader::target_of(const Json& reference, const std::string& pointer) const {
  const std::string* text = reference.as_string();
  if (text == nullptr) return fail(ErrorCode::kInvalidInput, fmt::format("schema {}: want a string", pointer));
  if (!text->starts_with("#") || (text->size() > 1 && (*text)[1] != '/')) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("schema {}: \"$ref\" cannot be enforced: only \"#\" and \"#/...\" are followed", pointer));
  }
  const Json* at = root_;
  std::string_view rest = std::string_view(*text).substr(1);
  while (!rest.empty() && at != nullptr) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    const auto name = decoded(part);
    at = name ? child_of(*at, *name) : nullptr;
  }
  if (at == nullptr) return fail(ErrorCode::kInvalidInput, fmt::format("schema {}: leads nowhere", pointer));
  return SchemaAt{at, text->size() > 512 ? text->substr(0, 512) : *text};
}

Result<SchemaAt> SchemaReader::resolved(SchemaAt schema) const {
  for (int n = 0; n < kMaxSchemaDepth; ++n) {
    const Json* reference = lone_reference(*schema.json);
    if (reference == nullptr) return schema;
    RECKON_TRY(schema, target_of(*reference, pointer_to(schema.pointer, "$ref")));
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("schema {}: \"$ref\" leads in a circle", schema.pointer));
}

Result<void> SchemaReader::add_fields(const SchemaAt& schema, Fields& fields) { return add_fields(schema, fields, 0); }

Result<void> SchemaReader::add_fields(const SchemaAt& schema, Fields& fields, int depth) {
  if (depth > kMaxSchemaDepth) {
    return fail(ErrorCode::kLimit, fmt::format("schema {}: $ref and allOf lead in a circle, or deeper than {} levels",
                                               schema.pointer, kMaxSchemaDepth));
  }
  if (const bool* flag = schema.json->as_bool()) {
    fields.is_never |= !*flag;
    return {};
  }
  const auto* members = schema.json->as_object();
  if (members == nullptr) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("schema {}: want a schema: an object, true or false", schema.pointer));
  }
  const std::uint32_t owner = fields.n_owners++;
  for (const text::JsonMember& member : *members) {
    if (++n_steps_ > kMaxSteps)
      return fail(ErrorCode::kLimit, "the schema is too large once its references are followed");
    if (is_in(member.name, kWithoutEffect) || member.name.starts_with("x-")) continue;
    Field field{member.name, &member.value, pointer_to(schema.pointer, member.name), owner};
    if (member.name == "$ref") {
      RECKON_TRY(const SchemaAt target, target_of(member.value, field.pointer));
      RECKON_TRY_VOID(add_fields(target, fields, depth + 1));
    } else if (member.name == "allOf") {
      const auto* parts = member.value.as_array();
      if (parts == nullptr) return field_error(field, "want a list of schemas");
      for (std::size_t i = 0; i < parts->size(); ++i) {
        RECKON_TRY_VOID(add_fields({&(*parts)[i], pointer_to(field.pointer, std::to_string(i))}, fields, depth + 1));
      }
    } else if (is_in(member.name, kEnforced)) {
      fields.all.push_back(std::move(field));
    } else {
      return unsupported_field(field);
    }
  }
  return {};
}

}  // namespace reckon::grammar
