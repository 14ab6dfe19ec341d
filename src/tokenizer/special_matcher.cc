#include "tokenizer/special_matcher.h"

namespace reckon::tokenizer {

SpecialMatcher::SpecialMatcher() : nodes_(1) { root_children_.fill(kDead); }

SpecialMatcher::State SpecialMatcher::child(State state, std::uint8_t byte) const {
  if (state == kRoot) return root_children_[byte];
  State node = nodes_[static_cast<std::size_t>(state)].first_child;
  while (node != kDead && nodes_[static_cast<std::size_t>(node)].byte != byte) {
    node = nodes_[static_cast<std::size_t>(node)].next_sibling;
  }
  return node;
}

SpecialMatcher::State SpecialMatcher::step(State state, std::uint8_t byte) const {
  while (state != kDead) {
    const State next = child(state, byte);
    if (next != kDead) return next;
    if (state == kRoot) return kRoot;
    state = nodes_[static_cast<std::size_t>(state)].failure;
  }
  return kDead;
}

void SpecialMatcher::add(std::string_view text, TokenId id) {
  if (text.empty()) return;
  State state = kRoot;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    State next = child(state, byte);
    if (next == kDead) {
      next = static_cast<State>(nodes_.size());
      Node node;
      node.byte = byte;
      node.depth = nodes_[static_cast<std::size_t>(state)].depth + 1;
      if (state == kRoot) {
        root_children_[byte] = next;
      } else {
        node.next_sibling = nodes_[static_cast<std::size_t>(state)].first_child;
        nodes_[static_cast<std::size_t>(state)].first_child = next;
      }
      nodes_.push_back(node);
    }
    state = next;
  }
  Node& last = nodes_[static_cast<std::size_t>(state)];
  if (last.match >= 0) return;
  last.match = id;
  last.match_length = last.depth;
}

void SpecialMatcher::link() {
  std::vector<State> queue;  // breadth first: failures point to shallower nodes, which are done
  for (const State node : root_children_) {
    if (node == kDead) continue;
    nodes_[static_cast<std::size_t>(node)].failure = nodes_[static_cast<std::size_t>(node)].match >= 0 ? kDead : kRoot;
    queue.push_back(node);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node& parent = nodes_[static_cast<std::size_t>(queue[i])];
    for (State s = parent.first_child; s != kDead; s = nodes_[static_cast<std::size_t>(s)].next_sibling) {
      Node& node = nodes_[static_cast<std::size_t>(s)];
      queue.push_back(s);
      if (node.match >= 0) {
        node.failure = kDead;
        continue;
      }
      node.failure = step(parent.failure, node.byte);
      if (node.failure == kDead) continue;
      node.match = nodes_[static_cast<std::size_t>(node.failure)].match;
      node.match_length = nodes_[static_cast<std::size_t>(node.failure)].match_length;
    }
  }
}

void SpecialMatcher::find_all(std::string_view text, std::size_t begin, std::size_t end,
                              std::vector<SpecialMatch>& out) const {
  SpecialMatch found{0, 0, -1};
  State state = kRoot;
  for (std::size_t i = begin; i < end || found.id >= 0;) {
    state = i < end ? step(state, static_cast<std::uint8_t>(text[i])) : kDead;
    if (state == kDead) {  // nothing can be longer or further left than what was found
      out.push_back(found);
      i = found.end;
      found.id = -1;
      state = kRoot;
      continue;
    }
    ++i;
    const Node& node = nodes_[static_cast<std::size_t>(state)];
    if (node.match >= 0) found = {i - node.match_length, i, node.match};
  }
}

}  // namespace reckon::tokenizer
