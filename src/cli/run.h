#pragma once
// `reckon run`: one prompt, one answer.

#include <string>

#include "cli/command.h"
#include "cli/generation.h"
#include "cli/generation_settings.h"
#include "cli/model_flags.h"
#include "cli/prompt_input.h"

namespace reckon::cli {

struct RunFlags {
  ModelFlags model;
  PromptSources sources;
  GenerationSettings settings;
  std::string system;
  std::string template_file;
  bool raw = false;
  bool special = false;
  bool json = false;
};

// The part behind loading, so that tests can put a scripted engine in.
Outcome<Exit> run_prompt(const RunFlags& flags, const std::string& prompt, Engine& engine,
                         const ChatTemplate& chat_template, double load_ms, Context& context);

}  // namespace reckon::cli
