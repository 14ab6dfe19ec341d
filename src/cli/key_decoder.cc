#include "cli/key_decoder.h"

#include <string_view>
#include <utility>

#include "cli/display_text.h"

namespace reckon::cli {
namespace {

constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kMaxPaste = 1u << 20;
constexpr std::size_t kMaxSequence = 32;

Key key(KeyType type) { return Key{type, "", false}; }

// The text of a paste: line breaks are \n, other control characters go.
std::string cleaned_paste(std::string_view raw) {
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (c == '\r') {
      if (i + 1 < raw.size() && raw[i + 1] == '\n') continue;
      text += '\n';
    } else if (c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) {
      if (c != 0x7F) text += c;
    }
  }
  return valid_utf8(text);
}

Key control_key(unsigned char byte) {
  switch (byte) {
    case 0x01:
      return key(KeyType::kHome);
    case 0x02:
      return key(KeyType::kLeft);
    case 0x03:
      return key(KeyType::kInterrupt);
    case 0x04:
      return key(KeyType::kEndOfInput);
    case 0x05:
      return key(KeyType::kEnd);
    case 0x06:
      return key(KeyType::kRight);
    case 0x08:
    case 0x7F:
      return key(KeyType::kBackspace);
    case 0x09:
      return key(KeyType::kTab);
    case 0x0A:
      return key(KeyType::kNewLine);
    case 0x0B:
      return key(KeyType::kEraseToEnd);
    case 0x0C:
      return key(KeyType::kClearScreen);
    case 0x0D:
      return key(KeyType::kEnter);
    case 0x0E:
      return key(KeyType::kDown);
    case 0x10:
      return key(KeyType::kUp);
    case 0x15:
      return key(KeyType::kEraseToStart);
    case 0x17:
      return key(KeyType::kEraseWord);
    default:
      return key(KeyType::kUnknown);
  }
}

KeyType csi_key(std::string_view parameters, char last) {
  const bool with_modifier = parameters.find(';') != std::string_view::npos;  // Ctrl, Alt or Shift is held
  switch (last) {
    case 'A':
      return KeyType::kUp;
    case 'B':
      return KeyType::kDown;
    case 'C':
      return with_modifier ? KeyType::kWordRight : KeyType::kRight;
    case 'D':
      return with_modifier ? KeyType::kWordLeft : KeyType::kLeft;
    case 'H':
      return KeyType::kHome;
    case 'F':
      return KeyType::kEnd;
    case '~':
      break;
    default:
      return KeyType::kUnknown;
  }
  const std::string_view number = parameters.substr(0, parameters.find(';'));
  if (number == "1" || number == "7") return KeyType::kHome;
  if (number == "4" || number == "8") return KeyType::kEnd;
  if (number == "3") return KeyType::kDelete;
  return KeyType::kUnknown;
}

}  // namespace

std::optional<Key> KeyDecoder::push(unsigned char byte) {
  switch (state_) {
    case State::kStart:
      return push_start(byte);
    case State::kUtf8:
      return push_utf8(byte);
    case State::kEscape:
      return push_escape(byte);
    case State::kCsi:
      return push_csi(byte);
    case State::kPaste:
      return push_paste(byte);
    case State::kSs3:
      state_ = State::kStart;
      return key(csi_key("", static_cast<char>(byte)));
  }
  return std::nullopt;
}

void KeyDecoder::timeout() {
  if (state_ == State::kPaste) return;
  state_ = State::kStart;
  held_.clear();
}

std::optional<Key> KeyDecoder::push_start(unsigned char byte) {
  held_.clear();
  if (byte == 0x1B) {
    state_ = State::kEscape;
    return std::nullopt;
  }
  if (byte < 0x20 || byte == 0x7F) return control_key(byte);
  if (byte < 0x80) return Key{KeyType::kText, std::string(1, static_cast<char>(byte)), false};
  need_ = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 0;
  if (need_ == 0) return key(KeyType::kUnknown);
  held_ = static_cast<char>(byte);
  state_ = State::kUtf8;
  return std::nullopt;
}

std::optional<Key> KeyDecoder::push_utf8(unsigned char byte) {
  if ((byte & 0xC0) != 0x80) {  // the character was broken off; this byte starts something new
    state_ = State::kStart;
    return push_start(byte);
  }
  held_ += static_cast<char>(byte);
  if (held_.size() < need_) return std::nullopt;
  state_ = State::kStart;
  return Key{KeyType::kText, valid_utf8(std::exchange(held_, {})), false};
}

std::optional<Key> KeyDecoder::push_escape(unsigned char byte) {
  state_ = State::kStart;
  switch (byte) {
    case '[':
      state_ = State::kCsi;
      return std::nullopt;
    case 'O':
      state_ = State::kSs3;
      return std::nullopt;
    case 0x1B:
      state_ = State::kEscape;
      return std::nullopt;
    case '\r':
    case '\n':
      return key(KeyType::kNewLine);
    case 'b':
      return key(KeyType::kWordLeft);
    case 'f':
      return key(KeyType::kWordRight);
    case 0x7F:
    case 0x08:
      return key(KeyType::kEraseWord);
    default:
      return key(KeyType::kUnknown);
  }
}

std::optional<Key> KeyDecoder::push_csi(unsigned char byte) {
  if (byte < 0x40 || byte > 0x7E) {  // a parameter
    if (held_.size() < kMaxSequence) held_ += static_cast<char>(byte);
    return std::nullopt;
  }
  const std::string parameters = std::exchange(held_, {});
  if (byte == '~' && parameters == "200") {
    state_ = State::kPaste;
    return std::nullopt;
  }
  state_ = State::kStart;
  return key(csi_key(parameters, static_cast<char>(byte)));
}

std::optional<Key> KeyDecoder::push_paste(unsigned char byte) {
  if (held_.size() >= kMaxPaste) {  // keep looking for the end, drop what is over
    held_.erase(held_.size() - kPasteEnd.size(), 1);
  }
  held_ += static_cast<char>(byte);
  if (!held_.ends_with(kPasteEnd)) return std::nullopt;
  held_.resize(held_.size() - kPasteEnd.size());
  state_ = State::kStart;
  return Key{KeyType::kText, cleaned_paste(std::exchange(held_, {})), true};
}

}  // namespace reckon::cli
