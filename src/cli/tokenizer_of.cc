#include "cli/tokenizer_of.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "tokenizer/vocabulary.h"

namespace reckon::cli {
namespace {

using Id = std::optional<std::int64_t>;

// An id as the file says it; what cannot be an id is far outside every vocabulary, which the tokenizer reports.
Result<Id> get_id(const formats::TensorFile& file, std::string_view key) {
  RECKON_TRY(const auto value, file.get_uint(key));
  if (!value) return Id();
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  return Id(static_cast<std::int64_t>(std::min(*value, kMax)));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> tokenizer_of(const formats::TensorFile& file) {
  tokenizer::VocabularyData data;
  RECKON_TRY(const auto model, file.get_string("tokenizer.ggml.model"));
  if (!model) return fail(ErrorCode::kInvalidInput, "the file has no tokenizer (key tokenizer.ggml.model)");
  data.model = *model;
  RECKON_TRY(const auto pre, file.get_string("tokenizer.ggml.pre"));
  data.pre = pre.value_or("");
  RECKON_TRY(auto tokens, file.get_strings("tokenizer.ggml.tokens"));
  if (tokens) data.tokens = std::move(*tokens);
  RECKON_TRY(data.token_types, file.get_ints("tokenizer.ggml.token_type"));
  RECKON_TRY(auto merges, file.get_strings("tokenizer.ggml.merges"));
  if (merges) data.merges = std::move(*merges);
  RECKON_TRY(data.bos, get_id(file, "tokenizer.ggml.bos_token_id"));
  RECKON_TRY(data.eos, get_id(file, "tokenizer.ggml.eos_token_id"));
  RECKON_TRY(data.eot, get_id(file, "tokenizer.ggml.eot_token_id"));
  RECKON_TRY(data.eom, get_id(file, "tokenizer.ggml.eom_token_id"));
  RECKON_TRY(data.add_bos, file.get_bool("tokenizer.ggml.add_bos_token"));
  return tokenizer::make_tokenizer(data);
}

}  // namespace reckon::cli
