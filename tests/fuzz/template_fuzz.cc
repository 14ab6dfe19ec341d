// Any bytes as a chat template: an error or a text, never a crash, a leak or a hang.
// Input: the template, then optionally a line "---CONTEXT---" and the JSON of its variables.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "chat/render.h"
#include "reckon/chat.h"

namespace {

constexpr std::string_view kMarker = "\n---CONTEXT---\n";
constexpr std::string_view kContext =
    R"({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "<think> é </think>"},
    {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {"x": 1.5}}}]},
    {"role": "tool", "content": "r"}], "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
    "bos_token": "<s>", "add_generation_prompt": true, "n": 7, "nothing": null})";

// Splits text at every place and checks that the joined parts are the same.
void check_parser(std::string_view text) {
  const reckon::ThoughtMarks marks{"<think>", "</think>"};
  reckon::ReasoningParser whole(marks, true);
  reckon::ReasoningParser bytes(marks, true);
  auto expected = whole.push(text);
  const auto expected_end = whole.finish();
  reckon::ReasoningParser::Delta joined;
  const auto take = [&](const reckon::ReasoningParser::Delta& delta) {
    joined.reasoning += delta.reasoning;
    joined.content += delta.content;
  };
  for (const char& c : text) take(bytes.push(std::string_view(&c, 1)));
  take(bytes.finish());
  RECKON_CHECK(joined.reasoning == expected.reasoning + expected_end.reasoning);
  RECKON_CHECK(joined.content == expected.content + expected_end.content);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t marker = input.find(kMarker);
  const std::string_view source = input.substr(0, marker);
  const std::string_view context = marker == std::string_view::npos ? kContext : input.substr(marker + kMarker.size());
  (void)reckon::chat::render_text(source, context, 1'750'000'000);
  if (const auto made = reckon::ChatTemplate::create(source, nullptr)) {
    reckon::Message message;
    message.role = "user";
    message.content = "hello";
    (void)(*made)->render({message}, {});
  }
  check_parser(input.substr(0, 4096));
  return 0;
}
