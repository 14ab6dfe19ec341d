#pragma once
// The body of POST /v1/chat/completions as a typed value; nothing behind this sees JSON.

#include <string>
#include <vector>

#include "reckon/chat.h"
#include "server/openai/generation_fields.h"
#include "server/openai/reasoning_fields.h"

namespace reckon::server {

// What the answer (not the thought) must look like.
struct OutputForm {
  enum class Kind : std::uint8_t { kText, kJsonObject, kJsonSchema, kGrammar };
  Kind kind = Kind::kText;
  std::string source;  // the schema as JSON text, or GBNF
  std::string field;   // whose field it came from, for messages
};

struct ChatRequest {
  std::string model;
  std::vector<Message> messages;
  RenderOptions render;
  GenerationFields generation;
  ReasoningFields reasoning;
  OutputForm output;
  bool logprobs = false;
  int top_logprobs = 0;
  bool progress = false;  // stream: chunks that tell how far the prompt is
  std::vector<std::string> warnings;
};

[[nodiscard]] Reply<ChatRequest> parse_chat_request(const text::Json& body);

// The fields response_format and grammar.
void read_output_form(FieldReader& in, OutputForm& out);

}  // namespace reckon::server
