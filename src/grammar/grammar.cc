#include "reckon/grammar.h"

#include <utility>

#include "grammar/gbnf.h"
#include "grammar/matcher.h"
#include "grammar/schema.h"
#include "grammar/token_trie.h"

namespace reckon {
namespace {

// GrammarVocabulary::create is the only way to make one.
std::shared_ptr<const grammar::TokenTrie> trie_of(std::shared_ptr<const GrammarVocabulary> vocabulary) {
  return std::static_pointer_cast<const grammar::TokenTrie>(std::move(vocabulary));
}

}  // namespace

std::shared_ptr<const GrammarVocabulary> GrammarVocabulary::create(const Tokenizer& tokenizer) {
  return std::make_shared<const grammar::TokenTrie>(tokenizer);
}

Result<std::shared_ptr<const Grammar>> Grammar::from_gbnf(std::string_view source,
                                                          std::shared_ptr<const GrammarVocabulary> vocabulary) {
  RECKON_TRY(const grammar::Syntax syntax, grammar::read_gbnf(source));
  return grammar::CompiledGrammar::create(syntax, trie_of(std::move(vocabulary)));
}

Result<std::shared_ptr<const Grammar>> Grammar::from_json_schema(std::string_view schema,
                                                                 std::shared_ptr<const GrammarVocabulary> vocabulary) {
  RECKON_TRY(const grammar::Syntax syntax, grammar::read_schema(schema));
  return grammar::CompiledGrammar::create(syntax, trie_of(std::move(vocabulary)));
}

Result<std::shared_ptr<const Grammar>> Grammar::json_object(std::shared_ptr<const GrammarVocabulary> vocabulary) {
  return grammar::CompiledGrammar::create(grammar::any_json_object(), trie_of(std::move(vocabulary)));
}

}  // namespace reckon
