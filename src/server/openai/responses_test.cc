#include "server/openai/responses.h"

#include "server/service_fixture.h"

namespace reckon::server {
namespace {

class ResponsesTest : public ServiceTest {
 protected:
  ResponsesTest() : ServiceTest({"<think>", "</think>"}, true) {
    engine_->script = {.pieces = {"hm", "</think>", "yes"}, .error = {}, .n_thought = 2};
  }
  std::shared_ptr<FakeExchange> respond(const std::string& fields) { return post("/v1/responses", "{" + fields + "}"); }
};

TEST_F(ResponsesTest, AnAnswerIsAListOfItems) {
  const text::Json body =
      json_of(respond(R"("input": "hi", "instructions": "Be brief.", "max_output_tokens": 9)")->wait().body);
  EXPECT_EQ(text_at(body, "object"), "response");
  EXPECT_EQ(text_at(body, "status"), "completed");
  EXPECT_EQ(text_at(body, "output.0.content.0.text"), "hm");
  EXPECT_EQ(text_at(body, "output.1.content.0.text"), "yes");
  EXPECT_EQ(text_at(body, "usage.output_tokens_details.reasoning_tokens"), "2");
  EXPECT_EQ(engine_->tokenizer().decode(engine_->last.prompt), "system: Be brief.\nuser: hi\nassistant:");
  EXPECT_EQ(engine_->last.max_new_tokens, 9);
}

TEST_F(ResponsesTest, ItemsOfBeforeBecomeMessages) {
  respond(
      R"("input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]}, {"type": "reasoning", "id": "r"},
             {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
             {"type": "function_call_output", "call_id": "c", "output": "b"}])")
      ->wait();
  EXPECT_EQ(engine_->tokenizer().decode(engine_->last.prompt), "user: a\nassistant: \ntool: b\nassistant:");
}

TEST_F(ResponsesTest, AStreamOpensAndClosesItsItems) {
  const std::string body = respond(R"("input": "hi", "stream": true)")->wait().body;
  std::string types;
  std::int64_t next = 0;
  for (const std::string& event : events_of(body)) {
    const text::Json json = json_of(event);
    types += text_at(json, "type").substr(9) + " ";
    EXPECT_EQ(text_at(json, "sequence_number"), std::to_string(next++));
  }
  EXPECT_EQ(types,
            "created in_progress output_item.added content_part.added reasoning_text.delta reasoning_text.done "
            "content_part.done output_item.done output_item.added content_part.added output_text.delta "
            "output_text.done content_part.done output_item.done completed ");
}

TEST_F(ResponsesTest, WhatNeedsAStoreIsRefused) {
  EXPECT_EQ(respond(R"("input": "hi", "previous_response_id": "x")")->wait().status, 400);
  EXPECT_EQ(respond(R"("input": 5)")->wait().status, 400);
  EXPECT_EQ(respond("")->wait().status, 400);
  EXPECT_EQ(post("/v1/responses", "[]")->wait().status, 400);
  EXPECT_EQ(respond(R"("input": [{"type": "computer_call"}])")->wait().status, 400);
}

}  // namespace
}  // namespace reckon::server
