#include "server/openai/embeddings.h"

#include <fmt/format.h>

#include "server/service_fixture.h"

namespace reckon::server {
namespace {

using EmbeddingsTest = ServiceTest;

TEST_F(EmbeddingsTest, VectorsHaveLengthOne) {
  const text::Json body = json_of(post("/v1/embeddings", R"({"input": ["ab", "c"]})")->wait().body);
  EXPECT_EQ(text_at(body, "data.1.embedding"), "[0.60000002,0.80000001]");
  EXPECT_EQ(text_at(body, "data.1.index"), "1");
  EXPECT_EQ(text_at(body, "usage.prompt_tokens"), "3");
  EXPECT_EQ(engine_->last.pooling, Pooling::kMean);
  EXPECT_EQ(engine_->last.max_new_tokens, 0);
}

TEST_F(EmbeddingsTest, FormsAndPoolingCanBeChosen) {
  const text::Json body = json_of(
      post("/v1/embeddings", R"({"input": "a", "encoding_format": "base64", "pooling": "last", "dimensions": 1})")
          ->wait()
          .body);
  EXPECT_EQ(text_at(body, "data.0.embedding"), "AACAPw==") << "1.0f";
  EXPECT_EQ(engine_->last.pooling, Pooling::kLast);
}

std::string batch_of(int n) {
  std::string body = R"({"input": ["0")";
  for (int i = 1; i < n; ++i) body += fmt::format(R"(, "{}")", i);
  return body + "]}";
}

TEST_F(EmbeddingsTest, ABatchMayBeLargerThanTheQueue) {
  engine_->max_in_flight = 8;
  const text::Json body = json_of(post("/v1/embeddings", batch_of(50))->wait().body);
  EXPECT_EQ(text_at(body, "data.49.index"), "49");
  EXPECT_EQ(text_at(body, "data.50"), "-");
  EXPECT_LE(engine_->most_in_flight, 8);
}

TEST_F(EmbeddingsTest, ABatchIsRefusedWhereNoPlaceIsFreeForItsBeginning) {
  engine_->max_in_flight = 7;
  engine_->script.wait_for_cancel = true;  // none ends and makes room
  EXPECT_EQ(post("/v1/embeddings", batch_of(50))->wait().status, 429);
}

TEST_F(EmbeddingsTest, WrongFieldsAreRefused) {
  for (const char* body : {R"({})", R"({"input": 5})", R"({"input": []})", R"({"input": "a", "dimensions": 3})",
                           R"({"input": "a", "encoding_format": "hex"})", R"({"input": "a", "pooling": "max"})",
                           R"({"input": "a", "model": 5})"}) {
    EXPECT_EQ(post("/v1/embeddings", body)->wait().status, 400) << body;
  }
}

}  // namespace
}  // namespace reckon::server
