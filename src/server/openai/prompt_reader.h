#pragma once
// Prompts of completions and inputs of embeddings: text, token ids, or a list of either.

#include <string_view>
#include <vector>

#include "server/field_reader.h"
#include "server/served_model.h"

namespace reckon::server {

struct PromptOptions {
  std::string_view field;      // "prompt"
  bool parse_special = false;  // read control tokens in text as such
  int n_context = 0;           // each prompt has fewer tokens
};

// At least one prompt, none of them empty.
[[nodiscard]] Reply<std::vector<std::vector<TokenId>>> read_prompts(FieldReader& in, const PromptOptions& options,
                                                                    const Tokenizer& tokenizer);

// A list of token ids, each in the vocabulary; an error names `field`.
[[nodiscard]] Reply<std::vector<TokenId>> token_ids_of(const text::Json& json, const Tokenizer& tokenizer,
                                                       std::string_view field);

inline constexpr std::size_t kMaxPrompts = 64;

}  // namespace reckon::server
