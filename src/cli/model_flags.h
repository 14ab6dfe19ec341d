#pragma once
// Flags that many commands share.

#include <filesystem>
#include <string>

#include "cli/command.h"
#include "cli/generation_settings.h"

namespace CLI {
class Option;
}

namespace reckon::cli {

struct ModelFlags {
  std::string model;
  int n_threads = 0;  // 0: chosen for this machine
  int n_context = 0;  // 0: the engine's default
  bool quiet = false;
};

void add_model_flag(CLI::App& app, ModelFlags& flags);
void add_thread_flag(CLI::App& app, ModelFlags& flags);
void add_context_flag(CLI::App& app, ModelFlags& flags);
void add_quiet_flag(CLI::App& app, ModelFlags& flags, const char* help);
// --system and --chat-template, of the commands that talk. `told_before` completes "what the model is told before".
void add_system_flag(CLI::App& app, std::string& system, const char* told_before);
void add_template_flag(CLI::App& app, std::string& file);
// One flag for each of all_settings(), and --stop, --ignore-eos, --no-loop-guard.
void add_generation_flags(CLI::App& app, GenerationSettings& settings);

// A whole number from `low` to `high`, with one clear sentence where it is none.
CLI::Option* add_whole(CLI::App& app, const std::string& name, int& target, int low, int high, const std::string& help);

// find_model() with RECKON_MODEL from the environment.
Outcome<std::filesystem::path> model_of(const ModelFlags& flags);

}  // namespace reckon::cli
