#pragma once
// Which computed pages hold which tokens, so that a prompt that starts like an earlier one is not computed again.
// A tree: each node is one page of tokens, its place the tokens before it. Keys and values at a position depend on all
// tokens before it and on nothing else, so equal paths have equal pages, bit for bit.
// Owner: Engine. Thread: engine thread only. Memory: all made in the constructor, none later. The index holds one use
// of each of its pages; a page that nobody else uses can be evicted, the least recently used leaf first.

#include <cstdint>
#include <span>
#include <vector>

#include "kv/page_pool.h"
#include "reckon/token.h"

namespace reckon::kv {

class PrefixIndex {
 public:
  explicit PrefixIndex(PagePool& pool);  // the pool must outlive the index

  // A page of which only the first n_tokens fit. It is read-only: copy it into a page of your own and write on from
  // there. The caller holds one use of it and drops it after the copy.
  struct Partial {
    PageId page = -1;  // -1: none
    int n_tokens = 0;  // 1..kPageTokens
  };
  // Appends to `pages` the longest chain of full pages that covers the start of `tokens`, each with one use for the
  // caller, and finds the page that shares most of what comes next.
  Partial lookup(std::span<const TokenId> tokens, std::vector<PageId>& pages);

  // Gives all full pages of a sequence to the index; pages.size() >= tokens.size() / kPageTokens. Where the index has
  // a page with the same path already, the caller's is dropped and replaced by that one in `pages`.
  void insert(std::span<const TokenId> tokens, std::span<PageId> pages);

  // Gives the page after the last full one too. Only for a sequence that ends: nobody may write to that page again.
  void insert_tail(std::span<const TokenId> tokens, std::span<const PageId> pages);

  int evict(int n_pages);  // how many it freed
  [[nodiscard]] int n_evictable() const;
  [[nodiscard]] int n_pages() const { return n_nodes_; }

 private:
  using NodeId = std::int32_t;  // kRoot is in nodes_[0] and has no page
  struct Node {
    std::uint64_t hash = 0;  // of the path up to and with this page
    PageId page = -1;
    int n_tokens = 0;  // fewer than kPageTokens: a leaf, not in the hash table
    NodeId parent = -1;
    NodeId first_child = -1;
    NodeId older_sibling = -1;
    NodeId younger_sibling = -1;
    NodeId less_recent = -1;
    NodeId more_recent = -1;
    NodeId next_in_bucket = -1;
  };

  [[nodiscard]] Node& node(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::span<TokenId> tokens_of(NodeId id);
  [[nodiscard]] NodeId& bucket_of(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }

  NodeId find_child(NodeId parent, std::uint64_t hash, std::span<const TokenId> page_tokens);
  Partial find_partial(NodeId parent, std::span<const TokenId> tokens);
  NodeId add_child(NodeId parent, std::uint64_t hash, std::span<const TokenId> page_tokens, PageId page);
  void remove_leaf(NodeId id);
  void unlink_recent(NodeId id);
  void push_recent(NodeId id);
  void touch_path(NodeId leaf);

  PagePool& pool_;
  std::vector<Node> nodes_;      // [1 + pool.n_pages()]
  std::vector<TokenId> tokens_;  // [nodes][kPageTokens], to verify: a hash alone is never trusted
  std::vector<NodeId> buckets_;  // a power of two
  std::vector<NodeId> free_nodes_;
  NodeId least_recent_ = -1;
  NodeId most_recent_ = -1;
  int n_nodes_ = 0;
};

}  // namespace reckon::kv
