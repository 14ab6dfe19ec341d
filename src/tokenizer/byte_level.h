#pragma once
// The byte alphabet of GPT-2: a vocabulary writes each byte as one printable character, a space as U+0120.
// Bytes 21..7E, A1..AC and AE..FF stand for themselves; the other 68, in order, for U+0100..U+0143.

#include <string>
#include <string_view>

namespace reckon::tokenizer {

// Appends the bytes of a token as the vocabulary spells it. Characters outside the alphabet keep their own bytes.
void append_token_bytes(std::string& out, std::string_view spelling);

// The other way: how a vocabulary spells these bytes. For tests and small vocabularies made in code.
[[nodiscard]] std::string spell_token(std::string_view bytes);

}  // namespace reckon::tokenizer
