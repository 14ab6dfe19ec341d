#include "chat/tool_call_parser.h"

#include <algorithm>
#include <iterator>

#include "text/json.h"

namespace reckon::chat {
namespace {

constexpr std::size_t kMaxCallBytes = 1u << 20;
constexpr std::string_view kWhite = " \t\r\n";

struct Form {
  std::string_view open;
  std::string_view close;
  std::optional<ToolCall> (*parse)(std::string_view text);
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

std::optional<std::string> arguments_of(const text::Json* json) {
  if (json == nullptr || json->is_null()) return "{}";
  if (json->as_object() != nullptr) return text::dump_json(*json);
  // Some models write the JSON into a string.
  const std::string* inner = json->as_string();
  if (inner == nullptr) return std::nullopt;
  const auto parsed = text::parse_json(*inner);
  if (!parsed || parsed->as_object() == nullptr) return std::nullopt;
  return text::dump_json(*parsed);
}

// "function<｜tool▁sep｜>name\n```json\n{...}\n```"
std::optional<ToolCall> parse_r1_call(std::string_view text) {
  constexpr std::string_view kSeparator = "<｜tool▁sep｜>";
  constexpr std::string_view kFence = "```";
  const std::size_t separator = text.find(kSeparator);
  if (separator == std::string_view::npos) return std::nullopt;
  text.remove_prefix(separator + kSeparator.size());
  const std::size_t line = std::min(text.find('\n'), text.size());
  ToolCall call;
  call.name = trimmed(text.substr(0, line));
  std::string_view body = trimmed(text.substr(line));
  if (body.starts_with(kFence)) body.remove_prefix(std::min(body.find('\n'), body.size()));
  if (body.ends_with(kFence)) body.remove_suffix(kFence.size());
  const auto parsed = text::parse_json(trimmed(body));
  if (call.name.empty() || !parsed || parsed->as_object() == nullptr) return std::nullopt;
  call.arguments = text::dump_json(*parsed);
  return call;
}

constexpr Form kForms[] = {
    {"<tool_call>", "</tool_call>", parse_tool_call},
    {"<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", parse_r1_call},
};
// They stand around calls and mean nothing by themselves.
constexpr std::string_view kBrackets[] = {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"};

struct Mark {
  std::size_t at = std::string_view::npos;
  std::size_t size = 0;
  int form = -1;  // -1: a bracket
};

Mark first_mark(std::string_view text) {
  Mark first;
  const auto look = [&](std::string_view mark, int form) {
    if (const std::size_t at = text.find(mark); at < first.at) first = {at, mark.size(), form};
  };
  for (std::size_t i = 0; i < std::size(kForms); ++i) look(kForms[i].open, static_cast<int>(i));
  for (const std::string_view bracket : kBrackets) look(bracket, -1);
  return first;
}

// How many bytes at the end may be the start of a mark.
std::size_t unfinished_mark(std::string_view text) {
  std::size_t longest = 0;
  const auto look = [&](std::string_view mark) {
    for (std::size_t n = std::min(mark.size() - 1, text.size()); n > longest; --n) {
      if (text.ends_with(mark.substr(0, n))) longest = n;
    }
  };
  for (const Form& form : kForms) look(form.open);
  for (const std::string_view bracket : kBrackets) look(bracket);
  return longest;
}

}  // namespace

std::optional<ToolCall> parse_tool_call(std::string_view json) {
  const auto parsed = text::parse_json(trimmed(json));
  if (!parsed) return std::nullopt;
  const text::Json* name = parsed->find("name");
  if (name == nullptr || name->as_string() == nullptr || name->as_string()->empty()) return std::nullopt;
  const text::Json* arguments = parsed->find("arguments");
  if (arguments == nullptr) arguments = parsed->find("parameters");
  auto text = arguments_of(arguments);
  if (!text) return std::nullopt;
  return ToolCall{.id = {}, .name = *name->as_string(), .arguments = *std::move(text)};
}

ToolCallParser::Delta ToolCallParser::push(std::string_view text) {
  Delta delta;
  held_ += text;
  while (step(delta)) {
  }
  return delta;
}

ToolCallParser::Delta ToolCallParser::finish() {
  Delta delta = push("");
  if (form_ >= 0) {
    // The model may end its turn instead of writing the closing mark.
    const Form& form = kForms[form_];
    if (auto call = form.parse(held_)) {
      delta.calls.push_back(*std::move(call));
      held_.clear();
    } else {
      emit(delta, form.open);
    }
  }
  emit(delta, held_);
  held_.clear();
  form_ = -1;
  return delta;
}

bool ToolCallParser::step(Delta& delta) { return form_ < 0 ? step_outside(delta) : step_inside(delta); }

bool ToolCallParser::step_outside(Delta& delta) {
  const Mark mark = first_mark(held_);
  if (mark.at != std::string_view::npos) {
    emit(delta, std::string_view(held_).substr(0, mark.at));
    held_.erase(0, mark.at + mark.size);
    form_ = mark.form;
    return true;
  }
  const std::size_t n = held_.size() - unfinished_mark(held_);
  emit(delta, std::string_view(held_).substr(0, n));
  held_.erase(0, n);
  return false;
}

bool ToolCallParser::step_inside(Delta& delta) {
  const Form& form = kForms[form_];
  const std::size_t end = held_.find(form.close);
  if (end == std::string::npos && held_.size() <= kMaxCallBytes) return false;
  if (end == std::string::npos) {
    emit(delta, form.open);
    form_ = -1;
    return true;
  }
  const std::string_view text = std::string_view(held_).substr(0, end);
  if (auto call = form.parse(text)) {
    delta.calls.push_back(*std::move(call));
    after_call_ = true;
  } else {
    emit(delta, form.open);
    emit(delta, text);
    emit(delta, form.close);
  }
  held_.erase(0, end + form.close.size());
  form_ = -1;
  return true;
}

void ToolCallParser::emit(Delta& delta, std::string_view text) {
  if (after_call_) text.remove_prefix(std::min(text.find_first_not_of(kWhite), text.size()));
  if (text.empty()) return;
  after_call_ = false;
  delta.content += text;
}

}  // namespace reckon::chat
