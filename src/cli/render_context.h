#pragma once
// The context file of `reckon render`: what Hugging Face's apply_chat_template takes, as one JSON object.

#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "reckon/chat.h"
#include "reckon/tokenizer.h"

namespace reckon::cli {

struct RenderInput {
  std::vector<Message> messages;
  RenderOptions options;
  std::string bos_token;
  std::string eos_token;
};

// messages (or the array itself), tools, add_generation_prompt (false where absent, as in Hugging Face),
// continue_final_message, enable_thinking, bos_token, eos_token; further members become template variables.
// Exit::kFailed names the member.
Outcome<RenderInput> parse_render_context(std::string_view json);

// Stands in for a model's tokenizer where there is none: it knows the texts of BOS and EOS alone.
class RenderTokenizer final : public Tokenizer {
 public:
  RenderTokenizer(std::string bos, std::string eos) : texts_{std::move(bos), std::move(eos)} {}
  [[nodiscard]] std::vector<TokenId> encode(std::span<const Segment>, EncodeOptions) const override { return {}; }
  [[nodiscard]] std::string_view token_bytes(TokenId id) const override {
    return id == 0 || id == 1 ? std::string_view(texts_[id]) : std::string_view();
  }
  [[nodiscard]] bool is_control(TokenId id) const override { return id == 0 || id == 1; }
  [[nodiscard]] bool is_end_of_generation(TokenId id) const override { return id == 1; }
  [[nodiscard]] int n_vocab() const override { return 3; }
  [[nodiscard]] TokenId bos() const override { return texts_[0].empty() ? -1 : 0; }
  [[nodiscard]] TokenId eos() const override { return texts_[1].empty() ? -1 : 1; }
  [[nodiscard]] bool adds_bos() const override { return false; }
  // Any mark that a template uses may exist.
  [[nodiscard]] TokenId find(std::string_view text) const override {
    return text == texts_[0] ? bos() : text == texts_[1] ? eos() : 2;
  }
  [[nodiscard]] std::string_view name() const override { return "none"; }

 private:
  std::string texts_[2];
};

}  // namespace reckon::cli
