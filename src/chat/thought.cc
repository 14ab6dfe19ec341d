#include "chat/thought.h"

#include <array>

namespace reckon::chat {
namespace {

using jinja::Mark;
using jinja::MarkedText;

constexpr std::string_view kR1Assistant = "<｜Assistant｜>";

struct KnownMarks {
  std::string_view open;
  std::string_view close;
};
constexpr std::array<KnownMarks, 4> kKnown = {
    {{"<think>", "</think>"}, {"[THINK]", "[/THINK]"}, {"<seed:think>", "</seed:think>"}, {"◁think▷", "◁/think▷"}}};

// Where the text of the template starts that ends the prompt: after the last byte of a user.
std::size_t template_tail(const MarkedText& prompt) {
  const auto& runs = prompt.runs();
  if (runs.empty() || runs.back().mark != Mark::kTemplate) return prompt.size();
  return runs.size() == 1 ? 0 : runs[runs.size() - 2].end;
}

}  // namespace

ThoughtMarks find_marks(std::string_view template_source, const Tokenizer* tokenizer) {
  for (const KnownMarks& known : kKnown) {
    const bool written = template_source.find(known.open) != std::string_view::npos &&
                         template_source.find(known.close) != std::string_view::npos;
    const bool are_tokens =
        tokenizer != nullptr && tokenizer->find(known.open) >= 0 && tokenizer->find(known.close) >= 0;
    // A template may name the closing mark alone, to cut old thoughts away.
    const bool cut = are_tokens && template_source.find(known.close) != std::string_view::npos;
    if (written || cut || (are_tokens && &known == kKnown.data())) {
      return {std::string(known.open), std::string(known.close)};
    }
  }
  return {};
}

bool ends_in_thought(const MarkedText& prompt, const ThoughtMarks& marks) {
  if (marks.open.empty()) return false;
  const std::string_view tail = std::string_view(prompt.bytes()).substr(template_tail(prompt));
  const std::size_t open = tail.rfind(marks.open);
  if (open == std::string_view::npos) return false;
  const std::size_t close = tail.rfind(marks.close);
  return close == std::string_view::npos || close < open;
}

bool lacks_r1_primer(const MarkedText& prompt, std::string_view template_source, const ThoughtMarks& marks) {
  if (marks.open != kKnown[0].open || template_source.find(marks.close) == std::string_view::npos) return false;
  std::string_view tail = std::string_view(prompt.bytes()).substr(template_tail(prompt));
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.remove_suffix(1);
  return tail.ends_with(kR1Assistant);
}

bool is_r1_family(std::string_view template_source, const ThoughtMarks& marks) {
  return marks.open == kKnown[0].open && template_source.find(kR1Assistant) != std::string_view::npos;
}

void open_thought(MarkedText& prompt, const ThoughtMarks& marks) { prompt.append(marks.open + "\n", Mark::kTemplate); }

void close_thought(MarkedText& prompt, const ThoughtMarks& marks) {
  const bool on_new_line = prompt.bytes().ends_with('\n');
  prompt.append((on_new_line ? "\n" : "\n\n") + marks.close + "\n\n", Mark::kTemplate);
}

}  // namespace reckon::chat
