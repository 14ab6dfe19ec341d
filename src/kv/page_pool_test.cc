#include "kv/page_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace reckon::kv {
namespace {

TEST(PagePool, HandsOutEachPageOnceAndThenNothing) {
  auto pool = PagePool::create(1000, 5 * 1024, 1);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->n_pages(), 5);  // 1000 rounds up to 1024
  std::set<PageId> seen;
  for (int i = 0; i < 5; ++i) seen.insert(pool->take().value());
  EXPECT_EQ(seen.size(), 5U);
  EXPECT_FALSE(pool->take());
}

TEST(PagePool, FreesAPageWithItsLastUse) {
  auto pool = PagePool::create(64, 64, 1);
  ASSERT_TRUE(pool);
  const PageId page = *pool->take();
  pool->share(page);
  pool->drop(page);
  EXPECT_EQ(pool->use_count(page), 1);
  EXPECT_EQ(pool->n_free(), 0);
  pool->drop(page);
  EXPECT_EQ(pool->n_free(), 1);
  EXPECT_EQ(pool->take(), page);
}

TEST(PagePool, PagesAreAlignedAndDoNotOverlap) {
  auto pool = PagePool::create(100, 10 * 128, 10);
  ASSERT_TRUE(pool);
  for (int i = 0; i < 10; ++i) std::memset(pool->data(i), i + 1, pool->page_bytes());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool->data(i)) % 64, 0U);
    for (std::size_t k = 0; k < pool->page_bytes(); ++k) ASSERT_EQ(pool->data(i)[k], static_cast<std::byte>(i + 1));
  }
}

TEST(PagePool, SaysHowMuchIsNeededWhenTheBudgetIsTooSmall) {
  const auto pool = PagePool::create(std::size_t{1} << 20, std::size_t{7} << 20, 8);
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().code, ErrorCode::kOutOfMemory);
  EXPECT_NE(pool.error().message.find("needs 8 MiB but has a budget of 7 MiB"), std::string::npos)
      << pool.error().message;
}

TEST(PagePool, RefusesSizesThatWrap) {
  const auto pool = PagePool::create(SIZE_MAX / 2, SIZE_MAX, 1000);
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace reckon::kv
