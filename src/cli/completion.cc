#include "cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/program.h"

namespace reckon::cli {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

std::vector<std::string> flag_names(const CommandInfo& command) {
  std::vector<std::string> names;
  for (const FlagInfo& flag : command.flags) names.insert(names.end(), flag.names.begin(), flag.names.end());
  return names;
}

std::vector<std::string> positional_choices(const CommandInfo& command) {
  return command.positionals.empty() ? std::vector<std::string>() : command.positionals.front().choices();
}

std::vector<std::string> command_names(const CommandInfo& program) {
  std::vector<std::string> names;
  for (const CommandInfo& command : program.commands) names.push_back(command.name);
  return names;
}

// Text inside single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// zsh reads [ ] : inside a specification itself.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const FlagInfo& flag) {
  if (flag.value_name.empty()) return "";
  if (flag.takes_path()) return ":file:_files";
  const auto choices = flag.choices();
  if (!choices.empty()) return fmt::format(":value:({})", joined(choices, " "));
  return fmt::format(":{}: ", zsh_text(flag.value_name));
}

struct CompletionFlags {
  std::string shell;
};

}  // namespace

std::string bash_completion(const CommandInfo& program) {
  std::string flags;
  std::string paths;
  std::string values;
  for (const CommandInfo& command : program.commands) {
    flags +=
        fmt::format("    {}) words={} ;;\n", command.name,
                    shell_quoted(joined(flag_names(command), " ") + " " + joined(positional_choices(command), " ")));
    for (const FlagInfo& flag : command.flags) {
      const auto choices = flag.choices();
      for (const std::string& name : flag.names) {
        if (!choices.empty()) {
          values += fmt::format("    {}:{}) COMPREPLY=($(compgen -W {} -- \"$cur\")); return ;;\n", command.name, name,
                                shell_quoted(joined(choices, " ")));
        } else if (flag.takes_path()) {
          paths += fmt::format("{}{}:{}", paths.empty() ? "" : "|", command.name, name);
        } else if (!flag.value_name.empty()) {
          values += fmt::format("    {}:{}) return ;;\n", command.name, name);
        }
      }
    }
  }
  return fmt::format(
      "# bash completion for reckon; made by: reckon completion bash\n"
      "_reckon() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W {} -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command:$prev in\n"
      "    {}) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
      "{}"
      "  esac\n"
      "  case $command in\n"
      "{}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "  if [[ ${{#COMPREPLY[@]}} -eq 0 && $cur != -* ]]; then\n"
      "    compopt -o filenames\n"
      "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
      "  fi\n"
      "}}\n"
      "complete -F _reckon reckon\n",
      shell_quoted(joined(command_names(program), " ") + " " + joined(flag_names(program), " ")), paths, values, flags);
}

std::string zsh_completion(const CommandInfo& program) {
  std::string list;
  std::string cases;
  for (const CommandInfo& command : program.commands) {
    list += fmt::format("    {}\n", shell_quoted(command.name + ":" + zsh_text(command.about)));
    std::string specs;
    for (const FlagInfo& flag : command.flags) {
      for (const std::string& name : flag.names) {
        specs += fmt::format(" \\\n        {}",
                             shell_quoted(fmt::format("*{}[{}]{}", name, zsh_text(flag.help), zsh_action(flag))));
      }
    }
    const auto choices = positional_choices(command);
    specs += choices.empty()
                 ? " \\\n        '*:file:_files'"
                 : fmt::format(" \\\n        {}", shell_quoted(fmt::format("1:value:({})", joined(choices, " "))));
    cases += fmt::format("    {})\n      _arguments -s{}\n      ;;\n", command.name, specs);
  }
  return fmt::format(
      "#compdef reckon\n"
      "# zsh completion for reckon; made by: reckon completion zsh\n"
      "_reckon() {{\n"
      "  local -a commands\n"
      "  commands=(\n"
      "{}"
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "compdef _reckon reckon\n",
      list, cases);
}

std::string fish_completion(const CommandInfo& program) {
  std::string text = "# fish completion for reckon; made by: reckon completion fish\n";
  for (const CommandInfo& command : program.commands) {
    text += fmt::format("complete -c reckon -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        shell_quoted(command.about));
  }
  for (const CommandInfo& command : program.commands) {
    const std::string when = fmt::format("complete -c reckon -n '__fish_seen_subcommand_from {}'", command.name);
    for (const FlagInfo& flag : command.flags) {
      std::string line = when;
      for (const std::string& name : flag.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!flag.value_name.empty()) line += flag.takes_path() ? " -r -F" : " -x";
      if (const auto choices = flag.choices(); !choices.empty()) line += " -a " + shell_quoted(joined(choices, " "));
      text += line + " -d " + shell_quoted(flag.help) + "\n";
    }
    if (const auto choices = positional_choices(command); !choices.empty()) {
      text += when + " -f -a " + shell_quoted(joined(choices, " ")) + "\n";
    }
  }
  return text;
}

Command add_completion(CLI::App& root) {
  const auto flags = std::make_shared<CompletionFlags>();
  CLI::App* app = root.add_subcommand("completion", "Print a completion script for a shell.");
  app->add_option("SHELL", flags->shell, "bash, zsh or fish")
      ->type_name("bash|zsh|fish")
      ->required()
      ->check([](const std::string& shell) -> std::string {
        return shell == "bash" || shell == "zsh" || shell == "fish" ? ""
                                                                    : "want bash, zsh or fish, got '" + shell + "'";
      });
  app->footer(
      "Examples:\n"
      "  source <(reckon completion bash)\n"
      "  reckon completion fish > ~/.config/fish/completions/reckon.fish\n"
      "  reckon completion zsh > \"${fpath[1]}/_reckon\"\n");
  return {app, [flags](Context& context) -> Outcome<Exit> {
            const CommandInfo program = describe_program();
            context.io.out.write(flags->shell == "bash"  ? bash_completion(program)
                                 : flags->shell == "zsh" ? zsh_completion(program)
                                                         : fish_completion(program));
            return Exit::kOk;
          }};
}

}  // namespace reckon::cli
