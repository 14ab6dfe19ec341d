#pragma once
// The bodies of POST /api/chat and /api/generate as typed values. What they mean is a chat like any other.

#include <optional>
#include <string>

#include "server/openai/chat_request.h"
#include "server/served_model.h"

namespace reckon::server::ollama {

struct OllamaRequest {
  ChatRequest chat;
  std::optional<std::string> raw_prompt;  // generate with "raw": goes to the model as it stands, control tokens too
  bool only_load = false;                 // without a message or prompt: "is the model there?"
};

// `model` tells what is to be warned of or cannot be done; an unknown name is a 404.
[[nodiscard]] Reply<OllamaRequest> parse_chat(const text::Json& body, const ServedModel& model);
[[nodiscard]] Reply<OllamaRequest> parse_generate(const text::Json& body, const ServedModel& model);

// Names come with or without ":latest".
[[nodiscard]] Reply<void> check_name(const ServedModel& model, std::string_view name);
// The id as Ollama's clients expect names to be: with a tag.
[[nodiscard]] std::string tagged_name(const ServedModel& model);

}  // namespace reckon::server::ollama
