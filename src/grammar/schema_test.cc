#include "grammar/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "grammar/schema_check.h"
#include "grammar/test_vocabulary.h"
#include "reckon/grammar.h"

namespace reckon::grammar {
namespace {

std::shared_ptr<const GrammarVocabulary> bytes() {
  static const auto vocabulary = GrammarVocabulary::create(TestVocabulary::of_bytes());
  return vocabulary;
}

bool fits(std::string_view schema, std::string_view text) {
  const auto grammar = Grammar::from_json_schema(schema, bytes());
  if (!grammar) {
    ADD_FAILURE() << grammar.error().message;
    return false;
  }
  const auto matcher = (*grammar)->matcher();
  for (const char c : text) {
    if (!matcher->accept(TestVocabulary::kFirstText + static_cast<unsigned char>(c))) return false;
  }
  return matcher->is_complete();
}

std::string error_of(std::string_view schema) {
  const auto grammar = Grammar::from_json_schema(schema, bytes());
  return grammar ? "no error" : grammar.error().message;
}
ErrorCode code_of(std::string_view schema) {
  const auto grammar = Grammar::from_json_schema(schema, bytes());
  return grammar ? ErrorCode::kInternal : grammar.error().code;
}

// A random text of the grammar. `hurry`: from then on only what closes things.
std::string random_text(const Grammar& grammar, const TestVocabulary& vocabulary, unsigned seed, std::size_t hurry) {
  std::mt19937 random(seed);
  const auto matcher = grammar.matcher();
  std::vector<std::uint64_t> mask((static_cast<std::size_t>(vocabulary.n_vocab()) + 63) / 64);
  std::string text;
  for (int n = 0; n < 5000 && !matcher->must_end(); ++n) {
    if (const auto filled = matcher->fill_mask(mask); !filled) {
      ADD_FAILURE() << filled.error().message << " after: " << text;
      return text;
    }
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < vocabulary.n_vocab(); ++id) {
      if ((mask[static_cast<std::size_t>(id) / 64] >> (id % 64) & 1) != 0) allowed.push_back(id);
    }
    TokenId chosen = allowed[random() % allowed.size()];
    if (text.size() > hurry) {
      if (matcher->is_complete()) break;
      std::erase_if(allowed, [](TokenId id) {
        return std::string_view("}]\"abc").find(static_cast<char>(id - TestVocabulary::kFirstText)) ==
                   std::string::npos ||
               id >= TestVocabulary::kFirstText + 256;
      });
      if (!allowed.empty()) chosen = allowed[random() % allowed.size()];
    }
    if (!matcher->accept(chosen)) {
      ADD_FAILURE() << "not accepted: " << vocabulary.token_bytes(chosen) << " after: " << text;
      return text;
    }
    if (chosen == TestVocabulary::kEnd) break;
    text += vocabulary.token_bytes(chosen);
  }
  return text;
}

class SchemaTexts : public testing::TestWithParam<const char*> {};

TEST_P(SchemaTexts, AreJsonThatFitsTheSchema) {
  const TestVocabulary vocabulary = TestVocabulary::of_bytes(
      {"\": \"", "\", \"", "\",", "\"}", "abc", "name", "\\u", "\\n", "12", "345", "\xE4\xBD\xA0", "true"});
  const auto grammar = Grammar::from_json_schema(GetParam(), GrammarVocabulary::create(vocabulary));
  ASSERT_TRUE(grammar) << grammar.error().message;
  const auto schema = text::parse_json(GetParam());
  ASSERT_TRUE(schema);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::string text = random_text(**grammar, vocabulary, seed, 40 + 5 * seed);
    const auto value = text::parse_json(text, {.max_depth = 4000});
    ASSERT_TRUE(value) << value.error().message << ": " << text;
    EXPECT_EQ(misfit(*value, *schema, *schema), "") << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, SchemaTexts,
    testing::Values(
        "true",
        R"({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0, "maximum": 150},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}, "minItems": 1, "maxItems": 3},
            "home": {"type": ["object", "null"], "properties": {"city": {"enum": ["Oslo", "Rome", "\"x\\"]}}, "required": ["city"],
            "additionalProperties": false}}, "required": ["name", "tags"], "additionalProperties": false})",
        R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"value": {"type": "integer"},
            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}, "required": ["value", "next"],
            "additionalProperties": false}}})",
        R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "additionalProperties": {"type": "string", "minLength": 1}, "required": ["b"]})",
        R"({"type": "object", "additionalProperties": {"type": "boolean"}, "minProperties": 1, "maxProperties": 3})",
        R"({"type": "number", "minimum": -12, "exclusiveMaximum": 3})",
        R"({"type": "number", "exclusiveMinimum": 0, "maximum": 1})", R"({"type": "number", "exclusiveMinimum": -5})",
        R"({"type": "integer", "exclusiveMinimum": -1005, "maximum": 20017})",
        R"({"type": "integer", "minimum": 12.5})", R"({"type": "number"})", R"({"type": "integer"})",
        R"({"type": "string", "pattern": "^[a-z]{2,3}(-[A-Z]{2})?$"})", R"({"type": "string", "pattern": "a.c"})",
        R"({"type": "string", "pattern": "^(\\d+|\\w[ \\n\"\\\\])*$"})", R"({"type": "string", "pattern": "^a|b$"})",
        R"({"type": "string", "minLength": 3, "maxLength": 7})", R"({"type": "string", "minLength": 3})",
        R"({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}, {"const": null}], "minItems": 2,
            "items": {"type": "boolean"}, "maxItems": 5})",
        R"({"type": "array", "prefixItems": [{"type": "integer"}], "minItems": 3})",
        R"({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "string"}, "a": {"minimum": 5}}, "required": ["b"]}]})",
        R"({"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"],
            "anyOf": [{"properties": {"kind": {"const": "x"}}}, {"properties": {"kind": {"const": "y"}, "n": {"type": "integer"}},
            "required": ["n"]}]})",
        R"({"type": ["integer", "string", "null"], "minimum": 3, "minLength": 2})",
        R"({"enum": [1, "one", null, true, {"a": [1, 2.5]}, "é\n"]})",
        R"({"oneOf": [{"type": "integer"}, {"type": "boolean"}]})"));

