#pragma once
// Flags that many commands share.

#include <filesystem>
#include <string>

#include "cli/command.h"
#include "cli/generation_settings.h"

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
// One flag for each of all_settings(), and --stop, --ignore-eos, --no-loop-guard.
void add_generation_flags(CLI::App& app, GenerationSettings& settings);

// find_model() with RECKON_MODEL from the environment.
Outcome<std::filesystem::path> model_of(const ModelFlags& flags);

}  // namespace reckon::cli
