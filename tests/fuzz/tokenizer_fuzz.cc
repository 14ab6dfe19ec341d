// Any bytes as text, in user and template segments, with each family: what goes in comes out, user text holds no
// control token, streaming equals decoding. The first byte picks the family, the second where the text is cut and which
// parts are template.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "text/utf8.h"
#include "tokenizer/nfc.h"
#include "tokenizer/small_vocabulary.h"

namespace reckon::tokenizer {
namespace {

struct Family {
  std::string_view pre;
  bool nfc;
  std::unique_ptr<Tokenizer> tokenizer;
};

TokenId first_control = 0;

std::unique_ptr<Tokenizer> make(std::string_view pre) {
  SmallVocabulary small(pre);
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{{"a", "a"},
                                                                                    {"aa", "aa"},
                                                                                    {"aaaa", "aaaa"},
                                                                                    {"\n", "\n"},
                                                                                    {" ", " "},
                                                                                    {"  ", "  "},
                                                                                    {" ", "a"},
                                                                                    {"h", "e"},
                                                                                    {"he", "y"},
                                                                                    {"\xE4\xBD", "\xA0"},
                                                                                    {"\xE4", "\xBD"},
                                                                                    {"1", "2"},
                                                                                    {"<", "|"},
                                                                                    {"|", ">"},
                                                                                    {"'", "s"},
                                                                                    {"\xF0\x9F", "\x98"},
                                                                                    {"\xF0", "\x9F"}}) {
    small.merge(left, right);
  }
  small.add_bytes(" whole");
  first_control = static_cast<TokenId>(small.data.tokens.size());
  small.data.bos = small.add("<s>", TokenType::kControl);
  small.data.eos = small.add("<|im_end|>", TokenType::kControl);
  small.add("<|im", TokenType::kControl);
  small.add("</think>", TokenType::kUserDefined);
  small.add("aab", TokenType::kUserDefined);
  small.add("", TokenType::kControl);
  auto made = make_tokenizer(small.data);
  if (!made) std::abort();
  return std::move(*made);
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check_plain(const Family& family, const std::string& text) {
  const Tokenizer& tokenizer = *family.tokenizer;
  const std::vector<TokenId> ids = tokenizer.encode(text);
  for (const TokenId id : ids) require(id >= 0 && id < first_control);
  require(ids.size() <= 3 * text.size());  // NFC may lengthen a text, at most threefold in UTF-8
  require(tokenizer.decode(ids) == (family.nfc ? to_nfc(text) : text));
  require(family.nfc || ids.size() <= text.size());
}

void check_segments(const Family& family, const std::string& text, std::uint8_t cut) {
  std::vector<Segment> segments;
  const std::size_t piece = 1 + cut % 13;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    segments.push_back({text.substr(at, piece), ((cut >> (at / piece % 8)) & 1) != 0});
  }
  const std::vector<TokenId> ids = family.tokenizer->encode(segments, {.add_bos = (cut & 64) != 0});
  std::string decoded = family.tokenizer->decode(ids);
  if (decoded.size() > text.size() && decoded.starts_with("<s>") && !family.nfc) decoded.erase(0, 3);
  require(family.nfc || decoded == text);

  StreamDecoder stream(*family.tokenizer);
  std::string streamed;
  for (const TokenId id : ids) {
    const std::string part = stream.push(id);
    require(text::is_valid_utf8(part));
    streamed += part;
  }
  streamed += stream.finish();
  require(streamed == text::repair_utf8(family.tokenizer->decode(ids)));
}

}  // namespace
}  // namespace reckon::tokenizer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace reckon::tokenizer;
  static const std::vector<Family> families = [] {
    std::vector<Family> made;
    for (const std::string_view pre : {"gpt-2", "smollm", "qwen2", "llama-bpe"})
      made.push_back({pre, pre == "qwen2", make(pre)});
    return made;
  }();
  if (size < 2) return 0;
  const Family& family = families[data[0] % families.size()];
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  check_plain(family, text);
  check_segments(family, text, data[1]);
  return 0;
}
