// The forward pass against a slow twin in double, and against itself: cut, batched and shared among threads in any way.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "arch/model_config.h"
#include "formats/test_model.h"
#include "kernels/dispatch.h"
#include "model/load.h"
#include "quant/dequantize.h"
#include "quant/quantize.h"
#include "sys/thread_pool.h"

namespace reckon::model {
namespace {

using Vector = std::vector<double>;

// A model on a few threads with some pages.
struct Rig {
  Rig(const formats::TestModelOptions& options, TensorType type, int n_threads, int max_step_tokens = 64) {
    const auto writer = formats::make_test_model(options, type, quant::fill_random_blocks);
    file = formats::open_model_bytes(writer.finish().value()).value();
    plan = arch::make_plan(*file).value();
    threads = sys::ThreadPool::create({.n_threads = n_threads}).value();
    runner = load(plan, *threads,
                  {.max_step_tokens = max_step_tokens, .max_step_logits = 64, .max_context = 640, .on_progress = {}})
                 .value();
    pool.emplace(kv::PagePool::create(runner->page_bytes(), runner->page_bytes() * 24, 24).value());
    for (int i = 0; i < 24; ++i) pages.push_back(*pool->take());
  }

  // Logits of all tokens, computed in steps of `step` tokens on pages from `first_page` on.
  std::vector<float> logits(const std::vector<TokenId>& tokens, std::size_t step, std::size_t first_page = 0) {
    const auto n_vocab = static_cast<std::size_t>(runner->n_vocab());
    std::vector<float> out(tokens.size() * n_vocab);
    for (std::size_t at = 0; at < tokens.size(); at += step) {
      const std::size_t n = std::min(step, tokens.size() - at);
      const StepSpan span{.tokens = {tokens.data() + at, n},
                          .start = static_cast<int>(at),
                          .pages = {pages.data() + first_page, 10},
                          .n_logits = static_cast<int>(n)};
      EXPECT_TRUE(runner->run({.spans = {&span, 1}}, *pool, {out.data() + at * n_vocab, n * n_vocab}));
    }
    return out;
  }

  std::unique_ptr<formats::TensorFile> file;
  arch::Plan plan;
  std::unique_ptr<sys::ThreadPool> threads;
  std::unique_ptr<Runner> runner;
  std::optional<kv::PagePool> pool;
  std::vector<kv::PageId> pages;
};

std::vector<TokenId> some_tokens(std::size_t n, unsigned seed = 1) {
  std::vector<TokenId> out;
  unsigned x = seed * 2654435761U;
  for (std::size_t i = 0; i < n; ++i) {
    x = x * 1664525U + 1013904223U;
    out.push_back(static_cast<TokenId>(x >> 16) % 300);
  }
  return out;
}

// ---- The slow twin: one token after the other, everything in double -------------------------------------------------

class SlowModel {
 public:
  explicit SlowModel(const arch::Plan& plan) : plan_(plan), config_(plan.config) {
    keys_.resize(plan.tensors.layers.size());
    values_.resize(plan.tensors.layers.size());
  }

  Vector next(TokenId token) { return times(plan_.tensors.output, hidden(token)); }

  Vector hidden(TokenId token) {
    const auto width = static_cast<std::size_t>(config_.n_embd);
    const Vector table = numbers(plan_.tensors.token_embd);
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(token) * width);
    Vector x(first, first + static_cast<std::ptrdiff_t>(width));
    for (std::size_t l = 0; l < keys_.size(); ++l) layer(l, x);
    ++position_;
    return norm(x, plan_.tensors.output_norm);
  }

