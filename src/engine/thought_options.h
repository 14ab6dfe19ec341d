#pragma once
// How the thought of a model with these marks is bounded, in the ids of its tokenizer.

#include <optional>
#include <string_view>

#include "reckon/engine.h"

namespace reckon::engine {

struct ThoughtPlan {
  std::string_view open;  // <think>; empty: the model has no thoughts
  std::string_view close;
  bool starts_inside = false;
  std::optional<int> budget;  // tokens; then a sentence that says so and the closing mark are fed in
};

[[nodiscard]] ThoughtOptions thought_options(const Tokenizer& tokenizer, const ThoughtPlan& plan);

}  // namespace reckon::engine
