#include "server/grammar_store.h"

#include <algorithm>

namespace reckon::server {
namespace {

Result<std::shared_ptr<const Grammar>> compile(const OutputForm& form,
                                               const std::shared_ptr<const GrammarVocabulary>& vocabulary) {
  switch (form.kind) {
    case OutputForm::Kind::kText:
      break;
    case OutputForm::Kind::kJsonObject:
      return Grammar::json_object(vocabulary);
    case OutputForm::Kind::kJsonSchema:
      return Grammar::from_json_schema(form.source, vocabulary);
    case OutputForm::Kind::kGrammar:
      return Grammar::from_gbnf(form.source, vocabulary);
  }
  return std::shared_ptr<const Grammar>();
}

}  // namespace

Reply<std::shared_ptr<const Grammar>> GrammarStore::get(const OutputForm& form) {
  if (form.kind == OutputForm::Kind::kText) return std::shared_ptr<const Grammar>();
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.kind == form.kind && entry.source == form.source; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().grammar;
  }
  if (vocabulary_ == nullptr) vocabulary_ = GrammarVocabulary::create(tokenizer_);
  auto grammar = compile(form, vocabulary_);
  if (!grammar) {
    ApiError error = to_api_error(grammar.error(), form.field);
    error.message = form.field + ": " + error.message;
    return std::unexpected(std::move(error));
  }
  entries_.push_front({form.kind, form.source, *grammar});
  if (entries_.size() > kMaxEntries) entries_.pop_back();
  return *grammar;
}

}  // namespace reckon::server