 private:
  static Vector numbers(const formats::Tensor* tensor) {
    std::vector<float> out(static_cast<std::size_t>(tensor->n_elements()));
    quant::dequantize_row(tensor->type, tensor->data.data(), tensor->n_elements(), out.data());
    return {out.begin(), out.end()};
  }
  static Vector times(const formats::Tensor* tensor, const Vector& x) {
    const Vector w = numbers(tensor);
    Vector out(w.size() / x.size());
    for (std::size_t i = 0; i < w.size(); ++i) out[i / x.size()] += w[i] * x[i % x.size()];
    return out;
  }
  static Vector plus(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  [[nodiscard]] Vector norm(Vector x, const formats::Tensor* weight) const {
    double squares = 0;
    for (const double v : x) squares += v * v;
    const Vector w = numbers(weight);
    const double scale =
        1 / std::sqrt(squares / static_cast<double>(x.size()) + static_cast<double>(config_.norm_epsilon));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale * w[i];
    return x;
  }
  // One head, rotated in the way that its file stores pairs.
  [[nodiscard]] Vector rotated(Vector head) const {
    const int half = config_.rope.n_dims / 2;
    for (int i = 0; i < half; ++i) {
      const double angle = position_ * std::pow(static_cast<double>(config_.rope.base), -2.0 * i / config_.rope.n_dims);
      double& a = head[static_cast<std::size_t>(config_.rope.neox ? i : 2 * i)];
      double& b = head[static_cast<std::size_t>(config_.rope.neox ? i + half : 2 * i + 1)];
      const double turned = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = turned;
    }
    return head;
  }
  [[nodiscard]] Vector head_of(const Vector& all, int head) const {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(head) * config_.head_size;
    return {first, first + config_.head_size};
  }
  Vector project(const formats::Tensor* weight, const formats::Tensor* bias, const Vector& x) const {
    Vector y = times(weight, x);
    return bias == nullptr ? y : plus(std::move(y), numbers(bias));
  }

  void layer(std::size_t l, Vector& x) {
    const arch::LayerTensors& t = plan_.tensors.layers[l];
    const Vector h = norm(x, t.attn_norm);
    const Vector q = project(t.q, t.q_bias, h);
    const Vector k = project(t.k, t.k_bias, h);
    values_[l].push_back(project(t.v, t.v_bias, h));
    Vector turned_keys;
    for (int head = 0; head < config_.n_kv_heads; ++head) {
      Vector key = head_of(k, head);
      if (t.k_norm != nullptr) key = norm(key, t.k_norm);
      key = rotated(key);
      turned_keys.insert(turned_keys.end(), key.begin(), key.end());
    }
    keys_[l].push_back(turned_keys);
    Vector attention;
    for (int head = 0; head < config_.n_heads; ++head) {
      Vector query = head_of(q, head);
      if (t.q_norm != nullptr) query = norm(query, t.q_norm);
      const Vector out = attend(l, rotated(query), head / (config_.n_heads / config_.n_kv_heads));
      attention.insert(attention.end(), out.begin(), out.end());
    }
    x = plus(x, times(t.o, attention));
    const Vector f = norm(x, t.ffn_norm);
    Vector gate = times(t.gate, f);
    const Vector up = times(t.up, f);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
    x = plus(x, times(t.down, gate));
  }

  [[nodiscard]] Vector attend(std::size_t l, const Vector& query, int kv_head) const {
    Vector weight;
    double total = 0;
    for (const Vector& keys : keys_[l]) {
      const Vector key = head_of(keys, kv_head);
      double score = 0;
      for (std::size_t i = 0; i < key.size(); ++i) score += key[i] * query[i];
      weight.push_back(std::exp(score / std::sqrt(static_cast<double>(config_.head_size))));
      total += weight.back();
    }
    Vector out(query.size());
    for (std::size_t p = 0; p < weight.size(); ++p) {
      const Vector value = head_of(values_[l][p], kv_head);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight[p] / total * value[i];
    }
    return out;
  }

  const arch::Plan& plan_;
  const arch::ModelConfig& config_;
  int position_ = 0;
  std::vector<std::vector<Vector>> keys_;  // [layer][position]
  std::vector<std::vector<Vector>> values_;
};

const std::map<std::string, formats::TestModelOptions> kModels = {
    {"qwen2", {}},
    {"llama", {.architecture = "llama", .tied_head = false, .qkv_bias = false}},
    {"qwen3", {.architecture = "qwen3", .head_size = 32, .qkv_bias = false, .qk_norm = true}},
    {"odd_heads", {.n_embd = 96, .n_ff = 160, .n_heads = 14, .n_kv_heads = 2, .head_size = 40}},
};

TEST(Transformer, float_weights_give_what_the_slow_twin_gives) {
  for (const auto& [name, options] : kModels) {
    Rig rig(options, TensorType::kF32, 2);
    const auto tokens = some_tokens(20);
    const auto logits = rig.logits(tokens, 20);
    SlowModel slow(rig.plan);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const Vector expected = slow.next(tokens[t]);
      double scale = 0;
      for (const double v : expected) scale = std::max(scale, std::abs(v));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        // Keys and values are kept in f16, and these random weights make sharp attention of small differences.
        ASSERT_NEAR(static_cast<double>(logits[t * expected.size() + i]), expected[i], 5e-3 * scale)
            << name << " " << t;
      }
    }
  }
}

