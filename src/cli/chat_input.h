#pragma once
// From lines to messages: a trailing backslash goes on, """ opens and closes a block.

#include <optional>
#include <string>
#include <string_view>

namespace reckon::cli {

class MessageAssembler {
 public:
  // A complete message, or nothing while more lines belong to it.
  std::optional<std::string> push(std::string_view line);
  [[nodiscard]] bool is_open() const { return in_block_ || continued_; }
  // What an input that ended early had collected.
  std::string take_rest();
  void reset();

 private:
  std::string text_;
  bool in_block_ = false;
  bool continued_ = false;
};

}  // namespace reckon::cli
