#pragma once
// A tiny but complete model file for tests of this and other folders: random weights, a byte vocabulary.
// Header only, and only for tests.

#include <cstdint>
#include <string>
#include <vector>

#include "formats/gguf_writer.h"

namespace reckon::formats {

struct TestModelOptions {
  std::string architecture = "qwen2";
  int n_layers = 2;
  int n_embd = 64;
  int n_ff = 128;
  int n_heads = 4;
  int n_kv_heads = 2;
  int head_size = 16;
  int n_vocab = 300;
  int n_context = 256;
  bool tied_head = true;
  bool qkv_bias = true;
  bool qk_norm = false;
};

// Fills n numbers' worth of blocks of a type: quant::fill_random_blocks, which this folder may not include.
using FillBlocks = void (*)(TensorType type, std::int64_t n, std::uint64_t seed, std::byte* blocks);

// Matrices are of type `type`; norms are ones, biases small. Same options, same bytes.
inline GgufWriter make_test_model(const TestModelOptions& o, TensorType type, FillBlocks fill, std::uint64_t seed = 1) {
  GgufWriter w;
  const std::string a = o.architecture + ".";
  const auto u = [](int n) { return static_cast<std::uint32_t>(n); };
  w.set_string("general.architecture", o.architecture);
  w.set_string("general.name", "tiny");
  w.set_uint32(a + "block_count", u(o.n_layers));
  w.set_uint32(a + "context_length", u(o.n_context));
  w.set_uint32(a + "embedding_length", u(o.n_embd));
  w.set_uint32(a + "feed_forward_length", u(o.n_ff));
  w.set_uint32(a + "attention.head_count", u(o.n_heads));
  w.set_uint32(a + "attention.head_count_kv", u(o.n_kv_heads));
  w.set_float(a + "attention.layer_norm_rms_epsilon", 1e-6F);
  w.set_float(a + "rope.freq_base", 10000.0F);
  if (o.head_size * o.n_heads != o.n_embd) {
    w.set_uint32(a + "attention.key_length", u(o.head_size));
    w.set_uint32(a + "attention.value_length", u(o.head_size));
  }
  std::vector<std::string> tokens;
  for (int i = 0; i < o.n_vocab; ++i) tokens.emplace_back("t").append(std::to_string(i));
  w.set_string("tokenizer.ggml.model", "gpt2");
  w.set_string("tokenizer.ggml.pre", "qwen2");
  w.set_strings("tokenizer.ggml.tokens", tokens);
  w.set_strings("tokenizer.ggml.merges", std::vector<std::string>{"t 0"});

  const auto matrix = [&](const std::string& name, int n_cols, int n_rows) {
    const TypeInfo& info = *type_info(type);
    const std::int64_t n = static_cast<std::int64_t>(n_cols) * n_rows;
    std::vector<std::byte> data(static_cast<std::size_t>(n / info.block_elements * info.block_bytes));
    fill(type, n, ++seed, data.data());
    w.add_tensor(name, type, {n_cols, n_rows}, std::move(data));
  };
  const auto vector = [&](const std::string& name, int n, bool ones) {
    std::vector<float> numbers(static_cast<std::size_t>(n), 1.0F);
    if (!ones) {
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.01F * static_cast<float>(i % 7) - 0.03F;
    }
    const auto bytes = std::as_bytes(std::span(numbers));
    w.add_tensor(name, TensorType::kF32, {n}, std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  const int q_size = o.n_heads * o.head_size;
  const int kv_size = o.n_kv_heads * o.head_size;
  matrix("token_embd.weight", o.n_embd, o.n_vocab);
  for (int i = 0; i < o.n_layers; ++i) {
    const std::string p = std::string("blk.").append(std::to_string(i)).append(".");
    vector(p + "attn_norm.weight", o.n_embd, true);
    matrix(p + "attn_q.weight", o.n_embd, q_size);
    matrix(p + "attn_k.weight", o.n_embd, kv_size);
    matrix(p + "attn_v.weight", o.n_embd, kv_size);
    if (o.qkv_bias) {
      vector(p + "attn_q.bias", q_size, false);
      vector(p + "attn_k.bias", kv_size, false);
      vector(p + "attn_v.bias", kv_size, false);
    }
    if (o.qk_norm) {
      vector(p + "attn_q_norm.weight", o.head_size, true);
      vector(p + "attn_k_norm.weight", o.head_size, true);
    }
    matrix(p + "attn_output.weight", q_size, o.n_embd);
    vector(p + "ffn_norm.weight", o.n_embd, true);
    matrix(p + "ffn_gate.weight", o.n_embd, o.n_ff);
    matrix(p + "ffn_up.weight", o.n_embd, o.n_ff);
    matrix(p + "ffn_down.weight", o.n_ff, o.n_embd);
  }
  vector("output_norm.weight", o.n_embd, true);
  if (!o.tied_head) matrix("output.weight", o.n_embd, o.n_vocab);
  return w;
}

}  // namespace reckon::formats
