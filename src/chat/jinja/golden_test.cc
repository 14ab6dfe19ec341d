// Every feature of the template language against what Python's jinja2 made of it
// (tools/golden/make_template_golden.py).
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "chat/render.h"
#include "text/json.h"

namespace reckon::chat {
namespace {

TEST(TemplateGolden, renders_or_refuses_as_jinja2_does) {
  setenv("TZ", "UTC", 1);
  tzset();
  std::ifstream file(RECKON_SOURCE_DIR "/tests/data/template_golden.json", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const auto golden = text::parse_json(bytes.str());
  ASSERT_TRUE(golden) << golden.error().message;
  const std::string context = text::dump_json(*golden->find("context"));
  const std::int64_t now = *golden->find("now")->as_int();
  const auto& cases = *golden->find("cases")->as_array();
  ASSERT_GT(cases.size(), 200U);
  for (const text::Json& golden_case : cases) {
    const std::string& source = *golden_case.find("template")->as_string();
    const std::string* text = golden_case.find("text")->as_string();
    const auto rendered = render_text(source, context, now);
    if (text == nullptr) {
      EXPECT_FALSE(rendered) << source << "\ngave: " << rendered.value_or("");
    } else {
      EXPECT_TRUE(rendered) << source << "\n" << (rendered ? "" : rendered.error().message);
      EXPECT_EQ(rendered.value_or("(refused)"), *text) << source;
    }
  }
}

}  // namespace
}  // namespace reckon::chat
