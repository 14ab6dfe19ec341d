#include "cli/generation_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <type_traits>

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

// A setting kept in an optional<double> or optional<int>, with its range.
template <auto kField, int kLow, int kHigh, int kScale = 1>
constexpr Setting number(const char* name, const char* help, const char* value_name) {
  return {name,
          help,
          value_name,
          [](S& s, V v) -> Failure {
            if constexpr (std::is_same_v<decltype(s.*kField), std::optional<double>&>) {
              return set_float(s.*kField, v, static_cast<double>(kLow) / kScale, kHigh);
            } else {
              return set_int(s.*kField, v, kLow, kHigh);
            }
          },
          [](const S& s) { return shown(s.*kField); },
          [](S& s) { (s.*kField).reset(); }};
}

constexpr Setting kSettings[] = {
    number<&S::temperature, 0, 10>("temp", "randomness; 0 takes the likeliest token each time", "T"),
    number<&S::top_p, 0, 1>("top_p", "sample from the smallest set of tokens with this probability", "P"),
    number<&S::top_k, 0, kMaxTokens>("top_k", "sample from the K likeliest tokens; 0 is off", "K"),
    number<&S::min_p, 0, 1>("min_p", "drop tokens below this share of the likeliest one", "P"),
    number<&S::repeat_penalty, 1, 10, 100>("repeat_penalty", "over prompt and answer, as in Hugging Face; 1 is off",
                                           "R"),
    number<&S::presence_penalty, -2, 2>("presence_penalty", "over the answer, as in the OpenAI API; 0 is off", "R"),
    number<&S::frequency_penalty, -2, 2>("frequency_penalty", "over the answer, as in the OpenAI API; 0 is off", "R"),
    {"seed", "the same request with the same seed gives the same text", "N", set_seed,
     [](const S& s) { return shown(s.seed); }, [](S& s) { s.seed.reset(); }},
    number<&S::max_tokens, 1, kMaxTokens>("max_tokens",
                                          "longest answer, its thought included; else what the context leaves", "N"),
    {"think", "whether the model thinks first; auto leaves it to its chat template", "auto|on|off", set_think,
     [](const S& s) -> std::string {
       return s.think == Thinking::kOn ? "on" : s.think == Thinking::kOff ? "off" : "auto";
     },
     [](S& s) { s.think = Thinking::kAuto; }},
    number<&S::think_budget, 0, kMaxTokens>("think_budget", "end the thought after N tokens and answer", "N"),
    {"show_thoughts", "auto: dim on a terminal, hidden in a pipe", "auto|dim|hide|plain", set_view,
     [](const S& s) -> std::string {
       constexpr const char* kNames[] = {"auto", "dim", "hide", "plain"};
       return kNames[static_cast<int>(s.show_thoughts)];
     },
     [](S& s) { s.show_thoughts = ThoughtView::kAuto; }},
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
