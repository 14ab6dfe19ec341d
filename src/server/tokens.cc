#include "server/tokens.h"

#include <utility>

#include "base/result.h"
#include "server/openai/chat_prompt.h"
#include "server/openai/prompt_reader.h"
#include "text/json_writer.h"

namespace reckon::server {
namespace {

constexpr std::size_t kMaxTextBytes = 4u << 20;

void respond(Call& call, const text::JsonObject& body) {
  http::Response response;
  response.body = body.str();
  call.exchange->respond(std::move(response));
}

struct TokenizeFields {
  std::optional<std::string> text;
  bool add_special = false;
  bool parse_special = false;
  bool with_pieces = false;
};

Reply<TokenizeFields> parse_fields(const text::Json& body) {
  TokenizeFields fields;
  FieldReader in(body);
  in.string("content", kMaxTextBytes, fields.text);
  if (!fields.text) in.string("prompt", kMaxTextBytes, fields.text);
  in.boolean("add_special", fields.add_special);
  in.boolean("add_special_tokens", fields.add_special);
  in.boolean("parse_special", fields.parse_special);
  in.boolean("with_pieces", fields.with_pieces);
  if (!fields.text && !in.failed()) in.fail("content", "want text here, or a conversation in \"messages\"");
  if (in.failed()) return std::unexpected(*in.error());
  return fields;
}

std::string piece_json(TokenId id, const Tokenizer& tokenizer) {
  return text::JsonObject().integer("id", id).text("piece", tokenizer.token_bytes(id)).str();
}

}  // namespace

Reply<void> tokenize(Call& call) {
  const Tokenizer& tokenizer = call.model.engine->tokenizer();
  std::vector<TokenId> tokens;
  bool with_pieces = false;
  if (const text::Json* messages = call.body.find("messages"); messages != nullptr && !messages->is_null()) {
    RECKON_TRY(const ChatRequest request, parse_chat_request(call.body));
    const ChatMessages chat = messages_with_tools(request, call.model);
    RECKON_TRY(ChatPrompt prompt, tokenize_chat(chat.messages, chat.options, call.model));
    tokens = std::move(prompt.tokens);
  } else {
    RECKON_TRY(const TokenizeFields fields, parse_fields(call.body));
    tokens = tokenizer.encode(*fields.text, fields.parse_special, fields.add_special && tokenizer.bos() >= 0);
    with_pieces = fields.with_pieces;
  }
  text::JsonArray list;
  for (const TokenId id : tokens) with_pieces ? list.raw(piece_json(id, tokenizer)) : list.integer(id);
  text::JsonObject body;
  body.raw("tokens", list.str()).integer("count", tokens.size()).integer("max_model_len", call.model.n_context);
  respond(call, body);
  return {};
}

Reply<void> detokenize(Call& call) {
  FieldReader in(call.body);
  const text::Json* tokens = in.any("tokens");
  if (tokens == nullptr && !in.failed()) in.fail("tokens", "want a list of token ids");
  if (in.failed()) return std::unexpected(*in.error());
  const Tokenizer& tokenizer = call.model.engine->tokenizer();
  RECKON_TRY(const auto ids, token_ids_of(*tokens, tokenizer, "tokens"));
  const std::string text = tokenizer.decode(ids);
  respond(call, text::JsonObject().text("content", text).text("prompt", text));
  return {};
}

Reply<void> apply_template(Call& call) {
  RECKON_TRY(const ChatRequest request, parse_chat_request(call.body));
  const ChatMessages chat = messages_with_tools(request, call.model);
  RECKON_TRY(const Prompt prompt, render_chat(chat.messages, chat.options, call.model));
  text::JsonObject body;
  body.text("prompt", prompt.text()).boolean("starts_in_thought", prompt.starts_in_thought);
  respond(call, body);
  return {};
}

}  // namespace reckon::server
