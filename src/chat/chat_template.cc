#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/result.h"
#include "chat/conversation.h"
#include "chat/jinja/context.h"
#include "chat/jinja/interpreter.h"
#include "chat/jinja/parser.h"
#include "chat/thought.h"
#include "reckon/chat.h"
#include "text/json.h"

namespace reckon {
namespace {

using chat::MessageForm;
using chat::jinja::Mark;
using chat::jinja::MarkedText;
using chat::jinja::Value;
using Entries = std::vector<std::pair<Value, Value>>;

constexpr std::string_view kChatMl =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + "
    "'\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

bool mentions(std::string_view source, std::string_view what) { return source.find(what) != std::string_view::npos; }

std::string token_text(const Tokenizer* tokenizer, TokenId id) {
  return tokenizer == nullptr || id < 0 ? std::string() : std::string(tokenizer->token_bytes(id));
}

void add(Entries& entries, std::string_view name, Value value) {
  entries.emplace_back(Value::literal(name), std::move(value));
}

std::vector<Segment> segments_of(const MarkedText& text) {
  std::vector<Segment> segments;
  std::size_t begin = 0;
  for (const MarkedText::Run& run : text.runs()) {
    const bool is_template = run.mark == Mark::kTemplate;
    const std::string_view bytes = std::string_view(text.bytes()).substr(begin, run.end - begin);
    if (!segments.empty() && segments.back().is_template == is_template) {
      segments.back().text += bytes;
    } else {
      segments.push_back({std::string(bytes), is_template});
    }
    begin = run.end;
  }
  return segments;
}

// The prompt up to the end of the message that the model goes on with.
Result<MarkedText> cut_after_final(const MarkedText& prompt, const Message& final_message) {
  const auto& runs = prompt.runs();
  for (std::size_t i = runs.size(); i-- > 0;) {
    if (runs[i].mark != Mark::kFinal) continue;
    const bool blank = final_message.content.find_first_not_of(" \t\r\n") == std::string::npos;
    return prompt.slice(0, blank ? runs[i].end - chat::kPlaceholder.size() : runs[i].end);
  }
  return fail(ErrorCode::kInvalidInput,
              "the template does not show the last message, so that nothing can go on with it");
}

class JinjaTemplate final : public ChatTemplate {
 public:
  JinjaTemplate(chat::jinja::Template parsed, std::string_view source, const Tokenizer* tokenizer, std::string warning)
      : parsed_(std::move(parsed)),
        source_(source),
        bos_(token_text(tokenizer, tokenizer == nullptr ? -1 : tokenizer->bos())),
        eos_(token_text(tokenizer, tokenizer == nullptr ? -1 : tokenizer->eos())),
        marks_(chat::find_marks(source, tokenizer)),
        warning_(std::move(warning)) {
    form_.marks = marks_;
    form_.developer_as_system = !mentions(source_, "developer");
    form_.drops_old_thoughts = !marks_.close.empty() && !mentions(source_, marks_.close);
    if (mentions(source_, "tool_calls")) learn_tool_form();
  }

  Result<Prompt> render(const std::vector<Message>& messages, const RenderOptions& options) const override {
    std::optional<std::size_t> final_message;
    if (options.continue_final_message) {
      if (messages.empty() || messages.back().role != "assistant") {
        return fail(ErrorCode::kInvalidInput, "continue_final_message needs an assistant message at the end");
      }
      final_message = messages.size() - 1;
    }
    text::Json extra{text::Json::Object()};
    if (!options.extra_json.empty()) {
      RECKON_TRY(extra, text::parse_json(options.extra_json));
      if (extra.as_object() == nullptr)
        return fail(ErrorCode::kInvalidInput, "template variables must be a JSON object");
    }
    const Thinking thinking = wanted_thinking(options.thinking, extra);
    const bool starts_answer = options.add_generation_prompt && !final_message;
    RECKON_TRY(Entries variables, variables_of(options, extra, thinking, starts_answer));
    add(variables, "messages", chat::message_values(messages, form_, final_message));
    RECKON_TRY(MarkedText text, run(std::move(variables), options.now));
    if (final_message) {
      RECKON_TRY(text, cut_after_final(text, messages.back()));
    }
    if (starts_answer) adjust_thought(text, thinking);
    return Prompt{segments_of(text), chat::ends_in_thought(text, marks_)};
  }

  const ThoughtMarks& thought_marks() const override { return marks_; }
  std::string_view warning() const override { return warning_; }

 private:
  static Thinking wanted_thinking(Thinking asked, const text::Json& extra) {
    const text::Json* enable = extra.find("enable_thinking");
    const bool* flag = enable == nullptr ? nullptr : enable->as_bool();
    if (asked != Thinking::kAuto || flag == nullptr) return asked;
    return *flag ? Thinking::kOn : Thinking::kOff;
  }

