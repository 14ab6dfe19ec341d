#pragma once
// Conversations to prompts, and answers back to thought and content.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/result.h"
#include "reckon/tokenizer.h"

namespace reckon {

struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  // JSON text of an object
};

struct Message {
  std::string role;               // system, developer, user, assistant, tool
  std::string content;            // of an assistant: without its thought
  std::string reasoning_content;  // the thought of an assistant, where the client sent it back
  std::vector<ToolCall> tool_calls;
  std::string tool_call_id;  // role tool: which call this answers
  std::string name;
};

enum class Thinking { kAuto, kOn, kOff };  // auto: as the template does it

struct RenderOptions {
  bool add_generation_prompt = true;
  bool continue_final_message = false;  // go on with the last assistant message instead of starting a new one
  Thinking thinking = Thinking::kAuto;
  std::string tools_json;  // JSON array in OpenAI's form; empty: none
  // JSON object of further template variables (chat_template_kwargs); may not shadow ours. Its enable_thinking, where
  // it is true or false, is taken for `thinking` where that is kAuto.
  std::string extra_json;
  std::optional<std::int64_t> now;  // Unix seconds for strftime_now; empty: the clock
};

struct Prompt {
  std::vector<Segment> segments;   // user text is marked, so that it never becomes control tokens
  bool starts_in_thought = false;  // the prompt ends inside an open thought
  [[nodiscard]] std::string text() const;
};

// How a model marks thoughts: <think>...</think> for R1 and Qwen3. Empty strings: the model has no thoughts.
struct ThoughtMarks {
  std::string open;
  std::string close;
};

// A compiled chat template. Immutable: share it between threads. Views from it die with it.
class ChatTemplate {
 public:
  // `source` is Jinja; empty takes ChatML and says so in warning(). kInvalidInput names line and column.
  // `tokenizer` gives the texts of BOS and EOS and tells whether <think> exists; it is not kept. Null: no such texts.
  static Result<std::shared_ptr<const ChatTemplate>> create(std::string_view source, const Tokenizer* tokenizer);
  virtual ~ChatTemplate() = default;

  // kInvalidInput: the template refused the conversation (raise_exception) or needs what is not there; kLimit.
  [[nodiscard]] virtual Result<Prompt> render(const std::vector<Message>& messages,
                                              const RenderOptions& options) const = 0;
  [[nodiscard]] virtual const ThoughtMarks& thought_marks() const = 0;
  [[nodiscard]] virtual std::string_view warning() const = 0;
};

// Splits streamed text into thought and content, so that the joined deltas do not depend on where the stream was cut.
// Blank lines at the start of either part are dropped, and no part starts with a delta of white space alone.
// A thought that never closes stays a thought; <think> at the very start opens one. Later marks outside of a thought
// are content. Not thread-safe.
class ReasoningParser {
 public:
  ReasoningParser(ThoughtMarks marks, bool starts_in_thought);
  struct Delta {
    std::string reasoning;
    std::string content;
  };
  Delta push(std::string_view text);
  Delta finish();
  [[nodiscard]] bool in_thought() const { return in_thought_; }

 private:
  Delta split(bool is_final);
  bool take_open_mark(bool is_final);
  void emit(std::string& part, std::string_view text);

  ThoughtMarks marks_;
  bool in_thought_;
  bool may_open_;       // nothing but white space seen so far
  bool trim_ = true;    // no visible character of the current part seen so far
  std::string held_;    // may be the start of a mark
  std::string indent_;  // white space in front of the first visible character, from its last line break on
};

// Takes calls of tools out of streamed content. Three ways of writing them are known:
//   <tool_call>{"name": ..., "arguments": {...}}</tool_call>                              Qwen, Hermes
//   <｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME ```json {...} ```<｜tool▁call▁end｜>     DeepSeek-R1
//   the whole content is {"name": ..., "arguments" or "parameters": {...}}                Llama 3; an array of them too
// What does not parse, or names no tool of the request, stays content, so that nothing that a model wrote is lost.
// The joined deltas do not depend on where the stream was cut. Not thread-safe.
class ToolCallParser {
 public:
  explicit ToolCallParser(std::vector<std::string> tool_names);
  struct Delta {
    std::string content;
    std::vector<ToolCall> calls;  // complete; their ids are empty, the caller gives them
  };
  Delta push(std::string_view text);
  Delta finish();

 private:
  void take(Delta& delta, bool is_final);
  bool take_block(Delta& delta, bool is_final);
  void emit(Delta& delta, std::string_view text);
  [[nodiscard]] bool is_tool(const std::string& name) const;
  bool add_calls(Delta& delta, std::string_view json);
  bool add_r1_call(Delta& delta, std::string_view block);

  std::vector<std::string> tool_names_;
  std::string held_;         // may be the start of a mark, or a call that is not complete
  bool at_start_ = true;     // no content and no call yet: the whole content may be a call
  bool is_bare_ = false;     // it looks like one
  bool after_call_ = false;  // white space between calls is dropped
};

}  // namespace reckon