TEST(Schema, MembersComeInOrderAndOptionalOnesMayBeLeftOut) {
  const char* schema =
      R"({"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}, "required": ["b"]})";
  EXPECT_TRUE(fits(schema, R"({"b":null})"));
  EXPECT_TRUE(fits(schema, R"({"a": null, "b": null, "c": null})"));
  EXPECT_TRUE(fits(schema, "{\n  \"a\": null,\n  \"b\": null\n}"));
  EXPECT_FALSE(fits(schema, R"({"b":null,"a":null})"));
  EXPECT_FALSE(fits(schema, R"({"a":null})"));
  EXPECT_FALSE(fits(schema, R"({"a":null,,"b":null})"));
  EXPECT_FALSE(fits(schema, R"({"b":null,"d":null})"));
  EXPECT_FALSE(fits(schema, "{}"));
  EXPECT_TRUE(fits(R"({"properties": {"a": {}}})", "{}"));
  EXPECT_FALSE(fits(R"({"properties": {"a": {}}})", "{\n\n}"));
}

TEST(Schema, WhiteSpaceEnds) {
  const char* schema = R"({"type": "array", "items": {"type": "integer"}})";
  EXPECT_TRUE(fits(schema, "[1, 2,3 ]"));
  EXPECT_FALSE(fits(schema, "[1,  2]"));
  EXPECT_FALSE(fits(schema, "[1,\n\n2]"));
  EXPECT_FALSE(fits(schema, "[" + std::string(1, '\n') + std::string(33, ' ') + "1]"));
  EXPECT_FALSE(fits(schema, " [1]"));
}

TEST(Schema, AdditionalNamesAreNeverThoseOfAProperty) {
  const char* schema =
      R"({"properties": {"a": {"type": "integer"}, "ab": {"type": "integer"}}, "additionalProperties": {"type": "null"}})";
  EXPECT_TRUE(fits(schema, R"({"a":1,"abc":null,"b":null,"":null})"));
  EXPECT_FALSE(fits(schema, R"({"a":null})"));
  EXPECT_FALSE(fits(schema, R"({"b":null,"ab":null})"));
  EXPECT_FALSE(fits(schema, R"({"\u0061":null})"));
}

TEST(Schema, IntegersKeepToTheirBounds) {
  for (const auto& [low, high] :
       std::vector<std::pair<int, int>>{{0, 0}, {0, 9}, {7, 13}, {-3, 4}, {-120, -7}, {95, 1105}, {-10, 100}}) {
    const std::string schema =
        "{\"type\":\"integer\",\"minimum\":" + std::to_string(low) + ",\"maximum\":" + std::to_string(high) + "}";
    const auto grammar = Grammar::from_json_schema(schema, bytes());
    ASSERT_TRUE(grammar);
    for (int n = -1200; n <= 1200; ++n) {
      const auto matcher = (*grammar)->matcher();
      bool accepted = true;
      for (const char c : std::to_string(n)) accepted = accepted && matcher->accept(TestVocabulary::kFirstText + c);
      ASSERT_EQ(accepted && matcher->is_complete(), low <= n && n <= high) << n << " in " << schema;
    }
  }
  EXPECT_FALSE(fits(R"({"type": "integer", "minimum": 0})", "-1"));
  EXPECT_FALSE(fits(R"({"type": "integer"})", "01"));
  EXPECT_TRUE(fits(R"({"type": "integer", "minimum": -1e30, "maximum": 1e30})", "-77"));
}

