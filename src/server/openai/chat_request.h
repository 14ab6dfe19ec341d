#pragma once
// The body of POST /v1/chat/completions as a typed value; nothing behind this sees JSON.

#include <string>
#include <vector>

#include "reckon/chat.h"
#include "server/openai/generation_fields.h"
#include "server/openai/reasoning_fields.h"
#include "server/openai/tool_fields.h"
#include "server/output_form.h"

namespace reckon::server {

struct ChatRequest {
  std::string model;
  std::vector<Message> messages;
  RenderOptions render;
  GenerationFields generation;
  ReasoningFields reasoning;
  OutputForm output;
  ToolFields tools;
  bool logprobs = false;
  int top_logprobs = 0;
  bool progress = false;  // stream: chunks that tell how far the prompt is
  std::vector<std::string> warnings;
};

[[nodiscard]] Reply<ChatRequest> parse_chat_request(const text::Json& body);

// The fields response_format and grammar.
void read_output_form(FieldReader& in, OutputForm& out);

}  // namespace reckon::server
