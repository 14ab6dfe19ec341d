#include "cli/flag_sources.h"

#include <gtest/gtest.h>

#include <map>

namespace reckon::cli {
namespace {

const CommandInfo kRun{.name = "run",
                       .about = "",
                       .examples = "",
                       .flags = {{{"-t", "--threads"}, "N", "", ""},
                                 {{"--temp"}, "T", "", ""},
                                 {{"--stop"}, "TEXT", "", ""},
                                 {{"-q", "--quiet"}, "", "", ""},
                                 {{"-h", "--help"}, "", "", ""}},
                       .positionals = {},
                       .commands = {}};
const CommandInfo kProgram{.name = "", .about = "", .examples = "", .flags = {}, .positionals = {}, .commands = {kRun}};

struct Made {
  std::vector<std::string> words;
  std::vector<std::string> origins;
  std::string error;
};

Made find(std::string_view toml, std::map<std::string, std::string> environment = {}, GivenFlags given = {}) {
  const auto file = parse_settings("f.toml", toml);
  if (!file) return {{}, {}, file.error().message};
  const auto get = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  const auto sources = find_sources(kProgram, kRun, given, get, *file);
  if (!sources) return {{}, {}, sources.error().message};
  Made made{sources->words, {}, {}};
  for (const FlagValue& flag : sources->flags) made.origins.push_back(flag.flag + " " + flag.origin);
  return made;
}

using Words = std::vector<std::string>;

TEST(FlagSources, flags_over_environment_over_file) {
  EXPECT_EQ(find("threads = 4").words, Words{"--threads=4"});
  EXPECT_EQ(find("threads = 4", {{"RECKON_THREADS", "3"}}).words, Words{"--threads=3"});
  const Made made = find("threads = 4", {{"RECKON_THREADS", "3"}}, {{"--threads", {"2"}, kCommandLine, {}}});
  EXPECT_EQ(made.words, Words{});
  EXPECT_EQ(made.origins, Words{"--threads command line"});
}

TEST(FlagSources, a_table_counts_for_its_command_and_before_the_rest) {
  const Made made = find("temp = 0.5\n[run]\ntemp = 0.25\n");
  EXPECT_EQ(made.words, Words{"--temp=0.25"});
  EXPECT_EQ(made.origins, Words{"--temp f.toml:3"});
}

TEST(FlagSources, lists_repeat_a_flag_and_switches_stand_alone) {
  EXPECT_EQ(find("stop = [\"a\", \"b c\"]\nquiet = true").words, (Words{"--stop=a", "--stop=b c", "--quiet"}));
  EXPECT_EQ(find("quiet = false").words, Words{});
  EXPECT_EQ(find("quiet = 1").error, "f.toml:1: quiet is a switch: true or false");
}

TEST(FlagSources, what_is_no_setting_is_refused_with_its_place) {
  EXPECT_EQ(find("\nthraeds = 4").error, "f.toml:2: there is no setting 'thraeds'; did you mean 'threads'?");
  EXPECT_EQ(find("[rnu]\nthreads = 4").error, "f.toml:2: [rnu] is no command that takes settings");
  EXPECT_EQ(find("help = true").error.substr(0, 10), "f.toml:1: ");
  EXPECT_EQ(find("threads = 2024-01-01").error, "f.toml:1: 'threads' must be text, a number, true or false");
  EXPECT_EQ(find("threads = ").error.substr(0, 9), "f.toml:1:");
}

TEST(FlagSources, conflicts_are_named_with_where_they_come_from) {
  const auto lines = find_conflicts({{"--listen", {"unix:/s"}, "f.toml:1", {}},
                                     {"--port", {"80"}, "RECKON_PORT", {"f.toml:2"}},
                                     {"--host", {"0.0.0.0"}, kCommandLine, {}},
                                     {"--tls-cert", {"c"}, kCommandLine, {}}});
  const std::vector<std::string> expected = {
      "--listen (f.toml:1) and --host (command line): --listen is used, --host is not",
      "--listen (f.toml:1) and --port (RECKON_PORT): --listen is used, --port is not",
      "--tls-cert (command line) needs --tls-key as well",
      "--host 0.0.0.0 (command line) can be reached by others: --api-key-file is needed",
      "--port: RECKON_PORT hides f.toml:2"};
  EXPECT_EQ(lines, expected);
}

TEST(FlagSources, names_in_the_environment_follow_from_the_flag) {
  EXPECT_EQ(environment_name("--api-key-file"), "RECKON_API_KEY_FILE");
}

}  // namespace
}  // namespace reckon::cli
