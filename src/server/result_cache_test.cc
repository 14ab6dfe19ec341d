#include "server/result_cache.h"

#include "server/service_fixture.h"

namespace reckon::server {
namespace {

ChoiceResult said(std::string content) {
  ChoiceResult result;
  result.content = std::move(content);
  result.finish = Finish::kStop;
  return result;
}

void put(ResultCache& cache, const std::string& key, const ChoiceResult& result,
         ResultCache::Clock::time_point now = {}) {
  cache.put(key, {&result, 1}, now);
}

TEST(ResultCache, TheLeastRecentlyUsedGoesFirst) {
  ResultCache cache({.max_entries = 2});
  put(cache, "a", said("1"));
  put(cache, "b", said("2"));
  EXPECT_NE(cache.find("a", {}), nullptr);
  put(cache, "c", said("3"));
  EXPECT_EQ(cache.find("b", {}), nullptr);
  ASSERT_NE(cache.find("a", {}), nullptr);
  EXPECT_EQ(cache.find("a", {})->front().content, "1");
}

TEST(ResultCache, KeepsWithinItsBytes) {
  ResultCache cache({.max_entries = 100, .max_bytes = 10000});
  put(cache, "big", said(std::string(20000, 'x')));
  EXPECT_EQ(cache.find("big", {}), nullptr);
  put(cache, "a", said(std::string(6000, 'x')));
  put(cache, "b", said(std::string(6000, 'x')));
  EXPECT_EQ(cache.find("a", {}), nullptr);
  EXPECT_NE(cache.find("b", {}), nullptr);
}

TEST(ResultCache, EntriesGrowOld) {
  using std::chrono::seconds;
  ResultCache cache({.lifetime = seconds(10)});
  const ResultCache::Clock::time_point start{};
  put(cache, "a", said("1"), start);
  EXPECT_NE(cache.find("a", start + seconds(10)), nullptr);
  EXPECT_EQ(cache.find("a", start + seconds(11)), nullptr);
}

TEST(ResultCache, KeepsNoAnswerThatWasCutShort) {
  ResultCache cache({});
  for (const Finish finish : {Finish::kCancelled, Finish::kFailed}) {
    ChoiceResult result = said("x");
    result.finish = finish;
    put(cache, "a", result);
  }
  ChoiceResult asked = said("x");
  asked.thought_end = ThoughtEnd::kAsked;
  put(cache, "a", asked);
  EXPECT_EQ(cache.find("a", {}), nullptr);
}

std::string header(const http::Response& response, std::string_view name) {
  for (const http::Header& header : response.headers) {
    if (header.name == name) return header.value;
  }
  return "-";
}

class CachedChatTest : public ServiceTest {
 protected:
  CachedChatTest() : ServiceTest({"<think>", "</think>"}, true) {
    engine_->script = {.pieces = {"hm", "</think>", "yes"}, .error = {}, .n_thought = 2};
  }
  int n_run() const { return engine_->n_submitted; }
};

TEST_F(CachedChatTest, TheSameDeterministicRequestIsAnsweredOnce) {
  for (const char* more : {R"(, "temperature": 0)", R"(, "seed": 5)", R"(, "seed": 5, "logprobs": true)"}) {
    const int before = n_run();
    const http::Response first = chat(more)->wait();
    const http::Response second = chat(more)->wait();
    EXPECT_EQ(header(first, "X-Cache"), "miss");
    EXPECT_EQ(header(second, "X-Cache"), "hit");
    EXPECT_EQ(n_run(), before + 1);
    for (const char* path : {"choices", "usage", "seed"}) {
      EXPECT_EQ(text_at(json_of(first.body), path), text_at(json_of(second.body), path)) << path;
    }
    EXPECT_NE(text_at(json_of(first.body), "id"), text_at(json_of(second.body), "id"));
  }
}

TEST_F(CachedChatTest, AStreamMayBeAnsweredByABodyOfBefore) {
  chat(R"(, "seed": 5)")->wait();
  const http::Response stream = chat(R"(, "seed": 5, "stream": true)")->wait();
  EXPECT_EQ(header(stream, "X-Cache"), "hit");
  const auto events = events_of(stream.body);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(text_at(json_of(events[1]), "choices.0.delta.reasoning_content"), "hm");
  EXPECT_EQ(text_at(json_of(events[2]), "choices.0.delta.content"), "yes");
}

TEST_F(CachedChatTest, WhatIsRandomIsMadeAnew) {
  EXPECT_EQ(header(chat()->wait(), "X-Cache"), "-");
  EXPECT_EQ(header(chat(R"(, "temperature": 1)")->wait(), "X-Cache"), "-");
  chat(R"(, "seed": 1)")->wait();
  EXPECT_EQ(header(chat(R"(, "seed": 2)")->wait(), "X-Cache"), "miss");
  EXPECT_EQ(n_run(), 4);
}

}  // namespace
}  // namespace reckon::server
