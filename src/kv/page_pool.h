#pragma once
// Fixed-size pages of keys and values, handed out and counted. What is inside a page is the model's business.
// Owner: Engine. Thread: engine thread only. Memory: one mapping made in create(), none later.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "base/result.h"

namespace reckon::kv {

using PageId = std::int32_t;
inline constexpr int kPageTokens = 64;  // tokens of one page, for all layers

class PagePool {
 public:
  // As many pages as the budget holds; kOutOfMemory where that is less than min_pages (the message says how much is
  // needed).
  static Result<PagePool> create(std::size_t page_bytes, std::size_t budget_bytes, int min_pages);

  std::optional<PageId> take();  // count 1; empty when full: the scheduler waits or evicts
  void share(PageId id);         // +1
  void drop(PageId id);          // -1; at 0 the page is free, its bytes are not cleared
  [[nodiscard]] int use_count(PageId id) const;
  [[nodiscard]] std::byte* data(PageId id) const;  // page_bytes, 64-byte aligned; stable for the life of the pool
  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }  // as asked, rounded up to 64
  [[nodiscard]] int n_pages() const { return static_cast<int>(use_counts_.size()); }
  [[nodiscard]] int n_free() const { return static_cast<int>(free_.size()); }

 private:
  Arena arena_;
  std::size_t page_bytes_ = 0;
  std::vector<std::int32_t> use_counts_;
  std::vector<PageId> free_;  // a stack, capacity n_pages
};

}  // namespace reckon::kv
