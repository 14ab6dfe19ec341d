// Golden ids: a small vocabulary and what Hugging Face tokenizers make of it (tools/golden/make_token_vectors.py).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "text/utf8.h"
#include "tokenizer/small_vocabulary.h"

namespace reckon::tokenizer {
namespace {

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

TEST(Vectors, ids_equal_those_of_the_original_library) {
  std::map<std::string, std::unique_ptr<SmallVocabulary>> vocabularies;
  for (const char* family : {"gpt-2", "smollm", "qwen2", "llama-bpe"}) {
    vocabularies[family] = std::make_unique<SmallVocabulary>(family);
  }
  std::vector<std::string> texts;  // of tokens, by id
  for (int b = 0; b < 256; ++b) texts.emplace_back(1, static_cast<char>(b));
  std::map<std::string, std::unique_ptr<Tokenizer>> tokenizers;  // made at the first text
  std::string text;
  int n_texts = 0, n_compared = 0;

  std::ifstream file(std::string(RECKON_SOURCE_DIR) + "/tests/data/tokenizer/vectors.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string word, hex;
    fields >> word;
    if (word == "merge") {
      std::size_t left = 0, right = 0;
      fields >> left >> right;
      for (auto& [family, small] : vocabularies) small->merge(texts.at(left), texts.at(right));
      texts.push_back(texts[left] + texts[right]);
    } else if (word == "token") {
      fields >> hex;
      for (auto& [family, small] : vocabularies) small->add_bytes(from_hex(hex));
      texts.push_back(from_hex(hex));
    } else if (word == "text") {
      for (auto& [family, small] : vocabularies) {
        if (n_texts == 0) tokenizers[family] = *make_tokenizer(small->data);
      }
      fields >> hex;
      text = from_hex(hex);
      ++n_texts;
    } else {
      std::vector<TokenId> expected;
      for (TokenId id = 0; fields >> id;) expected.push_back(id);
      ASSERT_EQ(tokenizers.at(word)->encode(text), expected) << word << " on: " << text;
      ++n_compared;
    }
  }
  EXPECT_GE(n_texts, 300);
  EXPECT_EQ(n_compared, 4 * n_texts);
}

}  // namespace
}  // namespace reckon::tokenizer
