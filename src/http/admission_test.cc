#include "http/admission.h"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <string>
#include <vector>

#include "http/field_text.h"

namespace reckon::http {
namespace {

const std::string kKey = "a-key-of-some-length";

Access with_key(std::string name = "alice") {
  Access access;
  ApiKey key;
  key.name = std::move(name);
  SHA256(reinterpret_cast<const unsigned char*>(kKey.data()), kKey.size(), key.sha256.data());
  access.keys.push_back(key);
  return access;
}

class AdmissionTest : public testing::Test {
 protected:
  AdmissionTest() {
    const auto nothing = [](const std::shared_ptr<Exchange>&) {};
    router_.add({"GET", "/v1/models", nothing});
    router_.add({"POST", "/v1/chat", nothing});
    router_.add({"GET", "/health", nothing, true});
    router_.add({.method = "POST", .path = "/api/chat", .handler = nothing, .takes_untyped_json = true});
  }
  static MessageHead head(std::string method, std::string target, std::vector<Header> headers = {}) {
    MessageHead made;
    made.method = std::move(method);
    made.target = std::move(target);
    made.headers = std::move(headers);
    made.headers.push_back({"Host", "localhost:8080"});
    return made;
  }
  static MessageHead json_post(std::vector<Header> headers = {}, std::uint64_t length = 2) {
    headers.push_back({"Content-Type", "application/json"});
    MessageHead made = head("POST", "/v1/chat", std::move(headers));
    made.content_length = length;
    return made;
  }
  Admission judge(const MessageHead& given) const {
    return admit(given, "10.0.0.7", {router_, access_, limits_, own_hosts_, is_draining_});
  }
  int status(const MessageHead& given) const {
    const Admission admission = judge(given);
    return admission.refusal ? admission.refusal->status : 0;
  }
  int status_of_host(const std::string& host) const {
    MessageHead given = head("GET", "/v1/models");
    given.headers.back().value = host;
    return status(given);
  }
  static std::string header(const Response& response, std::string_view name) {
    for (const Header& header : response.headers) {
      if (equals_ignoring_case(header.name, name)) return header.value;
    }
    return {};
  }

