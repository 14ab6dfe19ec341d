// Where commands get their input from: model, prompt, test lists, history.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/bench_test_spec.h"
#include "cli/history.h"
#include "cli/model_path.h"
#include "cli/prompt_input.h"
#include "cli/render_context.h"

namespace reckon::cli {
namespace {

class InputsTest : public testing::Test {
 protected:
  InputsTest() {
    std::string name = (std::filesystem::temp_directory_path() / "reckon-inputs-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~InputsTest() override { std::filesystem::remove_all(folder_); }
  std::string make(const std::string& name, std::string_view text = "") const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  // An Io whose standard input holds `text`.
  Io io_with_input(std::string_view text) {
    Io io;
    io.out = Output(&out_);
    io.err = Output(&err_);
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    io.in_fd = ends[0];
    return io;
  }

  std::filesystem::path folder_;
  std::string out_;
  std::string err_;
};

TEST_F(InputsTest, TheFlagWinsOverTheEnvironmentAndThatOverTheFolder) {
  const std::string a = make("a.gguf");
  const std::string b = make("b.gguf");
  make("models/only.gguf");
  make("models/notes.txt");
  EXPECT_EQ(find_model(a, b.c_str(), folder_ / "models")->string(), a);
  EXPECT_EQ(find_model("", b.c_str(), folder_ / "models")->string(), b);
  EXPECT_EQ(find_model("", "", folder_ / "models")->filename(), "only.gguf");
  EXPECT_EQ(find_model("", nullptr, folder_ / "models")->filename(), "only.gguf");
}

TEST_F(InputsTest, AnAbsentModelIsNamedWithTheRemedy) {
  const auto absent = find_model((folder_ / "no.gguf").string(), nullptr, folder_ / "models");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().exit, Exit::kModel);
  EXPECT_NE(absent.error().message.find("no.gguf"), std::string::npos);
  EXPECT_NE(absent.error().message.find("script/run"), std::string::npos);
  EXPECT_EQ(find_model("", nullptr, folder_ / "models").error().exit, Exit::kModel);
}

TEST_F(InputsTest, ShardsCountAsOneModelAndTwoModelsAsAQuestion) {
  make("models/m-00001-of-00002.gguf");
  make("models/m-00002-of-00002.gguf");
  EXPECT_EQ(find_model("", nullptr, folder_ / "models")->filename(), "m-00001-of-00002.gguf");
  make("models/other.gguf");
  const auto two = find_model("", nullptr, folder_ / "models");
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().message.find("other.gguf"), std::string::npos);
}

TEST_F(InputsTest, PromptThenFileThenStandardInput) {
  const std::string file = make("f.txt",
                                "\xEF\xBB\xBF"
                                "file\r\n");
  Io io = io_with_input("piped\n");
  EXPECT_EQ(read_prompt({{"a", "b"}, {}}, io), "a b\n\npiped");
  Io other = io_with_input("piped");
  EXPECT_EQ(read_prompt({{"a"}, {file}}, other), "a\n\nfile");
  EXPECT_EQ(read_prompt({{"a", "-"}, {file}}, other), "a\n\nfile\n\npiped");
}

TEST_F(InputsTest, NoPromptAtAllIsAUsageError) {
  Io io = io_with_input("");
  const auto prompt = read_prompt({}, io);
  ASSERT_FALSE(prompt);
  EXPECT_EQ(prompt.error().exit, Exit::kUsage);
}

TEST_F(InputsTest, AFileOverTheLimitIsRefused) {
  const std::string file = make("big", std::string(2000, 'x'));
  EXPECT_EQ(read_file(file, 1000).error().exit, Exit::kLimit);
  EXPECT_EQ(read_file(file, 2000)->size(), 2000u);
  EXPECT_EQ(read_file((folder_ / "none").string(), 10).error().exit, Exit::kFailed);
}

TEST_F(InputsTest, HistoryKeepsLinesPrivatelyAndOnce) {
  const auto path = folder_ / "state" / "history";
  {
    History history(path);
    history.add("one\ntwo\\");
    history.add("one\ntwo\\");
    history.add("你好");
  }
  EXPECT_EQ(History(path).entries(), (std::vector<std::string>{"one\ntwo\\", "你好"}));
  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(InputsTest, HistoryOfAnyBytesIsHarmless) {
  const std::string path = make("history", std::string("\\\n\x1b[31m\n\xFF\n", 10));
  const History history(path);
  for (const std::string& entry : history.entries()) EXPECT_EQ(entry.find('\x1b'), std::string::npos);
  EXPECT_TRUE(History("").entries().empty());
}

TEST(BenchTests, ReadsWhatTheHelpPromises) {
  const auto tests = parse_bench_tests("pp512,tg64,tg32@d4096,tg64x4,tg8x2@d100");
  ASSERT_TRUE(tests) << tests.error().message;
  ASSERT_EQ(tests->size(), 5u);
  EXPECT_EQ((*tests)[0].kind, BenchTest::Kind::kPrompt);
  EXPECT_EQ((*tests)[0].n_tokens, 512);
  EXPECT_EQ((*tests)[2].depth, 4096);
  EXPECT_EQ((*tests)[2].name, "tg32@d4096");
  EXPECT_EQ((*tests)[3].n_sequences, 4);
  EXPECT_EQ((*tests)[4].n_sequences, 2);
  EXPECT_EQ((*tests)[4].depth, 100);
  EXPECT_EQ((*tests)[4].context(), 108);
}

TEST(BenchTests, RefusesEverythingElse) {
  for (const char* bad : {"", ",", "pp", "tg", "pp0", "tg-1", "pp512,", "xx5", "pp5x2", "tg5x", "tg5x0", "tg5x65",
                          "tg5@", "tg5@d", "tg5@d0", "tg5@d1x2", "pp9999999999999", "tg1 ", "tg+1"}) {
    EXPECT_FALSE(parse_bench_tests(bad)) << bad;
  }
}

TEST(RenderContext, TakesWhatHuggingFaceTakes) {
  const auto input = parse_render_context(
      R"({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
          {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"x": 1}}}]}],
          "add_generation_prompt": true, "enable_thinking": false, "bos_token": "<s>", "style": "short"})");
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(input->messages[0].content, "ab");
  ASSERT_EQ(input->messages[1].tool_calls.size(), 1u);
  EXPECT_EQ(input->messages[1].tool_calls[0].arguments, "{\"x\":1}");
  EXPECT_TRUE(input->options.add_generation_prompt);
  EXPECT_EQ(input->options.thinking, Thinking::kOff);
  EXPECT_EQ(input->bos_token, "<s>");
  EXPECT_EQ(input->options.extra_json, "{\"style\":\"short\"}");
}

TEST(RenderContext, RefusesWhatIsNoConversation) {
  for (const char* bad : {"", "{}", "5", "{\"messages\": 1}", "[{\"content\": \"x\"}]", "[1]"}) {
    EXPECT_FALSE(parse_render_context(bad)) << bad;
  }
}

}  // namespace
}  // namespace reckon::cli
