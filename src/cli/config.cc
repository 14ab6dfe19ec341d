// `reckon config`: what is set, where each value comes from, and what does not go together.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "cli/display_text.h"
#include "cli/flag_sources.h"
#include "cli/program.h"
#include "cli/settings_file.h"

namespace reckon::cli {
namespace {

struct ConfigFlags {
  std::string action = "check";
  std::string command = "serve";
  std::string file;
};

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

std::string table_of(const std::vector<FlagValue>& flags, const Io& io) {
  int name_width = 0;
  int value_width = 0;
  for (const FlagValue& flag : flags) {
    name_width = std::max(name_width, display_width(flag.flag) - 2);
    value_width = std::max(value_width, std::min(display_width(joined(flag.values)), 40));
  }
  const Style style(io.out_colour);
  std::string text;
  for (const FlagValue& flag : flags) {
    text += fmt::format("{}  {}  {}{}{}\n", pad_right(flag.flag.substr(2), name_width),
                        pad_right(cut_to_width(one_line(joined(flag.values)), 40), value_width), style.faint(),
                        one_line(flag.origin), style.reset());
  }
  return text;
}

Outcome<Exit> run_config(const ConfigFlags& flags, Context& context) {
  const CommandInfo program = describe_program();
  const auto command = std::ranges::find(program.commands, flags.command, &CommandInfo::name);
  if (command == program.commands.end() || !takes_settings(flags.command)) {
    return stop(Exit::kUsage, fmt::format("settings count for run, chat, serve and bench, not for '{}'",
                                          cut_to_width(one_line(flags.command), 40)));
  }
  auto file = read_settings(flags.file);
  if (!file) return std::unexpected(file.error());
  const auto sources = find_sources(program, *command, {}, process_environment, *file);
  if (!sources) return std::unexpected(sources.error());

  Io& io = context.io;
  io.out.line(file->path.empty() ? "settings file: none (~/.config/reckon/config.toml or /etc/reckon/config.toml)"
                                 : "settings file: " + one_line(file->path.string()));
  io.out.write(sources->flags.empty() ? fmt::format("reckon {}: every setting has its default\n", flags.command)
                                      : table_of(sources->flags, io));
  // The values themselves: what the command would say to them.
  if (const std::string problem = first_problem(flags.command, *sources); !problem.empty()) {
    return stop(Exit::kUsage, problem);
  }
  const std::vector<std::string> conflicts = find_conflicts(sources->flags);
  for (const std::string& line : conflicts) print_warning(io, line);
  return Exit::kOk;
}

}  // namespace

Command add_config(CLI::App& root) {
  auto flags = std::make_shared<ConfigFlags>();
  CLI::App* app = root.add_subcommand("config", "Show the settings, where each comes from, and what conflicts.");
  app->add_option("ACTION", flags->action, "check")->check(CLI::IsMember({"check"}))->type_name("check");
  app->add_option("COMMAND", flags->command,
                  "whose settings: serve (as long as nothing else is said), run, chat, bench");
  app->add_option("--config", flags->file, "this file instead of the usual ones; none: no file")
      ->type_name("FILE")
      ->group("Settings");
  app->footer(
      "A setting is the long name of a flag. It is taken from the command line, else from the\n"
      "environment (RECKON_PORT), else from the settings file, which is TOML:\n"
      "\n"
      "  threads = 4                # for every command\n"
      "  model = \"/models/r1.gguf\"\n"
      "  [serve]                    # for reckon serve alone\n"
      "  port = 8081\n"
      "  allow-origin = [\"https://chat.example\"]\n"
      "\n"
      "Examples:\n"
      "  reckon config check\n"
      "  reckon config check run\n"
      "  RECKON_PORT=9000 reckon config check --config ./reckon.toml\n");
  return {app, [flags](Context& context) { return run_config(*flags, context); }};
}

}  // namespace reckon::cli
