#include "model/transformer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/check.h"
#include "kernels/dispatch.h"
#include "quant/dequantize.h"

namespace reckon::model {
namespace {

constexpr std::size_t kCountersPerLayer = 16;  // at most so many shared phases in a layer
constexpr int kUnitPanels = 2;                 // rows are shared in units of 32
static_assert(kRowGroup == kernels::kTokenGroup);

int units_of(const kernels::MatView& matrix) { return (matrix.n_panels() + kUnitPanels - 1) / kUnitPanels; }

}  // namespace

Result<std::unique_ptr<Runner>> load(const arch::Plan& plan, sys::ThreadPool& pool, const LoadOptions& options) {
  return Transformer::create(plan, pool, options);
}

Result<std::unique_ptr<Transformer>> Transformer::create(const arch::Plan& plan, sys::ThreadPool& pool,
                                                         const LoadOptions& options) {
  std::unique_ptr<Transformer> self(new Transformer(pool));
  const arch::ModelConfig& config = plan.config;
  self->config_ = config;
  self->token_embd_ = plan.tensors.token_embd;
  self->options_ = options;
  RECKON_TRY(self->table_, kernels::pick_table());
  RECKON_TRY(self->weights_, pack_weights(plan, pool, options.huge_pages, options.on_progress));
  std::vector<bool> key_is_f32;
  for (const LayerWeights& layer : self->weights_.layers) key_is_f32.push_back(layer.key_is_f32);
  self->kv_layout_ = KvLayout(config.n_kv_heads, config.head_size, key_is_f32);
  self->rope_ = RopeTable(config.rope, options.max_context);
  RECKON_TRY(self->buffers_,
             StepBuffers::create({.max_tokens = std::max(options.max_step_tokens, options.max_step_logits),
                                  .n_embd = config.n_embd,
                                  .q_size = config.q_size(),
                                  .kv_size = config.kv_size(),
                                  .n_ff = config.n_ff,
                                  .n_threads = pool.size()}));
  RECKON_TRY(self->attention_, Attention::create({.n_heads = config.n_heads,
                                                  .n_kv_heads = config.n_kv_heads,
                                                  .head_size = config.head_size,
                                                  .max_tokens = options.max_step_tokens,
                                                  .max_context = options.max_context,
                                                  .n_threads = pool.size()},
                                                 &self->kv_layout_, self->table_));
  self->counters_ = WorkCounters(kCountersPerLayer * (self->weights_.layers.size() + 1));
  self->i_counter_.resize(static_cast<std::size_t>(pool.size()) * 16);  // 128 bytes apart
  self->tokens_.reserve(static_cast<std::size_t>(options.max_step_tokens));
  self->logit_rows_.reserve(static_cast<std::size_t>(options.max_step_logits));
  self->hidden_rows_.reserve(static_cast<std::size_t>(options.max_step_tokens));
  return self;
}

void Transformer::gather(const Step& step) {
  tokens_.clear();
  logit_rows_.clear();
  hidden_rows_.clear();
  for (const StepSpan& span : step.spans) {
    const int n = static_cast<int>(span.tokens.size());
    RECKON_CHECK(span.start >= 0 && span.start + n <= options_.max_context);
    RECKON_CHECK(static_cast<std::size_t>(span.start + n) <= span.pages.size() * kv::kPageTokens);
    for (int t = 0; t < n; ++t) {
      const TokenId id = span.tokens[static_cast<std::size_t>(t)];
      RECKON_CHECK(id >= 0 && id < config_.n_vocab);
      if (t >= n - span.n_logits) logit_rows_.push_back(n_tokens());
      if (t >= n - span.n_hidden) hidden_rows_.push_back(n_tokens());
      tokens_.push_back({id, span.start + t, &span});
    }
  }
}

Result<void> Transformer::run(const Step& step, const kv::PagePool& pool, std::span<float> logits) {
  std::size_t n = 0;
  for (const StepSpan& span : step.spans) n += span.tokens.size();
  RECKON_CHECK(n <= static_cast<std::size_t>(options_.max_step_tokens));
  gather(step);
  RECKON_CHECK(logit_rows_.size() <= static_cast<std::size_t>(options_.max_step_logits));
  RECKON_CHECK(logits.size() >= logit_rows_.size() * static_cast<std::size_t>(config_.n_vocab));
  RECKON_CHECK(step.hidden.size() >= hidden_rows_.size() * static_cast<std::size_t>(config_.n_embd));
  if (tokens_.empty()) return {};
  attention_.plan(step);
  counters_.reset();
  std::fill(i_counter_.begin(), i_counter_.end(), 0);
  first_bad_row_ = -1;
  timer_.start();
  auto task = [&](int i_thread) { run_thread(i_thread, pool, logits.data(), step.hidden.data()); };
  pool_.run(task);
  if (first_bad_row_ >= 0) {
    const Token& token =
        tokens_[static_cast<std::size_t>(logit_rows_[static_cast<std::size_t>(first_bad_row_.load())])];
    return fail(ErrorCode::kInternal, "the model computed logits that are not numbers at position " +
                                          std::to_string(token.position) + " of sequence " +
                                          std::to_string(token.span - step.spans.data()) + " of the step");
  }
  return {};
}

void Transformer::run_thread(int i_thread, const kv::PagePool& pages, float* logits, float* hidden) {
  embed(i_thread);
  end_phase(i_thread, Phase::kEmbed);
  for (int l = 0; l < config_.n_layers; ++l) run_layer(i_thread, l, pages);
  if (!hidden_rows_.empty()) hidden_states(i_thread, hidden);
  if (!logit_rows_.empty()) head(i_thread, logits);
}

void Transformer::run_layer(int i_thread, int i_layer, const kv::PagePool& pages) {
  const LayerWeights& layer = weights_.layers[static_cast<std::size_t>(i_layer)];
  const bool float_qkv = layer.q.format->is_float() || layer.k.format->is_float() || layer.v.format->is_float();
  norm(i_thread, layer.attn_norm.data(), float_qkv);
  end_phase(i_thread, Phase::kNorm);
  project_qkv(i_thread, layer);
  end_phase(i_thread, Phase::kQkv);
  rotate_and_store(i_thread, i_layer, layer, pages);
  end_phase(i_thread, Phase::kRope);
  attend(i_thread, i_layer, pages);
  end_phase(i_thread, Phase::kAttention);
  quantize_attention(i_thread, layer.o.format->is_float());
  end_phase(i_thread, Phase::kNorm);
  matmul(i_thread, layer.o, buffers_.narrow, n_tokens(), {buffers_.residual, config_.n_embd, 0, true});
  end_phase(i_thread, Phase::kOutput);
  norm(i_thread, layer.ffn_norm.data(), layer.gate.format->is_float() || layer.up.format->is_float());
  end_phase(i_thread, Phase::kNorm);
  gate_up(i_thread, layer);
  end_phase(i_thread, Phase::kGateUp);
  matmul(i_thread, layer.down, buffers_.wide, n_tokens(), {buffers_.residual, config_.n_embd, 0, true});
  end_phase(i_thread, Phase::kDown);
}

void Transformer::end_phase(int i_thread, Phase phase) {
  pool_.barrier(i_thread);
  if (i_thread == 0) timer_.end(phase);
}

// Threads pass phases in the same order, so each takes the same counter for the same phase.
std::atomic<int>& Transformer::next_counter(int i_thread) {
  return counters_.at(i_counter_[static_cast<std::size_t>(i_thread) * 16]++);
}

void Transformer::embed(int i_thread) {
  const std::size_t row_bytes = quant::row_bytes(token_embd_->type, config_.n_embd);
  take_units(next_counter(i_thread), n_tokens(), [&](int t) {
    const auto id = static_cast<std::size_t>(tokens_[static_cast<std::size_t>(t)].id);
    quant::dequantize_row(token_embd_->type, token_embd_->data.data() + id * row_bytes, config_.n_embd,
                          buffers_.residual + static_cast<std::ptrdiff_t>(t) * config_.n_embd);
  });
}

void Transformer::norm(int i_thread, const float* weight, bool for_float) {
  const ActivationBuffer& out = buffers_.narrow;
  take_units(next_counter(i_thread), n_tokens(), [&](int t) {
    float* row = for_float ? out.x_row(t) : buffers_.thread[i_thread].norm;
    table_->rms_norm(buffers_.residual + static_cast<std::ptrdiff_t>(t) * config_.n_embd, weight, config_.n_embd,
                     config_.norm_epsilon, row);
    if (config_.n_embd % kernels::kBlock == 0) table_->quantize_row(row, config_.n_embd, out.row(t));
  });
}

void Transformer::quantize_attention(int i_thread, bool for_float) {
  const ActivationBuffer& out = buffers_.narrow;
  const int n = config_.q_size();
  take_units(next_counter(i_thread), n_tokens(), [&](int t) {
    const float* row = buffers_.attention + static_cast<std::ptrdiff_t>(t) * n;
    if (for_float) std::memcpy(out.x_row(t), row, static_cast<std::size_t>(n) * sizeof(float));
    if (n % kernels::kBlock == 0) table_->quantize_row(row, n, out.row(t));
  });
}

void Transformer::matmul(int i_thread, const kernels::MatView& matrix, const ActivationBuffer& in, int n_tokens,
                         const kernels::MatmulOutput& out) {
  const kernels::Activations activations = in.view();
  share_units(next_counter(i_thread), i_thread, pool_.size(), units_of(matrix), [&](int begin, int end) {
    table_->matmul(matrix, begin * kUnitPanels, std::min(end * kUnitPanels, matrix.n_panels()), activations, n_tokens,
                   out, buffers_.thread[i_thread].matmul);
  });
}

void Transformer::project_qkv(int i_thread, const LayerWeights& layer) {
  const std::ptrdiff_t stride = config_.q_size() + 2 * config_.kv_size();
  float* out = buffers_.qkv;
  matmul(i_thread, layer.q, buffers_.narrow, n_tokens(), {out, stride, 0, false});
  matmul(i_thread, layer.k, buffers_.narrow, n_tokens(), {out + config_.q_size(), stride, 0, false});
  matmul(i_thread, layer.v, buffers_.narrow, n_tokens(),
         {out + config_.q_size() + config_.kv_size(), stride, 0, false});
}

// Per (token, kv head): bias, head norms and rotation of its queries and key; key and value go to their page.
void Transformer::rotate_and_store(int i_thread, int i_layer, const LayerWeights& layer, const kv::PagePool& pages) {
  const int size = config_.head_size;
  const int per_kv = config_.n_heads / config_.n_kv_heads;
  const std::ptrdiff_t stride = config_.q_size() + 2 * config_.kv_size();
  const auto scale = static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(size)));
  take_units(next_counter(i_thread), n_tokens() * config_.n_kv_heads, [&](int unit) {
    const int t = unit / config_.n_kv_heads;
    const int kv_head = unit % config_.n_kv_heads;
    const Token& token = tokens_[static_cast<std::size_t>(t)];
    float* row = buffers_.qkv + t * stride;
    const float* bias = layer.qkv_bias.data();
    const auto prepare = [&](std::ptrdiff_t at, const std::vector<float>& head_norm) {
      float* head = row + at;
      if (config_.qkv_bias) table_->add_row(head, bias + at, size);
      if (!head_norm.empty()) table_->rms_norm(head, head_norm.data(), size, config_.norm_epsilon, head);
      table_->rope(head, rope_.cosine(token.position), rope_.sine(token.position), config_.rope.n_dims);
      return head;
    };
    for (int h = kv_head * per_kv; h < (kv_head + 1) * per_kv; ++h) {
      float* query = prepare(static_cast<std::ptrdiff_t>(h) * size, layer.q_norm);
      table_->scale_row(query, size, scale);
    }
    const std::ptrdiff_t key_at = config_.q_size() + static_cast<std::ptrdiff_t>(kv_head) * size;
    const std::ptrdiff_t value_at = key_at + config_.kv_size();
    const float* key = prepare(key_at, layer.k_norm);
    if (config_.qkv_bias) table_->add_row(row + value_at, bias + value_at, size);
    std::byte* page = pages.data(token.span->pages[static_cast<std::size_t>(token.position / kv::kPageTokens)]);
    const int slot = token.position % kv::kPageTokens;
    table_->store_key(key, size, layer.key_is_f32, slot, kv_layout_.keys(page, i_layer, kv_head));
    table_->store_value(row + value_at, size, kv_layout_.value_stride(), slot,
                        kv_layout_.values(page, i_layer, kv_head));
  });
}

