#include "kv/prefix_index.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/check.h"

namespace reckon::kv {
namespace {

constexpr std::int32_t kRoot = 0;
constexpr std::size_t kPage = kPageTokens;

// Spreads tokens over buckets; collisions cost time only.
std::uint64_t path_hash(std::uint64_t parent, std::span<const TokenId> tokens) {
  std::uint64_t hash = parent ^ 0x9e3779b97f4a7c15U;
  for (const TokenId token : tokens) {
    hash = (hash ^ static_cast<std::uint32_t>(token)) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32;
  }
  return hash;
}

int common_prefix(std::span<const TokenId> a, std::span<const TokenId> b) {
  const std::size_t n = std::min(a.size(), b.size());
  return static_cast<int>(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin()).first -
                          a.begin());
}

}  // namespace

PrefixIndex::PrefixIndex(PagePool& pool) : pool_(pool) {
  const auto n = static_cast<std::size_t>(pool.n_pages()) + 1;
  nodes_.resize(n);
  tokens_.resize(n * kPage);
  buckets_.resize(std::bit_ceil(2 * n), -1);
  free_nodes_.reserve(n);
  for (std::size_t i = n - 1; i > kRoot; --i) free_nodes_.push_back(static_cast<NodeId>(i));
}

std::span<TokenId> PrefixIndex::tokens_of(NodeId id) {
  return std::span(tokens_).subspan(static_cast<std::size_t>(id) * kPage, static_cast<std::size_t>(node(id).n_tokens));
}

PrefixIndex::NodeId PrefixIndex::find_child(NodeId parent, std::uint64_t hash, std::span<const TokenId> page_tokens) {
  for (NodeId id = bucket_of(hash); id >= 0; id = node(id).next_in_bucket) {
    if (node(id).hash == hash && node(id).parent == parent && std::ranges::equal(tokens_of(id), page_tokens)) return id;
  }
  return -1;
}

PrefixIndex::Partial PrefixIndex::find_partial(NodeId parent, std::span<const TokenId> tokens) {
  Partial best;
  if (tokens.empty()) return best;
  NodeId best_node = -1;
  for (NodeId id = node(parent).first_child; id >= 0; id = node(id).older_sibling) {
    const int n = common_prefix(tokens_of(id), tokens);
    if (n > best.n_tokens) {
      best = {node(id).page, n};
      best_node = id;
    }
  }
  if (best_node < 0) return best;
  touch_path(best_node);
  pool_.share(best.page);
  return best;
}

PrefixIndex::Partial PrefixIndex::lookup(std::span<const TokenId> tokens, std::vector<PageId>& pages) {
  NodeId at = kRoot;
  while (tokens.size() >= kPage) {
    const auto page_tokens = tokens.first(kPage);
    const NodeId child = find_child(at, path_hash(node(at).hash, page_tokens), page_tokens);
    if (child < 0) break;
    pool_.share(node(child).page);
    pages.push_back(node(child).page);
    at = child;
    tokens = tokens.subspan(kPage);
  }
  touch_path(at);
  return find_partial(at, tokens);
}

void PrefixIndex::insert(std::span<const TokenId> tokens, std::span<PageId> pages) {
  RECKON_CHECK(pages.size() >= tokens.size() / kPage);
  NodeId at = kRoot;
  for (std::size_t i_page = 0; tokens.size() >= kPage; ++i_page, tokens = tokens.subspan(kPage)) {
    const auto page_tokens = tokens.first(kPage);
    const std::uint64_t hash = path_hash(node(at).hash, page_tokens);
    NodeId child = find_child(at, hash, page_tokens);
    if (child < 0) {
      child = add_child(at, hash, page_tokens, pages[i_page]);
    } else if (node(child).page != pages[i_page]) {
      pool_.share(node(child).page);
      pool_.drop(pages[i_page]);
      pages[i_page] = node(child).page;
    }
    at = child;
  }
  touch_path(at);
}

