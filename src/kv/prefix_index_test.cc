#include "kv/prefix_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace reckon::kv {
namespace {

std::vector<TokenId> numbers(int first, int n) {
  std::vector<TokenId> tokens(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) tokens[static_cast<std::size_t>(i)] = first + i;
  return tokens;
}

std::vector<TokenId> join(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class PrefixIndexTest : public testing::Test {
 protected:
  std::vector<PageId> take(int n) {
    std::vector<PageId> pages;
    for (int i = 0; i < n; ++i) pages.push_back(pool_.take().value());
    return pages;
  }
  void drop(const std::vector<PageId>& pages) {
    for (const PageId page : pages) pool_.drop(page);
  }
  PrefixIndex::Partial look(const std::vector<TokenId>& tokens, std::vector<PageId>& pages) {
    pages.clear();
    const auto partial = index_.lookup(tokens, pages);
    if (partial.page >= 0) pool_.drop(partial.page);
    drop(pages);
    return partial;
  }

  PagePool pool_ = PagePool::create(64, 64 * 16, 1).value();
  PrefixIndex index_{pool_};
  std::vector<PageId> found_;
};

TEST_F(PrefixIndexTest, FindsTheLongestChainOfFullPages) {
  auto pages = take(3);
  index_.insert(numbers(0, 3 * kPageTokens), pages);
  look(join(numbers(0, 2 * kPageTokens), numbers(7000, 100)), found_);
  EXPECT_EQ(found_, std::vector<PageId>(pages.begin(), pages.begin() + 2));
  look(numbers(0, 200), found_);
  EXPECT_EQ(found_, pages);
  look(numbers(1, 200), found_);
  EXPECT_TRUE(found_.empty());
}

TEST_F(PrefixIndexTest, TheSamePageTokensAfterOtherTokensAreAnotherPage) {
  auto pages = take(2);
  index_.insert(join(numbers(0, kPageTokens), numbers(500, kPageTokens)), pages);
  look(join(numbers(100, kPageTokens), numbers(500, kPageTokens)), found_);
  EXPECT_TRUE(found_.empty());
  look(numbers(500, kPageTokens), found_);
  EXPECT_TRUE(found_.empty());
}

TEST_F(PrefixIndexTest, KeepsAPageAfterItsSequenceEndedAndEvictsItWhenAsked) {
  auto pages = take(2);
  index_.insert(numbers(0, 2 * kPageTokens), pages);
  EXPECT_EQ(index_.n_evictable(), 0);
  EXPECT_EQ(index_.evict(5), 0);
  drop(pages);
  EXPECT_EQ(pool_.n_free(), 14);
  EXPECT_EQ(index_.n_evictable(), 2);
  EXPECT_EQ(index_.evict(1), 1);
  look(numbers(0, 2 * kPageTokens), found_);
  EXPECT_EQ(found_, std::vector<PageId>{pages[0]}) << "the leaf goes first";
  EXPECT_EQ(index_.evict(5), 1);
  EXPECT_EQ(pool_.n_free(), 16);
}

TEST_F(PrefixIndexTest, EvictsTheLeastRecentlyUsedFirst) {
  for (int i = 0; i < 3; ++i) {
    auto pages = take(2);
    index_.insert(numbers(1000 * i, 2 * kPageTokens), pages);
    drop(pages);
  }
  look(numbers(0, 2 * kPageTokens), found_);
  EXPECT_EQ(index_.evict(2), 2);
  look(numbers(1000, 2 * kPageTokens), found_);
  EXPECT_TRUE(found_.empty());
  look(numbers(0, 2 * kPageTokens), found_);
  EXPECT_EQ(found_.size(), 2U);
  look(numbers(2000, 2 * kPageTokens), found_);
  EXPECT_EQ(found_.size(), 2U);
}

TEST_F(PrefixIndexTest, ReplacesAPageThatTwoSequencesComputedByOneOfThem) {
  auto first = take(2);
  auto second = take(2);
  index_.insert(numbers(0, 2 * kPageTokens), first);
  index_.insert(numbers(0, 2 * kPageTokens), second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(pool_.n_free(), 14);
  EXPECT_EQ(pool_.use_count(first[0]), 3);
}

TEST_F(PrefixIndexTest, FindsThePageThatSharesPartOfWhatComesNext) {
  auto pages = take(2);
  index_.insert(numbers(0, 2 * kPageTokens), pages);
  auto partial = look(join(numbers(0, kPageTokens + 10), numbers(9000, 3)), found_);
  EXPECT_EQ(found_.size(), 1U);
  EXPECT_EQ(partial.page, pages[1]);
  EXPECT_EQ(partial.n_tokens, 10);
  partial = look(numbers(0, kPageTokens + 63), found_);
  EXPECT_EQ(partial.n_tokens, 63);
  partial = look(join(numbers(0, kPageTokens), numbers(9000, 3)), found_);
  EXPECT_EQ(partial.page, -1);
}

TEST_F(PrefixIndexTest, KeepsTheTailOfAnEndedSequenceAndGrowsIt) {
  auto pages = take(2);
  const auto tokens = numbers(0, kPageTokens + 20);
  index_.insert(tokens, pages);
  index_.insert_tail(tokens, pages);
  drop(pages);
  EXPECT_EQ(look(numbers(0, kPageTokens + 30), found_).n_tokens, 20);

  auto longer = take(2);
  const auto more = numbers(0, kPageTokens + 40);
  index_.insert(more, longer);
  index_.insert_tail(more, longer);
  drop(longer);
  EXPECT_EQ(index_.n_pages(), 2) << "the longer tail took the place of the shorter one";
  EXPECT_EQ(look(numbers(0, kPageTokens + 50), found_).n_tokens, 40);

  auto shorter = take(2);
  index_.insert(tokens, shorter);
  index_.insert_tail(tokens, shorter);
  drop(shorter);
  EXPECT_EQ(index_.n_pages(), 2);
  EXPECT_EQ(look(numbers(0, kPageTokens + 50), found_).n_tokens, 40);
}

TEST_F(PrefixIndexTest, APartialPageInUseIsNotEvicted) {
  auto pages = take(1);
  index_.insert_tail(numbers(0, 20), pages);
  drop(pages);
  std::vector<PageId> none;
  const auto partial = index_.lookup(numbers(0, 30), none);
  ASSERT_EQ(partial.n_tokens, 20);
  EXPECT_EQ(index_.evict(1), 0);
  pool_.drop(partial.page);
  EXPECT_EQ(index_.evict(1), 1);
}

// Against a plain map from path to page, over random sequences with small alphabets, so that paths often meet.
TEST_F(PrefixIndexTest, AgreesWithAPlainMapOverRandomWork) {
  std::map<std::vector<TokenId>, bool> inserted;
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const int n_pages = static_cast<int>(random() % 4) + 1;
    std::vector<TokenId> tokens;
    for (int i = 0; i < n_pages; ++i) tokens = join(tokens, numbers(static_cast<int>(random() % 3) * 100, kPageTokens));
    std::vector<PageId> pages;
    index_.lookup(tokens, pages);
    for (std::size_t n = 1; n <= static_cast<std::size_t>(n_pages); ++n) {
      const std::vector<TokenId> path(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n * kPageTokens));
      ASSERT_TRUE(pages.size() < n || inserted.contains(path));
    }
    while (static_cast<int>(pages.size()) < n_pages) {
      auto page = pool_.take();
      if (!page) {
        ASSERT_EQ(index_.evict(1), 1);
        page = pool_.take();
      }
      pages.push_back(*page);
    }
    index_.insert(tokens, pages);
    for (std::size_t n = 1; n <= static_cast<std::size_t>(n_pages); ++n) {
      inserted[{tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n * kPageTokens)}] = true;
    }
    std::vector<PageId> again;
    index_.lookup(tokens, again);
    ASSERT_EQ(again, pages);
    drop(again);
    drop(pages);
    ASSERT_EQ(pool_.n_free() + index_.n_pages(), pool_.n_pages());
    ASSERT_EQ(index_.n_evictable(), index_.n_pages());
  }
}

}  // namespace
}  // namespace reckon::kv
