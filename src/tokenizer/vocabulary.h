#pragma once
// From the metadata of a model file, which may hold anything, to a tokenizer.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "reckon/tokenizer.h"

namespace reckon::tokenizer {

// What the file says, unchecked. The keys are those of GGUF under tokenizer.ggml. Views need to live until
// make_tokenizer returns.
struct VocabularyData {
  std::string_view model;                // model: "gpt2" is byte-level BPE
  std::string_view pre;                  // pre; empty: absent
  std::vector<std::string_view> tokens;  // tokens, spelled in the byte alphabet; control tokens as they are
  std::optional<std::vector<std::int64_t>> token_types;  // token_type, see TokenType; absent: guessed, with a warning
  std::vector<std::string_view> merges;                  // merges: "left right", best first
  std::optional<std::int64_t> bos;                       // bos_token_id ...
  std::optional<std::int64_t> eos;
  std::optional<std::int64_t> eot;
  std::optional<std::int64_t> eom;
  std::optional<bool> add_bos;  // add_bos_token; absent: as the pre-tokenizer's family does
};

// With the numbers that the file uses.
enum class TokenType : std::uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

// What can be used is used: ids outside the vocabulary, merges of unknown tokens, repeated tokens and the like are left
// out with one warning a kind (log_line). kUnsupported: not byte-level BPE. kInvalidInput: no tokens, or arrays of
// different lengths. kLimit: more than 2^24 tokens or merges.
Result<std::unique_ptr<Tokenizer>> make_tokenizer(const VocabularyData& data);

}  // namespace reckon::tokenizer
