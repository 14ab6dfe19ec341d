#pragma once
// Byte-level byte-pair encoding, as a Tokenizer. Immutable; any thread.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/checked_vocabulary.h"
#include "tokenizer/family.h"
#include "tokenizer/special_matcher.h"

namespace reckon::tokenizer {

// Ids as the file gives them, checked: -1 or in the vocabulary.
struct SpecialIds {
  TokenId bos = -1;
  TokenId eos = -1;
  TokenId eot = -1;
  TokenId eom = -1;
};

class ByteBpe final : public Tokenizer {
 public:
  ByteBpe(std::unique_ptr<const Vocabulary> vocabulary, MergeTable merges, const Family& family, SpecialIds ids,
          bool adds_bos);

  [[nodiscard]] std::vector<TokenId> encode(std::span<const Segment> segments, EncodeOptions options) const override;
  [[nodiscard]] std::string_view token_bytes(TokenId id) const override;
  [[nodiscard]] bool is_control(TokenId id) const override;
  [[nodiscard]] bool is_end_of_generation(TokenId id) const override;
  [[nodiscard]] int n_vocab() const override { return vocabulary_->size(); }
  [[nodiscard]] TokenId bos() const override { return ids_.bos; }
  [[nodiscard]] TokenId eos() const override { return ids_.eos; }
  [[nodiscard]] bool adds_bos() const override { return adds_bos_; }
  [[nodiscard]] TokenId find(std::string_view text) const override;
  [[nodiscard]] std::string_view name() const override { return family_.name; }

 private:
  void encode_text(std::string_view text, WordEncoder& encoder, std::vector<TokenId>& out) const;

  std::unique_ptr<const Vocabulary> vocabulary_;
  MergeTable merges_;
  Family family_;
  SpecialIds ids_;
  bool adds_bos_;
  SpecialMatcher matcher_;
  std::vector<std::uint8_t> roles_;  // by id: kControlRole, kEndRole
};

}  // namespace reckon::tokenizer