  // All variables but the messages; in the order in which a later one would lose.
  Result<Entries> variables_of(const RenderOptions& options, const text::Json& extra, Thinking thinking,
                               bool starts_answer) const {
    static constexpr std::array<std::string_view, 6> kOurs = {"messages",  "tools",     "documents",
                                                              "bos_token", "eos_token", "add_generation_prompt"};
    Entries variables;
    Value tools = Value::none();
    if (!options.tools_json.empty()) {
      RECKON_TRY(const text::Json json, text::parse_json(options.tools_json));
      if (json.as_array() == nullptr) return fail(ErrorCode::kInvalidInput, "tools must be a JSON array");
      if (!json.as_array()->empty()) tools = chat::jinja::to_value(json, Mark::kUser);
    }
    add(variables, "tools", std::move(tools));
    add(variables, "documents", Value::none());
    add(variables, "add_generation_prompt", Value::boolean(starts_answer));
    add(variables, "bos_token", Value::text(MarkedText(bos_, Mark::kTemplate)));
    add(variables, "eos_token", Value::text(MarkedText(eos_, Mark::kTemplate)));
    if (thinking != Thinking::kAuto) {
      add(variables, "enable_thinking", Value::boolean(thinking == Thinking::kOn));
      if (extra.find("thinking") == nullptr) add(variables, "thinking", Value::boolean(thinking == Thinking::kOn));
    } else if (chat::is_r1_family(source_, marks_) && extra.find("enable_thinking") == nullptr) {
      // Copies of R1's template have a switch that is off where it is not set; the model itself always thinks.
      add(variables, "enable_thinking", Value::boolean(true));
    }
    for (const text::JsonMember& member : *extra.as_object()) {
      if (std::find(kOurs.begin(), kOurs.end(), member.name) != kOurs.end()) {
        return fail(ErrorCode::kInvalidInput, fmt::format("the template variable '{}' cannot be set", member.name));
      }
      if (member.name == "enable_thinking" && thinking != Thinking::kAuto) continue;
      add(variables, member.name, chat::jinja::to_value(member.value, Mark::kUser));
    }
    return variables;
  }

  Result<MarkedText> run(Entries variables, std::optional<std::int64_t> now) const {
    const Value context = chat::jinja::make_dict(std::move(variables));
    return chat::jinja::Interpreter(parsed_, *context.as_dict(), {}, now).run();
  }

  void adjust_thought(MarkedText& prompt, Thinking thinking) const {
    if (marks_.open.empty()) return;
    if (chat::lacks_r1_primer(prompt, source_, marks_)) chat::open_thought(prompt, marks_);
    if (thinking != Thinking::kOff) return;
    if (chat::ends_in_thought(prompt, marks_)) chat::close_thought(prompt, marks_);
  }

  // Templates differ in how they want the calls of an assistant. The first form whose text shows the call is taken.
  void learn_tool_form() {
    Message question;
    question.role = "user";
    question.content = "q";
    Message call;
    call.role = "assistant";
    call.tool_calls.push_back({"call00001", "probe_name", R"({"probe_key":"probe_value"})"});
    RenderOptions options;
    options.add_generation_prompt = false;
    const MessageForm first = form_;
    for (const bool as_object : {true, false}) {
      for (const bool as_none : {false, true}) {
        form_.arguments_as_object = as_object;
        form_.empty_content_as_none = as_none;
        const auto prompt = render({question, call}, options);
        if (!prompt) continue;
        const std::string text = prompt->text();
        const bool is_python = mentions(text, "{'probe_key'") || mentions(text, "\\\"probe_key");
        if (!is_python && mentions(text, "probe_name") && mentions(text, "probe_value")) return;
      }
    }
    form_ = first;
  }

  chat::jinja::Template parsed_;
  std::string source_;
  std::string bos_;
  std::string eos_;
  ThoughtMarks marks_;
  std::string warning_;
  MessageForm form_;
};

}  // namespace

std::string Prompt::text() const {
  std::string text;
  for (const Segment& segment : segments) text += segment.text;
  return text;
}

Result<std::shared_ptr<const ChatTemplate>> ChatTemplate::create(std::string_view source, const Tokenizer* tokenizer) {
  std::string warning;
  if (source.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    source = kChatMl;
    warning = "the model file has no chat template: ChatML is used, answers may be poor";
  }
  auto parsed = chat::jinja::parse_template(source);
  if (!parsed) return fail(parsed.error().code, fmt::format("chat template: {}", parsed.error().message));
  return std::make_shared<const JinjaTemplate>(*std::move(parsed), source, tokenizer, std::move(warning));
}

}  // namespace reckon
