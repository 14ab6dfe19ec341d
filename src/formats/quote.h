#pragma once
// Text from a file, made fit for one line of a message or a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace reckon::formats {

// Control characters, line breaks, escape sequences, direction marks and invalid UTF-8 come out as \xNN.
// Longer than max_bytes: cut at a character, with "..." behind.
std::string printable(std::string_view text, std::size_t max_bytes = 80);

// The same between single quotes.
std::string quote(std::string_view text, std::size_t max_bytes = 80);

}  // namespace reckon::formats
