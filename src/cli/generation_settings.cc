#include "cli/generation_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "cli/display_text.h"

namespace reckon::cli {
namespace {

using Failure = std::optional<std::string>;

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Failure set_float(std::optional<double>& field, std::string_view text, double low, double high) {
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value) || *value < low || *value > high) {
    return fmt::format("want a number from {} to {}, got '{}'", low, high, cut_to_width(one_line(text), 40));
  }
  field = value;
  return std::nullopt;
}

Failure set_int(std::optional<int>& field, std::string_view text, int low, int high) {
  const auto value = parse_number<int>(text);
  if (!value || *value < low || *value > high) {
    return fmt::format("want a whole number from {} to {}, got '{}'", low, high, cut_to_width(one_line(text), 40));
  }
  field = value;
  return std::nullopt;
}

Failure set_think(GenerationSettings& settings, std::string_view text) {
  if (text == "auto") {
    settings.think = Thinking::kAuto;
  } else if (text == "on") {
    settings.think = Thinking::kOn;
  } else if (text == "off") {
    settings.think = Thinking::kOff;
  } else {
    return fmt::format("want auto, on or off, got '{}'", cut_to_width(one_line(text), 40));
  }
  return std::nullopt;
}

Failure set_view(GenerationSettings& settings, std::string_view text) {
  if (text == "auto") {
    settings.show_thoughts = ThoughtView::kAuto;
  } else if (text == "dim") {
    settings.show_thoughts = ThoughtView::kDim;
  } else if (text == "hide") {
    settings.show_thoughts = ThoughtView::kHide;
  } else if (text == "plain") {
    settings.show_thoughts = ThoughtView::kPlain;
  } else {
    return fmt::format("want auto, dim, hide or plain, got '{}'", cut_to_width(one_line(text), 40));
  }
  return std::nullopt;
}

Failure set_seed(GenerationSettings& settings, std::string_view text) {
  const auto value = parse_number<std::uint64_t>(text);
  if (!value) return fmt::format("want a whole number from 0 on, got '{}'", cut_to_width(one_line(text), 40));
  settings.seed = value;
  return std::nullopt;
}

template <class T>
std::string shown(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

using S = GenerationSettings;
using V = std::string_view;
constexpr int kMaxTokens = 1 << 24;

constexpr Setting kSettings[] = {
    {"temp", "randomness; 0 takes the likeliest token each time", "T",
     [](S& s, V v) { return set_float(s.temperature, v, 0, 10); }, [](const S& s) { return shown(s.temperature); }},
    {"top_p", "sample from the smallest set of tokens with this probability", "P",
     [](S& s, V v) { return set_float(s.top_p, v, 0, 1); }, [](const S& s) { return shown(s.top_p); }},
    {"top_k", "sample from the K likeliest tokens; 0 is off", "K",
     [](S& s, V v) { return set_int(s.top_k, v, 0, kMaxTokens); }, [](const S& s) { return shown(s.top_k); }},
    {"min_p", "drop tokens below this share of the likeliest one", "P",
     [](S& s, V v) { return set_float(s.min_p, v, 0, 1); }, [](const S& s) { return shown(s.min_p); }},
    {"repeat_penalty", "over prompt and answer, as in Hugging Face; 1 is off", "R",
     [](S& s, V v) { return set_float(s.repeat_penalty, v, 0.01, 10); },
     [](const S& s) { return shown(s.repeat_penalty); }},
    {"presence_penalty", "over the answer, as in the OpenAI API; 0 is off", "R",
     [](S& s, V v) { return set_float(s.presence_penalty, v, -2, 2); },
     [](const S& s) { return shown(s.presence_penalty); }},
    {"frequency_penalty", "over the answer, as in the OpenAI API; 0 is off", "R",
     [](S& s, V v) { return set_float(s.frequency_penalty, v, -2, 2); },
     [](const S& s) { return shown(s.frequency_penalty); }},
    {"seed", "the same request with the same seed gives the same text", "N", set_seed,
     [](const S& s) { return shown(s.seed); }},
    {"max_tokens", "longest answer, its thought included; else what the context leaves", "N",
     [](S& s, V v) { return set_int(s.max_tokens, v, 1, kMaxTokens); }, [](const S& s) { return shown(s.max_tokens); }},
    {"think", "whether the model thinks first; auto leaves it to its chat template", "auto|on|off", set_think,
     [](const S& s) -> std::string {
       return s.think == Thinking::kOn ? "on" : s.think == Thinking::kOff ? "off" : "auto";
     }},
    {"think_budget", "end the thought after N tokens and answer", "N",
     [](S& s, V v) { return set_int(s.think_budget, v, 0, kMaxTokens); },
     [](const S& s) { return shown(s.think_budget); }},
    {"show_thoughts", "auto: dim on a terminal, hidden in a pipe", "auto|dim|hide|plain", set_view,
     [](const S& s) -> std::string {
       constexpr const char* kNames[] = {"auto", "dim", "hide", "plain"};
       return kNames[static_cast<int>(s.show_thoughts)];
     }},
};

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

const Setting* find_setting(std::string_view name) {
  std::string wanted(name);
  std::ranges::replace(wanted, '-', '_');
  const auto found = std::ranges::find_if(kSettings, [&](const Setting& s) { return wanted == s.name; });
  return found == std::end(kSettings) ? nullptr : found;
}

SampleOptions sample_options(const GenerationSettings& settings, const SampleOptions& defaults) {
  SampleOptions sample = defaults;
  const auto override_with = [](float& field, const std::optional<double>& value) {
    if (value) field = static_cast<float>(*value);
  };
  override_with(sample.temperature, settings.temperature);
  override_with(sample.top_p, settings.top_p);
  override_with(sample.min_p, settings.min_p);
  override_with(sample.repetition_penalty, settings.repeat_penalty);
  override_with(sample.presence_penalty, settings.presence_penalty);
  override_with(sample.frequency_penalty, settings.frequency_penalty);
  if (settings.top_k) sample.top_k = *settings.top_k;
  // 32 bits: short enough to type again.
  sample.seed = settings.seed ? *settings.seed : std::random_device{}();
  return sample;
}

}  // namespace reckon::cli
