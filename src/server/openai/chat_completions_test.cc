#include "server/openai/chat_completions.h"

#include "server/service_fixture.h"

namespace reckon::server {
namespace {

using ChatTest = ServiceTest;

class ThinkingChatTest : public ServiceTest {
 protected:
  ThinkingChatTest() : ServiceTest({"<think>", "</think>"}, true) {
    engine_->script = {.pieces = {"\n", "I ", "think.", "\n</think>", "\n\n", "Yes"}, .error = {}, .n_thought = 4};
  }
};

std::string error_of(const http::Response& response) {
  const text::Json body = json_of(response.body);
  return std::to_string(response.status) + " " + text_at(body, "error.param") + ": " + text_at(body, "error.message");
}

TEST_F(ChatTest, AnswersWithOneBody) {
  engine_->script = {.pieces = {"Hel", "lo"}, .error = {}};
  const http::Response response = chat()->wait();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  const text::Json body = json_of(response.body);
  EXPECT_TRUE(text_at(body, "id").starts_with("chatcmpl-"));
  EXPECT_EQ(text_at(body, "object"), "chat.completion");
  EXPECT_EQ(text_at(body, "model"), "Fake-1B");
  EXPECT_EQ(text_at(body, "choices.0.message.role"), "assistant");
  EXPECT_EQ(text_at(body, "choices.0.message.content"), "Hello");
  EXPECT_EQ(text_at(body, "choices.0.message.reasoning_content"), "-");
  EXPECT_EQ(text_at(body, "choices.0.finish_reason"), "stop");
  EXPECT_EQ(text_at(body, "usage.completion_tokens"), "2");
  EXPECT_EQ(text_at(body, "warnings"), "-");
  EXPECT_NE(text_at(body, "timings.decode_ms"), "-");
}

TEST_F(ChatTest, AStreamHasRoleDeltasFinishAndDone) {
  engine_->script = {.pieces = {"Hel", "lo"}, .error = {}};
  const auto exchange = chat(R"(, "stream": true)");
  const http::Response response = exchange->wait();
  EXPECT_EQ(response.content_type, "text/event-stream");
  EXPECT_EQ(exchange->heartbeat(), ": ping\n\n");
  const auto events = events_of(response.body);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(text_at(json_of(events[0]), "choices.0.delta.role"), "assistant");
  EXPECT_EQ(text_at(json_of(events[0]), "choices.0.finish_reason"), "null");
  EXPECT_EQ(text_at(json_of(events[1]), "choices.0.delta.content"), "Hel");
  EXPECT_EQ(text_at(json_of(events[2]), "choices.0.delta.content"), "lo");
  EXPECT_EQ(text_at(json_of(events[3]), "choices.0.delta"), "{}");
  EXPECT_EQ(text_at(json_of(events[3]), "choices.0.finish_reason"), "stop");
  EXPECT_EQ(events[4], "[DONE]");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(text_at(json_of(events[i]), "object"), "chat.completion.chunk");
    EXPECT_EQ(text_at(json_of(events[i]), "usage"), "-") << "not asked for";
  }
}

TEST_F(ChatTest, UsageComesLastWithoutChoicesWhereAskedFor) {
  engine_->script = {.pieces = {"a", "b", "c"}, .error = {}};
  const auto events = events_of(chat(R"(, "stream": true, "stream_options": {"include_usage": true})")->wait().body);
  ASSERT_EQ(events.size(), 7U);
  EXPECT_EQ(text_at(json_of(events[0]), "usage"), "null");
  EXPECT_EQ(text_at(json_of(events[5]), "choices"), "[]");
  EXPECT_EQ(text_at(json_of(events[5]), "usage.completion_tokens"), "3");
}

TEST_F(ThinkingChatTest, ThoughtAndContentComeApart) {
  const text::Json body = chat_json();
  EXPECT_EQ(text_at(body, "choices.0.message.content"), "Yes");
  EXPECT_EQ(text_at(body, "choices.0.message.reasoning_content"), "I think.\n");
  EXPECT_EQ(text_at(body, "usage.completion_tokens_details.reasoning_tokens"), "4");
}

TEST_F(ThinkingChatTest, JoinedDeltasAreTheBody) {
  std::string reasoning;
  std::string content;
  for (const std::string& event : events_of(chat(R"(, "stream": true)")->wait().body)) {
    if (event == "[DONE]") continue;
    const text::Json chunk = json_of(event);
    const text::Json* delta = at(chunk, "choices.0.delta");
    if (const auto* text = delta->find("reasoning_content")) reasoning += *text->as_string();
    if (const auto* text = delta->find("content")) content += *text->as_string();
  }
  EXPECT_EQ(reasoning, "I think.\n");
  EXPECT_EQ(content, "Yes");
}

TEST_F(ThinkingChatTest, TheFormOfThoughtsCanBeChosen) {
  const auto content = [&](const char* format) {
    return text_at(chat_json(std::string(R"(, "reasoning_format": ")") + format + "\""), "choices.0.message.content");
  };
  EXPECT_EQ(content("none"), "\nI think.\n</think>\n\nYes");
  EXPECT_EQ(content("inline"), "<think>\n\nI think.\n</think>\n\nYes");
  EXPECT_EQ(content("hidden"), "Yes");
  EXPECT_EQ(text_at(chat_json(R"(, "reasoning_format": "hidden")"), "choices.0.message.reasoning_content"), "-");
}

TEST_F(ThinkingChatTest, EffortsAndBudgetsReachTheEngine) {
  const auto budget = [&](const char* more) {
    chat(more)->wait();
    return engine_->last.thought.max_tokens.value_or(-1);
  };
  EXPECT_EQ(budget(""), -1);
  EXPECT_EQ(budget(R"(, "reasoning_effort": "low")"), 512);
  EXPECT_EQ(budget(R"(, "reasoning_effort": "high")"), -1);
  EXPECT_EQ(budget(R"(, "thinking_budget": 7)"), 7);
  EXPECT_EQ(budget(R"(, "thinking": {"type": "enabled", "budget_tokens": 9})"), 9);
  EXPECT_FALSE(engine_->last.thought.forced_close.empty());
  EXPECT_EQ(budget(R"(, "reasoning": {"max_tokens": 11})"), 11);
}

TEST_F(ThinkingChatTest, GreedyDecodingIsWarnedOf) {
  EXPECT_NE(text_at(chat_json(R"(, "temperature": 0)"), "warnings.0").find("0.6"), std::string::npos);
}

TEST_F(ChatTest, MaxTokensInAllForms) {
  const auto limit = [&](const char* more) {
    chat(more)->wait();
    return engine_->last.max_new_tokens;
  };
  EXPECT_GT(limit(""), 1000000);
  EXPECT_GT(limit(R"(, "max_tokens": null)"), 1000000);
  EXPECT_GT(limit(R"(, "max_tokens": -1)"), 1000000);
  EXPECT_EQ(limit(R"(, "max_tokens": 0)"), 0);
  EXPECT_EQ(limit(R"(, "max_completion_tokens": 5)"), 5);
  EXPECT_EQ(limit(R"(, "max_tokens": 9, "max_completion_tokens": 5)"), 5);
  EXPECT_EQ(limit(R"(, "max_tokens": -1, "max_completion_tokens": 5.0)"), 5);
  for (const char* bad : {"-5", "\"5\"", "1.5", "true", "[]", "1e12", "1e308"}) {
    const auto response = chat(std::string(R"(, "max_tokens": )") + bad)->wait();
    EXPECT_TRUE(error_of(response).starts_with("400 max_tokens: max_tokens: want a whole number")) << bad;
  }
}

TEST_F(ChatTest, WrongFieldsAreNamed) {
  for (const char* more :
       {R"("temperature": "hot")",
        R"("top_p": 2)",
        R"("n": 0)",
        R"("n": 9)",
        R"("stream": 1)",
        R"("stop": [5])",
        R"("seed": "x")",
        R"("logit_bias": 5)",
        R"("logit_bias": {"1": "a"})",
        R"("logit_bias": {"999": 1})",
        R"("top_logprobs": 21, "logprobs": true)",
        R"("response_format": "json")",
        R"("response_format": {"type": 5})",
        R"("num_beams": 4)",
        R"("messages": [])",
        R"("messages": [{"role": "hacker", "content": ""}])",
        R"("messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}])",
        R"("stream_options": 5)",
        R"("chat_template": "x")",
        R"("reasoning_effort": "enormous")",
        R"("continue_final_message": true)"}) {
    const auto response = chat(std::string(", ") + more)->wait();
    EXPECT_EQ(response.status, 400) << more;
    const std::string param = text_at(json_of(response.body), "error.param");
    const std::string field = std::string(more).substr(1, std::string(more).find('"', 1) - 1);
    EXPECT_TRUE(param.starts_with(field)) << more << " blamed " << param;
  }
  EXPECT_EQ(engine_->n_submitted, 0);
}

