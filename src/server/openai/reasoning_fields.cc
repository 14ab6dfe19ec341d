#include "server/openai/reasoning_fields.h"

#include <limits>
#include <string_view>

namespace reckon::server {

bool apply_effort(std::string_view effort, ReasoningFields& out) {
  if (effort == "none") {
    out.thinking = Thinking::kOff;
  } else if (effort == "minimal") {
    out.budget = kMinimalBudget;
  } else if (effort == "low") {
    out.budget = kLowBudget;
  } else if (effort == "medium") {
    out.budget = kMediumBudget;
  } else if (effort != "high" && effort != "xhigh") {
    return false;
  }
  return true;
}

namespace {

using text::Json;

constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();

constexpr std::string_view kEfforts = "none, minimal, low, medium or high";

void read_effort(FieldReader& in, std::string_view name, ReasoningFields& out) {
  const Json* json = in.any(name);
  if (json == nullptr) return;
  const std::string* effort = json->as_string();
  if (effort == nullptr || !apply_effort(*effort, out)) in.fail_type(name, kEfforts, *json);
}

// -1: no limit; 0: no thought at all.
void read_budget(FieldReader& in, std::string_view name, ReasoningFields& out) {
  std::optional<int> budget;
  in.whole(name, {-1, kMaxInt}, budget);
  if (!budget) return;
  if (*budget == 0) out.thinking = Thinking::kOff;
  out.budget = *budget > 0 ? budget : std::nullopt;
}

void read_switch(FieldReader& in, std::string_view name, ReasoningFields& out) {
  std::optional<bool> on;
  in.boolean(name, on);
  if (on) out.thinking = *on ? Thinking::kOn : Thinking::kOff;
}

// true, false, a word, or {"type": "enabled", "budget_tokens": 512}.
void read_thinking(FieldReader& in, ReasoningFields& out) {
  const Json* json = in.any("thinking");
  if (json == nullptr) return;
  if (json->as_bool() != nullptr) return read_switch(in, "thinking", out);
  std::string word;
  if (json->as_object() != nullptr) {
    FieldReader fields(*json, in.path_of("thinking") + ".");
    fields.string("type", 32, word);
    read_budget(fields, "budget_tokens", out);
    in.adopt(fields.error());
  } else if (json->as_string() != nullptr) {
    word = *json->as_string();
  }
  if (word == "enabled" || word == "on") {
    out.thinking = Thinking::kOn;
  } else if (word == "disabled" || word == "off") {
    out.thinking = Thinking::kOff;
  } else if (word != "auto" && word != "adaptive") {
    in.fail_type("thinking", R"(true, false or {"type": "enabled" or "disabled", "budget_tokens": N})", *json);
  }
}

void read_reasoning_object(FieldReader& in, ReasoningFields& out) {
  const Json* json = in.object("reasoning");
  if (json == nullptr) return;
  FieldReader fields(*json, in.path_of("reasoning") + ".");
  read_effort(fields, "effort", out);
  read_budget(fields, "max_tokens", out);
  read_switch(fields, "enabled", out);
  bool exclude = false;
  fields.boolean("exclude", exclude);
  if (exclude) out.format = ThoughtFormat::kHidden;
  fields.accept({"summary", "generate_summary"});
  in.adopt(fields.error());
}

void read_format(FieldReader& in, ReasoningFields& out) {
  const Json* json = in.any("reasoning_format");
  const std::string name = json == nullptr || json->as_string() == nullptr ? "" : *json->as_string();
  if (json == nullptr || name == "deepseek" || name == "auto") {
    // reasoning_content, the default
  } else if (name == "none") {
    out.format = ThoughtFormat::kNone;
  } else if (name == "inline") {
    out.format = ThoughtFormat::kInline;
  } else if (name == "hidden") {
    out.format = ThoughtFormat::kHidden;
  } else {
    in.fail_type("reasoning_format", "deepseek, none, inline or hidden", *json);
  }
  std::optional<bool> include;
  in.boolean("include_reasoning", include);
  if (include && !*include) out.format = ThoughtFormat::kHidden;
}

}  // namespace

void read_reasoning_fields(FieldReader& in, ReasoningFields& out) {
  read_effort(in, "reasoning_effort", out);
  read_reasoning_object(in, out);
  read_thinking(in, out);
  read_switch(in, "enable_thinking", out);
  read_budget(in, "thinking_budget", out);
  read_budget(in, "reasoning_budget", out);
  read_format(in, out);
  std::optional<int> reserve;
  in.whole("answer_reserve", {0, kMaxInt}, reserve);
  out.answer_reserve = reserve.value_or(0);
}

}  // namespace reckon::server
