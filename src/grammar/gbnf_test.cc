#include "grammar/gbnf.h"

#include <gtest/gtest.h>

#include <string>

#include "grammar/matcher.h"
#include "grammar/test_vocabulary.h"

namespace reckon::grammar {
namespace {

Result<std::shared_ptr<const Grammar>> compile(std::string_view source) {
  static const auto vocabulary = GrammarVocabulary::create(TestVocabulary::of_bytes());
  return Grammar::from_gbnf(source, vocabulary);
}

bool fits(std::string_view source, std::string_view text) {
  const auto grammar = compile(source);
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

std::string error_of(std::string_view source) {
  const auto grammar = compile(source);
  return grammar ? "no error" : grammar.error().message;
}
ErrorCode code_of(std::string_view source) {
  const auto grammar = compile(source);
  return grammar ? ErrorCode::kInternal : grammar.error().code;
}
std::string times(std::string_view text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

TEST(Gbnf, ReadsAllKindsOfElements) {
  EXPECT_TRUE(fits("root ::= \"a\\n\\t\\\\\\\"\\x41\\u20ac\\U0001F600\"", "a\n\t\\\"A\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_TRUE(fits("root ::= [a-c^\\]-]+", "abc^]-"));
  EXPECT_FALSE(fits("root ::= [a-c]", "d"));
  EXPECT_TRUE(fits("root ::= [^a-c]", "\xE4\xBD\xA0"));
  EXPECT_FALSE(fits("root ::= [^a-c]", "b"));
  EXPECT_TRUE(fits("root ::= . .", "\n\xC3\xA9"));
  EXPECT_FALSE(fits("root ::= .", "\xC3"));
}

TEST(Gbnf, CountsRepetitions) {
  for (int n = 0; n < 8; ++n) {
    EXPECT_EQ(fits("root ::= \"ab\"{2,4}", times("ab", n)), n >= 2 && n <= 4) << n;
    EXPECT_EQ(fits("root ::= \"ab\"{3}", times("ab", n)), n == 3) << n;
    EXPECT_EQ(fits("root ::= \"ab\"{3,}", times("ab", n)), n >= 3) << n;
    EXPECT_EQ(fits("root ::= \"ab\"{,3}", times("ab", n)), n <= 3) << n;
    EXPECT_EQ(fits("root ::= \"ab\"+", times("ab", n)), n >= 1) << n;
    EXPECT_EQ(fits("root ::= \"ab\"?", times("ab", n)), n <= 1) << n;
    EXPECT_EQ(fits("root ::= (\"a\" \"b\"){0} \"ab\"*", times("ab", n)), true) << n;
  }
}

TEST(Gbnf, LinesBreakInGroupsAndAroundAlternatives) {
  const std::string_view source =
      "# a comment\nroot ::= (\n  \"a\" # one\n  | \"b\"\n) |\n  x\r\n\n  | \"d\"\nx ::=\n  \"c\"  # last";
  for (const char* text : {"a", "b", "c", "d"}) EXPECT_TRUE(fits(source, text)) << text;
  EXPECT_FALSE(fits(source, "ab"));
}

TEST(Gbnf, ArithmeticIsObeyed) {
  const std::string_view source =
      "root ::= (expr \"=\" ws term \"\\n\")+\nexpr ::= term ([-+*/] term)*\nterm ::= ident | num | \"(\" ws expr "
      "\")\" ws\n"
      "ident ::= [a-z] [a-z0-9_]* ws\nnum ::= [0-9]+ ws\nws ::= [ \\t\\n]*";
  for (const char* text : {"x=1\n", "x=1\nx=y\n", "(a)=1\n", "a+12=1\n", "(a +12) *b1=3 \n", "(a +12) *b1=3 \nx=y\n"}) {
    EXPECT_TRUE(fits(source, text)) << text;
  }
  EXPECT_FALSE(fits(source, "a + * b=3\n"));
  EXPECT_FALSE(fits(source, "a + b"));
}

TEST(Gbnf, ErrorsNameThePlace) {
  EXPECT_EQ(error_of("root ::= \"a\"\nx ::= nosuch"), "grammar, line 2, column 7: no rule \"nosuch\"");
  EXPECT_EQ(error_of("x ::= \"a\""), "grammar: no rule \"root\"; the text starts there");
  EXPECT_EQ(error_of("root ::= [z-a]"), "grammar, line 1, column 11: the range ends before it begins");
  EXPECT_EQ(error_of("root ::= \"a\"{5,0}"), "grammar, line 1, column 13: the upper count is less than the lower one");
  EXPECT_EQ(error_of("root ::= [z-a"), "grammar, line 1, column 11: the range ends before it begins");
  EXPECT_EQ(error_of("root ::= (\"a\""), "grammar, line 1, column 10: this ( is never closed");
  EXPECT_EQ(code_of("::= ::= {{{"), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of("root ::= \"a\"\nroot ::= \"b\""), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of("root ::= \"\\ud800\""), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of("root ::= \"\xFF\""), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of("root ::= <[7]>"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(""), ErrorCode::kInvalidInput);
}

TEST(Gbnf, LeftRecursionIsRefusedAlsoWhereItIsHidden) {
  EXPECT_EQ(error_of("root ::= root \"a\""), "\"root\" is left-recursive: it can begin with itself");
  EXPECT_EQ(code_of("root ::= b\nb ::= root | \"x\""), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of("root ::= n root \"a\" | \"b\"\nn ::= \"x\"?"), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of("root ::= (n | \"c\")* root \"a\" | \"b\"\nn ::= m m\nm ::= \"\""), ErrorCode::kInvalidInput);
  EXPECT_TRUE(fits("root ::= n \"a\" root | \"b\"\nn ::= \"x\"?", "axab"));
}

TEST(Gbnf, WhatFitsNoFiniteTextIsRefused) {
  EXPECT_EQ(error_of("root ::= \"a\" root"), "no finite text fits the grammar");
  EXPECT_EQ(error_of("root ::= []"), "no finite text fits the grammar");
  EXPECT_TRUE(fits("root ::= \"a\" root | \"b\"", "aab"));
  EXPECT_FALSE(fits("root ::= \"a\" x | \"b\"\nx ::= [^\\x00-\\U0010FFFF]", "a"));
}

TEST(Gbnf, BoundsHoldWhateverTheSource) {
  EXPECT_EQ(code_of("root ::= " + times("(", 30000) + "\"a\"" + times(")", 30000)), ErrorCode::kLimit);
  EXPECT_EQ(code_of("root ::= \"a\"" + times("*", 60000)), ErrorCode::kLimit);
  EXPECT_EQ(code_of("root ::= \"a\"{1000000000}"), ErrorCode::kLimit);
  EXPECT_EQ(code_of("root ::= \"a\"{99999999999999999999}"), ErrorCode::kLimit);
  EXPECT_EQ(code_of("root ::= (((\"a\"{999}){999}){999})"), ErrorCode::kLimit);
  EXPECT_EQ(code_of("root ::= \"a\"{1500} \"b\"{1500}"), ErrorCode::kLimit);
  EXPECT_EQ(code_of("root ::= [ab]* \"a\" [ab]{200}"), ErrorCode::kLimit);  // 2^200 subsets
  EXPECT_EQ(code_of("root ::= \"" + times("a", 70000) + "\""), ErrorCode::kLimit);
}

TEST(Gbnf, LargeButHarmlessSourcesCompile) {
  std::string chain = "root ::= r0\nr2000 ::= \"a\"\n";
  for (int i = 0; i < 2000; ++i) chain += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + "\n";
  EXPECT_TRUE(fits(chain, "a"));
  EXPECT_TRUE(fits("root ::= " + times("(\"a\"|\"a\")", 40), times("a", 40)));
  EXPECT_TRUE(fits("root ::= ((\"a\"*)*)*", "aaaa"));
  EXPECT_TRUE(fits("root ::= \"\"", ""));
  EXPECT_TRUE(fits("root ::= \"a\"{2000}", times("a", 2000)));
}

TEST(Gbnf, TooManyWaysToReadATextEndTheSequence) {
  // After n letters there are 2^n stacks: b and c remember how each a was read.
  const auto grammar = compile("root ::= b | c\nb ::= \"a\" (b | c) \"x\" | \"a\"\nc ::= \"a\" (b | c) \"y\" | \"a\"");
  ASSERT_TRUE(grammar) << grammar.error().message;
  const auto matcher = (*grammar)->matcher();
  std::vector<std::uint64_t> mask(5);
  bool failed = false;
  for (int i = 0; i < 64 && !failed; ++i) {
    const auto filled = matcher->fill_mask(mask);
    failed = !filled;
    if (failed) {
      EXPECT_EQ(filled.error().code, ErrorCode::kLimit);
    } else {
      ASSERT_TRUE(matcher->accept(TestVocabulary::kFirstText + 'a'));
    }
  }
  EXPECT_TRUE(failed);
}

TEST(Gbnf, LongListsAndDeepNestingKeepTheirMemorySmall) {
  const auto grammar = compile("root ::= item root | \"\"\nitem ::= \"(\" item \")\" | \"a\"");
  ASSERT_TRUE(grammar) << grammar.error().message;
  const auto matcher = (*grammar)->matcher();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10000; ++i) ASSERT_TRUE(matcher->accept(TestVocabulary::kFirstText + '('));
    EXPECT_FALSE(matcher->is_complete());
    ASSERT_TRUE(matcher->accept(TestVocabulary::kFirstText + 'a'));
    for (int i = 0; i < 10000; ++i) ASSERT_TRUE(matcher->accept(TestVocabulary::kFirstText + ')'));
    EXPECT_TRUE(matcher->is_complete());
  }
}

TEST(Gbnf, TheEndIsAllowedExactlyWhereTheTextIsComplete) {
  const auto grammar = compile("root ::= \"a\" \"b\"?");
  ASSERT_TRUE(grammar);
  const auto matcher = (*grammar)->matcher();
  std::vector<std::uint64_t> mask(8, ~std::uint64_t{0});
  ASSERT_TRUE(matcher->fill_mask(mask));
  EXPECT_EQ(mask[0] & 3, 0U);
  EXPECT_FALSE(matcher->accept(TestVocabulary::kEnd));
  ASSERT_TRUE(matcher->accept(TestVocabulary::kFirstText + 'a'));
  ASSERT_TRUE(matcher->fill_mask(mask));
  EXPECT_EQ(mask[0] & 3, 2U);
  EXPECT_TRUE(matcher->is_complete());
  EXPECT_FALSE(matcher->must_end());
  EXPECT_TRUE(matcher->accept(TestVocabulary::kEnd));
  ASSERT_TRUE(matcher->fill_mask(mask));
  EXPECT_EQ(mask, (std::vector<std::uint64_t>{2, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(matcher->must_end());
  EXPECT_FALSE(matcher->accept(TestVocabulary::kFirstText + 'b'));
  EXPECT_FALSE(matcher->accept(-1));
  EXPECT_FALSE(matcher->accept(1 << 30));
}

TEST(Gbnf, AVocabularyWithoutTheByteIsNamed) {
  const auto vocabulary = GrammarVocabulary::create(TestVocabulary({"a", "b"}));
  const auto grammar = Grammar::from_gbnf("root ::= \"ac\"", vocabulary);
  ASSERT_TRUE(grammar);
  const auto matcher = (*grammar)->matcher();
  std::vector<std::uint64_t> mask(1);
  ASSERT_TRUE(matcher->fill_mask(mask));
  ASSERT_TRUE(matcher->accept(TestVocabulary::kFirstText));
  const auto filled = matcher->fill_mask(mask);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace reckon::grammar
