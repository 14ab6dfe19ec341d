#include "grammar/schema_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "grammar/limits.h"
#include "grammar/schema_types.h"

namespace reckon::grammar {

using text::Json;

Result<Syntax> SchemaWriter::write() {
  syntax_.root = syntax_.add_rule("#");
  RECKON_TRY(const NodeId body, value({{root_, "#"}}, 0));
  syntax_.define(syntax_.root, body);
  return std::move(syntax_);
}

Result<NodeId> SchemaWriter::value(std::vector<SchemaAt> schemas, int depth) {
  if (depth > kMaxSchemaDepth) {
    return fail(ErrorCode::kLimit,
                fmt::format("schema {}: deeper than {} schemas", schemas[0].pointer, kMaxSchemaDepth));
  }
  if (schemas.empty()) return parts_.value();
  std::vector<const Json*> key;
  for (SchemaAt& schema : schemas) {
    RECKON_TRY(schema, reader_.resolved(std::move(schema)));
    key.push_back(schema.json);
  }
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  if (syntax_.rules.size() > kMaxRules)
    return fail(ErrorCode::kLimit, fmt::format("the schema makes more than {} rules", kMaxRules));
  const RuleId rule = syntax_.add_rule(schemas[0].pointer);
  const NodeId reference = syntax_.rule_reference(rule);
  made_.emplace(std::move(key), reference);  // before the body, which may refer to it
  Fields fields;
  for (const SchemaAt& schema : schemas) RECKON_TRY_VOID(reader_.add_fields(schema, fields));
  RECKON_TRY(const NodeId body, value_of(std::move(fields), depth));
  syntax_.define(rule, body);
  return reference;
}

Result<NodeId> SchemaWriter::value_of(Fields fields, int depth) {
  if (++n_values_ > kMaxRules)
    return fail(ErrorCode::kLimit, "the schema has too many combinations of anyOf and oneOf");
  if (depth > kMaxSchemaDepth)
    return fail(ErrorCode::kLimit, fmt::format("schema: deeper than {} schemas", kMaxSchemaDepth));
  if (fields.is_never) return syntax_.character_class({});
  for (const std::string_view keyword : {"anyOf", "oneOf"}) {
    if (const Field* choice = fields.find(keyword)) return alternatives(fields, *choice, depth);
  }
  RECKON_TRY(const unsigned types, types_of(fields));
  if (fields.has("enum") || fields.has("const")) return constants(fields, types);
  if (fields.all.empty()) return parts_.value();
  std::vector<NodeId> choices;
  for (unsigned type = 1; type <= kAllTypes; type <<= 1) {
    if ((types & type) == 0 || (type == kInteger && (types & kNumber) != 0)) continue;
    RECKON_TRY(const NodeId choice, value_of_type(fields, type, depth));
    choices.push_back(choice);
  }
  return syntax_.choice(std::move(choices));
}

// One branch must hold, together with everything beside it.
Result<NodeId> SchemaWriter::alternatives(const Fields& fields, const Field& choice, int depth) {
  const auto* branches = choice.value->as_array();
  if (branches == nullptr || branches->empty()) return field_error(choice, "want a list of at least one schema");
  Fields others = fields;
  std::erase_if(others.all, [&](const Field& field) { return field.value == choice.value; });
  std::vector<NodeId> choices;
  for (std::size_t i = 0; i < branches->size(); ++i) {
    const SchemaAt branch{&(*branches)[i], pointer_to(choice.pointer, std::to_string(i))};
    if (others.all.empty()) {
      RECKON_TRY(const NodeId node, value({branch}, depth + 1));
      choices.push_back(node);
    } else {
      Fields both = others;
      RECKON_TRY_VOID(reader_.add_fields(branch, both));
      RECKON_TRY(const NodeId node, value_of(std::move(both), depth + 1));
      choices.push_back(node);
    }
  }
  return syntax_.choice(std::move(choices));
}

Result<NodeId> SchemaWriter::constants(const Fields& fields, unsigned types) {
  std::optional<std::vector<const Json*>> values;
  for (const Field& field : fields.all) {
    if (field.keyword != "enum" && field.keyword != "const") {
      if (field.keyword == "type" || field.keyword == "nullable") continue;
      return unsupported_field(field, " beside enum or const");
    }
    std::vector<const Json*> own;
    if (field.keyword == "const") {
      own.push_back(field.value);
    } else if (const auto* list = field.value->as_array(); list != nullptr && !list->empty()) {
      for (const Json& value : *list) own.push_back(&value);
    } else {
      return field_error(field, "want a list of at least one value");
    }
    if (!values) {
      values = std::move(own);
      continue;
    }
    std::set<std::string> texts;
    for (const Json* value : own) texts.insert(text::dump_json(*value));
    std::erase_if(*values, [&](const Json* value) { return !texts.contains(text::dump_json(*value)); });
  }
  std::vector<NodeId> choices;
  for (const Json* value : *values) {
    if ((types & type_of(*value)) != 0) choices.push_back(syntax_.literal(text::dump_json(*value)));
  }
  return syntax_.choice(std::move(choices));
}

Result<NodeId> SchemaWriter::value_of_type(const Fields& fields, unsigned type, int depth) {
  switch (type) {
    case kNull:
      return parts_.null();
    case kBoolean:
      return parts_.boolean();
    case kInteger:
      return number(fields, true);
    case kNumber:
      return number(fields, false);
    case kString:
      return string(fields);
    case kArray:
      return array(fields, depth);
    default:
      return object(fields, depth);
  }
}

Result<NodeId> SchemaWriter::array(const Fields& fields, int depth) {
  RECKON_TRY(const CountBounds count, count_bounds(fields, "minItems", "maxItems"));
  if (const Field* unique = fields.find("uniqueItems")) {
    const bool* flag = unique->value->as_bool();
    if (flag == nullptr || *flag) return unsupported_field(*unique);
  }
  std::vector<std::vector<SchemaAt>> prefix;
  Others others{true, {}};
  bool has_items = false;
  for (const Field& field : fields.all) {
    if (field.keyword == "items") {
      if (field.value->as_array() != nullptr) return field_error(field, "want one schema; a list is prefixItems");
      others.schemas.push_back({field.value, field.pointer});
      has_items = true;
    } else if (field.keyword == "prefixItems") {
      const auto* list = field.value->as_array();
      if (list == nullptr) return field_error(field, "want a list of schemas");
      if (!prefix.empty()) return unsupported_field(field, " in two schemas that hold together");
      for (std::size_t i = 0; i < list->size(); ++i) {
        prefix.push_back({{&(*list)[i], pointer_to(field.pointer, std::to_string(i))}});
      }
    }
  }
  if (!prefix.empty()) {
    for (const Field& field : fields.all) {
      if (field.keyword == "items" && field.owner != fields.find("prefixItems")->owner) {
        return unsupported_field(field, " beside prefixItems of another schema");
      }
    }
  }
  std::uint64_t max = count.max;
  if (!prefix.empty() && !has_items) max = std::min(max, std::max<std::uint64_t>(prefix.size(), count.min));
  if (max < count.min) return syntax_.character_class({});
  const bool may_be_empty = count.min == 0;
  if (max == 0) return parts_.bracketed('[', std::nullopt, may_be_empty, ']');
  if (count.min > kMaxRepetition || (max != kNoMaximum && max > kMaxRepetition)) {
    return fail(ErrorCode::kLimit, fmt::format("schema: more than {} items are asked for", kMaxRepetition));
  }
  // From the last listed item backwards: an item, then, perhaps, a comma and what follows.
  const auto n_listed = std::min<std::uint64_t>(prefix.size(), max);
  std::optional<NodeId> rest;
  if (max > n_listed) {
    RECKON_TRY(const NodeId item, value(others.schemas, depth + 1));
    const NodeId next = syntax_.sequence({parts_.comma(), item});
    const std::uint64_t used = std::max<std::uint64_t>(n_listed, 1);
    const auto min_more = static_cast<std::uint32_t>(count.min > used ? count.min - used : 0);
    const std::uint32_t max_more = max == kNoMaximum ? kUnbounded : static_cast<std::uint32_t>(max - used);
    rest = syntax_.repeat(next, min_more, max_more);
    if (n_listed == 0) rest = syntax_.sequence({item, *rest});
  }
  for (std::uint64_t i = n_listed; i-- > 0;) {
    RECKON_TRY(NodeId item, value(std::move(prefix[i]), depth + 1));
    if (i > 0) item = syntax_.sequence({parts_.comma(), item});
    NodeId node = rest ? syntax_.sequence({item, *rest}) : item;
    if (i > 0 && i >= count.min) node = syntax_.optional(node);
    rest = node;
  }
  return parts_.bracketed('[', rest, may_be_empty, ']');
}

Result<std::vector<SchemaWriter::Property>> SchemaWriter::properties_of(const Fields& fields, const Others& others) {
  std::vector<Property> out;
  std::map<std::string_view, std::size_t> index;
  const auto at = [&](std::string_view name) -> Property& {
    const auto [found, is_new] = index.try_emplace(name, out.size());
    if (is_new) out.push_back({std::string(name), {}, false});
    return out[found->second];
  };
  for (const Field& field : fields.all) {
    if (field.keyword != "properties") continue;
    const auto* members = field.value->as_object();
    if (members == nullptr) return field_error(field, "want an object of schemas");
    for (const text::JsonMember& member : *members) {
      at(member.name).schemas.push_back({&member.value, pointer_to(field.pointer, member.name)});
    }
  }
  const std::size_t n_listed = out.size();
  for (const Field& field : fields.all) {
    if (field.keyword != "required") continue;
    const auto* names = field.value->as_array();
    if (names == nullptr) return field_error(field, "want a list of names");
    for (const Json& name : *names) {
      const std::string* text = name.as_string();
      if (text == nullptr) return field_error(field, "want a list of names");
      Property& property = at(*text);
      property.required = true;
      if (index.find(*text)->second < n_listed) continue;
      // A required member that no schema lists is one of the others.
      if (!others.allowed && fields.has("additionalProperties")) {
        return field_error(field, fmt::format("\"{}\" is required, but additionalProperties does not allow it", *text));
      }
      property.schemas = others.schemas;
    }
  }
  return out;
}

Result<NodeId> SchemaWriter::object(const Fields& fields, int depth) {
  const Field* listed = fields.find("properties");
  Others others{listed == nullptr, {}};
  for (const Field& field : fields.all) {
    if (field.keyword != "additionalProperties") continue;
    const bool* flag = field.value->as_bool();
    const bool is_alone = std::ranges::all_of(
        fields.all, [&](const Field& other) { return other.keyword != "properties" || other.owner == field.owner; });
    if ((flag == nullptr || !*flag) && !is_alone) {
      return unsupported_field(field, " beside properties of another schema");
    }
    if (others.schemas.empty()) others.allowed = flag == nullptr || *flag;
    if (flag != nullptr && !*flag) others.allowed = false;
    if (flag == nullptr) others.schemas.push_back({field.value, field.pointer});
  }
  RECKON_TRY(std::vector<Property> properties, properties_of(fields, others));
  RECKON_TRY(const CountBounds count, count_bounds(fields, "minProperties", "maxProperties"));
  std::vector<NodeId> items;
  std::vector<bool> optional;
  std::vector<std::string> names;
  std::uint64_t n_required = 0;
  for (Property& property : properties) {
    RECKON_TRY(const NodeId node, value(std::move(property.schemas), depth + 1));
    items.push_back(parts_.member(syntax_.literal(json_quoted(property.name)), node));
    optional.push_back(!property.required);
    names.push_back(std::move(property.name));
    n_required += property.required ? 1 : 0;
  }
  std::optional<NodeId> other;
  if (others.allowed) {
    RECKON_TRY(const NodeId node, value(std::move(others.schemas), depth + 1));
    other = parts_.member(names.empty() ? parts_.string() : syntax_.other_string(names), node);
  }
  if (items.empty() && other) return map_object(fields, *other, count.min, count.max);
  const bool fits = count.min <= n_required && (count.max == kNoMaximum || (!other && count.max >= items.size()));
  if (!fits) {
    const Field* bound = fields.find(count.min > n_required ? "minProperties" : "maxProperties");
    return unsupported_field(*bound, " together with properties");
  }
  if (other) {
    items.push_back(*other);
    optional.push_back(true);
  }
  std::optional<NodeId> body;
  if (!items.empty()) body = syntax_.members(parts_.comma(), std::move(items), std::move(optional), other.has_value());
  return parts_.bracketed('{', body, n_required == 0, '}');
}

// An object with members of any name.
Result<NodeId> SchemaWriter::map_object(const Fields& fields, NodeId member, std::uint64_t min, std::uint64_t max) {
  if (max < min) return syntax_.character_class({});
  if (max == 0) return parts_.bracketed('{', std::nullopt, true, '}');
  if (min > kMaxRepetition || (max != kNoMaximum && max > kMaxRepetition)) {
    const Field* bound = fields.find(min > kMaxRepetition ? "minProperties" : "maxProperties");
    return field_error(*bound, fmt::format("more than {}", kMaxRepetition), ErrorCode::kLimit);
  }
  const auto min_more = static_cast<std::uint32_t>(min > 1 ? min - 1 : 0);
  const std::uint32_t max_more = max == kNoMaximum ? kUnbounded : static_cast<std::uint32_t>(max - 1);
  const NodeId more = syntax_.repeat(syntax_.sequence({parts_.comma(), member}), min_more, max_more);
  return parts_.bracketed('{', syntax_.sequence({member, more}), min == 0, '}');
}

}  // namespace reckon::grammar