  Router router_;
  Access access_;
  Limits limits_;
  std::vector<std::string> own_hosts_ = {"192.168.1.5", "reckon.lan"};
  bool is_draining_ = false;
};

TEST_F(AdmissionTest, LetsASoundRequestThrough) {
  const Admission admission = judge(head("GET", "/v1/models?limit=%20", {{"X-Request-Id", "abc-1.2_3"}}));
  EXPECT_FALSE(admission.refusal);
  ASSERT_NE(admission.route, nullptr);
  EXPECT_EQ(admission.request.path, "/v1/models");
  EXPECT_EQ(admission.request.query, "limit=%20");
  EXPECT_EQ(admission.request.id, "abc-1.2_3");
  EXPECT_EQ(admission.request.client, "10.0.0.7");
}

TEST_F(AdmissionTest, TakesNoRequestIdThatIsNotSound) {
  for (const std::string& id : {std::string(129, 'a'), std::string("a b"), std::string("a%0d"), std::string()}) {
    EXPECT_EQ(judge(head("GET", "/v1/models", {{"X-Request-Id", id}})).request.id, "") << id;
  }
}

TEST_F(AdmissionTest, GoesByItsOwnNamesOnly) {
  for (const char* good :
       {"localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "localhost.", "192.168.1.5:8080", "reckon.lan"}) {
    EXPECT_EQ(status_of_host(good), 0) << good;
  }
  for (const char* bad : {"evil.example", "localhost.evil.example", "127.0.0.1.nip.io:8080", "localhost@evil.example",
                          "169.254.169.254", "", "[::2]", "[::1", "localhost:80:80", "localhost:port", "localhost/x"}) {
    EXPECT_EQ(status_of_host(bad), 403) << bad;
  }
  access_.hosts = {"chat.example"};
  EXPECT_EQ(status_of_host("chat.example:443"), 0);
  EXPECT_EQ(status_of_host("evil.example"), 403);
  access_.hosts = {"*"};
  EXPECT_EQ(status_of_host("evil.example"), 0);
}

TEST_F(AdmissionTest, WantsOneHost) {
  EXPECT_EQ(status(head("GET", "/v1/models", {{"Host", "evil.example"}})), 400);
  MessageHead none = head("GET", "/v1/models");
  none.headers.clear();
  EXPECT_EQ(status(none), 400);
  none.is_http_1_0 = true;
  EXPECT_EQ(status(none), 0);
  EXPECT_EQ(status(head("GET", "http://localhost/v1/models")), 0);
  EXPECT_EQ(status(head("GET", "http://evil.example/v1/models")), 403);
}

TEST_F(AdmissionTest, ChecksTheHostBeforeTheRouteIsTold) {
  MessageHead nowhere = head("GET", "/no/such/route");
  nowhere.headers.back().value = "evil.example";
  EXPECT_EQ(status(nowhere), 403);
}

TEST_F(AdmissionTest, LetsItsOwnPageAskAndNoOther) {
  EXPECT_EQ(status(json_post({{"Origin", "http://localhost:8080"}})), 0);
  EXPECT_EQ(status(json_post({{"Origin", "https://localhost:8080"}})), 0);
  for (const char* bad :
       {"http://evil.example", "null", "", "http://localhost", "http://localhost:8081", "http://localhost.evil.example",
        "http://127.0.0.1@evil.example", "file://", "chrome-extension://abc", "ftp://localhost:8080", "*"}) {
    const Admission admission = judge(json_post({{"Origin", bad}}));
    ASSERT_TRUE(admission.refusal) << bad;
    EXPECT_EQ(admission.refusal->status, 403) << bad;
    EXPECT_EQ(admission.allow_origin, "") << bad;
  }
}

TEST_F(AdmissionTest, TakesTheUsualPortForNone) {
  MessageHead given = head("GET", "/v1/models", {{"Origin", "https://chat.example"}});
  given.headers.back().value = "Chat.Example:443";
  access_.hosts = {"chat.example"};
  EXPECT_EQ(status(given), 0);
}

TEST_F(AdmissionTest, AnswersThePreflightOfAllowedOriginsOnly) {
  const std::vector<Header> asked = {{"Origin", "https://chat.example"},
                                     {"Access-Control-Request-Method", "POST"},
                                     {"Access-Control-Request-Headers", "content-type,x-stainless-os"}};
  EXPECT_EQ(status(head("OPTIONS", "/v1/chat", asked)), 403);
  access_.origins = {"https://chat.example"};
  const Admission admission = judge(head("OPTIONS", "/v1/chat", asked));
  ASSERT_TRUE(admission.refusal);
  EXPECT_EQ(admission.refusal->status, 204);
  EXPECT_EQ(admission.allow_origin, "https://chat.example");
  EXPECT_EQ(header(*admission.refusal, "Access-Control-Allow-Headers"), "content-type,x-stainless-os");
  EXPECT_EQ(judge(json_post({{"Origin", "https://CHAT.example"}})).allow_origin, "https://CHAT.example");
  access_.origins = {"*"};
  EXPECT_EQ(judge(json_post({{"Origin", "null"}})).allow_origin, "*");
}

TEST_F(AdmissionTest, ReflectsNoHeaderNamesThatAreNone) {
  access_.origins = {"*"};
  const Admission admission = judge(head("OPTIONS", "/v1/chat",
                                         {{"Origin", "https://a"},
                                          {"Access-Control-Request-Method", "POST"},
                                          {"Access-Control-Request-Headers", "a: b; c"}}));
  EXPECT_EQ(header(*admission.refusal, "Access-Control-Allow-Headers"), "");
}

TEST_F(AdmissionTest, AsksForTheKey) {
  access_ = with_key();
  EXPECT_EQ(judge(head("GET", "/v1/models", {{"Authorization", "Bearer " + kKey}})).request.client, "alice");
  EXPECT_EQ(status(head("GET", "/v1/models", {{"Authorization", "bearer  " + kKey}})), 0);
  EXPECT_EQ(status(head("GET", "/v1/models", {{"X-Api-Key", kKey}})), 0);
  EXPECT_EQ(status(head("GET", "/v1/models", {{"Authorization", "Basic abc"}, {"X-Api-Key", kKey}})), 0);
  EXPECT_EQ(status(head("GET", "/health")), 0);
  const std::vector<std::vector<Header>> bad = {
      {},
      {{"Authorization", "Bearer wrong"}},
      {{"Authorization", "Bearer " + kKey.substr(1)}},
      {{"Authorization", "Bearer " + kKey + "x"}},
      {{"Authorization", "Bearer "}},
      {{"Authorization", "Bearer"}},
      {{"Authorization", "Basic " + kKey}},
      {{"Authorization", kKey}},
      {{"Authorization", "Bearer wrong"}, {"Authorization", "Bearer " + kKey}},
      {{"Cookie", "api_key=" + kKey}},
  };
  for (const std::vector<Header>& headers : bad) {
    const Admission admission = judge(head("GET", "/v1/models", headers));
    ASSERT_TRUE(admission.refusal);
    EXPECT_EQ(admission.refusal->status, 401);
    EXPECT_EQ(header(*admission.refusal, "WWW-Authenticate"), "Bearer");
    EXPECT_FALSE(admission.refusal->body.contains(kKey));
  }
  EXPECT_EQ(status(head("GET", "/no/such/route")), 401);
  EXPECT_EQ(status(json_post({}, limits_.max_body_bytes + 1)), 401);
}

TEST_F(AdmissionTest, TellsAMissingRouteFromAWrongMethod) {
  EXPECT_EQ(status(head("GET", "/v1/nothing")), 404);
  const Admission admission = judge(head("DELETE", "/v1/models"));
  ASSERT_TRUE(admission.refusal);
  EXPECT_EQ(admission.refusal->status, 405);
  EXPECT_EQ(header(*admission.refusal, "Allow"), "GET");
  EXPECT_EQ(status(head("HEAD", "/v1/models")), 0);
  EXPECT_EQ(status(head("get", "/v1/models")), 405);
}

TEST_F(AdmissionTest, WantsJsonOfABoundedSize) {
  EXPECT_EQ(status(json_post()), 0);
  EXPECT_EQ(status(json_post({}, limits_.max_body_bytes)), 0);
  EXPECT_EQ(status(json_post({}, limits_.max_body_bytes + 1)), 413);
  EXPECT_EQ(status(json_post({{"Content-Encoding", "gzip"}})), 415);
  EXPECT_EQ(status(json_post({{"Content-Encoding", "identity"}})), 0);
  MessageHead plain = json_post();
  for (const char* type : {"text/plain", "", "application/jsonx", "multipart/form-data; boundary=x"}) {
    plain.headers.front().value = type;
    EXPECT_EQ(status(plain), 415) << type;
  }
  plain.headers.front().value = "Application/JSON; charset=utf-8";
  EXPECT_EQ(status(plain), 0);
}

TEST_F(AdmissionTest, TakesWhatCurlSendsWithoutATypeWhereTheRouteSaysSoButFromNoPage) {
  const auto untyped = [](std::string path, std::vector<Header> headers) {
    MessageHead made = head("POST", std::move(path), std::move(headers));
    made.content_length = 2;
    return made;
  };
  const Header form{"Content-Type", "application/x-www-form-urlencoded"};
  EXPECT_EQ(status(untyped("/api/chat", {form})), 0);
  EXPECT_EQ(status(untyped("/api/chat", {})), 0);
  EXPECT_EQ(status(untyped("/v1/chat", {form})), 415);
  EXPECT_EQ(status(untyped("/api/chat", {{"Content-Type", "text/plain"}})), 415);
  access_.origins = {"https://chat.example"};
  EXPECT_EQ(status(untyped("/api/chat", {form, {"Origin", "https://chat.example"}})), 415)
      << "it can say what it sends";
}

TEST_F(AdmissionTest, KnowsOneExpectation) {
  EXPECT_TRUE(judge(json_post({{"Expect", "100-Continue"}})).expects_continue);
  EXPECT_EQ(status(json_post({{"Expect", "999-what"}})), 417);
  MessageHead old = json_post({{"Expect", "100-continue"}});
  old.is_http_1_0 = true;
  EXPECT_FALSE(judge(old).expects_continue);
}

TEST_F(AdmissionTest, RefusesAllWhileDraining) {
  is_draining_ = true;
  const Admission admission = judge(head("GET", "/health"));
  ASSERT_TRUE(admission.refusal);
  EXPECT_EQ(admission.refusal->status, 503);
  EXPECT_NE(header(*admission.refusal, "Retry-After"), "");
}

TEST_F(AdmissionTest, RefusesPathsThatClimb) {
  for (const char* bad :
       {"/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/x", "/.", "/a/./b", "/a\\..\\b", "/..%5c..", "/x%00.png",
        "/%", "/%z1", "/%0d%0aSet-Cookie:x", "/a%7f", "file:///etc/passwd", "etc/passwd", "http://", ""}) {
    EXPECT_EQ(status(head("GET", bad)), 400) << bad;
  }
  for (const char* harmless : {"/....//....//etc", "//etc/passwd", "/%252e%252e/x", "/a..b", "/.env", "*"}) {
    EXPECT_EQ(status(head("GET", harmless)), 404) << harmless;
  }
}

}  // namespace
}  // namespace reckon::http
