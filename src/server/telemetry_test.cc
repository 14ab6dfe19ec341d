#include "server/telemetry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "server/service_fixture.h"

namespace reckon::server {
namespace {

class NoListener final : public AnswerListener {
 public:
  bool on_piece(std::size_t, const Piece&) override { return true; }
  void on_choice_end(std::size_t, const ChoiceResult&) override { ++n_ended; }
  void on_end(std::span<const ChoiceResult>) override {}
  int n_ended = 0;
};

ChoiceResult a_result() {
  ChoiceResult result;
  result.reasoning = "SECRET THOUGHT";
  result.content = "SECRET ANSWER";
  result.finish = Finish::kLength;
  result.timings = {.queue_ms = 1,
                    .prefill_ms = 20,
                    .decode_ms = 300,
                    .n_prompt = 9,
                    .n_cached = 4,
                    .n_generated = 7,
                    .n_thought = 2};
  result.first_token_ms = 21;
  result.first_answer_ms = 120;
  result.total_ms = 321;
  return result;
}

std::unique_ptr<Telemetry> make_telemetry(std::string log = "") {
  Telemetry::Setup setup;
  setup.labels = {.model = "m", .version = "1", .isa = "avx2"};
  setup.request_log = std::move(log);
  auto made = Telemetry::create(std::move(setup));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return std::move(made).value_or(nullptr);
}

TEST(Telemetry, counts_answers_and_requests_on_their_way_through) {
  auto telemetry = make_telemetry();
  Telemetry& counting = *telemetry;
  Service service({}, std::move(telemetry));
  const auto listener = std::make_shared<NoListener>();
  counting.metered(listener, "r1", "c")->on_choice_end(0, a_result());
  EXPECT_EQ(listener->n_ended, 1);
  http::Request request;
  request.method = "BREW";
  counting.exchange_ended(
      {.request = &request, .status = 404, .route = "", .bytes_sent = 3, .duration_ms = 2, .client_left = false});
  const std::string text = counting.prometheus_text(service);
  EXPECT_NE(text.find("reckon_answers_total{finish_reason=\"length\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("reckon_generated_tokens_total{part=\"thought\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("reckon_prompt_tokens_total{source=\"cache\"} 4\n"), std::string::npos);
  EXPECT_NE(text.find("http_requests_total{handler=\"none\",method=\"other\",status=\"404\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("process_resident_memory_bytes"), std::string::npos);
}

TEST(Telemetry, logs_who_and_how_long_but_never_what_was_said) {
  const auto path = std::filesystem::path(testing::TempDir()) / "requests.jsonl";
  std::filesystem::remove(path);
  {
    const auto telemetry = make_telemetry(path.string());
    telemetry->metered(std::make_shared<NoListener>(), "r1", "team-a")->on_choice_end(0, a_result());
    http::Request request;
    request.id = "r1";
    request.client = "team-a";
    request.method = "POST";
    request.path = "/v1/chat/SECRET";
    request.body = "SECRET BODY";
    telemetry->exchange_ended({.request = &request,
                               .status = 200,
                               .route = "/v1/{x}",
                               .bytes_sent = 99,
                               .duration_ms = 322.04,
                               .client_left = true});
  }
  std::ifstream file(path);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string log = bytes.str();
  EXPECT_EQ(log.find("SECRET"), std::string::npos) << log;
  EXPECT_EQ(std::ranges::count(log, '\n'), 2);
  for (const char* part :
       {"\"event\": \"answer\"", "\"thought_tokens\": 2", "\"finish\": \"length\"", "\"client\": \"team-a\"",
        "\"event\": \"request\"", "\"route\": \"/v1/{x}\"", "\"client_left\": true"}) {
    EXPECT_NE(log.find(part), std::string::npos) << part << " is not in\n" << log;
  }
}

TEST(Telemetry, a_log_that_cannot_be_written_is_said_at_the_start) {
  Telemetry::Setup setup;
  setup.request_log = "/proc/nowhere/requests.jsonl";
  const auto made = Telemetry::create(std::move(setup));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace reckon::server
