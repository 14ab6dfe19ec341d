#include <gtest/gtest.h>

#include <random>

#include "text/utf8.h"
#include "tokenizer/small_vocabulary.h"

namespace reckon::tokenizer {
namespace {

// Streams a text cut into the tokens between `cuts` (bit i: a cut before byte i + 1) and checks each piece.
class Cutter {
 public:
  Cutter() { tokenizer_ = *make_tokenizer(small_.data); }

  std::string stream(std::string_view text, std::uint32_t cuts) {
    // One token a piece, made for the purpose.
    SmallVocabulary small;
    std::vector<TokenId> ids;
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= text.size(); ++i) {
      if (i < text.size() && ((cuts >> (i - 1)) & 1) == 0) continue;
      ids.push_back(small.add_bytes(std::string(text.substr(begin, i - begin))));
      begin = i;
    }
    const auto tokenizer = *make_tokenizer(small.data);
    StreamDecoder decoder(*tokenizer);
    std::string out;
    for (const TokenId id : ids) {
      const std::string piece = decoder.push(id);
      EXPECT_TRUE(text::is_valid_utf8(piece));
      out += piece;
    }
    const std::string rest = decoder.finish();
    EXPECT_TRUE(text::is_valid_utf8(rest));
    EXPECT_EQ(decoder.finish(), "");
    return out + rest;
  }

  std::string stream_bytes(std::string_view text) {
    StreamDecoder decoder(*tokenizer_);
    std::string out;
    for (const char c : text) {
      const std::string piece = decoder.push(static_cast<std::uint8_t>(c));
      EXPECT_TRUE(text::is_valid_utf8(piece));
      out += piece;
    }
    return out + decoder.finish();
  }

 private:
  SmallVocabulary small_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST(StreamDecoder, every_way_to_cut_a_text_gives_the_same_characters) {
  Cutter cutter;
  for (const std::string_view text : {"a\u00E9\u597D\U0001F600", "\xF0\x9F\x98\xE4\xBD\xA0\xFF", "\xED\xA0\x80x\xC3",
                                      "\xF4\x90\x80\xE1\x80\xE2\xF0"}) {
    const std::string expected = text::repair_utf8(text);
    for (std::uint32_t cuts = 0; cuts < (1u << (text.size() - 1)); ++cuts)
      ASSERT_EQ(cutter.stream(text, cuts), expected) << cuts;
  }
}

TEST(StreamDecoder, random_bytes_one_at_a_time_equal_the_repair_of_the_whole) {
  Cutter cutter;
  std::mt19937 random(9);
  constexpr std::string_view kBytes = "a\x80\xBF\xC2\xE0\xA0\xED\x9F\xEF\xF0\x90\xF4\x8F\xFF\xE4\xBD\xA0";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = kBytes[random() % kBytes.size()];
    ASSERT_EQ(cutter.stream_bytes(text), text::repair_utf8(text));
  }
}

TEST(StreamDecoder, characters_come_out_as_soon_as_they_are_whole) {
  SmallVocabulary small;
  const auto tokenizer = *make_tokenizer(small.data);
  StreamDecoder decoder(*tokenizer);
  EXPECT_EQ(decoder.push(0xF0), "");
  EXPECT_EQ(decoder.push(0x9F), "");
  EXPECT_EQ(decoder.push(0x98), "");
  EXPECT_EQ(decoder.push(0x80), "\U0001F600");
  EXPECT_EQ(decoder.push(0xE4), "");
  EXPECT_EQ(decoder.push('a'), "\uFFFDa") << "the start of a character that can no longer be finished";
  EXPECT_EQ(decoder.push(0xFF), "\uFFFD");
  EXPECT_EQ(decoder.push(0xC3), "");
  EXPECT_EQ(decoder.push(-5), "") << "an id outside the vocabulary has no bytes";
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.push('b'), "b");
}

}  // namespace
}  // namespace reckon::tokenizer