void Transformer::attend(int i_thread, int i_layer, const kv::PagePool& pages) {
  const Attention::Layer layer{.pool = &pages,
                               .i_layer = i_layer,
                               .key_is_f32 = weights_.layers[static_cast<std::size_t>(i_layer)].key_is_f32,
                               .query = buffers_.qkv,
                               .query_stride = config_.q_size() + 2 * config_.kv_size(),
                               .out = buffers_.attention};
  take_units(next_counter(i_thread), attention_.n_units(), [&](int u) { attention_.run_unit(u, i_thread, layer); });
  std::atomic<int>& counter = next_counter(i_thread);
  if (attention_.n_merge_units() == 0) return;
  pool_.barrier(i_thread);
  take_units(counter, attention_.n_merge_units(), [&](int u) { attention_.merge_unit(u, layer); });
}

void Transformer::gate_up(int i_thread, const LayerWeights& layer) {
  const int n_units = (config_.n_ff + kernels::kBlock - 1) / kernels::kBlock;
  share_units(next_counter(i_thread), i_thread, pool_.size(), n_units, [&](int begin, int end) {
    for (int u = begin; u < end; ++u) activate_unit(i_thread, u, layer);
  });
}

// 32 rows of gate and of up for all tokens, silu(gate) * up, and the result quantised as one block of the down matrix's
// input: the hidden layer never exists as a whole in float.
void Transformer::activate_unit(int i_thread, int i_unit, const LayerWeights& layer) {
  const ThreadBuffers& mine = buffers_.thread[i_thread];
  const int first_row = i_unit * kernels::kBlock;
  const int begin = i_unit * kUnitPanels;
  const int end = std::min(begin + kUnitPanels, layer.gate.n_panels());
  const kernels::Activations in = buffers_.narrow.view();
  table_->matmul(layer.gate, begin, end, in, n_tokens(), {mine.gate, kernels::kBlock, first_row, false}, mine.matmul);
  table_->matmul(layer.up, begin, end, in, n_tokens(), {mine.up, kernels::kBlock, first_row, false}, mine.matmul);
  const int n = std::min(kernels::kBlock, config_.n_ff - first_row);
  for (int t = 0; t < n_tokens(); ++t) {
    float* gate = mine.gate + static_cast<std::ptrdiff_t>(t) * kernels::kBlock;
    table_->swiglu(gate, mine.up + static_cast<std::ptrdiff_t>(t) * kernels::kBlock, kernels::kBlock, gate);
    if (layer.down.format->is_float()) {
      std::memcpy(buffers_.wide.x_row(t) + first_row, gate, static_cast<std::size_t>(n) * sizeof(float));
    } else {
      table_->quantize_row(gate, kernels::kBlock, buffers_.wide.row(t, i_unit));
    }
  }
}

