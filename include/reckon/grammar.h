#pragma once
// Constrained output: a GBNF grammar or a JSON schema, turned into the set of tokens that may come next.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "reckon/result.h"
#include "reckon/token.h"
#include "reckon/tokenizer.h"

namespace reckon {

// The byte trie of a vocabulary, which all grammars of one model share. Built once a model (tens of milliseconds for
// 151 936 tokens). Keeps nothing of the tokenizer. Immutable: share it between threads.
class GrammarVocabulary {
 public:
  [[nodiscard]] static std::shared_ptr<const GrammarVocabulary> create(const Tokenizer& tokenizer);
  virtual ~GrammarVocabulary() = default;

  [[nodiscard]] virtual int n_vocab() const = 0;
  // 64-bit words of a mask over this vocabulary: (n_vocab + 63) / 64.
  [[nodiscard]] std::size_t n_mask_words() const { return (static_cast<std::size_t>(n_vocab()) + 63) / 64; }
};

// Where one sequence stands in a grammar. One thread at a time; matchers of one grammar may run on different threads.
class GrammarMatcher {
 public:
  virtual ~GrammarMatcher() = default;

  // Sets bit `id` (word id / 64, bit id % 64) of each token that may come next and clears all others. `mask` has at
  // least n_mask_words() words; those behind are cleared as well. End-of-generation tokens are allowed exactly where
  // is_complete(); other control tokens never are. At least one bit is set, unless must_end() in a vocabulary that has
  // no end-of-generation token. An error ends the sequence: kLimit (the grammar is too ambiguous here) or kUnsupported
  // (no token of the vocabulary can continue).
  [[nodiscard]] virtual Result<void> fill_mask(std::span<std::uint64_t> mask) = 0;

  // Moves past a token. False, and nothing changes, where fill_mask would not have allowed it.
  [[nodiscard]] virtual bool accept(TokenId id) = 0;

  // What was accepted is a whole text of the grammar.
  [[nodiscard]] virtual bool is_complete() const = 0;
  // is_complete(), and nothing but the end can follow.
  [[nodiscard]] virtual bool must_end() const = 0;
};

// A compiled grammar. Immutable (its caches are guarded): share it between sequences and threads. Compiling costs
// milliseconds and is bounded whatever the source; masks are worked out when first needed and kept, least recently used
// first out, within 32 MiB. A matcher keeps its grammar alive, and a grammar its vocabulary.
//
// Errors of all three: kInvalidInput (with line and column, or the JSON pointer of the schema), kLimit, kUnsupported
// (names the keyword and its JSON pointer).
class Grammar {
 public:
  // llama.cpp's GBNF; the text starts at rule `root`. Left recursion is refused.
  [[nodiscard]] static Result<std::shared_ptr<const Grammar>> from_gbnf(
      std::string_view source, std::shared_ptr<const GrammarVocabulary> vocabulary);
  // JSON schema, draft 2020-12: see src/grammar/schema.h for what is enforced and how.
  [[nodiscard]] static Result<std::shared_ptr<const Grammar>> from_json_schema(
      std::string_view schema, std::shared_ptr<const GrammarVocabulary> vocabulary);
  // Any JSON object.
  [[nodiscard]] static Result<std::shared_ptr<const Grammar>> json_object(
      std::shared_ptr<const GrammarVocabulary> vocabulary);

  virtual ~Grammar() = default;
  [[nodiscard]] virtual std::unique_ptr<GrammarMatcher> matcher() const = 0;
};

}  // namespace reckon
