#include "cli/nearest.h"

#include <algorithm>
#include <vector>

namespace reckon::cli {
namespace {

constexpr std::size_t kLongestWord = 64;  // what people mistype is short; the cost is quadratic

// Optimal string alignment: Levenshtein's distance with swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * columns);
  for (std::size_t i = 0; i <= a.size(); ++i) table[i * columns] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      std::size_t best = std::min(
          {table[(i - 1) * columns + j] + 1, table[i * columns + j - 1] + 1, table[(i - 1) * columns + j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, table[(i - 2) * columns + j - 2] + 1);
      }
      table[i * columns + j] = best;
    }
  }
  return table.back();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> names) {
  if (word.empty() || word.size() > kLongestWord) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongestWord) continue;
    const std::size_t d = distance(word, name);
    if (d < best_distance) {
      best_distance = d;
      best = name;
    }
  }
  return best;
}

}  // namespace reckon::cli
