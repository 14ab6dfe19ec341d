#pragma once
// A model ready to answer, with its chat template.

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/generation.h"
#include "cli/model_flags.h"
#include "reckon/chat.h"
#include "reckon/engine.h"

namespace reckon::cli {

struct LoadedEngine {
  std::unique_ptr<Engine> engine;
  std::shared_ptr<const ChatTemplate> chat_template;
  double load_ms = 0;
};

// Finds and loads the model, with a progress bar. `template_file` replaces the model's own chat template; empty: none.
// Threads and context follow the flags; the rest is `options`, by default for one person with one answer at a time.
Outcome<LoadedEngine> load_engine(const ModelFlags& flags, const std::string& template_file, Context& context,
                                  EngineOptions options = {.max_sequences = 1});

// "Qwen2.5 Coder 1.5B, Q4_K_M": safe for a terminal.
std::string model_title(const ModelInfo& info);

// What cut an answer or its thought short, with the remedy; empty where the model came to its end.
std::string early_end(const Engine& engine, const Answer& answer, const GenerationSettings& settings);

// Greedy decoding makes reasoning models repeat themselves; empty where that is not asked for.
std::string greedy_warning(const ModelInfo& info, const ThoughtMarks& marks, const GenerationSettings& settings);

}  // namespace reckon::cli
