#pragma once
// What one template may cost. A template comes with a model file from the internet: it is data, and it is bounded.

#include <cstddef>

namespace reckon::chat::jinja {

struct Limits {
  std::size_t source_bytes = std::size_t{1} << 20;
  std::size_t output_bytes = std::size_t{8} << 20;  // of the whole text and of any one string
  std::size_t list_items = 1'000'000;
  std::size_t steps = 5'000'000;  // evaluated nodes, items and blocks of kBytesPerStep bytes written
  int parse_depth = 200;          // nested expressions and blocks
  int node_depth = 500;           // depth of the tree, to which long chains (a + b + ...) add without nesting
  int macro_depth = 100;
  int eval_depth = 1200;  // nodes on the stack at once, over all macros
  int value_depth = 128;  // lists in lists
};

// What a step is worth. No operation may do more than some ten nanoseconds of work for one.
inline constexpr std::size_t kBytesPerStep = 32;      // copied, compared or searched
inline constexpr std::size_t kCharactersPerStep = 4;  // looked at one by one: classed, mapped, escaped
inline constexpr std::size_t kStepsPerText = 4;       // a string, on top of its bytes
inline constexpr std::size_t kStepsPerObject = 8;     // a list, dict, scope ...: bounds memory as well as time

}  // namespace reckon::chat::jinja
