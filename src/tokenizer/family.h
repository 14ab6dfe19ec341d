#pragma once
// What is known about the tokenizers that model files name in tokenizer.ggml.pre.

#include <string_view>

#include "tokenizer/pre_tokenizer.h"

namespace reckon::tokenizer {

class Vocabulary;

struct Family {
  std::string_view name;
  Pattern pattern;
  bool nfc = false;          // the original normalises to NFC
  bool whole_words = false;  // a word that is a token is taken without merging ("ignore_merges")
  bool adds_bos = false;     // where the file does not say
};

// Null: nobody we know.
[[nodiscard]] const Family* find_family(std::string_view pre);

// For a file that does not say, or says something unknown: the family whose vocabularies look like this one.
// Which pattern a vocabulary was trained with shows in the tokens that it lacks: digits in pairs, punctuation glued to
// letters.
[[nodiscard]] const Family& guess_family(const Vocabulary& vocabulary);

}  // namespace reckon::tokenizer
