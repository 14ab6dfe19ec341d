// The compiled matcher against its slow twin, over random texts of several grammars and vocabularies.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "grammar/gbnf.h"
#include "grammar/matcher.h"
#include "grammar/naive_matcher.h"
#include "grammar/schema.h"
#include "grammar/test_vocabulary.h"
#include "grammar/token_trie.h"

namespace reckon::grammar {
namespace {

bool has_bit(const std::vector<std::uint64_t>& mask, TokenId id) {
  return (mask[static_cast<std::size_t>(id) / 64] >> (id % 64) & 1) != 0;
}

// Tokens that cross the borders of JSON, and that cut characters in half.
TestVocabulary json_vocabulary() {
  return TestVocabulary::of_bytes({"\":",
                                   "\": ",
                                   "\": \"",
                                   "\",",
                                   "\", \"",
                                   "\",\"",
                                   "\"}",
                                   "\"]",
                                   "{\"",
                                   "{\"a",
                                   "[\"",
                                   "[[",
                                   "]]",
                                   "}}",
                                   "},",
                                   "}, {",
                                   "],",
                                   "true",
                                   "false",
                                   "null",
                                   "tr",
                                   "ue",
                                   "ab",
                                   "abc\"",
                                   "a\"",
                                   "\\\"",
                                   "\\u",
                                   "\\u00",
                                   "00",
                                   "12",
                                   "123",
                                   "1.",
                                   ".5",
                                   "e1",
                                   "-1",
                                   " ",
                                   "  ",
                                   "\n",
                                   "\n  ",
                                   "\n    \"",
                                   "\xE4\xBD",
                                   "\xA0",
                                   "\xE4\xBD\xA0\xE5",
                                   "\xA5\xBD",
                                   "\xF0\x9F",
                                   "\x98\x80",
                                   "\xC3",
                                   "\xA9\"",
                                   "na",
                                   "me",
                                   "name",
                                   "name\": ",
                                   "city",
                                   "id",
                                   "}",
                                   "\"}\n",
                                   "0,",
                                   "1}"});
}

TestVocabulary letter_vocabulary() {
  return TestVocabulary::of_bytes({"aa",  "aaa", "ab",  "ba",       "abab",     "b)",           "((",
                                   "))",  "a+",  "+a",  "1+2",      "(1",       "1)",           "a\n",
                                   "\nb", "aab", "bbb", "\xE2\x82", "\x82\xAC", "\xE2\x82\xAC", "x\xE2"});
}

// Walks at random; after each token both must allow the same tokens.
void expect_twins(const Syntax& syntax, const Tokenizer& vocabulary, unsigned seed, int n_tokens) {
  const auto trie = std::make_shared<const TokenTrie>(vocabulary);
  const auto compiled = CompiledGrammar::create(syntax, trie);
  ASSERT_TRUE(compiled) << compiled.error().message;
  std::mt19937 random(seed);
  const auto matcher = (*compiled)->matcher();
  NaiveMatcher naive(syntax);
  std::vector<std::uint64_t> mask(trie->n_mask_words());
  std::string text;
  for (int n = 0; n < n_tokens; ++n) {
    const auto filled = matcher->fill_mask(mask);
    ASSERT_TRUE(filled) << filled.error().message << " after: " << text;
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < vocabulary.n_vocab(); ++id) {
      bool expected = id == TestVocabulary::kEnd && naive.is_complete();
      if (id >= TestVocabulary::kFirstText) {
        NaiveMatcher copy = naive;
        expected = copy.accept(vocabulary.token_bytes(id));
        if (expected) allowed.push_back(id);
      }
      ASSERT_EQ(has_bit(mask, id), expected) << "token \"" << vocabulary.token_bytes(id) << "\" after: " << text;
    }
    ASSERT_EQ(matcher->is_complete(), naive.is_complete()) << text;
    ASSERT_EQ(matcher->must_end(), naive.is_complete() && allowed.empty()) << text;
    if (allowed.empty()) return;
    ASSERT_FALSE(matcher->accept(TestVocabulary::kControl));
    const TokenId chosen = allowed[random() % allowed.size()];
    for (const TokenId other : {TokenId{40}, TokenId{99}, TokenId{260}}) {
      if (!has_bit(mask, other)) {
        ASSERT_FALSE(matcher->accept(other));
      }
    }
    ASSERT_TRUE(matcher->accept(chosen));
    ASSERT_TRUE(naive.accept(vocabulary.token_bytes(chosen)));
    if (naive.n_ways() > 200) return;  // the twin keeps each way apart and would take for ever
    text += vocabulary.token_bytes(chosen);
  }
}

class GbnfTwins : public testing::TestWithParam<const char*> {};

TEST_P(GbnfTwins, AllowTheSameTokens) {
  const auto syntax = read_gbnf(GetParam());
  ASSERT_TRUE(syntax) << syntax.error().message;
  const TestVocabulary letters = letter_vocabulary();
  for (unsigned seed = 0; seed < 6; ++seed) expect_twins(*syntax, letters, seed, 12);
}

INSTANTIATE_TEST_SUITE_P(
    Grammars, GbnfTwins,
    testing::Values("root ::= \"a\"* \"b\"", "root ::= ((\"a\"*)*)*", "root ::= (\"ab\" | \"a\" | \"aab\")+ \"\\n\"?",
                    "root ::= \"(\" root \")\" | \"\"", "root ::= e\ne ::= t (\"+\" t)*\nt ::= [0-9]+ | \"(\" e \")\"",
                    "root ::= x{2,4} y?\nx ::= [a-b]\ny ::= \"b\" y | \"\"", "root ::= [^a]{1,3} [\\u20AC-\\u20AF] .",
                    "root ::= a b\na ::= \"a\" a | \"\"\nb ::= \"b\" b | \"\"",
                    "root ::= s\ns ::= \"a\" s \"b\" | \"a\" s \"a\" | \"a\"",
                    "root ::= (x | y)* \"\\n\"\nx ::= \"a\" \"b\"?\ny ::= "
                    "\"ab\" | \"a\"",
                    "root ::= (\"a\"? \"b\"?){0,5}", "root ::= x x x\nx ::= y?\ny ::= \"a\" | \"aa\"",
                    "root ::= \"\\xE9\" [\\u00E0-\\U0001F600]* \"a\""));

class SchemaTwins : public testing::TestWithParam<const char*> {};

TEST_P(SchemaTwins, AllowTheSameTokens) {
  const auto syntax = read_schema(GetParam());
  ASSERT_TRUE(syntax) << syntax.error().message;
  const TestVocabulary vocabulary = json_vocabulary();
  for (unsigned seed = 0; seed < 4; ++seed) expect_twins(*syntax, vocabulary, seed, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, SchemaTwins,
    testing::Values(
        R"({"type": "object", "properties": {"a": {"type": "string"}, "name": {"type": "integer"}}, "required": ["a"]})",
        R"({"type": "object", "properties": {"a": {"type": "boolean"}, "ab": {}, "id": {"type": "null"}}})",
        R"({"type": "object", "properties": {"a": {"type": "integer"}, "ab": {"type": "integer"}},
                        "additionalProperties": {"type": "integer"}})",
        R"({"type": "array", "items": {"type": "integer", "minimum": -7, "maximum": 123}, "maxItems": 4})",
        R"({"type": "array", "items": {"$ref": "#"}})", R"({"type": "string", "minLength": 2, "maxLength": 5})",
        R"({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 1})",
        R"({"enum": ["a", "abc", 12, 123, null, {"a": [1]}]})",
        R"({"type": "string", "pattern": "^a+(b|\"c)*[^a-z]$"})",
        R"({"type": "number", "minimum": 0, "exclusiveMaximum": 12})", R"({"type": ["integer", "null", "boolean"]})",
        R"({"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "uuid"}]})", "true"));

TEST(Twins, AnyObjectAllowsTheSameTokens) {
  const TestVocabulary vocabulary = json_vocabulary();
  for (unsigned seed = 0; seed < 8; ++seed) expect_twins(any_json_object(), vocabulary, seed, 24);
}

}  // namespace
}  // namespace reckon::grammar