TEST_F(ChatTest, WhatIsNoJsonObjectIsRefused) {
  for (const char* body : {"", "{", "null", "[]", "42", "{} x"}) {
    const auto response = post("/v1/chat/completions", body)->wait();
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(text_at(json_of(response.body), "error.type"), "invalid_request_error");
  }
}

TEST_F(ChatTest, UnknownFieldsAreListed) {
  const text::Json body = chat_json(R"(, "max_token": 5, "early_stopping": true)");
  EXPECT_EQ(text_at(body, "warnings"),
            R"(["early_stopping: without beams it has no effect","max_token: unknown, ignored"])");
}

TEST_F(ChatTest, AnswersToItsNamesAndNoOther) {
  for (const char* name : {"", "Fake-1B", "fake-1b", "mine"}) {
    EXPECT_EQ(chat(std::string(R"(, "model": ")") + name + "\"")->wait().status, 200) << name;
  }
  const auto response = chat(R"(, "model": "gpt-4o")")->wait();
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(text_at(json_of(response.body), "error.code"), "model_not_found");
  EXPECT_NE(response.body.find("Fake-1B"), std::string::npos);
}

TEST_F(ChatTest, ContentMayBePartsOrNull) {
  const auto prompt = [&](const char* messages) {
    EXPECT_EQ(post("/v1/chat/completions", std::string(R"({"messages": )") + messages + "}")->wait().status, 200);
    return engine_->tokenizer().decode(engine_->last.prompt);
  };
  EXPECT_EQ(prompt(R"([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}])"),
            "user: ab\nassistant:");
  EXPECT_EQ(prompt(R"([{"role": "developer", "content": null}, {"role": "user", "content": "x"}])"),
            "developer: \nuser: x\nassistant:");
}

