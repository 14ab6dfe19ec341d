#pragma once
// The model that is served, once it is loaded: engine, template and the names that it answers to.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chat/tool_prompt.h"
#include "reckon/chat.h"
#include "reckon/engine.h"
#include "server/api_error.h"
#include "server/grammar_store.h"

namespace reckon::server {

struct ServedModel {
  std::unique_ptr<Engine> engine;
  std::shared_ptr<const ChatTemplate> chat_template;
  std::string id;                  // as clients see it
  std::vector<std::string> names;  // what it answers to beside that: aliases, the name in the file, the file's name
  chat::ToolSupport tool_support;
  std::unique_ptr<GrammarStore> grammars;
  std::int64_t created = 0;  // Unix seconds of loading
  int n_context = 0;
  int n_parallel = 8;  // sequences that the engine runs at once

  // Whatever the case of letters; an empty name is the one model there is.
  [[nodiscard]] bool answers_to(std::string_view name) const;
  // 404 that lists what there is.
  [[nodiscard]] Reply<void> check_name(std::string_view name) const;
};

// "DeepSeek-R1-Distill-Qwen-1.5B-Q4_K_M" of ".../DeepSeek-R1-Distill-Qwen-1.5B-Q4_K_M-00001-of-00002.gguf".
[[nodiscard]] std::string model_id_of_file(std::string_view file_name);

}  // namespace reckon::server
