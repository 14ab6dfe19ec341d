#pragma once
// Unicode normalisation form C in n log n time for any text, long runs of combining marks included; invalid bytes are
// kept and separate what stands around them.

#include <string>
#include <string_view>

namespace reckon::tokenizer {

// Whether normalisation could change the text. Cheap, and false for most text; may be true for text that is normal
// already.
[[nodiscard]] bool may_need_nfc(std::string_view text);

[[nodiscard]] std::string to_nfc(std::string_view text);

}  // namespace reckon::tokenizer
