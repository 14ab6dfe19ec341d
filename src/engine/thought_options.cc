#include "engine/thought_options.h"

#include <string>

namespace reckon::engine {

ThoughtOptions thought_options(const Tokenizer& tokenizer, const ThoughtPlan& plan) {
  ThoughtOptions thought;
  if (plan.open.empty()) return thought;
  thought.starts_inside = plan.starts_inside;
  thought.open = tokenizer.encode(plan.open, true);
  thought.close = tokenizer.encode(plan.close, true);
  thought.max_tokens = plan.budget;
  if (plan.budget) {
    const std::string farewell = "\n\nThat is enough thought; now I answer.\n" + std::string(plan.close) + "\n\n";
    thought.forced_close = tokenizer.encode(farewell, true);
  }
  return thought;
}

}  // namespace reckon::engine
