// What a hostile or careless model file may hold.
#include "tokenizer/vocabulary.h"

#include <gtest/gtest.h>

#include "base/log.h"
#include "tokenizer/small_vocabulary.h"

namespace reckon::tokenizer {
namespace {

// Collects warnings while it lives.
class Warnings {
 public:
  Warnings() {
    set_log_sink([this](LogLevel level, std::string_view line) {
      if (level == LogLevel::kWarning) lines_.emplace_back(line);
    });
  }
  ~Warnings() { set_log_sink({}); }
  [[nodiscard]] int count(std::string_view part) const {
    int n = 0;
    for (const std::string& line : lines_) n += line.find(part) != std::string::npos ? 1 : 0;
    return n;
  }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }

 private:
  std::vector<std::string> lines_;
};

std::unique_ptr<Tokenizer> made(const VocabularyData& data) {
  auto tokenizer = make_tokenizer(data);
  EXPECT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

using Ids = std::vector<TokenId>;

TEST(Vocabulary, a_sound_one_gives_no_warning) {
  Warnings warnings;
  SmallVocabulary small;
  small.data.eos = small.add("<|endoftext|>", TokenType::kControl);
  ASSERT_NE(made(small.data), nullptr);
  EXPECT_EQ(warnings.size(), 0u);
}

TEST(Vocabulary, other_tokenizer_models_are_refused_by_name) {
  SmallVocabulary small;
  small.data.model = "llama";
  const auto refused = make_tokenizer(small.data);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().message.find("SentencePiece"), std::string::npos);
  small.data.model = "";
  EXPECT_EQ(make_tokenizer(small.data).error().code, ErrorCode::kInvalidInput);
}

TEST(Vocabulary, no_tokens_and_arrays_of_different_lengths_are_refused) {
  SmallVocabulary small;
  small.data.token_types->pop_back();
  const auto refused = make_tokenizer(small.data);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(refused.error().message.find("255 entries for 256 tokens"), std::string::npos) << refused.error().message;
  VocabularyData empty;
  empty.model = "gpt2";
  EXPECT_EQ(make_tokenizer(empty).error().code, ErrorCode::kInvalidInput);
}

TEST(Vocabulary, special_ids_outside_are_taken_as_absent_with_a_warning) {
  for (const std::int64_t id : {std::int64_t{256}, std::int64_t{1} << 32, std::int64_t{-7}, INT64_MAX, INT64_MIN}) {
    Warnings warnings;
    SmallVocabulary small;
    small.data.bos = id;
    small.data.eos = id;
    small.data.eot = id;
    small.data.add_bos = true;
    const auto tokenizer = made(small.data);
    EXPECT_EQ(tokenizer->bos(), -1);
    EXPECT_EQ(tokenizer->eos(), -1);
    EXPECT_FALSE(tokenizer->adds_bos());
    EXPECT_EQ(tokenizer->encode("a", false, true), Ids{'a'});
    EXPECT_EQ(warnings.count("outside the vocabulary"), 3);
  }
}

TEST(Vocabulary, minus_one_means_none_without_a_warning) {
  Warnings warnings;
  SmallVocabulary small;
  small.data.bos = -1;
  small.data.eos = 0xFFFFFFFF;
  const auto tokenizer = made(small.data);
  EXPECT_EQ(tokenizer->bos(), -1);
  EXPECT_EQ(tokenizer->eos(), -1);
  EXPECT_EQ(warnings.count("outside"), 0);
  EXPECT_EQ(warnings.count("no token that ends an answer"), 1);
}

TEST(Vocabulary, repeated_tokens_keep_the_first) {
  Warnings warnings;
  SmallVocabulary small;
  const TokenId first = small.merge("a", "b");
  small.add_bytes("ab");
  small.add_bytes("a");
  const auto tokenizer = made(small.data);
  EXPECT_EQ(tokenizer->find("ab"), first);
  EXPECT_EQ(tokenizer->encode("aba"), (Ids{first, 'a'}));
  EXPECT_EQ(tokenizer->token_bytes(first + 1), "ab");
  EXPECT_EQ(warnings.count("2 tokens repeat"), 1);
}

TEST(Vocabulary, a_vocabulary_of_one_repeated_token_loads) {
  VocabularyData data;
  data.model = "gpt2";
  data.pre = "qwen2";
  data.tokens.assign(1000, "a");
  data.token_types.emplace(1000, 1);
  data.merges.assign(1000, "a a");
  const auto tokenizer = made(data);
  EXPECT_EQ(tokenizer->encode("banana"), (Ids{0, 0, 0}));  // nothing else has a token
}

TEST(Vocabulary, merges_of_unknown_tokens_are_left_out_with_one_warning) {
  Warnings warnings;
  SmallVocabulary small;
  for (const std::string_view bad : {"", " ", "a", "a ", " a", "a b", "zz y", "a b c", "\xFF \xFE", "Q Q"}) {
    small.data.merges.push_back(bad);
  }
  const TokenId ab = small.merge("a", "b");  // makes the bad "a b" above a good one
  const auto tokenizer = made(small.data);
  EXPECT_EQ(tokenizer->encode("abQQ"), (Ids{ab, 'Q', 'Q'}));
  EXPECT_EQ(warnings.count("merges name tokens"), 1);
}

TEST(Vocabulary, merges_never_make_control_tokens) {
  SmallVocabulary small;
  small.data.merges.push_back("a b");
  const TokenId control = small.add("ab", TokenType::kControl);
  const auto tokenizer = made(small.data);
  EXPECT_EQ(tokenizer->encode("ab"), (Ids{'a', 'b'}));
  EXPECT_EQ(tokenizer->encode("ab", true), (Ids{control}));
}

TEST(Vocabulary, byte_tokens_need_two_hex_digits) {
  Warnings warnings;
  VocabularyData data;
  data.model = "gpt2";
  data.pre = "gpt-2";
  data.tokens = {"a", "<0x0A>", "<0xfF>", "<0x-1>", "<0x1>", "<0x123>", "<0xG0>", ""};
  data.token_types = {1, 6, 6, 6, 6, 6, 6, 6};
  const auto tokenizer = made(data);
  EXPECT_EQ(tokenizer->encode("a\n\xFF"), (Ids{0, 1, 2}));
  EXPECT_EQ(tokenizer->token_bytes(1), "\n");
  EXPECT_EQ(tokenizer->token_bytes(3), "<0x-1>");
  EXPECT_EQ(warnings.count("5 byte tokens"), 1);
}

TEST(Vocabulary, unknown_token_types_are_text) {
  Warnings warnings;
  SmallVocabulary small;
  small.data.token_types->at('a') = -3;
  small.data.token_types->at('b') = 1LL << 40;
  EXPECT_EQ(made(small.data)->encode("ab"), (Ids{'a', 'b'}));
  EXPECT_EQ(warnings.count("2 tokens have an unknown type"), 1);
}

TEST(Vocabulary, empty_and_huge_control_tokens_do_no_harm) {
  Warnings warnings;
  SmallVocabulary small;
  small.add("", TokenType::kControl);
  const TokenId long_one = small.add(std::string(4096, 'x'), TokenType::kControl);
  const std::string huge(500'000, 'y');
  const TokenId id = small.add(huge, TokenType::kControl);
  const auto tokenizer = made(small.data);
  EXPECT_EQ(tokenizer->encode(std::string(4096, 'x'), true), Ids{long_one});
  EXPECT_EQ(tokenizer->encode(huge, true).size(), huge.size());
  EXPECT_EQ(tokenizer->token_bytes(id), huge);
  EXPECT_EQ(tokenizer->find(""), -1);
  EXPECT_EQ(warnings.count("1 control tokens are longer"), 1);
}

TEST(Vocabulary, very_many_control_tokens_take_bounded_memory) {
  Warnings warnings;
  SmallVocabulary small;
  for (int i = 0; i < 600; ++i) small.add(std::to_string(i) + std::string(4000, 'x'), TokenType::kControl);
  EXPECT_NE(made(small.data), nullptr);
  EXPECT_EQ(warnings.count("control tokens are longer"), 1);
}

TEST(Vocabulary, invalid_utf8_and_nul_in_tokens_are_kept_as_bytes) {
  SmallVocabulary small;
  const TokenId odd = small.add(std::string("\xFF\0z", 3), TokenType::kNormal);
  const auto tokenizer = made(small.data);
  EXPECT_EQ(tokenizer->token_bytes(odd), std::string_view("\xFF\0z", 3));
}

TEST(Vocabulary, without_types_control_tokens_are_known_by_their_form) {
  Warnings warnings;
  SmallVocabulary small;
  const TokenId end = small.add("<|im_end|>", TokenType::kNormal);
  const TokenId r1 = small.add("<｜User｜>", TokenType::kNormal);
  const TokenId think = small.add("<think>", TokenType::kNormal);
  small.data.token_types.reset();
  const auto tokenizer = made(small.data);
  EXPECT_TRUE(tokenizer->is_control(end));
  EXPECT_TRUE(tokenizer->is_end_of_generation(end));
  EXPECT_TRUE(tokenizer->is_control(r1));
  EXPECT_FALSE(tokenizer->is_control(think));
  EXPECT_EQ(tokenizer->encode("<think>", true), Ids{think});
  EXPECT_EQ(warnings.count("token_type is missing"), 1);
}

TEST(Vocabulary, a_turn_end_marked_as_text_becomes_a_control_token) {
  Warnings warnings;
  SmallVocabulary small;
  const TokenId end = small.add("<|eot_id|>", TokenType::kNormal);
  const auto tokenizer = made(small.data);
  EXPECT_TRUE(tokenizer->is_end_of_generation(end));
  EXPECT_EQ(tokenizer->encode("<|eot_id|>", true), Ids{end});
  EXPECT_NE(tokenizer->encode("<|eot_id|>", false), Ids{end});
  EXPECT_EQ(warnings.count("end a turn"), 1);
}

TEST(Vocabulary, an_unknown_pre_tokenizer_gets_a_named_default_and_a_warning) {
  for (const std::string_view pre : {"", "made-up"}) {
    Warnings warnings;
    SmallVocabulary small(pre);
    EXPECT_EQ(made(small.data)->name(), "gpt-2");
    EXPECT_EQ(warnings.count("tokenizer.ggml.pre"), 1);
    EXPECT_EQ(warnings.count("\"gpt-2\""), 1);
  }
}

// 12 000 tokens that look as if `digits` digits had been allowed together, with or without marks glued to letters.
std::string_view guessed(std::size_t digits, bool glued) {
  SmallVocabulary small("");
  for (int i = 0; i < 12'000; ++i) {
    std::string word;
    for (int n = i; n > 0; n /= 26) word += static_cast<char>('a' + n % 26);
    small.add_bytes((glued && i % 2 == 0 ? "." : " ") + word);
  }
  for (std::size_t n = 2; n <= digits; ++n) small.add_bytes(std::string(n, '7'));
  static std::unique_ptr<Tokenizer> last;
  last = made(small.data);
  return last->name();
}

TEST(Vocabulary, the_default_is_the_family_that_fits_the_tokens) {
  Warnings warnings;
  EXPECT_EQ(guessed(1, true), "qwen2");
  EXPECT_EQ(guessed(3, true), "llama-bpe");
  EXPECT_EQ(guessed(1, false), "smollm");
  EXPECT_EQ(guessed(4, false), "gpt-2");
}

TEST(Vocabulary, known_names_keep_their_own_rules) {
  struct Case {
    std::string_view pre, name;
    Ids ids;
    bool adds_bos;
  };
  const Case cases[] = {
      {"qwen2", "qwen2", {'1', '2', '3', '4'}, false},
      {"deepseek-r1-qwen", "deepseek-r1-qwen", {'1', '2', '3', '4'}, true},
      {"smollm", "smollm", {'1', '2', '3', '4'}, false},
      {"llama-bpe", "llama-bpe", {257, '4'}, true},
      {"gpt-2", "gpt-2", {256, 258}, false},
  };
  for (const Case& c : cases) {
    SmallVocabulary small(c.pre);
    small.merge("1", "2");   // 256
    small.merge("12", "3");  // 257, after 3 4 in rank for gpt-2 below
    small.data.merges.pop_back();
    small.merge("3", "4");  // 258
    small.data.bos = small.add("<|bos|>", TokenType::kControl);
    const auto tokenizer = made(small.data);
    EXPECT_EQ(tokenizer->name(), c.name);
    EXPECT_EQ(tokenizer->encode("1234"), c.ids) << c.pre;
    EXPECT_EQ(tokenizer->adds_bos(), c.adds_bos) << c.pre;
  }
}

}  // namespace
}  // namespace reckon::tokenizer
