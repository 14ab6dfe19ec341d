#include "kv/page_pool.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/checked.h"

namespace reckon::kv {
namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register

std::string mib(std::size_t bytes) { return std::to_string((bytes + (std::size_t{1} << 20) - 1) >> 20) + " MiB"; }

}  // namespace

Result<PagePool> PagePool::create(std::size_t page_bytes, std::size_t budget_bytes, int min_pages) {
  RECKON_CHECK(page_bytes > 0 && min_pages >= 0);
  const auto padded = checked_add(page_bytes, kAlignment - 1);
  const std::size_t stride = padded ? *padded / kAlignment * kAlignment : 0;
  const auto needed = checked_mul(stride, static_cast<std::size_t>(min_pages));
  if (stride == 0 || !needed) return fail(ErrorCode::kOutOfMemory, "the key/value pool is larger than any memory");

  const std::size_t n_pages =
      std::min(budget_bytes / stride, static_cast<std::size_t>(std::numeric_limits<PageId>::max()));
  if (n_pages < static_cast<std::size_t>(min_pages) || n_pages == 0) {
    return fail(ErrorCode::kOutOfMemory, "the key/value pool needs " + mib(std::max(*needed, stride)) +
                                             " but has a budget of " + mib(budget_bytes) +
                                             ": take a shorter context or a larger budget");
  }

  PagePool pool;
  RECKON_TRY(pool.arena_, Arena::create(n_pages * stride));
  pool.page_bytes_ = stride;
  pool.use_counts_.resize(n_pages, 0);
  // Low ids lie on top of the stack: pages that were never used are touched last and cost no memory until then.
  pool.free_.resize(n_pages);
  for (std::size_t i = 0; i < n_pages; ++i) pool.free_[i] = static_cast<PageId>(n_pages - 1 - i);
  return pool;
}

std::optional<PageId> PagePool::take() {
  if (free_.empty()) return std::nullopt;
  const PageId id = free_.back();
  free_.pop_back();
  use_counts_[static_cast<std::size_t>(id)] = 1;
  return id;
}

void PagePool::share(PageId id) {
  RECKON_CHECK(use_count(id) > 0);
  ++use_counts_[static_cast<std::size_t>(id)];
}

void PagePool::drop(PageId id) {
  RECKON_CHECK(use_count(id) > 0);
  if (--use_counts_[static_cast<std::size_t>(id)] == 0) free_.push_back(id);
}

int PagePool::use_count(PageId id) const {
  RECKON_CHECK(id >= 0 && id < n_pages());
  return use_counts_[static_cast<std::size_t>(id)];
}

std::byte* PagePool::data(PageId id) const {
  RECKON_CHECK(id >= 0 && id < n_pages());
  return arena_.data() + static_cast<std::size_t>(id) * page_bytes_;
}

}  // namespace reckon::kv
