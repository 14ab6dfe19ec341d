#pragma once
// Small vocabularies for tests and fuzzers: whatever texts are given, one token each.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reckon/tokenizer.h"

namespace reckon::grammar {

// The first token is a control token, the second ends the generation, then come the texts.
class TestVocabulary final : public Tokenizer {
 public:
  static constexpr TokenId kControl = 0;
  static constexpr TokenId kEnd = 1;
  static constexpr TokenId kFirstText = 2;

  explicit TestVocabulary(std::vector<std::string> texts) : texts_(std::move(texts)) {
    texts_.insert(texts_.begin(), {"<|control|>", "<|end|>"});
  }
  // All 256 bytes, then `more`.
  static TestVocabulary of_bytes(const std::vector<std::string>& more = {}) {
    std::vector<std::string> texts;
    for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
    texts.insert(texts.end(), more.begin(), more.end());
    return TestVocabulary(std::move(texts));
  }

  [[nodiscard]] std::vector<TokenId> encode(std::span<const Segment>, EncodeOptions) const override { return {}; }
  [[nodiscard]] std::string_view token_bytes(TokenId id) const override {
    if (id < 0 || id >= n_vocab()) return {};
    return texts_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] bool is_control(TokenId id) const override { return id == kControl || id == kEnd; }
  [[nodiscard]] bool is_end_of_generation(TokenId id) const override { return id == kEnd; }
  [[nodiscard]] int n_vocab() const override { return static_cast<int>(texts_.size()); }
  [[nodiscard]] TokenId bos() const override { return -1; }
  [[nodiscard]] TokenId eos() const override { return kEnd; }
  [[nodiscard]] bool adds_bos() const override { return false; }
  [[nodiscard]] TokenId find(std::string_view) const override { return -1; }
  [[nodiscard]] std::string_view name() const override { return "test"; }

 private:
  std::vector<std::string> texts_;
};

}  // namespace reckon::grammar
