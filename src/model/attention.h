#pragma once
// Attention of one step and layer: cuts it into units of work and runs them.
//
// Keys are always taken in chunks of 256 from position 0, each chunk's softmax on its own, merged in order of chunks.
// So the result is the same bits for a prompt computed at once, in pieces, or token by token, with any number of
// threads. Thread: plan() by one thread before the step; run_unit() and merge_unit() by all.

#include <cstdint>
#include <vector>

#include "base/arena.h"
#include "base/result.h"
#include "kernels/table.h"
#include "kv/page_pool.h"
#include "model/kv_layout.h"
#include "model/step.h"

namespace reckon::model {

struct AttentionShape {
  int n_heads = 0;
  int n_kv_heads = 0;
  int head_size = 0;
  int max_tokens = 0;  // of a step
  int max_context = 0;
  int n_threads = 0;
};

class Attention {
 public:
  static Result<Attention> create(const AttentionShape& shape, const KvLayout* layout, const kernels::Table* table);

  // Cuts the step into units. Spans of few tokens are split by chunks of keys, so that long contexts use all threads.
  void plan(const Step& step);
  [[nodiscard]] int n_units() const { return static_cast<int>(units_.size()); }
  [[nodiscard]] int n_merge_units() const { return n_split_tokens_ * shape_.n_kv_heads; }

  // Queries [tokens of the step][query_stride], scaled; out [tokens][n_heads * head_size].
  struct Layer {
    const kv::PagePool* pool;
    int i_layer;
    bool key_is_f32;
    const float* query;
    std::ptrdiff_t query_stride;
    float* out;
  };
  void run_unit(int i_unit, int i_thread, const Layer& layer);
  // After a barrier: joins the chunks of a split token.
  void merge_unit(int i_unit, const Layer& layer);

 private:
  struct Unit {
    const StepSpan* span;
    int first_row;    // the span's first token in the step
    int first_token;  // within the span
    int n_tokens;
    int kv_head;
    int chunk;       // of a split span; -1: all chunks
    int split_slot;  // of the span's first token
  };
  struct SplitToken {
    int row;  // in the step
    int n_chunks;
  };

  void run_tile(const Unit& unit, int i_thread, const Layer& layer);
  void run_split(const Unit& unit, int i_thread, const Layer& layer);
  void set_pages(kernels::AttentionChunk& chunk, const Unit& unit, int i_chunk, const Layer& layer) const;
  void finish_row(const float* weight, const float* sums, float* out) const;
  [[nodiscard]] int heads_per_kv() const { return shape_.n_heads / shape_.n_kv_heads; }
  // Partials of (split token, chunk, head): max, weight and out.
  [[nodiscard]] std::size_t partial_index(int slot, int chunk, int head) const {
    return (static_cast<std::size_t>(slot) * static_cast<std::size_t>(max_chunks_) + static_cast<std::size_t>(chunk)) *
               static_cast<std::size_t>(shape_.n_heads) +
           static_cast<std::size_t>(head);
  }

  AttentionShape shape_;
  const KvLayout* layout_ = nullptr;
  const kernels::Table* table_ = nullptr;
  int max_chunks_ = 0;
  int n_split_tokens_ = 0;
  std::vector<Unit> units_;  // capacity reserved in create()
  std::vector<SplitToken> split_tokens_;
  Arena memory_;  // partials, then per thread: scores, running rows, next rows
  float* partial_max_ = nullptr;
  float* partial_weight_ = nullptr;
  float* partial_out_ = nullptr;
  struct Scratch {
    float* scores;
    float* max;  // [tile rows] running
    float* weight;
    float* out;       // [tile rows][value_stride]
    float* next_max;  // [kMaxAttentionRows]
    float* next_weight;
    float* next_out;
  };
  std::vector<Scratch> scratch_;  // per thread
};

}  // namespace reckon::model
