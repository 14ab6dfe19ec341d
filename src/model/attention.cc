#include "model/attention.h"

#include <algorithm>
#include <cstring>

namespace reckon::model {
namespace {

using kernels::kChunkKeys;
using kernels::kMaxAttentionRows;

constexpr int kTileTokens = 16;      // queries of a prompt that share each chunk of keys while it is in cache
constexpr int kMaxSplitSpan = 8;     // spans up to so many tokens are split by chunks of keys
constexpr int kMaxSplitTokens = 64;  // split tokens of one step; further ones run unsplit, with the same result
constexpr int kPagesPerChunk = kChunkKeys / kv::kPageTokens;

// Hands out 64-byte aligned float arrays from one block; first run with a null base to learn the size.
class FloatCarver {
 public:
  explicit FloatCarver(std::byte* base) : base_(base) {}
  float* take(std::size_t n) {
    float* at = base_ == nullptr ? nullptr : reinterpret_cast<float*>(base_ + used_);
    used_ += (n * sizeof(float) + 63) / 64 * 64;
    return at;
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

}  // namespace

Result<Attention> Attention::create(const AttentionShape& shape, const KvLayout* layout, const kernels::Table* table) {
  Attention attention;
  attention.shape_ = shape;
  attention.layout_ = layout;
  attention.table_ = table;
  attention.max_chunks_ = (shape.max_context + kChunkKeys - 1) / kChunkKeys;
  const int max_split = std::min(kMaxSplitTokens, shape.max_tokens);
  const auto n_partials = static_cast<std::size_t>(max_split) * static_cast<std::size_t>(attention.max_chunks_) *
                          static_cast<std::size_t>(shape.n_heads);
  const auto stride = static_cast<std::size_t>(layout->value_stride());
  const auto tile_rows = static_cast<std::size_t>(kTileTokens) * static_cast<std::size_t>(attention.heads_per_kv());
  attention.scratch_.resize(static_cast<std::size_t>(shape.n_threads));
  const auto carve = [&](std::byte* base) {
    FloatCarver carver(base);
    attention.partial_max_ = carver.take(n_partials);
    attention.partial_weight_ = carver.take(n_partials);
    attention.partial_out_ = carver.take(n_partials * stride);
    for (Scratch& scratch : attention.scratch_) {
      scratch.scores = carver.take(std::size_t{kMaxAttentionRows} * kChunkKeys);
      scratch.max = carver.take(tile_rows);
      scratch.weight = carver.take(tile_rows);
      scratch.out = carver.take(tile_rows * stride);
      scratch.next_max = carver.take(kMaxAttentionRows);
      scratch.next_weight = carver.take(kMaxAttentionRows);
      scratch.next_out = carver.take(kMaxAttentionRows * stride);
    }
    return carver.used();
  };
  RECKON_TRY(attention.memory_, Arena::create(carve(nullptr)));
  carve(attention.memory_.data());
  attention.split_tokens_.reserve(static_cast<std::size_t>(max_split));
  const auto max_units = static_cast<std::size_t>(shape.n_kv_heads) *
                         (static_cast<std::size_t>(max_split) * static_cast<std::size_t>(attention.max_chunks_) +
                          static_cast<std::size_t>(shape.max_tokens));
  attention.units_.reserve(max_units);
  return attention;
}

void Attention::plan(const Step& step) {
  units_.clear();
  split_tokens_.clear();
  int row = 0;
  for (const StepSpan& span : step.spans) {
    const int n_tokens = static_cast<int>(span.tokens.size());
    const bool split = n_tokens <= kMaxSplitSpan && static_cast<int>(split_tokens_.size()) + n_tokens <=
                                                        std::min(kMaxSplitTokens, shape_.max_tokens);
    if (split) {
      const int slot = static_cast<int>(split_tokens_.size());
      const int n_chunks = (span.start + n_tokens + kChunkKeys - 1) / kChunkKeys;
      for (int t = 0; t < n_tokens; ++t) {
        split_tokens_.push_back({row + t, (span.start + t) / kChunkKeys + 1});
      }
      for (int chunk = 0; chunk < n_chunks; ++chunk) {
        for (int head = 0; head < shape_.n_kv_heads; ++head) {
          units_.push_back({&span, row, 0, n_tokens, head, chunk, slot});
        }
      }
    } else {
      // Last tiles first: they see the most keys, and long units at the end would leave threads idle.
      for (int tile = (n_tokens - 1) / kTileTokens; tile >= 0; --tile) {
        const int first = tile * kTileTokens;
        for (int head = 0; head < shape_.n_kv_heads; ++head) {
          units_.push_back({&span, row, first, std::min(kTileTokens, n_tokens - first), head, -1, 0});
        }
      }
    }
    row += n_tokens;
  }
  n_split_tokens_ = static_cast<int>(split_tokens_.size());
}

void Attention::run_unit(int i_unit, int i_thread, const Layer& layer) {
  const Unit& unit = units_[static_cast<std::size_t>(i_unit)];
  if (unit.chunk >= 0) {
    run_split(unit, i_thread, layer);
  } else {
    run_tile(unit, i_thread, layer);
  }
}

void Attention::set_pages(kernels::AttentionChunk& chunk, const Unit& unit, int i_chunk, const Layer& layer) const {
  chunk.key_is_f32 = layer.key_is_f32;
  chunk.head_size = shape_.head_size;
  chunk.value_stride = layout_->value_stride();
  const auto& pages = unit.span->pages;
  for (int p = 0; p < kPagesPerChunk; ++p) {
    const auto i_page = static_cast<std::size_t>(i_chunk * kPagesPerChunk + p);
    // Beyond the last page no key is valid: any address will do.
    std::byte* page = layer.pool->data(pages[std::min(i_page, pages.size() - 1)]);
    chunk.key_pages[p] = layout_->keys(page, layer.i_layer, unit.kv_head);
    chunk.value_pages[p] = layout_->values(page, layer.i_layer, unit.kv_head);
  }
}

// All chunks, one after the other, for a tile of tokens: rows are (token, head of this kv head).
void Attention::run_tile(const Unit& unit, int i_thread, const Layer& layer) {
  const Scratch& scratch = scratch_[static_cast<std::size_t>(i_thread)];
  const int per_kv = heads_per_kv();
  const int n_rows = unit.n_tokens * per_kv;
  const auto stride = static_cast<std::ptrdiff_t>(layout_->value_stride());
  const int first_position = unit.span->start + unit.first_token;
  const int last_position = first_position + unit.n_tokens - 1;
  const auto query_of = [&](int row) {
    const int token = unit.first_row + unit.first_token + row / per_kv;
    const int head = unit.kv_head * per_kv + row % per_kv;
    return layer.query + token * layer.query_stride + static_cast<std::ptrdiff_t>(head) * shape_.head_size;
  };
  kernels::AttentionChunk chunk{};
  chunk.scores = scratch.scores;
  for (int c = 0; c <= last_position / kChunkKeys; ++c) {
    set_pages(chunk, unit, c, layer);
    // Tokens before the chunk see none of its keys; they come first.
    const int first_seeing = std::max(0, c * kChunkKeys - first_position) * per_kv;
    for (int row = first_seeing; row < n_rows; row += kMaxAttentionRows) {
      chunk.n_rows = std::min(kMaxAttentionRows, n_rows - row);
      for (int r = 0; r < chunk.n_rows; ++r) {
        const int position = first_position + (row + r) / per_kv;
        chunk.query[r] = query_of(row + r);
        chunk.n_keys[r] = std::min(kChunkKeys, position + 1 - c * kChunkKeys);
      }
      if (c == 0) {
        table_->attend(chunk, {scratch.max + row, scratch.weight + row, scratch.out + row * stride});
        continue;
      }
      table_->attend(chunk, {scratch.next_max, scratch.next_weight, scratch.next_out});
      for (int r = 0; r < chunk.n_rows; ++r) {
        table_->merge(scratch.max + row + r, scratch.weight + row + r, scratch.out + (row + r) * stride,
                      scratch.next_max[r], scratch.next_weight[r], scratch.next_out + r * stride,
                      static_cast<int>(stride));
      }
    }
  }
  for (int row = 0; row < n_rows; ++row) {
    const int token = unit.first_row + unit.first_token + row / per_kv;
    const int head = unit.kv_head * per_kv + row % per_kv;
    float* out = layer.out + (static_cast<std::ptrdiff_t>(token) * shape_.n_heads + head) * shape_.head_size;
    finish_row(scratch.weight + row, scratch.out + row * stride, out);
  }
}

// One chunk for the few tokens of a split span; the partials are joined in merge_unit.
void Attention::run_split(const Unit& unit, int i_thread, const Layer& layer) {
  const int per_kv = heads_per_kv();
  kernels::AttentionChunk chunk{};
  chunk.scores = scratch_[static_cast<std::size_t>(i_thread)].scores;
  set_pages(chunk, unit, unit.chunk, layer);
  for (int t = 0; t < unit.n_tokens; ++t) {
    const int n_keys = std::min(kChunkKeys, unit.span->start + t + 1 - unit.chunk * kChunkKeys);
    if (n_keys <= 0) continue;
    for (int h = 0; h < per_kv; h += kMaxAttentionRows) {
      chunk.n_rows = std::min(kMaxAttentionRows, per_kv - h);
      const int head = unit.kv_head * per_kv + h;
      for (int r = 0; r < chunk.n_rows; ++r) {
        chunk.query[r] = layer.query + (unit.first_row + t) * layer.query_stride +
                         static_cast<std::ptrdiff_t>(head + r) * shape_.head_size;
        chunk.n_keys[r] = n_keys;
      }
      const std::size_t at = partial_index(unit.split_slot + t, unit.chunk, head);
      table_->attend(chunk, {partial_max_ + at, partial_weight_ + at,
                             partial_out_ + at * static_cast<std::size_t>(layout_->value_stride())});
    }
  }
}

void Attention::merge_unit(int i_unit, const Layer& layer) {
  const int slot = i_unit / shape_.n_kv_heads;
  const int kv_head = i_unit % shape_.n_kv_heads;
  const SplitToken& token = split_tokens_[static_cast<std::size_t>(slot)];
  const auto stride = static_cast<std::size_t>(layout_->value_stride());
  for (int h = kv_head * heads_per_kv(); h < (kv_head + 1) * heads_per_kv(); ++h) {
    const std::size_t first = partial_index(slot, 0, h);
    for (int c = 1; c < token.n_chunks; ++c) {
      const std::size_t next = partial_index(slot, c, h);
      table_->merge(partial_max_ + first, partial_weight_ + first, partial_out_ + first * stride, partial_max_[next],
                    partial_weight_[next], partial_out_ + next * stride, static_cast<int>(stride));
    }
    float* out = layer.out + (static_cast<std::ptrdiff_t>(token.row) * shape_.n_heads + h) * shape_.head_size;
    finish_row(partial_weight_ + first, partial_out_ + first * stride, out);
  }
}

void Attention::finish_row(const float* weight, const float* sums, float* out) const {
  std::memcpy(out, sums, static_cast<std::size_t>(shape_.head_size) * sizeof(float));
  table_->scale_row(out, shape_.head_size, 1.0F / *weight);
}

}  // namespace reckon::model
