// What constrained output costs. The bound is 5 % of a decode step of 25 ms: 1.2 ms for mask and accept.
//
//   reckon_grammar_bench MODEL.gguf     the vocabulary of the model

#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/tensor_file.h"
#include "reckon/grammar.h"
#include "tokenizer/vocabulary.h"

namespace reckon::grammar {
namespace {

std::unique_ptr<Tokenizer> the_tokenizer;
std::shared_ptr<const GrammarVocabulary> vocabulary;

constexpr std::string_view kSchema = R"({"type": "object", "properties": {
  "name": {"type": "string"}, "title": {"type": "string"}, "company": {"type": "string"}, "email": {"type": "string"},
  "city": {"type": "string"}, "country": {"type": "string"}, "phone": {"type": "string"}, "age": {"type": "integer"},
  "tags": {"type": "array", "items": {"type": "string"}}, "summary": {"type": "string"}},
  "required": ["name", "title", "company", "email", "city", "country", "phone", "age", "tags", "summary"],
  "additionalProperties": false})";
constexpr std::string_view kBoundedSchema = R"({"type": "object", "properties": {
  "name": {"type": "string", "maxLength": 200}, "summary": {"type": "string", "maxLength": 800}},
  "required": ["name", "summary"], "additionalProperties": false})";

constexpr std::string_view kAnswer = R"({
  "name": "Ada Lovelace",
  "title": "Countess of Lovelace, \"Enchantress of Numbers\"",
  "company": "Analytical Engines & Söhne",
  "email": "ada@example.org",
  "city": "London",
  "country": "United Kingdom of Great Britain",
  "phone": "+44 20 7946 0958",
  "age": 36,
  "tags": ["mathematics", "computing", "诗歌", "first programmer"],
  "summary": "She wrote the first algorithm intended to be carried out by a machine, and saw that such a machine could do more than pure calculation. Between 1842 and 1843 she translated an article by Luigi Menabrea, adding notes that are three times as long.\nThey hold what many call the first program."
})";
constexpr std::string_view kBoundedAnswer =
    R"({"name": "Ada Lovelace", "summary": "She wrote the first algorithm intended to be carried out by a machine, and saw that such a machine could do more than pure calculation. Between 1842 and 1843 she translated an article by Luigi Menabrea, adding notes that are three times as long.\nThey hold what many call the first program."})";

Result<std::unique_ptr<Tokenizer>> load(const char* path) {
  RECKON_TRY(const auto file, formats::open_model(path));
  tokenizer::VocabularyData data;
  RECKON_TRY(const auto model, file->get_string("tokenizer.ggml.model"));
  RECKON_TRY(const auto pre, file->get_string("tokenizer.ggml.pre"));
  RECKON_TRY(auto tokens, file->get_strings("tokenizer.ggml.tokens"));
  RECKON_TRY(auto merges, file->get_strings("tokenizer.ggml.merges"));
  RECKON_TRY(data.token_types, file->get_ints("tokenizer.ggml.token_type"));
  RECKON_TRY(const auto eos, file->get_uint("tokenizer.ggml.eos_token_id"));
  data.model = model.value_or("");
  data.pre = pre.value_or("");
  if (tokens) data.tokens = std::move(*tokens);
  if (merges) data.merges = std::move(*merges);
  if (eos) data.eos = static_cast<std::int64_t>(*eos);
  return tokenizer::make_tokenizer(data);
}

// One answer, token by token, with a new matcher. `fresh`: also a new grammar, so that nothing is kept from before.
void walk(benchmark::State& state, std::string_view schema, std::string_view answer, bool fresh) {
  const auto tokens = the_tokenizer->encode(answer);
  std::vector<std::uint64_t> mask(vocabulary->n_mask_words());
  auto grammar = Grammar::from_json_schema(schema, vocabulary).value();
  for (auto _ : state) {
    if (fresh) {
      state.PauseTiming();
      grammar = Grammar::from_json_schema(schema, vocabulary).value();
      state.ResumeTiming();
    }
    const auto matcher = grammar->matcher();
    for (const TokenId token : tokens) {
      if (!matcher->fill_mask(mask) || !matcher->accept(token)) {
        state.SkipWithError("the answer does not fit the schema");
        return;
      }
    }
    if (!matcher->is_complete()) state.SkipWithError("the answer is not whole");
  }
  state.counters["tokens"] = static_cast<double>(tokens.size());
  state.counters["per_token"] = benchmark::Counter(
      static_cast<double>(tokens.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void ten_properties_first_answer(benchmark::State& state) { walk(state, kSchema, kAnswer, true); }
void ten_properties_later_answers(benchmark::State& state) { walk(state, kSchema, kAnswer, false); }
void bounded_strings_first_answer(benchmark::State& state) { walk(state, kBoundedSchema, kBoundedAnswer, true); }
void bounded_strings_later_answers(benchmark::State& state) { walk(state, kBoundedSchema, kBoundedAnswer, false); }
void any_json_first_answer(benchmark::State& state) { walk(state, "{\"type\": \"object\"}", kAnswer, true); }

void compile(benchmark::State& state, std::string_view schema) {
  for (auto _ : state) benchmark::DoNotOptimize(Grammar::from_json_schema(schema, vocabulary).value());
}
void compile_ten_properties(benchmark::State& state) { compile(state, kSchema); }
void compile_bounded_strings(benchmark::State& state) { compile(state, kBoundedSchema); }

// The dearest mask: inside a string, with nothing kept.
void first_mask_in_a_string(benchmark::State& state) {
  std::vector<std::uint64_t> mask(vocabulary->n_mask_words());
  const TokenId quote = the_tokenizer->find("\"");
  for (auto _ : state) {
    state.PauseTiming();
    const auto grammar = Grammar::from_json_schema("{\"type\": \"string\"}", vocabulary).value();
    const auto matcher = grammar->matcher();
    if (!matcher->accept(quote)) state.SkipWithError("a string does not begin with a quote");
    state.ResumeTiming();
    benchmark::DoNotOptimize(matcher->fill_mask(mask).has_value());
  }
}

void vocabulary_trie(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(GrammarVocabulary::create(*the_tokenizer));
}

BENCHMARK(ten_properties_first_answer)->Unit(benchmark::kMillisecond);
BENCHMARK(ten_properties_later_answers)->Unit(benchmark::kMillisecond);
BENCHMARK(bounded_strings_first_answer)->Unit(benchmark::kMillisecond);
BENCHMARK(bounded_strings_later_answers)->Unit(benchmark::kMillisecond);
BENCHMARK(any_json_first_answer)->Unit(benchmark::kMillisecond);
BENCHMARK(first_mask_in_a_string)->Unit(benchmark::kMillisecond);
BENCHMARK(compile_ten_properties)->Unit(benchmark::kMillisecond);
BENCHMARK(compile_bounded_strings)->Unit(benchmark::kMillisecond);
BENCHMARK(vocabulary_trie)->Unit(benchmark::kMillisecond);

}  // namespace

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fputs("usage: reckon_grammar_bench MODEL.gguf [--benchmark_...]\n", stderr);
    return 2;
  }
  auto loaded = load(argv[1]);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
    return 1;
  }
  the_tokenizer = std::move(*loaded);
  vocabulary = GrammarVocabulary::create(*the_tokenizer);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace reckon::grammar

int main(int argc, char** argv) { return reckon::grammar::run(argc, argv); }
