#pragma once
// What one forward pass computes: tokens of many sequences over paged keys and values.

#include <span>

#include "kv/page_pool.h"
#include "reckon/token.h"

namespace reckon::model {

// Consecutive tokens of one sequence. `pages` covers positions [0, start + tokens.size()), kPageTokens each; the pages
// that hold positions >= start belong to this sequence alone. Positions below `start` are computed already.
struct StepSpan {
  std::span<const TokenId> tokens;
  int start = 0;
  std::span<const kv::PageId> pages;
  int n_logits = 0;  // logits wanted for the last n_logits tokens, 0..tokens.size()
  int n_hidden = 0;  // final hidden states (after the last norm) wanted for the last n_hidden tokens
};

// Logits come out in order of spans, then of tokens: [sum of n_logits][n_vocab].
struct Step {
  std::span<const StepSpan> spans;
  std::span<float> hidden = {};  // out, in the same order: [sum of n_hidden][n_embd]
};

}  // namespace reckon::model
