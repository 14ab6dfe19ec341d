#include "server/service_fixture.h"

namespace reckon::server {
namespace {

using OllamaModelsTest = ServiceTest;

TEST_F(OllamaModelsTest, TheModelIsListedWithATag) {
  for (const char* path : {"/api/tags", "/api/ps"}) {
    const text::Json body = json_of(send("GET", path, "")->wait().body);
    EXPECT_EQ(text_at(body, "models.0.name"), "Fake-1B:latest") << path;
    EXPECT_EQ(text_at(body, "models.0.details.format"), "gguf") << path;
    EXPECT_EQ(text_at(body, "models.0.digest").size(), 64U) << path;
    EXPECT_EQ(text_at(body, "models.1"), "-") << path;
  }
  EXPECT_EQ(text_at(json_of(send("GET", "/api/ps", "")->wait().body), "models.0.context_length"), "1000");
}

TEST_F(OllamaModelsTest, ShowTellsWhatTheModelCan) {
  const text::Json body = json_of(post("/api/show", R"({"model": "mine:latest"})")->wait().body);
  EXPECT_EQ(text_at(body, "capabilities"), R"(["completion","tools"])");
  EXPECT_EQ(text_at(body, "model_info.general.architecture"), "-") << "names with dots are one name";
  EXPECT_NE(text_at(body, "modelfile").find("PARAMETER temperature 0.6"), std::string::npos);
  EXPECT_NE(text_at(body, "parameters").find("temperature 0.6"), std::string::npos);
  EXPECT_EQ(post("/api/show", R"({"model": "other"})")->wait().status, 404);
}

TEST_F(OllamaModelsTest, FilesAreManagedByHand) {
  for (const char* path : {"/api/pull", "/api/push", "/api/create", "/api/copy", "/api/blobs/sha256:00"}) {
    const http::Response response = post(path, R"({"model": "x"})")->wait();
    EXPECT_EQ(response.status, 501) << path;
    EXPECT_NE(text_at(json_of(response.body), "error").find("managed by hand"), std::string::npos) << path;
  }
  EXPECT_EQ(send("DELETE", "/api/delete", "{}")->wait().status, 501);
}

TEST_F(OllamaModelsTest, EmbeddingsAreOfLengthOneUnlessTheOlderEndpointIsAsked) {
  engine_->script = {.pieces = {}, .finish = Finish::kLength, .error = {}};
  const text::Json body = json_of(post("/api/embed", R"({"input": ["ab", "c"]})")->wait().body);
  EXPECT_EQ(text_at(body, "embeddings"), "[[0.60000002,0.80000001],[0.60000002,0.80000001]]");
  EXPECT_EQ(text_at(body, "prompt_eval_count"), "3");
  EXPECT_EQ(at(json_of(post("/api/embeddings", R"({"prompt": "ab"})")->wait().body), "embedding")->as_array()->size(),
            2U);
  EXPECT_EQ(text_at(json_of(post("/api/embed", R"({"input": []})")->wait().body), "embeddings"), "[]");
  EXPECT_EQ(post("/api/embed", R"({"input": 5})")->wait().status, 400);
}

TEST_F(OllamaModelsTest, LongInputsAreCutUnlessToldOtherwise) {
  engine_->script = {.pieces = {}, .finish = Finish::kLength, .error = {}};
  const std::string long_text(5000, 'a');
  EXPECT_EQ(post("/api/embed", R"({"input": ")" + long_text + "\"}")->wait().status, 200);
  EXPECT_EQ(engine_->last.prompt.size(), 999U);
  EXPECT_EQ(post("/api/embed", R"({"truncate": false, "input": ")" + long_text + "\"}")->wait().status, 400);
}

}  // namespace
}  // namespace reckon::server
