#pragma once
// Which model file a command works on.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "cli/exit_code.h"

namespace reckon::cli {

// `flag` (-m) if given, else the environment variable RECKON_MODEL, else the only model in ./models.
// A path may be a GGUF file, any shard of one, or a folder that holds one model. Exit::kModel with the remedy where
// there is none or more than one. `env`: RECKON_MODEL's value, null where unset.
Outcome<std::filesystem::path> find_model(const std::string& flag, const char* env,
                                          const std::filesystem::path& models_dir = "models");

}  // namespace reckon::cli