TEST_F(ChatTest, ALongPromptIsRefusedWithNumbers) {
  const auto ask = [&](std::size_t n) {
    return post("/v1/chat/completions",
                R"({"messages": [{"role": "user", "content": ")" + std::string(n, 'a') + "\"}]}")
        ->wait();
  };
  const text::Json body = json_of(ask(2000).body);
  EXPECT_EQ(text_at(body, "error.code"), "context_length_exceeded");
  EXPECT_EQ(text_at(body, "error.n_ctx"), "1000");
  EXPECT_EQ(text_at(body, "error.n_prompt_tokens"), std::to_string(2000 + std::string("user: \nassistant:").size()));
  EXPECT_EQ(text_at(json_of(ask(100000).body), "error.code"), "context_length_exceeded") << "before tokenisation";
}

TEST_F(ChatTest, AFullQueueIs429) {
  engine_->max_requests = 0;
  const auto response = chat(R"(, "stream": true)")->wait();
  EXPECT_EQ(response.status, 429);
  ASSERT_EQ(response.headers.size(), 1U);
  EXPECT_EQ(response.headers[0].name, "Retry-After");
  EXPECT_EQ(text_at(json_of(response.body), "error.code"), "queue_full");
}

TEST_F(ChatTest, WhereTheThirdChoiceIsRefusedNoneRuns) {
  engine_->max_requests = 2;
  engine_->script = {.pieces = {"a"}, .error = {}, .wait_for_cancel = true};
  const auto exchange = chat(R"(, "n": 3)");
  EXPECT_EQ(exchange->wait().status, 429);
  EXPECT_TRUE(engine_->was_cancelled(1));
  EXPECT_TRUE(engine_->was_cancelled(2));
  EXPECT_EQ(exchange->n_answers(), 1);
}

TEST_F(ChatTest, ManyChoicesHaveSeedsOfTheirOwn) {
  engine_->script = {.pieces = {"x"}, .error = {}};
  const text::Json body = chat_json(R"(, "n": 3, "seed": 7)");
  EXPECT_EQ(at(body, "choices")->as_array()->size(), 3U);
  EXPECT_EQ(engine_->last.sample.seed, 9U);
  EXPECT_EQ(text_at(body, "seed"), "7");
  EXPECT_EQ(text_at(body, "usage.completion_tokens"), "3");
}

