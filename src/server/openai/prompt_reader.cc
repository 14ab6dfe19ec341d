#include "server/openai/prompt_reader.h"

#include <fmt/format.h>

#include <utility>

#include "base/result.h"
#include "server/launch.h"

namespace reckon::server {
namespace {

using text::Json;

bool holds_numbers(const Json::Array& items) {
  return !items.empty() && (items.front().as_int() != nullptr || items.front().as_double() != nullptr);
}

// One prompt: text, or a list of ids.
Reply<std::vector<TokenId>> read_prompt(const Json& json, const PromptOptions& options, const Tokenizer& tokenizer) {
  const std::string field(options.field);
  std::vector<TokenId> tokens;
  if (const std::string* text = json.as_string()) {
    RECKON_TRY_VOID(check_prompt_bytes(text->size(), options.n_context, field));
    tokens = tokenizer.encode(*text, options.parse_special, tokenizer.adds_bos());
  } else if (json.as_array() != nullptr) {
    RECKON_TRY(tokens, token_ids_of(json, tokenizer, field));
  } else {
    return refuse(field, fmt::format("{}: want text or a list of token ids, got {}", field, shown(json)));
  }
  if (tokens.empty()) return refuse(field, field + ": it is empty; give some text");
  RECKON_TRY_VOID(check_prompt_tokens(tokens.size(), options.n_context, field));
  return tokens;
}

}  // namespace

Reply<std::vector<TokenId>> token_ids_of(const Json& json, const Tokenizer& tokenizer, std::string_view field) {
  const Json::Array* items = json.as_array();
  std::vector<TokenId> ids;
  if (items == nullptr) {
    return refuse(std::string(field), fmt::format("{}: want a list of token ids, got {}", field, shown(json)));
  }
  ids.reserve(items->size());
  for (const Json& item : *items) {
    const std::int64_t* id = item.as_int();
    if (id == nullptr || *id < 0 || *id >= tokenizer.n_vocab()) {
      return refuse(std::string(field), fmt::format("{}: want token ids from 0 to {}, got {}", field,
                                                    tokenizer.n_vocab() - 1, shown(item)));
    }
    ids.push_back(static_cast<TokenId>(*id));
  }
  return ids;
}

Reply<std::vector<std::vector<TokenId>>> read_prompts(FieldReader& in, const PromptOptions& options,
                                                      const Tokenizer& tokenizer) {
  const std::string field(options.field);
  const Json* json = in.any(field);
  if (json == nullptr) return refuse(field, field + ": want text, token ids or a list of either, got nothing");
  const Json::Array* items = json->as_array();
  const bool is_list = items != nullptr && !holds_numbers(*items);
  if (is_list && items->size() > kMaxPrompts) {
    return refuse(field, fmt::format("{}: at most {} at once, got {}", field, kMaxPrompts, items->size()));
  }
  if (is_list && items->empty()) return refuse(field, field + ": the list is empty; give some text");
  std::vector<std::vector<TokenId>> prompts;
  for (std::size_t i = 0; i < (is_list ? items->size() : 1); ++i) {
    RECKON_TRY(auto tokens, read_prompt(is_list ? (*items)[i] : *json, options, tokenizer));
    prompts.push_back(std::move(tokens));
  }
  return prompts;
}

}  // namespace reckon::server
