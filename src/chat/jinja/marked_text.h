#pragma once
// Text that remembers where each byte came from. Every string of the template engine is one, so that what a user
// wrote is still known as the user's after any number of string operations. Thread: value type.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::chat::jinja {

// Where bytes came from. kFinal is user text of the one message that the model is to go on with.
enum class Mark : std::uint8_t { kTemplate, kUser, kFinal };

class MarkedText {
 public:
  struct Run {
    std::uint32_t end;  // one past the last byte of the run; texts are far below 4 GiB (limits.h)
    Mark mark;
  };

  MarkedText() = default;
  MarkedText(std::string bytes, Mark mark);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  // Cover the text from its first to its last byte; neighbours differ in mark.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  [[nodiscard]] Mark mark_at(std::size_t offset) const;

  void append(std::string_view bytes, Mark mark);
  void append(const MarkedText& other);
  void append(const MarkedText& other, std::size_t begin, std::size_t end);  // bytes [begin, end) of other
  [[nodiscard]] MarkedText slice(std::size_t begin, std::size_t end) const;  // bytes [begin, end)

 private:
  [[nodiscard]] std::size_t run_of(std::size_t offset) const;
  void extend(std::size_t end, Mark mark);

  std::string bytes_;
  std::vector<Run> runs_;
};

}  // namespace reckon::chat::jinja