TEST_F(ChatTest, AClientThatLeavesCancelsItsOwnAnswerAlone) {
  engine_->script = {.pieces = {"a"}, .error = {}, .wait_for_cancel = true};
  const auto first = chat(R"(, "stream": true)");
  first->wait_for("\"a\"");
  const auto second = chat(R"(, "stream": true)");
  second->wait_for("\"a\"");
  first->leave();
  EXPECT_TRUE(engine_->was_cancelled(1));
  EXPECT_FALSE(engine_->was_cancelled(2));
}

TEST_F(ChatTest, AnswerNowIsForTheClientThatAsked) {
  engine_->script = {.pieces = {"a"}, .error = {}, .wait_for_cancel = true};
  const auto exchange = chat(R"(, "stream": true)");
  exchange->wait_for("\"a\"");
  const std::string id = text_at(json_of(events_of(exchange->body()).front()), "id");
  const std::string path = "/v1/chat/completions/" + id;
  EXPECT_EQ(send("POST", path + "/answer-now", "", "a stranger")->wait().status, 404);
  EXPECT_FALSE(engine_->was_thought_closed(1));
  EXPECT_EQ(send("POST", path + "/answer-now", "")->wait().status, 200);
  EXPECT_TRUE(engine_->was_thought_closed(1));
  EXPECT_EQ(send("POST", path + "/cancel", "")->wait().status, 200);
  const auto events = events_of(exchange->wait().body);
  const text::Json last = json_of(events[events.size() - 2]);
  EXPECT_EQ(text_at(last, "choices.0.finish_reason"), "stop");
  EXPECT_EQ(text_at(last, "choices.0.finish_detail"), "cancelled");
  EXPECT_EQ(send("POST", path + "/cancel", "")->wait().status, 404) << "it is over";
}

TEST_F(ChatTest, AFailureInTheStreamIsAnEvent) {
  engine_->script = {.pieces = {"a"}, .finish = Finish::kFailed, .error = {ErrorCode::kInternal, "NaN in layer 3"}};
  const auto events = events_of(chat(R"(, "stream": true)")->wait().body);
  EXPECT_EQ(text_at(json_of(events[events.size() - 2]), "error.message"), "NaN in layer 3");
  EXPECT_EQ(events.back(), "[DONE]");
  EXPECT_EQ(chat()->wait().status, 500);
}

TEST_F(ChatTest, LogprobsComeWithTheirTokens) {
  engine_->script = {.pieces = {"H", "i"}, .error = {}};
  const text::Json body = chat_json(R"(, "logprobs": true, "top_logprobs": 2)");
  EXPECT_EQ(text_at(body, "choices.0.logprobs.content.1.token"), "i");
  EXPECT_EQ(text_at(body, "choices.0.logprobs.content.1.bytes"), "[105]");
  EXPECT_EQ(at(body, "choices.0.logprobs.content.0.top_logprobs")->as_array()->size(), 2U);
  EXPECT_EQ(text_at(chat_json(), "choices.0.logprobs"), "null");
}

TEST_F(ChatTest, ModelsAreListedAndShown) {
  const text::Json list = json_of(send("GET", "/v1/models", "")->wait().body);
  EXPECT_EQ(text_at(list, "data.0.id"), "Fake-1B");
  EXPECT_EQ(text_at(list, "data.0.meta.n_ctx"), "1000");
  EXPECT_EQ(send("GET", "/v1/models/mine", "")->wait().status, 200);
  EXPECT_EQ(send("GET", "/v1/models/gpt-4o", "")->wait().status, 404);
}

TEST_F(ChatTest, ReadyOnlyAfterWarmUp) {
  EXPECT_EQ(send("GET", "/live", "")->wait().status, 200);
  EXPECT_EQ(send("GET", "/ready", "")->wait().status, 503);
  EXPECT_EQ(send("GET", "/health", "")->wait().status, 503);
  ASSERT_TRUE(service_.warm_up());
  EXPECT_EQ(send("GET", "/ready", "")->wait().status, 200);
  EXPECT_EQ(send("GET", "/health", "")->wait().status, 200);
  EXPECT_EQ(text_at(json_of(send("GET", "/version", "")->wait().body), "name"), "reckon");
}

}  // namespace
}  // namespace reckon::server