void PrefixIndex::insert_tail(std::span<const TokenId> tokens, std::span<const PageId> pages) {
  NodeId at = kRoot;
  std::size_t i_page = 0;
  for (; tokens.size() >= kPage; ++i_page, tokens = tokens.subspan(kPage)) {
    const auto page_tokens = tokens.first(kPage);
    at = find_child(at, path_hash(node(at).hash, page_tokens), page_tokens);
    if (at < 0) return;  // insert() comes first; without the path the tail has no place
  }
  if (tokens.empty()) return;
  RECKON_CHECK(i_page < pages.size());
  for (NodeId id = node(at).first_child; id >= 0; id = node(id).older_sibling) {
    const auto n = static_cast<std::size_t>(common_prefix(tokens_of(id), tokens));
    if (n == tokens.size()) {  // this one knows at least as much
      touch_path(id);
      return;
    }
    if (n == tokens_of(id).size() && n < kPage && pool_.use_count(node(id).page) == 1) {  // ours knows more
      pool_.share(pages[i_page]);
      pool_.drop(node(id).page);
      node(id).page = pages[i_page];
      node(id).n_tokens = static_cast<int>(tokens.size());
      std::ranges::copy(tokens, tokens_of(id).begin());
      touch_path(id);
      return;
    }
  }
  touch_path(add_child(at, 0, tokens, pages[i_page]));
}

PrefixIndex::NodeId PrefixIndex::add_child(NodeId parent, std::uint64_t hash, std::span<const TokenId> page_tokens,
                                           PageId page) {
  RECKON_CHECK(!free_nodes_.empty());  // each node holds a page of its own, so there are enough
  const NodeId id = free_nodes_.back();
  free_nodes_.pop_back();
  ++n_nodes_;
  pool_.share(page);
  Node& added = node(id);
  added = Node{};
  added.hash = hash;
  added.page = page;
  added.n_tokens = static_cast<int>(page_tokens.size());
  added.parent = parent;
  added.older_sibling = node(parent).first_child;
  if (added.older_sibling >= 0) node(added.older_sibling).younger_sibling = id;
  node(parent).first_child = id;
  if (page_tokens.size() == kPage) {
    added.next_in_bucket = bucket_of(hash);
    bucket_of(hash) = id;
  }
  std::ranges::copy(page_tokens, tokens_of(id).begin());
  push_recent(id);
  return id;
}

void PrefixIndex::remove_leaf(NodeId id) {
  Node& gone = node(id);
  RECKON_CHECK(gone.first_child < 0);
  if (gone.n_tokens == kPageTokens) {
    NodeId* link = &bucket_of(gone.hash);
    while (*link != id) link = &node(*link).next_in_bucket;
    *link = gone.next_in_bucket;
  }
  if (gone.older_sibling >= 0) node(gone.older_sibling).younger_sibling = gone.younger_sibling;
  NodeId& from_younger =
      gone.younger_sibling >= 0 ? node(gone.younger_sibling).older_sibling : node(gone.parent).first_child;
  from_younger = gone.older_sibling;
  unlink_recent(id);
  pool_.drop(gone.page);
  free_nodes_.push_back(id);
  --n_nodes_;
}

void PrefixIndex::unlink_recent(NodeId id) {
  const Node& n = node(id);
  (n.less_recent >= 0 ? node(n.less_recent).more_recent : least_recent_) = n.more_recent;
  (n.more_recent >= 0 ? node(n.more_recent).less_recent : most_recent_) = n.less_recent;
}

void PrefixIndex::push_recent(NodeId id) {
  node(id).less_recent = most_recent_;
  node(id).more_recent = -1;
  (most_recent_ >= 0 ? node(most_recent_).more_recent : least_recent_) = id;
  most_recent_ = id;
}

// From the leaf up, so that a parent is always more recent than its children and evict() needs a single pass.
void PrefixIndex::touch_path(NodeId leaf) {
  for (NodeId id = leaf; id > kRoot; id = node(id).parent) {
    unlink_recent(id);
    push_recent(id);
  }
}

int PrefixIndex::evict(int n_pages) {
  int n_freed = 0;
  for (NodeId id = least_recent_; id >= 0 && n_freed < n_pages;) {
    const NodeId next = node(id).more_recent;
    if (node(id).first_child < 0 && pool_.use_count(node(id).page) == 1) {
      remove_leaf(id);
      ++n_freed;
    }
    id = next;
  }
  return n_freed;
}

int PrefixIndex::n_evictable() const {
  // A sequence that uses a page uses the whole path to it (insert() sees to that), so all below a free page is free.
  int n = 0;
  for (NodeId id = least_recent_; id >= 0; id = node(id).more_recent) {
    if (pool_.use_count(node(id).page) == 1) ++n;
  }
  return n;
}

}  // namespace reckon::kv
