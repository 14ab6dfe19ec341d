#include "server/field_reader.h"

#include <gtest/gtest.h>

#include "server/base64.h"

namespace reckon::server {
namespace {

text::Json json(std::string_view text) {
  auto parsed = text::parse_json(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *std::move(parsed) : text::Json{};
}

TEST(FieldReader, NullIsTheSameAsAbsent) {
  const text::Json body = json(R"({"a": null})");
  FieldReader in(body);
  std::optional<double> a = 5;
  std::optional<int> b = 6;
  in.number("a", {0, 1}, a);
  in.whole("b", {0, 1}, b);
  EXPECT_FALSE(in.failed());
  EXPECT_EQ(a, 5);
  EXPECT_EQ(b, 6);
  EXPECT_TRUE(in.unknown().empty());
}

TEST(FieldReader, TheFirstErrorNamesFieldWishAndValue) {
  const text::Json body = json(R"({"temperature": "hot", "n": 99})");
  FieldReader in(body, "request.");
  std::optional<double> temperature;
  std::optional<int> n;
  in.number("temperature", {0, 10}, temperature);
  in.whole("n", {1, 8}, n);
  ASSERT_TRUE(in.failed());
  EXPECT_EQ(in.error()->param, "request.temperature");
  EXPECT_EQ(in.error()->message, "request.temperature: want a number from 0 to 10, got \"hot\"");
  EXPECT_EQ(in.error()->status, 400);
}

TEST(FieldReader, WholeNumbersMayBeWrittenWithAPoint) {
  const text::Json body = json(R"({"a": 256.0, "b": 1.5, "c": 1e300, "d": 18446744073709551616})");
  for (const char* name : {"b", "c", "d"}) {
    FieldReader in(body);
    std::optional<std::int64_t> value;
    in.whole(name, {-1000, 1000}, value);
    EXPECT_TRUE(in.failed()) << name;
  }
  FieldReader in(body);
  std::optional<int> a;
  in.whole("a", {0, 1000}, a);
  EXPECT_EQ(a, 256);
}

TEST(FieldReader, UnknownMembersAreListedAndCutOff) {
  std::string text = "{\"known\": 1";
  for (int i = 0; i < 40; ++i) text += ", \"k" + std::to_string(i) + "\": 1";
  const text::Json body = json(text + "}");
  FieldReader in(body);
  in.accept({"known"});
  const auto unknown = in.unknown();
  ASSERT_EQ(unknown.size(), FieldReader::kMaxUnknown + 1);
  EXPECT_EQ(unknown.front(), "k0");
  EXPECT_EQ(unknown.back(), "...");
}

TEST(FieldReader, LongValuesAreShownShort) {
  EXPECT_LT(shown(json("\"" + std::string(10000, 'x') + "\"")).size(), 100U);
  EXPECT_EQ(shortened("日本語", 4), "日...");
  EXPECT_EQ(shown(json("[1,2,3,4,5,6,7,8,9]")), "a list of 9");
}

TEST(Base64, PadsToFours) {
  const auto encoded = [](std::string_view text) { return to_base64(std::as_bytes(std::span(text))); };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace reckon::server
