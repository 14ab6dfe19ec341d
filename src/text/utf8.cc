#include "text/utf8.h"

namespace reckon::text {
namespace {

struct Lead {
  std::uint8_t length;      // of the whole character; 0: cannot start one
  std::uint8_t second_min;  // range of the second byte; the others are always 80..BF
  std::uint8_t second_max;
};

// Table 3-7 of the Unicode Standard, "Well-Formed UTF-8 Byte Sequences".
constexpr Lead lead_of(std::uint8_t b) {
  if (b < 0x80) return {1, 0, 0};
  if (b < 0xC2) return {0, 0, 0};
  if (b < 0xE0) return {2, 0x80, 0xBF};
  if (b == 0xE0) return {3, 0xA0, 0xBF};
  if (b == 0xED) return {3, 0x80, 0x9F};
  if (b < 0xF0) return {3, 0x80, 0xBF};
  if (b == 0xF0) return {4, 0x90, 0xBF};
  if (b < 0xF4) return {4, 0x80, 0xBF};
  if (b == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Decoded decode_utf8(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[at + i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1, true, false};
  const Lead lead = lead_of(first);
  if (lead.length == 0) return {};
  const std::size_t left = bytes.size() - at;
  char32_t code_point = first & (0x7Fu >> lead.length);
  for (std::uint8_t i = 1; i < lead.length; ++i) {
    if (i == left) return {kReplacement, i, false, true};
    const std::uint8_t b = byte(i);
    const std::uint8_t min = i == 1 ? lead.second_min : 0x80;
    const std::uint8_t max = i == 1 ? lead.second_max : 0xBF;
    if (b < min || b > max) return {kReplacement, i, false, false};
    code_point = (code_point << 6) | (b & 0x3Fu);
  }
  return {code_point, lead.length, true, false};
}

void append_utf8(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacement;
  const auto put = [&](char32_t b) { out.push_back(static_cast<char>(static_cast<std::uint8_t>(b))); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

bool is_valid_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const Decoded c = decode_utf8(bytes, i);
    if (!c.valid) return false;
    i += c.length;
  }
  return true;
}

void append_repaired_utf8(std::string& out, std::string_view bytes) {
  std::size_t copied = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const Decoded c = decode_utf8(bytes, i);
    if (!c.valid) {
      out.append(bytes, copied, i - copied);
      out.append(kReplacementUtf8);
      copied = i + c.length;
    }
    i += c.length;
  }
  out.append(bytes, copied);
}

std::string repair_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  append_repaired_utf8(out, bytes);
  return out;
}

std::size_t unfinished_utf8_tail(std::string_view bytes) {
  const std::size_t most = bytes.size() < 3 ? bytes.size() : 3;
  for (std::size_t n = most; n > 0; --n) {
    const Decoded c = decode_utf8(bytes, bytes.size() - n);
    if (c.truncated && c.length == n) return n;
  }
  return 0;
}

}  // namespace reckon::text
