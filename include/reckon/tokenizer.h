#pragma once
// Text to token ids and back. Immutable once loaded: share it between threads. Owner: the Engine that gave it out;
// views from it die with it. No call fails: any bytes and any id are taken.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/result.h"
#include "reckon/token.h"

namespace reckon {

// A piece of a prompt. Control tokens (<|im_end|>, </think> ...) are parsed only where `is_template` is set;
// in user text they are plain characters, so that no user can forge a turn.
struct Segment {
  std::string text;
  bool is_template = false;
};

struct EncodeOptions {
  bool add_bos = false;  // put the model's BOS in front, unless the text starts with it already (template text only)
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Linear time on any bytes; invalid UTF-8 is kept byte for byte.
  [[nodiscard]] virtual std::vector<TokenId> encode(std::span<const Segment> segments, EncodeOptions options) const = 0;
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text, bool parse_special = false,
                                            bool add_bos = false) const;

  // The bytes of one token; empty for an id outside the vocabulary. Control tokens give their text.
  [[nodiscard]] virtual std::string_view token_bytes(TokenId id) const = 0;
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const;

  // A control token is never shown to the user (BOS, EOS, <|im_start|> ...). <think> is not one.
  [[nodiscard]] virtual bool is_control(TokenId id) const = 0;
  [[nodiscard]] virtual bool is_end_of_generation(TokenId id) const = 0;  // EOS, EOT, EOM ...
  [[nodiscard]] virtual int n_vocab() const = 0;
  [[nodiscard]] virtual TokenId bos() const = 0;    // -1: none
  [[nodiscard]] virtual TokenId eos() const = 0;    // -1: none
  [[nodiscard]] virtual bool adds_bos() const = 0;  // what the model file asks for
  // The id of the token with exactly this text (control or not), -1 where there is none.
  [[nodiscard]] virtual TokenId find(std::string_view text) const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;  // qwen2, llama-bpe ...
};

// Turns a stream of ids into text that never ends in half a character.
// Invalid bytes come out as U+FFFD, once they can no longer become valid. Not thread-safe; the tokenizer must outlive
// it.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}
  // The text that is complete now; may be empty.
  std::string push(TokenId id);
  // What is still held back, at the end of the stream.
  std::string finish();

 private:
  const Tokenizer* tokenizer_;
  std::string pending_;  // at most three bytes: the start of a character
};

}  // namespace reckon
