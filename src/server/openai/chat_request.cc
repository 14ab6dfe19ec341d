#include "server/openai/chat_request.h"

#include <limits>

#include "server/openai/message_reader.h"

namespace reckon::server {
namespace {

using text::Json;

constexpr std::size_t kMaxModelBytes = 4096;
constexpr std::size_t kMaxGrammarBytes = 64u << 10;

void read_logprobs(FieldReader& in, ChatRequest& out) {
  in.boolean("logprobs", out.logprobs);
  std::optional<int> top;
  in.whole("top_logprobs", {0, 20}, top);
  out.top_logprobs = top.value_or(0);
  if (top && *top > 0 && !out.logprobs) in.fail("top_logprobs", "needs \"logprobs\": true beside it");
}

void read_template_fields(FieldReader& in, ChatRequest& out) {
  in.boolean("add_generation_prompt", out.render.add_generation_prompt);
  in.boolean("continue_final_message", out.render.continue_final_message);
  if (const Json* extra = in.object("chat_template_kwargs")) out.render.extra_json = text::dump_json(*extra);
  if (in.any("chat_template") != nullptr) {
    in.fail("chat_template", "templates come with the model; start the service with --chat-template FILE",
            "unsupported");
  }
}

void check_last_message(FieldReader& in, const ChatRequest& request) {
  if (in.failed() || !request.render.continue_final_message) return;
  if (request.messages.back().role != "assistant") {
    in.fail("continue_final_message", "the last message must be the assistant's");
  }
}

// A call that must be made leaves no room for another form.
void check_tools(FieldReader& in, const ChatRequest& request) {
  if (request.tools.required && request.output.kind != OutputForm::Kind::kText) {
    in.fail("tool_choice", "a call is required, so response_format and grammar must be left out");
  }
}

// Known to OpenAI's clients, without an effect on one local model.
void accept_others(FieldReader& in) {
  in.accept({"metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
             "verbosity", "modalities", "cache_prompt", "id_slot", "timings_per_token", "skip_special_tokens",
             "spaces_between_special_tokens", "keep_alive", "add_special_tokens"});
}

}  // namespace

void read_output_form(FieldReader& in, OutputForm& out) {
  std::optional<std::string> grammar;
  in.string("grammar", kMaxGrammarBytes, grammar);
  if (grammar && !grammar->empty()) out = {OutputForm::Kind::kGrammar, *grammar, "grammar"};
  const Json* format = in.object("response_format");
  if (format == nullptr) return;
  FieldReader fields(*format, in.path_of("response_format") + ".");
  std::string type;
  fields.string("type", 64, type);
  const Json* wrapper = fields.object("json_schema");
  const Json* schema = fields.any("schema");
  if (fields.failed()) return in.adopt(fields.error());
  if (type == "json_object" && schema == nullptr) {
    out = {OutputForm::Kind::kJsonObject, "", "response_format"};
  } else if (type == "json_schema" || type == "json_object") {
    if (wrapper != nullptr) schema = wrapper->find("schema");
    if (schema == nullptr) return in.fail("response_format", "json_schema wants {\"name\": ..., \"schema\": {...}}");
    out = {OutputForm::Kind::kJsonSchema, text::dump_json(*schema), "response_format.json_schema.schema"};
  } else if (type != "text") {
    return in.fail_type("response_format", R"({"type": "text", "json_object" or "json_schema"})", *format);
  }
  if (grammar && out.kind != OutputForm::Kind::kGrammar)
    in.fail("grammar", "give a grammar or response_format, not both");
}

Reply<ChatRequest> parse_chat_request(const Json& body) {
  ChatRequest request;
  FieldReader in(body);
  in.string("model", kMaxModelBytes, request.model);
  Conversation conversation = read_messages(in, request.warnings);
  request.messages = std::move(conversation.messages);
  read_generation_fields(in, request.generation, request.warnings);
  read_reasoning_fields(in, request.reasoning);
  read_logprobs(in, request);
  read_template_fields(in, request);
  read_output_form(in, request.output);
  read_tool_fields(in, request.tools);
  check_tools(in, request);
  in.boolean("return_progress", request.progress);
  accept_others(in);
  if (conversation.continue_final) request.render.continue_final_message = true;
  if (request.render.continue_final_message) request.render.add_generation_prompt = false;
  check_last_message(in, request);
  if (in.failed()) return std::unexpected(*in.error());
  request.render.thinking = request.reasoning.thinking;
  for (const std::string& name : in.unknown()) request.warnings.push_back(name + ": unknown, ignored");
  return request;
}

}  // namespace reckon::server