// Changes nothing that head() reads, so no barrier has to follow.
void Transformer::hidden_states(int i_thread, float* hidden) {
  take_units(next_counter(i_thread), static_cast<int>(hidden_rows_.size()), [&](int r) {
    const std::ptrdiff_t t = hidden_rows_[static_cast<std::size_t>(r)];
    table_->rms_norm(buffers_.residual + t * config_.n_embd, weights_.output_norm.data(), config_.n_embd,
                     config_.norm_epsilon, hidden + static_cast<std::ptrdiff_t>(r) * config_.n_embd);
  });
}

void Transformer::head(int i_thread, float* logits) {
  const int n_rows = static_cast<int>(logit_rows_.size());
  const ActivationBuffer& out = buffers_.narrow;
  take_units(next_counter(i_thread), n_rows, [&](int r) {
    const int t = logit_rows_[static_cast<std::size_t>(r)];
    float* row = out.x_row(r);
    table_->rms_norm(buffers_.residual + static_cast<std::ptrdiff_t>(t) * config_.n_embd, weights_.output_norm.data(),
                     config_.n_embd, config_.norm_epsilon, row);
    if (config_.n_embd % kernels::kBlock == 0) table_->quantize_row(row, config_.n_embd, out.row(r));
  });
  end_phase(i_thread, Phase::kNorm);
  matmul(i_thread, weights_.head, out, n_rows, {logits, config_.n_vocab, 0, false});
  pool_.barrier(i_thread);
  constexpr int kPiece = 16384;  // logits that one thread checks at a time
  const int pieces = (config_.n_vocab + kPiece - 1) / kPiece;
  take_units(next_counter(i_thread), n_rows * pieces, [&](int u) {
    const int begin = u % pieces * kPiece;
    const int n = std::min(kPiece, config_.n_vocab - begin);
    if (!table_->all_finite(logits + static_cast<std::ptrdiff_t>(u / pieces) * config_.n_vocab + begin, n)) {
      first_bad_row_ = u / pieces;
    }
  });
  end_phase(i_thread, Phase::kHead);
}

std::vector<std::pair<std::string, double>> Transformer::phase_seconds() const {
  auto seconds = timer_.seconds();
  double wait = 0;
  for (int i = 0; i < pool_.size(); ++i) wait += pool_.barrier_wait_seconds(i);
  seconds.emplace_back("barrier_wait_all_threads", wait);
  return seconds;
}

}  // namespace reckon::model
