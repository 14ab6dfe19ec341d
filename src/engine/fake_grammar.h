#pragma once
// For tests: a grammar that allows one text, byte by byte, then the end.

#include <memory>
#include <string>
#include <utility>

#include "engine/fake_model.h"
#include "reckon/grammar.h"

namespace reckon::engine {

class FakeGrammar final : public Grammar {
 public:
  explicit FakeGrammar(std::string text) : text_(std::move(text)) {}
  bool may_go_on = false;        // after the text any number of dots may follow
  bool fails_in_middle = false;  // the mask of the second byte is an error

  [[nodiscard]] std::unique_ptr<GrammarMatcher> matcher() const override { return std::make_unique<Matcher>(*this); }

 private:
  class Matcher final : public GrammarMatcher {
   public:
    explicit Matcher(const FakeGrammar& grammar) : grammar_(grammar) {}
    Result<void> fill_mask(std::span<std::uint64_t> mask) override {
      EXPECT_GE(mask.size(), (kFakeVocab + 63U) / 64);
      if (grammar_.fails_in_middle && n_ == 1) return fail(ErrorCode::kUnsupported, "no token can continue");
      std::ranges::fill(mask, 0);
      for (TokenId id = 0; id < kFakeVocab; ++id) {
        if (allows(id) || (id == kEnd && is_complete())) mask[static_cast<std::size_t>(id) / 64] |= 1ULL << (id % 64);
      }
      return {};
    }
    bool accept(TokenId id) override {
      if (!allows(id)) return false;
      ++n_;
      return true;
    }
    [[nodiscard]] bool is_complete() const override { return n_ >= grammar_.text_.size(); }
    [[nodiscard]] bool must_end() const override { return is_complete() && !grammar_.may_go_on; }

   private:
    [[nodiscard]] bool allows(TokenId id) const {
      if (is_complete()) return grammar_.may_go_on && id == '.';
      return id == static_cast<unsigned char>(grammar_.text_[n_]);
    }
    const FakeGrammar& grammar_;
    std::size_t n_ = 0;
  };

  std::string text_;
};

}  // namespace reckon::engine
