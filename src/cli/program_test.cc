#include "cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "cli/completion.h"

namespace reckon::cli {
namespace {

struct Ran {
  Exit exit;
  std::string out;
  std::string err;
};

Ran run(std::vector<std::string> args) {
  Ran ran;
  Io io;
  io.in_fd = -1;
  io.out = Output(&ran.out);
  io.err = Output(&ran.err);
  Context context{io, nullptr};
  ran.exit = run_program(args, context);
  return ran;
}

TEST(Program, AWrongFlagIsOneLineWithTheNearestOne) {
  const Ran ran = run({"run", "--tmep", "1", "x"});
  EXPECT_EQ(ran.exit, Exit::kUsage);
  EXPECT_EQ(ran.err,
            "reckon: error: unknown flag '--tmep'; did you mean --temp? reckon run --help lists what there is\n");
  EXPECT_EQ(ran.out, "");
}

TEST(Program, UsageErrorsAreOneLineAndExitCodeTwo) {
  const std::vector<std::vector<std::string>> wrong = {{"rnu"},
                                                       {"run", "--temp", "nan", "x"},
                                                       {"run", "-n", "0", "x"},
                                                       {"run", "-n"},
                                                       {"run", "--think", "x", "y"},
                                                       {"run", "--special", "x"},
                                                       {"bench", "--tests", "x"},
                                                       {"bench", "-t", "0"},
                                                       {"logits"},
                                                       {"check"},
                                                       {"completion", "ksh"},
                                                       {"render"},
                                                       {"run", "--stop", "", "x"},
                                                       {"tokenize", "--json", "--ids", "x"},
                                                       {"run", "\x1b[31m", "--\x1b[2J\n"}};
  for (const auto& args : wrong) {
    const Ran ran = run(args);
    EXPECT_EQ(ran.exit, Exit::kUsage) << args.back();
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    EXPECT_EQ(ran.err.find('\x1b'), std::string::npos) << ran.err;
  }
}

TEST(Program, AnAbsentModelHasItsOwnExitCode) {
  for (const char* command : {"run", "chat", "bench", "info", "tokenize"}) {
    const Ran ran = run({command, "-m", "/there/is/no/such/file.gguf"});
    if (std::string_view(command) == "run" || std::string_view(command) == "tokenize") continue;  // no prompt either
    EXPECT_EQ(ran.exit, Exit::kModel) << command;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
}

TEST(Program, AFlagThatIsGivenAgainCountsAsGivenLast) {
  const Ran ran = run({"run", "-t", "1", "-m", "/nowhere/first.gguf", "-t", "2", "-m", "/nowhere/second.gguf", "x"});
  EXPECT_EQ(ran.exit, Exit::kModel);
  EXPECT_TRUE(ran.err.contains("second.gguf") && !ran.err.contains("first.gguf")) << ran.err;
}

TEST(Program, EveryCommandTeachesByExample) {
  for (const CommandInfo& command : describe_program().commands) {
    const Ran ran = run({command.name, "--help"});
    EXPECT_EQ(ran.exit, Exit::kOk) << command.name;
    EXPECT_NE(ran.out.find("Examples:\n  "), std::string::npos) << command.name;
    EXPECT_NE(ran.out.find("Usage: reckon " + command.name), std::string::npos) << ran.out;
  }
}

TEST(Program, HelpLinesStayReadable) {
  for (const CommandInfo& command : describe_program().commands) {
    std::istringstream lines(help_text(command, "reckon " + command.name, 80));
    for (std::string line; std::getline(lines, line);) {
      // Examples are lines to copy: they stay whole.
      if (line.find("python3 -c") == std::string::npos) {
        EXPECT_LE(line.size(), 98u) << line;
      }
    }
  }
}

// The part of the manual that a command's flags may stand in: its own section and those that commands share.
std::string section(const std::string& page, const std::string& title) {
  const auto start = page.find(".SH " + title + "\n");
  if (start == std::string::npos) return "";
  return page.substr(start, page.find("\n.SH ", start + 1) - start);
}

TEST(ManPage, NamesEveryFlagOfEveryCommand) {
  std::ifstream file(RECKON_SOURCE_DIR "/share/man/reckon.1");
  std::stringstream text;
  text << file.rdbuf();
  std::string page = text.str();
  for (std::size_t at = 0; (at = page.find("\\-", at)) != std::string::npos;) page.erase(at, 1);
  const std::string shared = section(page, "DESCRIPTION") + section(page, "MODEL") +
                             section(page, "HOW ANSWERS ARE MADE") + section(page, "RECKON CONFIG");
  for (const CommandInfo& command : describe_program().commands) {
    std::string title = "RECKON " + command.name;
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::string own = section(page, title);
    EXPECT_NE(own, "") << "no section for " << command.name;
    for (const FlagInfo& flag : command.flags) {
      for (const std::string& name : flag.names) {
        EXPECT_TRUE(own.find(name) != std::string::npos || shared.find(name) != std::string::npos)
            << command.name << " " << name << " is not in the manual";
      }
    }
  }
}

TEST(Completion, KnowsEveryCommandAndFlag) {
  const CommandInfo program = describe_program();
  const std::string bash = bash_completion(program);
  const std::string zsh = zsh_completion(program);
  const std::string fish = fish_completion(program);
  for (const CommandInfo& command : program.commands) {
    for (const FlagInfo& flag : command.flags) {
      for (const std::string& name : flag.names) {
        EXPECT_NE(bash.find(name), std::string::npos) << name;
        EXPECT_NE(zsh.find("*" + name + "["), std::string::npos) << name;
        const std::string of_fish = name.starts_with("--") ? "-l " + name.substr(2) : "-s " + name.substr(1);
        EXPECT_NE(fish.find(of_fish), std::string::npos) << name;
      }
    }
  }
  EXPECT_NE(bash.find("run:--think) COMPREPLY=($(compgen -W 'auto on off'"), std::string::npos);
}

}  // namespace
}  // namespace reckon::cli
