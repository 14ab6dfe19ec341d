// Any bytes as a grammar or as a JSON schema: an error or a grammar, never a crash, a leak or a hang; and of a grammar,
// masks that agree with what is accepted.
// Input: the first byte chooses (g: GBNF, anything else: schema) and seeds the walk; the source follows.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "grammar/test_vocabulary.h"
#include "reckon/grammar.h"

namespace {

using reckon::grammar::TestVocabulary;

const TestVocabulary& tokenizer() {
  static const TestVocabulary vocabulary = TestVocabulary::of_bytes(
      {"ab", "\": \"", "\",", "\"}", "{\"", "12", "true", "\xE4\xBD", "\xA0\"", "\\u00", "\n  ", "aaaa", "]]"});
  return vocabulary;
}

void walk(const reckon::Grammar& grammar, std::uint32_t seed) {
  const auto matcher = grammar.matcher();
  const int n_vocab = tokenizer().n_vocab();
  std::vector<std::uint64_t> mask((static_cast<std::size_t>(n_vocab) + 63) / 64);
  for (int n = 0; n < 24; ++n) {
    if (!matcher->fill_mask(mask)) return;
    std::vector<reckon::TokenId> allowed;
    for (reckon::TokenId id = 0; id < n_vocab; ++id) {
      if ((mask[static_cast<std::size_t>(id) / 64] >> (id % 64) & 1) != 0) allowed.push_back(id);
    }
    RECKON_CHECK(!allowed.empty());
    const bool may_end = (mask[0] >> TestVocabulary::kEnd & 1) != 0;
    RECKON_CHECK(may_end == matcher->is_complete());
    RECKON_CHECK((mask[0] >> TestVocabulary::kControl & 1) == 0);
    seed = seed * 1664525 + 1013904223;
    const auto other = static_cast<reckon::TokenId>((seed >> 8) % static_cast<std::uint32_t>(n_vocab));
    if ((mask[static_cast<std::size_t>(other) / 64] >> (other % 64) & 1) == 0) RECKON_CHECK(!matcher->accept(other));
    const reckon::TokenId chosen = allowed[(seed >> 16) % allowed.size()];
    RECKON_CHECK(matcher->accept(chosen));
    if (chosen == TestVocabulary::kEnd) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto vocabulary = reckon::GrammarVocabulary::create(tokenizer());
  if (size == 0) return 0;
  const std::string_view source(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto grammar = data[0] == 'g' ? reckon::Grammar::from_gbnf(source, vocabulary)
                                      : reckon::Grammar::from_json_schema(source, vocabulary);
  if (!grammar) {
    RECKON_CHECK(!grammar.error().message.empty());
    return 0;
  }
  for (std::uint32_t seed = 0; seed < 3; ++seed) walk(**grammar, seed * 7919 + data[0]);
  return 0;
}
