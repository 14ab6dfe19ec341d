#include "engine/load_tokenizer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "tokenizer/vocabulary.h"

namespace reckon::engine {
namespace {

// An id as the file writes it; the tokenizer checks it against the vocabulary.
Result<std::optional<std::int64_t>> get_id(const formats::TensorFile& file, std::string_view key) {
  RECKON_TRY(const auto value, file.get_uint(key));
  if (!value) return std::optional<std::int64_t>();
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(*value, kMost));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_tokenizer(const formats::TensorFile& file) {
  tokenizer::VocabularyData data;
  RECKON_TRY(const auto model, file.get_string("tokenizer.ggml.model"));
  RECKON_TRY(const auto pre, file.get_string("tokenizer.ggml.pre"));
  RECKON_TRY(auto tokens, file.get_strings("tokenizer.ggml.tokens"));
  RECKON_TRY(data.token_types, file.get_ints("tokenizer.ggml.token_type"));
  RECKON_TRY(auto merges, file.get_strings("tokenizer.ggml.merges"));
  if (model == "gpt2" && !merges) {
    return fail(ErrorCode::kInvalidInput, std::string(file.label()) +
                                              ": tokenizer.ggml.merges is missing: byte-level BPE cannot work without "
                                              "it; convert the model again");
  }
  RECKON_TRY(data.bos, get_id(file, "tokenizer.ggml.bos_token_id"));
  RECKON_TRY(data.eos, get_id(file, "tokenizer.ggml.eos_token_id"));
  RECKON_TRY(data.eot, get_id(file, "tokenizer.ggml.eot_token_id"));
  RECKON_TRY(data.eom, get_id(file, "tokenizer.ggml.eom_token_id"));
  RECKON_TRY(data.add_bos, file.get_bool("tokenizer.ggml.add_bos_token"));
  data.model = model.value_or("");
  data.pre = pre.value_or("");
  if (tokens) data.tokens = std::move(*tokens);
  if (merges) data.merges = std::move(*merges);
  auto made = tokenizer::make_tokenizer(data);
  if (!made) return fail(made.error().code, std::string(file.label()) + ": " + made.error().message);
  return made;
}

}  // namespace reckon::engine
