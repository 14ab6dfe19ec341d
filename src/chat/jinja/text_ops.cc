#include "chat/jinja/text_ops.h"

#include <algorithm>

#include "chat/jinja/occurrences.h"

namespace reckon::chat::jinja {
namespace {

bool is_one_of(std::string_view character, std::string_view chars) {
  for (std::size_t i = 0; i < chars.size();) {
    const std::size_t n = character_at(chars, i).size;
    if (chars.substr(i, n) == character) return true;
    i += n;
  }
  return false;
}

bool is_stripped(std::string_view character, std::optional<std::string_view> chars) {
  return chars ? is_one_of(character, *chars) : is_space(character_at(character, 0).code);
}

template <class Map>
MarkedText mapped(const MarkedText& text, Map map) {
  MarkedText out;
  const std::string_view bytes = text.bytes();
  for (std::size_t i = 0; i < bytes.size();) {
    const Character c = character_at(bytes, i);
    out.append(map(c, bytes.substr(i, c.size), i), text.mark_at(i));
    i += c.size;
  }
  return out;
}

std::size_t skip_space(std::string_view bytes, std::size_t i) {
  while (i < bytes.size()) {
    const Character c = character_at(bytes, i);
    if (!is_space(c.code)) break;
    i += c.size;
  }
  return i;
}

std::size_t skip_word(std::string_view bytes, std::size_t i) {
  while (i < bytes.size()) {
    const Character c = character_at(bytes, i);
    if (is_space(c.code)) break;
    i += c.size;
  }
  return i;
}

// Where the white space in front of `end` starts.
std::size_t end_of_words(std::string_view bytes, std::size_t end) {
  while (end > 0) {
    const std::size_t start = character_start(bytes, end);
    if (!is_space(character_at(bytes, start).code)) break;
    end = start;
  }
  return end;
}

std::vector<MarkedText> split_at_space(const MarkedText& text, std::int64_t n_max) {
  std::vector<MarkedText> parts;
  const std::string_view bytes = text.bytes();
  for (std::size_t i = skip_space(bytes, 0); i < bytes.size();) {
    if (n_max >= 0 && static_cast<std::int64_t>(parts.size()) == n_max) {
      parts.push_back(text.slice(i, bytes.size()));
      break;
    }
    const std::size_t end = skip_word(bytes, i);
    parts.push_back(text.slice(i, end));
    i = skip_space(bytes, end);
  }
  return parts;
}

// Lower case of one character; a capital sigma at the end of a word is a final sigma.
std::string lower_at(std::string_view bytes, Character c, std::size_t offset) {
  if (c.code == 0x3A3) {
    const bool after_letter = offset > 0 && is_alpha(character_at(bytes, character_start(bytes, offset)).code);
    const std::size_t next = offset + c.size;
    const bool before_letter = next < bytes.size() && is_alpha(character_at(bytes, next).code);
    if (after_letter && !before_letter) return "ς";
  }
  return to_lower(c, bytes.substr(offset, c.size));
}

}  // namespace

MarkedText strip(const MarkedText& text, Side side, std::optional<std::string_view> chars) {
  const std::string_view bytes = text.bytes();
  std::size_t begin = 0;
  std::size_t end = bytes.size();
  if (side != Side::kRight) {
    while (begin < end) {
      const std::size_t n = character_at(bytes, begin).size;
      if (!is_stripped(bytes.substr(begin, n), chars)) break;
      begin += n;
    }
  }
  if (side != Side::kLeft) {
    while (end > begin) {
      const std::size_t start = character_start(bytes, end);
      if (!is_stripped(bytes.substr(start, end - start), chars)) break;
      end = start;
    }
  }
  return text.slice(begin, end);
}

std::vector<MarkedText> split(const MarkedText& text, std::optional<std::string_view> separator, std::int64_t n_max) {
  if (!separator) return split_at_space(text, n_max);
  std::vector<MarkedText> parts;
  Occurrences separators(text.bytes(), *separator);
  std::size_t begin = 0;
  while (n_max < 0 || static_cast<std::int64_t>(parts.size()) < n_max) {
    const std::size_t found = separators.next();
    if (found == std::string_view::npos) break;
    parts.push_back(text.slice(begin, found));
    begin = found + separator->size();
  }
  parts.push_back(text.slice(begin, text.size()));
  return parts;
}

std::vector<MarkedText> split_right(const MarkedText& text, std::optional<std::string_view> separator,
                                    std::int64_t n_max) {
  std::vector<MarkedText> parts;
  if (n_max < 0) return split(text, separator, -1);
  const std::string_view bytes = text.bytes();
  std::size_t end = bytes.size();
  if (separator) {
    for (std::int64_t n = 0; n < n_max; ++n) {
      if (end < separator->size()) break;
      const std::size_t found = bytes.substr(0, end).rfind(*separator);
      if (found == std::string_view::npos) break;
      parts.push_back(text.slice(found + separator->size(), end));
      end = found;
    }
    parts.push_back(text.slice(0, end));
  } else {
    end = end_of_words(bytes, end);
    for (std::int64_t n = 0; n < n_max && end > 0; ++n) {
      std::size_t start = end;
      while (start > 0) {
        const std::size_t before = character_start(bytes, start);
        if (is_space(character_at(bytes, before).code)) break;
        start = before;
      }
      parts.push_back(text.slice(start, end));
      end = end_of_words(bytes, start);
    }
    if (end > 0) parts.push_back(text.slice(0, end));
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<MarkedText> split_lines(const MarkedText& text, bool keep_ends) {
  std::vector<MarkedText> lines;
  const std::string_view bytes = text.bytes();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const Character c = character_at(bytes, i);
    std::size_t next = i + c.size;
    if (c.valid && is_line_break(c.code)) {
      if (c.code == '\r' && next < bytes.size() && bytes[next] == '\n') ++next;
      lines.push_back(text.slice(begin, keep_ends ? next : i));
      begin = next;
    }
    i = next;
  }
  if (begin < bytes.size()) lines.push_back(text.slice(begin, bytes.size()));
  return lines;
}

std::size_t count_of(std::string_view text, std::string_view needle) {
  if (needle.empty()) return count_characters(text) + 1;
  Occurrences needles(text, needle);
  std::size_t n = 0;
  while (needles.next() != std::string_view::npos) ++n;
  return n;
}

MarkedText replace(const MarkedText& text, std::string_view old, const MarkedText& by, std::int64_t n_max) {
  MarkedText out;
  std::size_t begin = 0;
  std::int64_t n = 0;
  if (old.empty()) {  // between all characters
    const std::string_view bytes = text.bytes();
    while (n_max < 0 || n < n_max) {
      out.append(by);
      ++n;
      if (begin >= bytes.size()) return out;
      const std::size_t size = character_at(bytes, begin).size;
      out.append(text, begin, begin + size);
      begin += size;
    }
    out.append(text, begin, text.size());
    return out;
  }
  Occurrences places(text.bytes(), old);
  for (; n_max < 0 || n < n_max; ++n) {
    const std::size_t found = places.next();
    if (found == std::string_view::npos) break;
    out.append(text, begin, found);
    out.append(by);
    begin = found + old.size();
  }
  out.append(text, begin, text.size());
  return out;
}

MarkedText escape_html(const MarkedText& text) {
  return mapped(text, [](Character, std::string_view bytes, std::size_t) -> std::string {
    if (bytes == "&") return "&amp;";
    if (bytes == "<") return "&lt;";
    if (bytes == ">") return "&gt;";
    if (bytes == "'") return "&#39;";
    if (bytes == "\"") return "&#34;";
    return std::string(bytes);
  });
}

MarkedText upper(const MarkedText& text) {
  return mapped(text, [](Character c, std::string_view bytes, std::size_t) { return to_upper(c, bytes); });
}

MarkedText lower(const MarkedText& text) {
  return mapped(text,
                [&](Character c, std::string_view, std::size_t offset) { return lower_at(text.bytes(), c, offset); });
}

MarkedText swap_case(const MarkedText& text) {
  return mapped(text, [&](Character c, std::string_view bytes, std::size_t offset) {
    return is_upper(c.code) ? lower_at(text.bytes(), c, offset) : to_upper(c, bytes);
  });
}

MarkedText capitalize(const MarkedText& text) {
  return mapped(text, [&](Character c, std::string_view bytes, std::size_t offset) {
    return offset == 0 ? to_title(c, bytes) : lower_at(text.bytes(), c, offset);
  });
}

MarkedText title(const MarkedText& text) {
  bool in_word = false;
  return mapped(text, [&](Character c, std::string_view bytes, std::size_t offset) {
    std::string out = in_word ? lower_at(text.bytes(), c, offset) : to_title(c, bytes);
    in_word = is_upper(c.code) || is_lower(c.code);
    return out;
  });
}

MarkedText title_filter(const MarkedText& text) {
  bool in_word = false;
  return mapped(text, [&](Character c, std::string_view bytes, std::size_t offset) {
    const bool breaks =
        is_space(c.code) || (bytes.size() == 1 && std::string_view("-({[<").find(bytes[0]) != std::string_view::npos);
    if (breaks) {
      in_word = false;
      return std::string(bytes);
    }
    std::string out = in_word ? lower_at(text.bytes(), c, offset) : to_upper(c, bytes);
    in_word = true;
    return out;
  });
}

void each_character(const MarkedText& text,
                    const std::function<void(Character, std::string_view bytes, std::size_t offset)>& visit) {
  const std::string_view bytes = text.bytes();
  for (std::size_t i = 0; i < bytes.size();) {
    const Character c = character_at(bytes, i);
    visit(c, bytes.substr(i, c.size), i);
    i += c.size;
  }
}

}  // namespace reckon::chat::jinja
