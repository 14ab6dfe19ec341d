#include "grammar/number_range.h"

#include <algorithm>
#include <string>
#include <vector>

namespace reckon::grammar {
namespace {

class RangeWriter {
 public:
  explicit RangeWriter(Syntax& syntax) : syntax_(syntax) {}

  // 0 <= first.
  NodeId positive(std::int64_t first, std::int64_t last) {
    std::vector<NodeId> choices;
    std::int64_t low = 0;
    for (std::int64_t high = 9;; high = high * 10 + 9) {  // all numbers of one length
      const std::int64_t a = std::max(low, first);
      const std::int64_t b = std::min(high, last);
      if (a <= b) choices.push_back(same_length(std::to_string(a), std::to_string(b)));
      if (high >= last || high >= kLargestWhole) break;
      low = high + 1;
    }
    return syntax_.choice(std::move(choices));
  }

  NodeId digits(char first, char last) {
    return syntax_.character_class({{static_cast<char32_t>(first), static_cast<char32_t>(last)}});
  }
  NodeId any_digits(std::size_t min, std::size_t max) {
    return syntax_.repeat(digits('0', '9'), static_cast<std::uint32_t>(min), static_cast<std::uint32_t>(max));
  }

 private:
  // At most 16 calls deep: each looks at one digit fewer.
  NodeId same_length(const std::string& low, const std::string& high) {
    if (low.empty()) return syntax_.empty();
    const std::string low_rest = low.substr(1);
    const std::string high_rest = high.substr(1);
    if (low[0] == high[0]) return syntax_.sequence({digits(low[0], low[0]), same_length(low_rest, high_rest)});
    const std::string nines(low_rest.size(), '9');
    const std::string zeros(low_rest.size(), '0');
    std::vector<NodeId> choices;
    char first = low[0];
    char last = high[0];
    if (low_rest != zeros) {
      choices.push_back(syntax_.sequence({digits(first, first), same_length(low_rest, nines)}));
      ++first;
    }
    if (high_rest != nines) {
      choices.push_back(syntax_.sequence({digits(last, last), same_length(zeros, high_rest)}));
      --last;
    }
    if (first <= last) {
      choices.push_back(syntax_.sequence({digits(first, last), any_digits(low_rest.size(), low_rest.size())}));
    }
    return syntax_.choice(std::move(choices));
  }

  Syntax& syntax_;
};

// low..high, both at least 0.
NodeId positive_decimals(Syntax& syntax, const NumberBounds& bounds) {
  RangeWriter writer(syntax);
  const NodeId point = syntax.literal(".");
  const NodeId fraction = syntax.sequence({point, writer.any_digits(1, 16)});
  std::vector<NodeId> choices;
  std::int64_t first = bounds.low;
  if (bounds.above_low && first < bounds.high) {
    const NodeId more = syntax.sequence({point, writer.any_digits(0, 15), writer.digits('1', '9')});
    choices.push_back(syntax.sequence({whole_numbers(syntax, first, first), more}));
    ++first;
  }
  if (first < bounds.high) {
    choices.push_back(syntax.sequence({whole_numbers(syntax, first, bounds.high - 1), syntax.optional(fraction)}));
  }
  if (!bounds.below_high && (bounds.high > bounds.low || !bounds.above_low) && bounds.high >= bounds.low) {
    const NodeId zeros = syntax.sequence({point, syntax.repeat(syntax.literal("0"), 1, 16)});
    choices.push_back(syntax.sequence({whole_numbers(syntax, bounds.high, bounds.high), syntax.optional(zeros)}));
  }
  return syntax.choice(std::move(choices));
}

}  // namespace

NodeId whole_numbers(Syntax& syntax, std::int64_t first, std::int64_t last) {
  RangeWriter writer(syntax);
  std::vector<NodeId> choices;
  if (first < 0 && first <= last) {
    const NodeId digits = writer.positive(std::max<std::int64_t>(1, -std::min<std::int64_t>(last, -1)), -first);
    choices.push_back(syntax.sequence({syntax.literal("-"), digits}));
  }
  if (last >= 0 && first <= last) choices.push_back(writer.positive(std::max<std::int64_t>(first, 0), last));
  return syntax.choice(std::move(choices));
}

NodeId decimal_numbers(Syntax& syntax, const NumberBounds& bounds) {
  std::vector<NodeId> choices;
  if (bounds.low < 0 && bounds.low <= bounds.high) {
    NumberBounds mirrored{std::max<std::int64_t>(0, -bounds.high), -bounds.low, bounds.below_high, bounds.above_low};
    if (bounds.high > 0) mirrored.above_low = false;
    choices.push_back(syntax.sequence({syntax.literal("-"), positive_decimals(syntax, mirrored)}));
  }
  if (bounds.high >= 0 && bounds.low <= bounds.high) {
    NumberBounds upper = bounds;
    if (bounds.low < 0) upper.above_low = false;
    upper.low = std::max<std::int64_t>(bounds.low, 0);
    choices.push_back(positive_decimals(syntax, upper));
  }
  return syntax.choice(std::move(choices));
}

}  // namespace reckon::grammar
