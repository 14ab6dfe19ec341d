#include "cli/generation.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "cli/answer_printer.h"
#include "cli/run.h"
#include "server/fake_engine.h"

namespace reckon::cli {
namespace {

using server::FakeEngine;
using server::FakeTemplate;

const ThoughtMarks kMarks{"<think>", "</think>"};

class RunTest : public testing::Test {
 protected:
  RunTest() {
    io_.out = Output(&out_);
    io_.err = Output(&err_);
  }
  Outcome<Exit> run(const ChatTemplate& chat_template = FakeTemplate(kMarks, true)) {
    return run_prompt(flags_, "hi", engine_, chat_template, 12, context_);
  }

  std::string out_;
  std::string err_;
  Io io_;
  Context context_{io_, nullptr};
  FakeEngine engine_;
  RunFlags flags_;
};

TEST_F(RunTest, APipeGetsTheAnswerAlone) {
  engine_.script = {.pieces = {"I ", "think.\n", "</think>", "\n\n", "Yes, ", "你好"}, .error = {}};
  ASSERT_EQ(run(), Exit::kOk);
  EXPECT_EQ(out_, "Yes, 你好\n");
  EXPECT_NE(err_.find("6 tokens"), std::string::npos);
}

TEST_F(RunTest, PlainShowsTheThoughtBeforeTheAnswer) {
  flags_.settings.show_thoughts = ThoughtView::kPlain;
  engine_.script = {.pieces = {"hm", "</think>", "yes\n"}, .error = {}};
  ASSERT_EQ(run(), Exit::kOk);
  EXPECT_TRUE(out_.starts_with("[thinking]\nhm\n[thought for ")) << out_;
  EXPECT_TRUE(out_.ends_with("]\n\nyes\n")) << out_;
}

TEST_F(RunTest, ATerminalIsNeverSteeredByTheModel) {
  io_.out_is_terminal = true;
  engine_.script = {.pieces = {"a\x1b]0;x\x07"}, .error = {}};
  ASSERT_EQ(run(FakeTemplate()), Exit::kOk);
  EXPECT_EQ(out_.find('\x1b'), std::string::npos);
}

TEST_F(RunTest, JsonTellsEverythingOnOneLine) {
  flags_.json = true;
  flags_.model.quiet = true;
  flags_.settings.seed = 7;
  engine_.script = {.pieces = {"hm", "</think>", "yes"}, .finish = Finish::kLength, .error = {}, .n_thought = 2};
  ASSERT_EQ(run(), Exit::kOk);
  EXPECT_TRUE(
      out_.starts_with("{\"model\": \"Fake\", \"content\": \"yes\", \"reasoning_content\": \"hm\", "
                       "\"finish_reason\": \"length\", \"seed\": 7, \"usage\": {\"prompt_tokens\": "))
      << out_;
  EXPECT_NE(out_.find("\"reasoning_tokens\": 2"), std::string::npos);
  EXPECT_EQ(out_.find('\n'), out_.size() - 1);
  EXPECT_EQ(err_, "");
}

TEST_F(RunTest, AFailureOnTheWayIsOneErrorAndKeepsTheText) {
  engine_.script = {.pieces = {"so far"}, .finish = Finish::kFailed, .error = {ErrorCode::kInternal, "logits are NaN"}};
  const auto result = run(FakeTemplate());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().exit, Exit::kFailed);
  EXPECT_EQ(result.error().message, "logits are NaN");
  EXPECT_EQ(out_, "so far\n");
}

TEST_F(RunTest, APromptOverTheContextHasItsOwnExitCode) {
  FakeEngine small(5);
  const auto result = run_prompt(flags_, "much too long", small, FakeTemplate(), 0, context_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().exit, Exit::kLimit);
}

TEST_F(RunTest, ALoopThatWasStoppedIsReported) {
  engine_.script = {.pieces = {"a", "a"}, .finish = Finish::kRepetition, .error = {}};
  ASSERT_EQ(run(FakeTemplate()), Exit::kOk);
  EXPECT_NE(err_.find("repeated itself"), std::string::npos);
}

TEST_F(RunTest, CtrlCCancelsAndKeepsWhatCame) {
  InterruptWatch watch;
  context_.watch = &watch;
  engine_.script = {.pieces = {"half"}, .error = {}, .wait_for_cancel = true};
  std::thread later([&] {
    // Not before the request waits for it: the text is out by then.
    while (out_.find("half") == std::string::npos) std::this_thread::yield();
    ::kill(::getpid(), SIGINT);
  });
  const auto result = run(FakeTemplate());
  later.join();
  ASSERT_EQ(result, Exit::kInterrupted);
  EXPECT_EQ(out_, "half\n");
}

TEST_F(RunTest, SystemAndRawDecideThePrompt) {
  flags_.system = "brief";
  ASSERT_EQ(run(FakeTemplate()), Exit::kOk);
  EXPECT_EQ(engine_.tokenizer().decode(engine_.last.prompt), "system: brief\nuser: hi\nassistant:");
  flags_.raw = true;
  ASSERT_EQ(run(), Exit::kOk);
  EXPECT_EQ(engine_.tokenizer().decode(engine_.last.prompt), "hi");
  EXPECT_TRUE(engine_.last.thought.open.empty());
}

TEST_F(RunTest, TheThoughtBudgetBecomesAForcedClose) {
  flags_.settings.think_budget = 64;
  ASSERT_EQ(run(), Exit::kOk);
  EXPECT_EQ(engine_.last.thought.max_tokens, 64);
  EXPECT_TRUE(engine_.last.thought.starts_inside);
  EXPECT_NE(engine_.tokenizer().decode(engine_.last.thought.forced_close).find("</think>"), std::string::npos);
}

TEST_F(RunTest, GreedyReasoningIsWarnedOf) {
  flags_.settings.temperature = 0;
  ASSERT_EQ(run(), Exit::kOk);
  EXPECT_NE(err_.find("--temp 0.6"), std::string::npos);
}

TEST(AnswerPrinter, DimsAThoughtThatNeverCloses) {
  std::string out;
  Io io;
  io.out = Output(&out);
  io.out_is_terminal = true;
  io.out_colour = true;
  AnswerPrinter printer(io, ThoughtView::kAuto);
  printer.push({"hm", ""});
  printer.finish();
  EXPECT_TRUE(out.starts_with("\x1b[2mthinking\x1b[0m\n\x1b[2mhm\n\x1b[0m")) << out;
  EXPECT_TRUE(out.ends_with("\x1b[0m")) << out;
}

}  // namespace
}  // namespace reckon::cli
