#include "text/json.h"

#include <gtest/gtest.h>

namespace reckon::text {
namespace {

TEST(Json, keeps_the_order_of_members_and_tells_integers_from_doubles) {
  const auto json = parse_json(R"( {"z": 1, "a": 2.0, "m": [true, null, "x\u00e9\n"]} )");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(dump_json(*json), "{\"z\":1,\"a\":2,\"m\":[true,null,\"xé\\n\"]}");
  EXPECT_NE(json->find("z")->as_int(), nullptr);
  EXPECT_NE(json->find("a")->as_double(), nullptr);
  EXPECT_EQ(json->find("q"), nullptr);
}

TEST(Json, the_last_of_equal_names_counts_at_the_first_place) {
  const auto json = parse_json(R"({"a":1,"b":2,"a":3})");
  ASSERT_TRUE(json);
  EXPECT_EQ(dump_json(*json), R"({"a":3,"b":2})");
}

TEST(Json, names_the_place_of_an_error) {
  const auto json = parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(json.error().message.find("line 3"), std::string::npos) << json.error().message;
}

TEST(Json, refuses_depth_cut_text_trailing_text_and_bad_utf8) {
  EXPECT_TRUE(parse_json(std::string(60, '[') + std::string(60, ']')));
  const auto deep = parse_json(std::string(100'000, '['));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, ErrorCode::kLimit);
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("[1, 2"));
  EXPECT_FALSE(parse_json("1 2"));
  EXPECT_FALSE(parse_json("\"\xff\""));
  EXPECT_FALSE(parse_json("NaN"));
}

TEST(Json, whole_numbers_beyond_64_bits_become_doubles) {
  EXPECT_EQ(*parse_json("9223372036854775807")->as_int(), INT64_MAX);
  EXPECT_NE(parse_json("18446744073709551615")->as_double(), nullptr);
  EXPECT_NE(parse_json("123456789012345678901234567890")->as_double(), nullptr);
}

TEST(Json, writes_invalid_utf8_as_replacement_characters) {
  EXPECT_EQ(dump_json(Json{std::string("a\xff\"\x01")}), "\"a\xEF\xBF\xBD\\\"\\u0001\"");
}

}  // namespace
}  // namespace reckon::text
