#pragma once
// For tests: a vocabulary of bytes and a few longer tokens, and a model whose next token is a function of all tokens
// before it. The model keeps what it knows in the pages alone, and checks on the way that spans, starts and pages are
// what model/step.h promises; so a wrong page, a lost token or a page shared too early shows at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/runner.h"
#include "reckon/tokenizer.h"
#include "sample/random.h"

namespace reckon::engine {

inline constexpr TokenId kEnd = 256;        // <end>, control, ends a generation
inline constexpr TokenId kOpen = 257;       // <think>
inline constexpr TokenId kClose = 258;      // </think>
inline constexpr TokenId kControl = 259;    // <|turn|>, control
inline constexpr TokenId kFirstWord = 260;  // " be", "ta", " gam", "ma"
inline constexpr int kFakeVocab = 300;
inline constexpr int kFakeEmbd = 4;

class FakeTokenizer final : public Tokenizer {
 public:
  FakeTokenizer() {
    for (int i = 0; i < 256; ++i) bytes_.emplace_back(1, static_cast<char>(i));
    for (const char* text : {"<end>", "<think>", "</think>", "<|turn|>", " be", "ta", " gam", "ma"})
      bytes_.emplace_back(text);
    while (static_cast<int>(bytes_.size()) < kFakeVocab) bytes_.push_back("w" + std::to_string(bytes_.size()));
  }
  std::vector<TokenId> encode(std::span<const Segment> segments, EncodeOptions) const override {
    std::vector<TokenId> ids;
    for (const Segment& segment : segments) {
      for (const char c : segment.text) ids.push_back(static_cast<unsigned char>(c));
    }
    return ids;
  }
  std::string_view token_bytes(TokenId id) const override {
    return id >= 0 && id < kFakeVocab ? std::string_view(bytes_[static_cast<std::size_t>(id)]) : std::string_view();
  }
  bool is_control(TokenId id) const override { return id == kEnd || id == kControl; }
  bool is_end_of_generation(TokenId id) const override { return id == kEnd; }
  int n_vocab() const override { return kFakeVocab; }
  TokenId bos() const override { return -1; }
  TokenId eos() const override { return kEnd; }
  bool adds_bos() const override { return false; }
  TokenId find(std::string_view) const override { return -1; }
  std::string_view name() const override { return "fake"; }