TEST(Transformer, logits_do_not_depend_on_steps_threads_or_table) {
  for (const TensorType type : {TensorType::kQ8_0, TensorType::kF16}) {
    const auto tokens = some_tokens(600);  // three chunks of keys
    std::vector<float> expected;
    for (const kernels::Table* table : kernels::supported_tables()) {
      setenv("RECKON_ISA", table->name, 1);
      for (const int n_threads : {1, 2, 3}) {
        Rig rig({.n_layers = 1, .n_context = 640}, type, n_threads);
        for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
          const auto logits = rig.logits(tokens, step);
          if (expected.empty()) expected = logits;
          ASSERT_EQ(std::memcmp(logits.data(), expected.data(), logits.size() * sizeof(float)), 0)
              << table->name << " " << n_threads << " threads, steps of " << step;
        }
      }
      unsetenv("RECKON_ISA");
    }
  }
}

TEST(Transformer, sequences_of_one_step_do_not_see_each_other) {
  Rig rig({}, TensorType::kQ8_0, 2);
  const auto a = some_tokens(40, 1);
  const auto b = some_tokens(40, 2);
  const auto alone_a = rig.logits(a, 40);
  const auto alone_b = rig.logits(b, 40, 10);
  const auto n_vocab = static_cast<std::size_t>(rig.runner->n_vocab());
  std::vector<float> both(2 * n_vocab);
  for (std::size_t t = 0; t < 40; ++t) {
    const StepSpan spans[] = {
        {.tokens = {a.data() + t, 1}, .start = static_cast<int>(t), .pages = {rig.pages.data(), 10}, .n_logits = 1},
        {.tokens = {b.data() + t, 1},
         .start = static_cast<int>(t),
         .pages = {rig.pages.data() + 10, 10},
         .n_logits = 1}};
    ASSERT_TRUE(rig.runner->run({.spans = spans}, *rig.pool, both));
    ASSERT_EQ(std::memcmp(both.data(), alone_a.data() + t * n_vocab, n_vocab * sizeof(float)), 0) << t;
    ASSERT_EQ(std::memcmp(both.data() + n_vocab, alone_b.data() + t * n_vocab, n_vocab * sizeof(float)), 0) << t;
  }
}

TEST(Transformer, hidden_states_are_those_of_the_slow_twin_however_they_are_cut) {
  for (const auto& [name, options] : kModels) {
    Rig rig(options, TensorType::kF32, 2);
    const auto tokens = some_tokens(20);
    const auto width = static_cast<std::size_t>(rig.runner->n_embd());
    const auto n_vocab = static_cast<std::size_t>(rig.runner->n_vocab());
    std::vector<float> hidden(tokens.size() * width);
    std::vector<float> logits(n_vocab);
    for (const std::size_t step : {std::size_t{20}, std::size_t{7}}) {
      for (std::size_t at = 0; at < tokens.size(); at += step) {
        const std::size_t n = std::min(step, tokens.size() - at);
        const StepSpan span{.tokens = {tokens.data() + at, n},
                            .start = static_cast<int>(at),
                            .pages = {rig.pages.data(), 10},
                            .n_logits = 1,
                            .n_hidden = static_cast<int>(n)};
        ASSERT_TRUE(rig.runner->run({.spans = {&span, 1}, .hidden = {hidden.data() + at * width, n * width}}, *rig.pool,
                                    logits));
      }
      SlowModel slow(rig.plan);
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        const Vector expected = slow.hidden(tokens[t]);
        double scale = 0;
        for (const double v : expected) scale = std::max(scale, std::abs(v));
        for (std::size_t i = 0; i < width; ++i) {
          ASSERT_NEAR(static_cast<double>(hidden[t * width + i]), expected[i], 5e-3 * scale) << name << " " << t;
        }
      }
    }
  }
}

TEST(Transformer, time_is_accounted_by_phase) {
  Rig rig({}, TensorType::kQ8_0, 2);
  rig.logits(some_tokens(30), 30);
  double total = 0;
  for (const auto& [phase, seconds] : rig.runner->phase_seconds()) {
    EXPECT_GE(seconds, 0) << phase;
    total += seconds;
  }
  EXPECT_GT(total, 0);
}

}  // namespace
}  // namespace reckon::model
