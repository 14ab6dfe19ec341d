#include "sample/stop_matcher.h"

#include <gtest/gtest.h>

#include <random>

namespace reckon::sample {
namespace {

struct Outcome {
  std::string text;
  bool stopped = false;
  bool operator==(const Outcome&) const = default;
};

Outcome run(const std::vector<std::string>& stops, const std::vector<std::string>& pieces) {
  StopMatcher matcher(stops);
  Outcome outcome;
  for (const std::string& piece : pieces) {
    if (matcher.push(piece, outcome.text)) {
      outcome.stopped = true;
      return outcome;
    }
  }
  matcher.finish(outcome.text);
  return outcome;
}

// The obvious way, on the whole text.
Outcome find_first(const std::vector<std::string>& stops, const std::string& text) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops) {
      if (end >= stop.size() && text.compare(end - stop.size(), stop.size(), stop) == 0) {
        longest = std::max(longest, stop.size());
      }
    }
    if (longest > 0) return {text.substr(0, end - longest), true};
  }
  return {text, false};
}

TEST(StopMatcher, FindsAStringAcrossPieces) {
  EXPECT_EQ(run({"beta gamma"}, {"alpha", " be", "ta", " gam", "ma", " delta"}), (Outcome{"alpha ", true}));
  EXPECT_EQ(run({"DEFG"}, {"ABC", "DE", "FGHIJ"}), (Outcome{"ABC", true}));
}

TEST(StopMatcher, GivesBackWhatWasHeldInVain) {
  EXPECT_EQ(run({"beta gamma"}, {"alpha be", "ta del", "ta beta ga"}), (Outcome{"alpha beta delta beta ga", false}));
  StopMatcher matcher(std::vector<std::string>{"\n\n"});
  std::string out;
  EXPECT_FALSE(matcher.push("line\n", out));
  EXPECT_EQ(out, "line");
  EXPECT_EQ(matcher.n_held(), 1U);
  EXPECT_FALSE(matcher.push("next", out));
  EXPECT_EQ(out, "line\nnext");
}

TEST(StopMatcher, HandlesOverlappingStarts) {
  EXPECT_EQ(run({"aab"}, {"a", "a", "a", "b"}), (Outcome{"a", true}));
  EXPECT_EQ(run({"abab!"}, {"ababab", "ab!"}), (Outcome{"abab", true}));
  EXPECT_EQ(run({"\n\nUser:"}, {"x\n", "\n\nUser", ": y"}), (Outcome{"x\n", true}));
}

TEST(StopMatcher, OfTwoMatchesTheOneThatIsCompleteFirstWins) {
  EXPECT_EQ(run({"bcd", "c"}, {"abcd"}), (Outcome{"ab", true}));
  EXPECT_EQ(run({"c", "abc"}, {"xabc"}), (Outcome{"x", true})) << "both end together: the one that starts first";
}

TEST(StopMatcher, WorksOnBytesOfAnyScript) {
  EXPECT_EQ(run({"因此"}, {"我想，", "因", "此答案"}), (Outcome{"我想，", true}));
  EXPECT_EQ(run({"因此"}, {"因", "为"}), (Outcome{"因为", false}));
  EXPECT_EQ(run({"</think>"}, {"ok</th", "ink>"}), (Outcome{"ok", true}));
}

TEST(StopMatcher, AgreesWithASearchOfTheWholeTextHoweverItIsCut) {
  std::mt19937 random(3);
  const auto word = [&random](std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> stops;
    for (unsigned i = 0, n = random() % 4; i < n; ++i) stops.push_back(word(random() % 7 + 1));
    const std::string text = word(random() % 40);
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < text.size();) {
      pieces.push_back(text.substr(i, random() % 5));
      i += pieces.back().size();
    }
    ASSERT_EQ(run(stops, pieces), find_first(stops, text)) << text;
  }
}

}  // namespace
}  // namespace reckon::sample
