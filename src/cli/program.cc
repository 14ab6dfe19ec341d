#include "cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "base/log.h"
#include "cli/build_info.h"
#include "cli/display_text.h"
#include "cli/flag_sources.h"
#include "cli/nearest.h"
#include "cli/settings_file.h"

namespace reckon::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  reckon run \"Why is the sky blue?\"            one question, the answer as it comes\n"
    "  cat notes.txt | reckon run \"Sum this up:\"    a question about a text\n"
    "  reckon chat -m model.gguf                    a conversation\n"
    "  reckon serve -m model.gguf                   an OpenAI-compatible service\n"
    "  reckon bench --tests pp512,tg64              how fast is this machine\n"
    "\n"
    "Without -m the model is RECKON_MODEL, else the only one in ./models.\n"
    "Exit codes: 0 done, 1 the work failed, 2 wrong flags, 3 no such model or it cannot be loaded,\n"
    "4 the prompt is too long, 5 out of memory, 130 Ctrl-C. More in reckon(1).\n";

// A flag that is given again counts as given last, so that a script or an alias can be overruled.
void last_one_counts(CLI::App& command) {
  const auto takes_one = [](const CLI::Option* option) {
    return !option->get_positional() && option->get_items_expected_max() == 1;
  };
  for (CLI::Option* option : command.get_options(takes_one)) option->take_last();
}

struct Program {
  CLI::App app{"Runs reasoning models on the CPU you already have: private, offline, fast.", "reckon"};
  bool version = false;
  std::string settings_file;
  std::vector<Command> commands;

  Program() {
    app.set_help_flag("-h,--help", "this text; after a command, that command's")->group("Help");
    app.add_flag("-V,--version", version, "version, build, and the instruction sets found and picked")->group("Help");
    app.footer(kFooter);
    app.require_subcommand(0, 1);  // also keeps words of a prompt from being taken for commands
    // The order of --help.
    for (const auto add : {add_run, add_chat, add_serve, add_bench, add_info, add_check, add_tokenize, add_render,
                           add_logits, add_config, add_completion}) {
      commands.push_back(add(app));
    }
    for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) {
      sub->set_help_flag("-h,--help", "this text")->group("Help");
      last_one_counts(*sub);
      if (!takes_settings(sub->get_name())) continue;
      sub->add_option("--config", settings_file, "settings file; else ~/.config/reckon/config.toml; none: no file")
          ->type_name("FILE")
          ->group("Help");
    }
  }

  // The command that was given, null for none.
  const Command* chosen() const {
    const auto found = std::ranges::find_if(commands, [](const Command& c) { return c.app->parsed(); });
    return found == commands.end() ? nullptr : &*found;
  }
};

std::string unknown_word(const Program& program, const CLI::App& at) {
  const auto extras = program.app.remaining(true);
  if (extras.empty()) return "a word too many; see reckon --help";
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const CommandInfo info = describe(at);
  const std::string where = &at == &program.app ? "reckon" : "reckon " + at.get_name();
  std::vector<std::string> names;
  if (word.starts_with('-')) {
    for (const FlagInfo& flag : info.flags) names.insert(names.end(), flag.names.begin(), flag.names.end());
  } else {
    for (const CommandInfo& command : info.commands) names.push_back(command.name);
  }
  // A letter alone is near to every other.
  const std::string near = word.size() <= 2 ? "" : nearest(word, names);
  if (&at == &program.app && near.empty()) {
    if (word.starts_with('-')) {
      return fmt::format("unknown flag '{}' before a command; flags stand behind it, e.g. reckon run {} ...",
                         cut_to_width(one_line(word), 60), cut_to_width(one_line(word), 60));
    }
    return fmt::format("unknown command '{}'; reckon run \"...\" asks a question, reckon --help lists the commands",
                       cut_to_width(one_line(word), 60));
  }
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean {}?", near);
  const char* kind = word.starts_with('-') ? "flag" : &at == &program.app ? "command" : "argument";
  return fmt::format("unknown {} '{}'{}{} {} --help lists what there is", kind, cut_to_width(one_line(word), 60), hint,
                     hint.empty() ? ";" : "", where);
}

Exit usage_error(Program& program, const CLI::ParseError& error, Context& context) {
  const Command* command = program.chosen();
  const CLI::App& at = command != nullptr ? *command->app : program.app;
  const std::string where = command != nullptr ? "reckon " + at.get_name() : "reckon";
  std::string message;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    message = unknown_word(program, at);
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string text = error.what();  // "--temp: 1 required T missing"
    message = fmt::format("{} needs a value; {} --help tells which", text.substr(0, text.find(':')), where);
  } else {
    message = fmt::format("{}; {} --help tells more", error.what(), where);
  }
  print_error(context.io, message);
  return Exit::kUsage;
}

