#include <algorithm>
#include <array>
#include <iterator>

#include "chat/partial_mark.h"
#include "reckon/chat.h"
#include "text/json.h"

namespace reckon {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kR1Separator = "<｜tool▁sep｜>";

enum class Block : std::uint8_t { kJson, kR1Call, kR1Frame };

struct BlockMarks {
  std::string_view open;
  std::string_view close;  // empty: the mark stands alone and is dropped
  Block kind;
};
constexpr std::array<BlockMarks, 4> kBlocks = {{
    {"<tool_call>", "</tool_call>", Block::kJson},
    {"<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", Block::kR1Call},
    {"<｜tool▁calls▁begin｜>", "", Block::kR1Frame},
    {"<｜tool▁calls▁end｜>", "", Block::kR1Frame},
}};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// The arguments as the text of an object; empty where they are none. Some models write the text of the object as a
// string once more.
std::string arguments_text(const text::Json& json) {
  if (json.as_object() != nullptr) return text::dump_json(json);
  if (const std::string* inner = json.as_string()) {
    const auto parsed = text::parse_json(*inner);
    if (parsed && parsed->as_object() != nullptr) return text::dump_json(*parsed);
  }
  return {};
}

}  // namespace

ToolCallParser::ToolCallParser(std::vector<std::string> tool_names) : tool_names_(std::move(tool_names)) {}

ToolCallParser::Delta ToolCallParser::push(std::string_view text) {
  held_ += text;
  Delta delta;
  take(delta, false);
  return delta;
}

ToolCallParser::Delta ToolCallParser::finish() {
  Delta delta;
  take(delta, true);
  return delta;
}

void ToolCallParser::take(Delta& delta, bool is_final) {
  if (at_start_) {
    const std::string_view start = trimmed(held_);
    if (start.empty() && !is_final) return;
    is_bare_ = start.starts_with('{') || start.starts_with('[');
    at_start_ = false;
  }
  if (is_bare_) {
    if (!is_final) return;
    is_bare_ = false;
    if (add_calls(delta, trimmed(held_))) {
      held_.clear();
      return;
    }
  }
  while (take_block(delta, is_final)) {
  }
}

// Emits what stands before the next block, and the block itself once it is complete. False: no more for now.
bool ToolCallParser::take_block(Delta& delta, bool is_final) {
  const BlockMarks* next = nullptr;
  std::size_t open = std::string::npos;
  std::size_t partial = 0;
  for (const BlockMarks& marks : kBlocks) {
    const std::size_t found = held_.find(marks.open);
    if (found < open) {
      open = found;
      next = &marks;
    }
    partial = std::max(partial, chat::partial_mark(held_, marks.open));
  }
  if (next == nullptr) {
    const std::size_t n_sure = is_final ? held_.size() : held_.size() - partial;
    emit(delta, std::string_view(held_).substr(0, n_sure));
    held_.erase(0, n_sure);
    return false;
  }
  const std::size_t begin = open + next->open.size();
  const std::size_t close = next->close.empty() ? begin : held_.find(next->close, begin);
  if (close == std::string::npos && !is_final) {
    emit(delta, std::string_view(held_).substr(0, open));
    held_.erase(0, open);
    return false;
  }
  emit(delta, std::string_view(held_).substr(0, open));
  const std::size_t end = close == std::string::npos ? held_.size() : close + next->close.size();
  const std::string_view block = std::string_view(held_).substr(begin, std::min(close, held_.size()) - begin);
  const bool is_call = next->kind == Block::kJson     ? add_calls(delta, trimmed(block))
                       : next->kind == Block::kR1Call ? add_r1_call(delta, block)
                                                      : true;
  if (!is_call) {
    after_call_ = false;
    emit(delta, std::string_view(held_).substr(open, end - open));
  }
  held_.erase(0, end);
  return !held_.empty();
}

void ToolCallParser::emit(Delta& delta, std::string_view text) {
  if (after_call_) text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  if (text.empty()) return;
  after_call_ = false;
  delta.content += text;
}

bool ToolCallParser::is_tool(const std::string& name) const {
  return std::ranges::find(tool_names_, name) != tool_names_.end();
}

// One object or an array of them; all are calls, or none is taken.
bool ToolCallParser::add_calls(Delta& delta, std::string_view json) {
  const auto parsed = text::parse_json(json);
  if (!parsed) return false;
  const text::Json::Array single = {*parsed};
  const text::Json::Array& objects = parsed->as_array() != nullptr ? *parsed->as_array() : single;
  std::vector<ToolCall> calls;
  for (const text::Json& object : objects) {
    const text::Json* name = object.find("name");
    const text::Json* arguments = object.find("arguments");
    if (arguments == nullptr) arguments = object.find("parameters");
    if (name == nullptr || name->as_string() == nullptr || arguments == nullptr) return false;
    if (!is_tool(*name->as_string())) return false;
    ToolCall& call = calls.emplace_back();
    call.name = *name->as_string();
    call.arguments = arguments_text(*arguments);
    if (call.arguments.empty()) return false;
  }
  if (calls.empty()) return false;
  std::ranges::move(calls, std::back_inserter(delta.calls));
  after_call_ = true;
  return true;
}

// function<｜tool▁sep｜>NAME, a line break, and the arguments in a fence of ```json.
bool ToolCallParser::add_r1_call(Delta& delta, std::string_view block) {
  const std::size_t separator = block.find(kR1Separator);
  if (separator == std::string_view::npos) return false;
  const std::string_view rest = block.substr(separator + kR1Separator.size());
  const std::size_t open = rest.find('{');
  const std::size_t close = rest.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
  ToolCall call;
  call.name = trimmed(rest.substr(0, rest.find_first_of("\n`{")));
  const auto parsed = text::parse_json(rest.substr(open, close + 1 - open));
  if (!parsed || !is_tool(call.name)) return false;
  call.arguments = text::dump_json(*parsed);
  delta.calls.push_back(std::move(call));
  after_call_ = true;
  return true;
}

}  // namespace reckon
