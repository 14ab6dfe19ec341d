#include "cli/chat_session.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/chat_file.h"

namespace reckon::cli {
namespace {

using Kind = ChatSession::Reply::Kind;

Answer answered(std::string content, std::string reasoning = "") {
  Answer answer;
  answer.content = std::move(content);
  answer.reasoning = std::move(reasoning);
  return answer;
}

class ChatSessionTest : public testing::Test {
 protected:
  ChatSessionTest() {
    std::string name = (std::filesystem::temp_directory_path() / "reckon-chat-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ChatSessionTest() override { std::filesystem::remove_all(folder_); }
  std::string file(const char* name) const { return (folder_ / name).string(); }
  std::string say(const std::string& input) { return session_.handle(input).text; }

  std::filesystem::path folder_;
  ChatSession session_{"Fake", {}, ""};
};

TEST_F(ChatSessionTest, RememberedMessagesAreSentInTurn) {
  EXPECT_EQ(session_.handle("one").kind, Kind::kAsk);
  session_.accept(answered("1", "thought"));
  EXPECT_EQ(session_.handle("two").kind, Kind::kAsk);
  const auto sent = session_.messages_to_send();
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[1].role, "assistant");
  EXPECT_EQ(sent[1].content, "1");
  EXPECT_EQ(sent[1].reasoning_content, "thought");
}

TEST_F(ChatSessionTest, AQuestionWithoutAnAnswerMakesRoomForTheNext) {
  session_.handle("one");
  session_.accept(answered(""));
  session_.handle("two");
  const auto sent = session_.messages_to_send();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].content, "two");
}

TEST_F(ChatSessionTest, RegenAsksTheLastQuestionOnceMore) {
  EXPECT_TRUE(session_.handle("/regen").is_error);
  session_.handle("one");
  session_.accept(answered("1"));
  EXPECT_EQ(session_.handle("/regen").kind, Kind::kAsk);
  EXPECT_EQ(session_.messages_to_send().size(), 1u);
}

TEST_F(ChatSessionTest, SetChecksNamesAndValues) {
  EXPECT_EQ(say("/set top-p 0.5"), "top_p 0.5");
  EXPECT_EQ(session_.settings().top_p, 0.5);
  EXPECT_TRUE(session_.handle("/set top_p 2").is_error);
  EXPECT_EQ(session_.settings().top_p, 0.5);
  EXPECT_EQ(say("/set tpo_p 1"), "no setting tpo_p, did you mean top_p?; /set lists them");
  EXPECT_EQ(say("/set top_p default"), "top_p as the model's authors advise");
  EXPECT_FALSE(session_.settings().top_p);
  EXPECT_EQ(say("/think off"), "think off");
  EXPECT_EQ(session_.settings().think, Thinking::kOff);
  EXPECT_TRUE(session_.handle("/think maybe").is_error);
}

TEST_F(ChatSessionTest, ASlashIsACommandAndTwoAreText) {
  const auto reply = session_.handle("/hepl");
  EXPECT_TRUE(reply.is_error);
  EXPECT_NE(reply.text.find("did you mean /help?"), std::string::npos);
  EXPECT_EQ(session_.handle("//etc/passwd").kind, Kind::kAsk);
  EXPECT_EQ(session_.messages_to_send().back().content, "/etc/passwd");
  EXPECT_EQ(session_.handle("/exit").kind, Kind::kExit);
  EXPECT_EQ(session_.handle("  ").kind, Kind::kSay);
}

TEST_F(ChatSessionTest, SavesAndLoadsAConversation) {
  say("/system be brief");
  session_.handle("你好 \"x\"\n\\");
  session_.accept(answered("one\ttwo", "hm"));
  EXPECT_FALSE(session_.handle("/save " + file("a.json")).is_error);
  EXPECT_TRUE(session_.handle("/save " + file("a.json")).is_error);
  EXPECT_FALSE(session_.handle("/save! " + file("a.json")).is_error);
  ChatSession other("Fake", {}, "");
  EXPECT_FALSE(other.handle("/load " + file("a.json")).is_error);
  const auto sent = other.messages_to_send();
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].content, "be brief");
  EXPECT_EQ(sent[1].content, "你好 \"x\"\n\\");
  EXPECT_EQ(sent[2].content, "one\ttwo");
  EXPECT_EQ(sent[2].reasoning_content, "hm");
}

TEST_F(ChatSessionTest, ABadFileLeavesTheConversationAlone) {
  session_.handle("one");
  session_.accept(answered("1"));
  std::ofstream(file("bad.json")) << "{\"messages\": [{\"role\": \"wizard\"}]}";
  EXPECT_TRUE(session_.handle("/load " + file("bad.json")).is_error);
  std::ofstream(file("deep.json")) << std::string(100000, '[');
  EXPECT_TRUE(session_.handle("/load " + file("deep.json")).is_error);
  EXPECT_TRUE(session_.handle("/load " + file("absent.json")).is_error);
  EXPECT_EQ(session_.messages_to_send().size(), 2u);
}

TEST_F(ChatSessionTest, WritesMarkdownWithThoughtsAsQuotes) {
  session_.handle("one");
  session_.accept(answered("1", "a\n## User\n"));
  EXPECT_EQ(to_markdown(session_.conversation(), "Fake"),
            "# Conversation with Fake\n\n## User\n\none\n\n## Assistant\n\n> a\n> ## User\n> \n\n1\n");
}

TEST_F(ChatSessionTest, ReadSendsAFileBehindTheQuestion) {
  std::ofstream(file("n.txt")) << "text\n";
  EXPECT_EQ(session_.handle("/read " + file("n.txt") + " What is it?").kind, Kind::kAsk);
  EXPECT_EQ(session_.messages_to_send().back().content, "What is it?\n\ntext\n");
  EXPECT_TRUE(session_.handle("/read " + file("absent")).is_error);
}

TEST_F(ChatSessionTest, TabKnowsCommandsAndSettings) {
  EXPECT_EQ(ChatSession::completions("/cl"), std::vector<std::string>{"/clear"});
  EXPECT_EQ(ChatSession::completions("/set top_p"), std::vector<std::string>{"/set top_p "});
  EXPECT_TRUE(ChatSession::completions("hello").empty());
}

}  // namespace
}  // namespace reckon::cli