Exit report(const Outcome<Exit>& outcome, Context& context) {
  Io& io = context.io;
  if (!outcome) {
    // Ctrl-C needs no explanation.
    if (outcome.error().exit != Exit::kInterrupted) print_error(io, outcome.error().message);
    return outcome.error().exit;
  }
  if (io.out.broken_pipe()) return Exit::kPipe;
  if (io.out.error_number() != 0) {
    print_error(io, fmt::format("cannot write the output: {}", std::strerror(io.out.error_number())));
    return Exit::kFailed;
  }
  return *outcome;
}

// As CLI11 wants them: from the last to the first.
void parse(Program& program, std::span<const std::string> args) {
  program.app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
}

GivenFlags given_flags(const CLI::App& command) {
  GivenFlags given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    given.push_back({"--" + option->get_lnames().front(), option->results(), kCommandLine, {}});
  }
  return given;
}

// The flags of the environment and of the settings file stand before those of the command line.
std::vector<std::string> with_words(std::span<const std::string> args, const std::string& command,
                                    const std::vector<std::string>& words) {
  std::vector<std::string> all(args.begin(), args.end());
  const auto at = std::ranges::find(all, command);
  all.insert(at == all.end() ? at : at + 1, words.begin(), words.end());
  return all;
}

// Empty: they parse.
std::string problem_of(Program& program, std::span<const std::string> args, const FlagSources& sources) {
  try {
    parse(program, args);
  } catch (const CLI::ParseError& error) {
    const std::string text = error.what();  // "--port: want a whole number ..."
    for (const FlagValue& value : sources.flags) {
      if (value.origin != kCommandLine && text.starts_with(value.flag + ":")) {
        return value.origin + text.substr(value.flag.size());
      }
    }
    return text;
  }
  return {};
}

Exit dispatch(Program& program, Context& context) {
  if (program.version) {
    context.io.out.write(version_text());
    return report(Exit::kOk, context);
  }
  const Command* command = program.chosen();
  if (command == nullptr) {
    context.io.err.write(help_text(describe(program.app), "reckon", context.io.width()));
    return Exit::kUsage;
  }
  return report(command->run(context), context);
}

// Once more with what the environment and the settings file say.
Exit run_with_settings(Program& program, std::span<const std::string> args, Context& context) {
  const CLI::App& app = *program.chosen()->app;
  const auto file = read_settings(program.settings_file);
  if (!file) return report(std::unexpected(file.error()), context);
  const CommandInfo info = describe(program.app);
  const auto sources = find_sources(info, describe(app), given_flags(app), process_environment, *file);
  if (!sources) return report(std::unexpected(sources.error()), context);
  if (sources->words.empty()) return dispatch(program, context);
  Program again;
  const std::string problem = problem_of(again, with_words(args, app.get_name(), sources->words), *sources);
  if (!problem.empty()) return report(stop(Exit::kUsage, problem), context);
  return dispatch(again, context);
}

Exit parse_and_run(std::span<const std::string> args, Context& context) {
  Program program;
  try {
    if (!args.empty() && args.front() == "help") {  // `help run` is `run --help`
      std::vector<std::string> asked(args.begin() + 1, args.end());
      asked.push_back("--help");
      parse(program, asked);
    } else {
      parse(program, args);
    }
  } catch (const CLI::CallForHelp&) {
    const Command* command = program.chosen();
    const CLI::App& at = command != nullptr ? *command->app : program.app;
    context.io.out.write(
        help_text(describe(at), command != nullptr ? "reckon " + at.get_name() : "reckon", context.io.width()));
    return report(Exit::kOk, context);
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error, context);
  }
  const Command* command = program.chosen();
  const bool has_settings = command != nullptr && takes_settings(command->app->get_name());
  return has_settings ? run_with_settings(program, args, context) : dispatch(program, context);
}

}  // namespace

Exit run_program(std::span<const std::string> args, Context& context) {
  set_log_sink([&io = context.io](LogLevel level, std::string_view line) {
    if (level == LogLevel::kWarning) print_warning(io, line);
  });
  Exit exit = Exit::kFailed;
  try {
    exit = parse_and_run(args, context);
  } catch (const std::bad_alloc&) {
    print_error(context.io, "out of memory; a smaller model, a shorter context (--ctx) or other programs closed help");
    exit = Exit::kMemory;
  } catch (const std::exception& error) {
    print_error(context.io, fmt::format("internal error: {}; please report it", error.what()));
  }
  set_log_sink({});
  return exit;
}

std::string first_problem(const std::string& command, const FlagSources& sources) {
  Program program;
  return problem_of(program, with_words(std::vector<std::string>{command}, command, sources.words), sources);
}

CommandInfo describe_program() { return describe(Program().app); }

}  // namespace reckon::cli