TEST(Schema, FormatsAreWhatTheyAreCalled) {
  const auto format = [](const char* name) { return std::string(R"({"type": "string", "format": ")") + name + "\"}"; };
  EXPECT_TRUE(fits(format("date"), "\"2024-02-29\""));
  EXPECT_FALSE(fits(format("date"), "\"2023-02-29\""));
  EXPECT_FALSE(fits(format("date"), "\"1900-02-29\""));
  EXPECT_TRUE(fits(format("date"), "\"2000-02-29\""));
  EXPECT_FALSE(fits(format("date"), "\"2024-04-31\""));
  EXPECT_TRUE(fits(format("date-time"), "\"2024-12-31T23:59:59.25Z\""));
  EXPECT_TRUE(fits(format("time"), "\"00:00:00+01:00\""));
  EXPECT_FALSE(fits(format("time"), "\"24:00:00Z\""));
  EXPECT_TRUE(fits(format("uuid"), "\"123e4567-e89b-12d3-a456-426614174000\""));
  EXPECT_TRUE(fits(format("email"), "\"a.b@c-d.example\""));
  EXPECT_FALSE(fits(format("email"), "\"a@@b.de\""));
  EXPECT_TRUE(fits(format("ipv4"), "\"192.168.0.255\""));
  EXPECT_FALSE(fits(format("ipv4"), "\"192.168.0.256\""));
  EXPECT_TRUE(fits(format("ipv6"), "\"fe80:0:0:0:0:0:0:1\""));
  EXPECT_TRUE(fits(format("duration"), "\"P1Y2M3DT4H\""));
  EXPECT_FALSE(fits(format("duration"), "\"P\""));
  EXPECT_TRUE(fits(format("hostname"), "\"a-b.example\""));
}

TEST(Schema, StringsHaveNoLoneSurrogates) {
  EXPECT_TRUE(fits(R"({"type":"string"})", R"("\ud83d\uDE00")"));
  EXPECT_FALSE(fits(R"({"type":"string"})", R"("\ud83d")"));
  EXPECT_FALSE(fits(R"({"type":"string"})", R"("\ude00")"));
  EXPECT_TRUE(fits(R"({"type":"string","maxLength":1})", R"("\ud83d\uDE00")"));
  EXPECT_FALSE(fits(R"({"type":"string"})", "\"\n\""));
}