 private:
  std::vector<std::string> bytes_;
};

inline std::vector<TokenId> bytes_of(std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

class FakeRunner final : public model::Runner {
 public:
  // The next token after all tokens of a sequence; empty: a hash decides over printable bytes.
  using Script = std::function<TokenId(std::span<const TokenId>)>;
  Script script;
  // Before each step; may throw or return an error for it.
  std::function<Result<void>(const model::Step&)> before_step;
  int max_tokens = 512;
  int max_logits = 64;

  std::vector<int> step_tokens;  // of each step, once record_steps
  std::vector<std::vector<int>> step_spans;
  bool record_steps = false;

  int n_vocab() const override { return kFakeVocab; }
  int n_embd() const override { return kFakeEmbd; }
  std::size_t page_bytes() const override { return sizeof(Record) * kv::kPageTokens; }
  int max_step_tokens() const override { return max_tokens; }
  int max_step_logits() const override { return max_logits; }
  std::span<const std::byte> weights() const override { return {}; }
  std::vector<std::pair<std::string, double>> phase_seconds() const override { return {{"attention", 0.25}}; }

  Result<void> run(const model::Step& step, const kv::PagePool& pool, std::span<float> logits) override {
    if (before_step) {
      if (auto allowed = before_step(step); !allowed) return allowed;
    }
    std::size_t row = 0;
    int n_tokens = 0;
    EXPECT_FALSE(step.spans.empty());
    for (const model::StepSpan& span : step.spans) {
      n_tokens += static_cast<int>(span.tokens.size());
      compute(span, pool);
      for (int i = 0; i < span.n_logits; ++i, ++row) {
        const auto n =
            static_cast<std::size_t>(span.start) + span.tokens.size() - static_cast<std::size_t>(span.n_logits - 1 - i);
        write_logits(span, pool, n, logits.subspan(row * kFakeVocab, kFakeVocab));
      }
    }
    write_hidden(step, pool);
    EXPECT_EQ(row * kFakeVocab, logits.size());
    EXPECT_LE(n_tokens, max_tokens);
    if (record_steps) {
      step_tokens.push_back(n_tokens);
      step_spans.emplace_back();
      for (const auto& span : step.spans) step_spans.back().push_back(static_cast<int>(span.tokens.size()));
    }
    return {};
  }

  // The final hidden state of the last of `tokens`: small whole numbers, so that sums are exact.
  static void reference_hidden(std::span<const TokenId> tokens, std::span<float> hidden) {
    std::uint64_t hash = 0;
    for (const TokenId token : tokens) hash = next_hash(hash, token);
    fill_hidden(hash, hidden);
  }

  // What the model says after `tokens`, without any pages.
  void reference_logits(std::span<const TokenId> tokens, std::span<float> logits) const {
    std::uint64_t hash = 0;
    for (const TokenId token : tokens) hash = next_hash(hash, token);
    fill(tokens, hash, logits);
  }

 private:
  struct Record {
    std::uint64_t hash;  // of all tokens up to and with this one
    TokenId token;
    std::int32_t position;
  };
  static std::uint64_t next_hash(std::uint64_t hash, TokenId token) {
    return sample::mix_bits(hash + static_cast<std::uint64_t>(token) + 0x9e3779b97f4a7c15U);
  }
  static Record* at(const model::StepSpan& span, const kv::PagePool& pool, std::size_t position) {
    const kv::PageId page = span.pages[position / kv::kPageTokens];
    return reinterpret_cast<Record*>(pool.data(page)) + position % kv::kPageTokens;
  }

  void compute(const model::StepSpan& span, const kv::PagePool& pool) {
    const auto start = static_cast<std::size_t>(span.start);
    const std::size_t end = start + span.tokens.size();
    EXPECT_FALSE(span.tokens.empty());
    EXPECT_EQ(span.pages.size(), (end + kv::kPageTokens - 1) / kv::kPageTokens);
    std::uint64_t hash = 0;
    for (std::size_t p = 0; p < start; ++p) {
      const Record* record = at(span, pool, p);
      EXPECT_EQ(record->position, static_cast<int>(p)) << "a page holds another position";
      hash = next_hash(hash, record->token);
      EXPECT_EQ(record->hash, hash) << "position " << p << " was computed after other tokens";
    }
    for (std::size_t p = start; p < end; ++p) {
      EXPECT_EQ(pool.use_count(span.pages[p / kv::kPageTokens]), 1) << "writes to a page that others use";
      hash = next_hash(hash, span.tokens[p - start]);
      *at(span, pool, p) = {hash, span.tokens[p - start], static_cast<std::int32_t>(p)};
    }
  }

  static void fill_hidden(std::uint64_t hash, std::span<float> hidden) {
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = static_cast<float>(hash >> (8 * i) & 0xffU) - 128;
  }

  static void write_hidden(const model::Step& step, const kv::PagePool& pool) {
    std::size_t row = 0;
    for (const model::StepSpan& span : step.spans) {
      const std::size_t end = static_cast<std::size_t>(span.start) + span.tokens.size();
      for (std::size_t p = end - static_cast<std::size_t>(span.n_hidden); p < end; ++p, ++row) {
        fill_hidden(at(span, pool, p)->hash, step.hidden.subspan(row * kFakeEmbd, kFakeEmbd));
      }
    }
    EXPECT_EQ(row * kFakeEmbd, step.hidden.size());
  }

  void write_logits(const model::StepSpan& span, const kv::PagePool& pool, std::size_t n, std::span<float> logits) {
    tokens_.clear();
    for (std::size_t p = 0; p < n; ++p) tokens_.push_back(at(span, pool, p)->token);
    fill(tokens_, at(span, pool, n - 1)->hash, logits);
  }

  void fill(std::span<const TokenId> tokens, std::uint64_t hash, std::span<float> logits) const {
    for (std::size_t v = 0; v < logits.size(); ++v) {
      const bool is_printable = v >= 32 && v < 127;
      logits[v] = is_printable ? static_cast<float>(sample::mix_bits(hash ^ (v << 20)) >> 40) * 0x1p-21F : -10;
    }
    if (script) {
      const TokenId next = script(tokens);
      if (next >= 0) logits[static_cast<std::size_t>(next)] = 30;
    }
  }

  std::vector<TokenId> tokens_ = [] {
    std::vector<TokenId> tokens;
    tokens.reserve(1 << 16);
    return tokens;
  }();
};

// Says `answer` after each prompt of n_prompt tokens, then ends.
inline FakeRunner::Script says(std::size_t n_prompt, std::vector<TokenId> answer) {
  return [n_prompt, answer](std::span<const TokenId> tokens) {
    const std::size_t i = tokens.size() - n_prompt;
    return i < answer.size() ? answer[i] : kEnd;
  };
}

inline FakeRunner::Script says(std::size_t n_prompt, std::string_view answer) {
  return says(n_prompt, bytes_of(answer));
}

}  // namespace reckon::engine
