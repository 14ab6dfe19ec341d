#pragma once
// Compiled grammars, so that a schema that comes again costs nothing: its masks are warm already. Least recently used
// first out. Thread-safe.

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "reckon/grammar.h"
#include "server/api_error.h"
#include "server/output_form.h"

namespace reckon::server {

class GrammarStore {
 public:
  explicit GrammarStore(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // Null for free text. Compiles where needed, and builds the vocabulary's trie at the first call.
  [[nodiscard]] Reply<std::shared_ptr<const Grammar>> get(const OutputForm& form);

 private:
  struct Entry {
    OutputForm::Kind kind;
    std::string source;
    std::shared_ptr<const Grammar> grammar;
  };
  static constexpr std::size_t kMaxEntries = 32;

  const Tokenizer& tokenizer_;
  std::mutex mutex_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  std::list<Entry> entries_;  // the most recently used first
};

}  // namespace reckon::server
