#pragma once
// What decides how an answer is made: the same names as flags of `run` and `chat` and in `/set`.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/chat.h"
#include "reckon/engine.h"

namespace reckon::cli {

enum class ThoughtView { kAuto, kDim, kHide, kPlain };  // auto: dimmed on a terminal, hidden in a pipe or file

// Empty: as the model's authors advise (ModelInfo::sample_defaults).
struct GenerationSettings {
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<double> min_p;
  std::optional<int> top_k;
  std::optional<double> repeat_penalty;
  std::optional<double> presence_penalty;
  std::optional<double> frequency_penalty;
  std::optional<std::uint64_t> seed;  // empty: a fresh one for each answer
  std::optional<int> max_tokens;      // empty: what the context leaves
  std::optional<int> think_budget;    // tokens of thought
  Thinking think = Thinking::kAuto;
  ThoughtView show_thoughts = ThoughtView::kAuto;
  std::vector<std::string> stop;
  bool ignore_eos = false;
  bool loop_guard = true;
};

// One setting by name. `set` gives an error text (what was wanted, what came) or nothing.
struct Setting {
  const char* name;  // "top_p": /set's name; the flag has '-' for '_'
  const char* help;  // "keep the smallest set of tokens with this probability (0..1)"
  const char* value_name;
  std::optional<std::string> (*set)(GenerationSettings&, std::string_view value);
  std::string (*show)(const GenerationSettings&);  // "" where unset
  void (*reset)(GenerationSettings&);
};
std::span<const Setting> all_settings();
const Setting* find_setting(std::string_view name);  // accepts '-' for '_'

// The model's defaults with what the settings override. A seed is drawn where there is none.
SampleOptions sample_options(const GenerationSettings& settings, const SampleOptions& defaults);

}  // namespace reckon::cli
