#include "cli/bench_test_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/result.h"
#include "cli/display_text.h"

namespace reckon::cli {
namespace {

constexpr int kMaxTokens = 1 << 20;
constexpr int kMaxSequences = 64;
constexpr std::size_t kMaxTests = 64;

// A whole number from 1 to `high` at the front of `text`, taken off it.
std::optional<int> take_number(std::string_view& text, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || text.front() == '-' || value < 1 || value > high) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<BenchTest> parse_test(std::string_view text) {
  BenchTest test;
  test.name = text;
  if (text.starts_with("tg")) {
    test.kind = BenchTest::Kind::kDecode;
  } else if (!text.starts_with("pp")) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  if (text.empty()) return std::nullopt;
  const auto n_tokens = take_number(text, kMaxTokens);
  if (!n_tokens) return std::nullopt;
  test.n_tokens = *n_tokens;
  if (text.size() > 1 && text.front() == 'x' && test.kind == BenchTest::Kind::kDecode) {
    text.remove_prefix(1);
    const auto n_sequences = take_number(text, kMaxSequences);
    if (!n_sequences) return std::nullopt;
    test.n_sequences = *n_sequences;
  }
  if (text.size() > 2 && text.starts_with("@d")) {
    text.remove_prefix(2);
    const auto depth = take_number(text, kMaxTokens);
    if (!depth) return std::nullopt;
    test.depth = *depth;
  }
  if (!text.empty()) return std::nullopt;
  return test;
}

}  // namespace

Outcome<std::vector<BenchTest>> parse_bench_tests(std::string_view list) {
  std::vector<BenchTest> tests;
  while (true) {
    const std::size_t end = std::min(list.find(','), list.size());
    const auto test = parse_test(list.substr(0, end));
    if (!test) {
      return stop(Exit::kUsage,
                  fmt::format("--tests: '{}' is no test; want ppN (a prompt of N tokens), tgN (N tokens decoded), "
                              "tgNxK (K sequences together), with @dM behind it for M tokens in the cache before",
                              cut_to_width(one_line(list.substr(0, end)), 40)));
    }
    tests.push_back(*test);
    if (tests.size() > kMaxTests) return stop(Exit::kUsage, fmt::format("--tests: at most {} tests", kMaxTests));
    if (end == list.size()) return tests;
    list.remove_prefix(end + 1);
  }
}

}  // namespace reckon::cli
