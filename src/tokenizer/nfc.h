#pragma once
// Unicode normalisation form C in n log n time for any text, long runs of combining marks included; invalid bytes are
// kept and separate what stands around them.
// The Unicode version is that of utf8proc (15.0 or later). Hugging Face tokenizers have older tables: 48 marks of rare
// scripts that came after Unicode 10 are not put in order there.

#include <string>
#include <string_view>

namespace reckon::tokenizer {

// Whether normalisation could change the text. Cheap, and false for most text; may be true for text that is normal
// already.
[[nodiscard]] bool may_need_nfc(std::string_view text);

[[nodiscard]] std::string to_nfc(std::string_view text);

}  // namespace reckon::tokenizer