TEST(Schema, WhatCannotBeEnforcedIsNamedWithItsPlace) {
  EXPECT_EQ(error_of(R"({"properties": {"a": {"type": "string", "contentSchema": {}}}})"),
            "schema #/properties/a/contentSchema: \"contentSchema\" cannot be enforced");
  for (const char* keyword : {"not", "if", "patternProperties", "propertyNames", "contains", "dependentRequired",
                              "unevaluatedProperties", "minContains", "made-up"}) {
    const std::string schema = std::string(R"({"type": "object", "items": {"a/b~": 1}, ")") + keyword + "\": {}}";
    EXPECT_EQ(code_of(schema), ErrorCode::kUnsupported) << keyword;
    EXPECT_NE(error_of(schema).find(std::string("schema #/") + keyword), std::string::npos) << error_of(schema);
  }
  EXPECT_EQ(code_of(R"({"type": "array", "uniqueItems": true})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"type": "integer", "multipleOf": 5})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"type": "string", "format": "iri"})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"type": "string", "pattern": "^(?=a)b$"})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"type": "string", "pattern": "^(a)\\1$"})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"type": "string", "pattern": "^\\bb$"})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"type": "string", "pattern": "^a$", "maxLength": 3})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"type": "number", "minimum": 0.5})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"$ref": "http://169.254.169.254/x"})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"$ref": "file:///etc/passwd"})"), ErrorCode::kUnsupported);
  EXPECT_EQ(error_of(R"({"title": "t", "description": "d", "default": 1, "examples": [], "x-order": 3, "$id": "i"})"),
            "no error");
}

TEST(Schema, WhatIsNoSchemaIsAnError) {
  for (const char* schema :
       {"null",
        "5",
        "\"x\"",
        "[",
        "",
        R"({"type": "nosuch"})",
        R"({"type": 5})",
        R"({"type": []})",
        R"({"properties": 5})",
        R"({"properties": {"a": 5}})",
        R"({"enum": []})",
        R"({"anyOf": []})",
        R"({"anyOf": {}})",
        R"({"required": "a"})",
        R"({"required": [1]})",
        R"({"minLength": -1})",
        R"({"minLength": 1.5})",
        R"({"maxItems": "x", "type": "array"})",
        R"({"minimum": "x"})",
        R"({"items": [{}]})",
        R"({"allOf": 3})",
        R"({"$ref": "#/$defs/zz"})",
        R"({"$ref": 3})",
        R"({"$ref": "#"})",
        R"({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"})",
        R"({"type": "string", "pattern": "[z-a]"})",
        R"({"type": "string", "pattern": "(("})",
        R"({"type": "string", "pattern": 5})",
        R"({"type": "array", "minItems": 5, "maxItems": 0})",
        "false",
        R"({"anyOf": [{"$ref": "#"}]})",
        R"({"properties": {"a": {"$ref": "#"}}, "required": ["a"]})",
        R"({"properties": {"a": {}}, "required": ["b"], "additionalProperties": false})"}) {
    EXPECT_EQ(code_of(schema), ErrorCode::kInvalidInput) << schema << ": " << error_of(schema);
  }
}

TEST(Schema, BoundsHoldWhateverTheSchema) {
  std::string deep = R"({"type": "string"})";
  for (int i = 0; i < 400; ++i) deep = R"({"type": "object", "properties": {"a": )" + deep + "}}";
  EXPECT_EQ(code_of(deep), ErrorCode::kLimit);
  std::string nested = R"({"type": "string"})";
  for (int i = 0; i < 70; ++i) nested = R"({"type": "array", "items": )" + nested + "}";
  EXPECT_EQ(code_of(nested), ErrorCode::kLimit);
  EXPECT_EQ(code_of(R"({"type": "string", "minLength": 1000000000, "maxLength": 1000000000})"), ErrorCode::kLimit);
  EXPECT_EQ(code_of(R"({"type": "array", "items": {"type": "string"}, "minItems": 1000000000})"), ErrorCode::kLimit);
  EXPECT_EQ(code_of(R"({"type": "string", "pattern": "^(((a{1000}){1000}){1000})$"})"), ErrorCode::kLimit);
  EXPECT_EQ(code_of(R"({"type": "string", "pattern": "^[ab]*a[ab]{200}$"})"), ErrorCode::kLimit);
  EXPECT_EQ(
      code_of(R"({"type": "string", "pattern": "^)" + std::string(20000, '(') + "a" + std::string(20000, ')') + "$\"}"),
      ErrorCode::kLimit);
  EXPECT_EQ(code_of("\"" + std::string(70000, 'a') + "\""), ErrorCode::kLimit);
  EXPECT_TRUE(fits(R"({"type": "string", "pattern": "^(a+)+$"})", "\"aaaa\""));
  EXPECT_EQ(code_of(R"({"allOf": [{"$ref": "#"}, {"type": "string"}]})"), ErrorCode::kLimit);
  std::string choices = R"({"anyOf": [{"type": "string"}, {"type": "null"}]})";
  for (int i = 0; i < 20; ++i)
    choices += std::string(",") + R"({"anyOf": [{"minLength": )" + std::to_string(i) + R"(}, {"type": "null"}]})";
  EXPECT_EQ(code_of("{\"allOf\": [" + choices + "]}"), ErrorCode::kLimit);
}

TEST(Schema, LargeButHarmlessSchemasCompile) {
  std::string doubling = R"({"$ref": "#/$defs/d0", "$defs": {"d25": {"type": "string"})";
  for (int i = 0; i < 25; ++i) {
    const std::string next = R"({"$ref": "#/$defs/d)" + std::to_string(i + 1) + "\"}";
    doubling += ",\"d" + std::to_string(i) + R"(": {"type": "array", "prefixItems": [)" + next + "," + next + "]}";
  }
  EXPECT_EQ(error_of(doubling + "}}"), "no error");
  std::string properties = R"({"type": "object", "properties": {"p": {})";
  for (int i = 0; i < 200; ++i) properties += ",\"p" + std::to_string(i) + "\": {}";
  EXPECT_EQ(error_of(properties + "}}"), "no error");
  EXPECT_EQ(error_of(properties + R"(}, "additionalProperties": true})"), "no error");
  std::string names = R"({"enum": ["v")";
  for (int i = 0; i < 5000; ++i) names += ",\"v" + std::to_string(i) + "\"";
  EXPECT_TRUE(fits(names + "]}", "\"v4711\""));
}

TEST(Schema, AnyObjectIsAnObject) {
  const TestVocabulary vocabulary =
      TestVocabulary::of_bytes({"\": \"", "{\"", "[[", "12", "\xE4\xBD\xA0", "true", "},"});
  const auto grammar = Grammar::json_object(GrammarVocabulary::create(vocabulary));
  ASSERT_TRUE(grammar);
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::string text = random_text(**grammar, vocabulary, seed, 60);
    const auto value = text::parse_json(text, {.max_depth = 4000});
    ASSERT_TRUE(value) << value.error().message << ": " << text;
    EXPECT_NE(value->as_object(), nullptr) << text;
  }
}

}  // namespace
}  // namespace reckon::grammar
