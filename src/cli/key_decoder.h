#pragma once
// Bytes from a terminal in raw mode to keys.

#include <optional>
#include <string>

namespace reckon::cli {

enum class KeyType {
  kText,  // typed or pasted characters, valid UTF-8
  kEnter,
  kTab,
  kBackspace,
  kDelete,
  kLeft,
  kRight,
  kUp,
  kDown,
  kHome,
  kEnd,
  kWordLeft,
  kWordRight,
  kEraseToEnd,
  kEraseToStart,
  kEraseWord,
  kNewLine,  // kNewLine: Alt-Enter or Ctrl-J puts a line break
  kInterrupt,
  kEndOfInput,
  kClearScreen,
  kUnknown,
};

struct Key {
  KeyType type = KeyType::kUnknown;
  std::string text;     // kText
  bool pasted = false;  // by bracketed paste: newlines inside are text
};

class KeyDecoder {
 public:
  // A key once its last byte has come.
  std::optional<Key> push(unsigned char byte);
  // Nothing came for a while: a lone Escape is no key, half a character is dropped.
  void timeout();
  [[nodiscard]] bool is_pending() const { return state_ != State::kStart; }
  [[nodiscard]] bool in_paste() const { return state_ == State::kPaste; }

 private:
  enum class State { kStart, kUtf8, kEscape, kCsi, kSs3, kPaste };
  std::optional<Key> push_start(unsigned char byte);
  std::optional<Key> push_utf8(unsigned char byte);
  std::optional<Key> push_escape(unsigned char byte);
  std::optional<Key> push_csi(unsigned char byte);
  std::optional<Key> push_paste(unsigned char byte);

  State state_ = State::kStart;
  std::string held_;
  std::size_t need_ = 0;  // bytes of the character in held_
};

}  // namespace reckon::cli
