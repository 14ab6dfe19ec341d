#include "tokenizer/special_matcher.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace reckon::tokenizer {

bool operator==(const SpecialMatch& a, const SpecialMatch& b) {
  return a.begin == b.begin && a.end == b.end && a.id == b.id;
}

namespace {

std::vector<SpecialMatch> find(const std::vector<std::string>& texts, std::string_view text) {
  SpecialMatcher matcher;
  for (std::size_t i = 0; i < texts.size(); ++i) matcher.add(texts[i], static_cast<TokenId>(i));
  matcher.link();
  std::vector<SpecialMatch> found;
  matcher.find_all(text, 0, text.size(), found);
  return found;
}

// The slow twin: at each place, the longest text that starts there.
std::vector<SpecialMatch> slow_find(const std::vector<std::string>& texts, std::string_view text) {
  std::vector<SpecialMatch> found;
  for (std::size_t at = 0; at < text.size();) {
    SpecialMatch best{at, at, -1};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!texts[i].empty() && text.substr(at).starts_with(texts[i]) && at + texts[i].size() > best.end) {
        best = {at, at + texts[i].size(), static_cast<TokenId>(i)};
      }
    }
    if (best.id >= 0) found.push_back(best);
    at = best.id >= 0 ? best.end : at + 1;
  }
  return found;
}

TEST(SpecialMatcher, equals_the_slow_twin_on_random_texts) {
  std::mt19937 random(11);
  const auto word = [&](unsigned most) {
    std::string text;
    for (auto n = random() % (most + 1); n > 0; --n) text += static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 5'000; ++round) {
    std::vector<std::string> texts;
    for (auto n = random() % 7; n > 0; --n) texts.push_back(word(6));
    const std::string text = word(40);
    ASSERT_EQ(find(texts, text), slow_find(texts, text)) << text;
  }
}

TEST(SpecialMatcher, takes_the_longest_of_those_that_start_together) {
  EXPECT_EQ(find({"<|im", "<|im_end|>", "_en"}, "a<|im_end|>b<|im_enx"),
            (std::vector<SpecialMatch>{{1, 11, 1}, {12, 16, 0}, {16, 19, 2}}));
}

TEST(SpecialMatcher, stays_inside_the_given_range) {
  SpecialMatcher matcher;
  matcher.add("<a>", 7);
  matcher.link();
  std::vector<SpecialMatch> found;
  matcher.find_all("<a><a><a>", 1, 8, found);
  EXPECT_EQ(found, (std::vector<SpecialMatch>{{3, 6, 7}}));
}

TEST(SpecialMatcher, empty_texts_never_match_and_the_first_of_equal_texts_wins) {
  EXPECT_TRUE(find({"", ""}, "abc").empty());
  EXPECT_EQ(find({"b", "b"}, "abc"), (std::vector<SpecialMatch>{{1, 2, 0}}));
}

}  // namespace
}  // namespace reckon::tokenizer
