#include "server/openai/generation_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <random>

namespace reckon::server {
namespace {

using text::Json;

constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();
constexpr int kUnbounded = std::numeric_limits<int>::max() / 2;

// -1 in any of them means: until the context is full. Where more than one is given the smallest counts.
void read_max_tokens(FieldReader& in, std::optional<int>& out) {
  for (const char* name : {"max_tokens", "max_completion_tokens", "max_new_tokens", "n_predict"}) {
    std::optional<int> value;
    in.whole(name, {-1, kMaxInt}, value);
    if (!value) continue;
    const int limit = *value == -1 ? kUnbounded : std::min(*value, kUnbounded);
    out = std::min(out.value_or(kUnbounded), limit);
  }
}

void read_stop(FieldReader& in, std::vector<std::string>& out, std::vector<std::string>& warnings) {
  const Json* json = in.any("stop");
  if (json == nullptr) return;
  const auto take = [&](const Json& item) {
    const std::string* text = item.as_string();
    if (text == nullptr) return in.fail_type("stop", "a string or a list of strings", *json);
    if (text->size() > kMaxStopBytes) {
      return in.fail("stop", fmt::format("at most {} bytes each, got {}", kMaxStopBytes, text->size()));
    }
    if (text->empty()) {
      warnings.emplace_back("stop: an empty string stops nothing and was left out");
    } else if (std::ranges::find(out, *text) == out.end()) {
      out.push_back(*text);
    }
  };
  if (const Json::Array* items = json->as_array()) {
    if (items->size() > kMaxStops) {
      return in.fail("stop", fmt::format("at most {} strings, got {}", kMaxStops, items->size()));
    }
    for (const Json& item : *items) take(item);
  } else {
    take(*json);
  }
}

void read_stop_tokens(FieldReader& in, std::vector<TokenId>& out) {
  const Json::Array* items = in.array("stop_token_ids", kMaxStopTokens);
  if (items == nullptr) return;
  for (const Json& item : *items) {
    const auto* id = item.as_int();
    if (id == nullptr || *id < 0 || *id > kMaxInt) return in.fail_type("stop_token_ids", "token ids", item);
    out.push_back(static_cast<TokenId>(*id));
  }
}

void read_logit_bias(FieldReader& in, std::vector<std::pair<std::string, double>>& out) {
  const Json* json = in.object("logit_bias");
  if (json == nullptr) return;
  const Json::Object& members = *json->as_object();
  if (members.size() > kMaxBias) {
    return in.fail("logit_bias", fmt::format("at most {} entries, got {}", kMaxBias, members.size()));
  }
  FieldReader biases(*json, in.path_of("logit_bias") + ".");
  for (const text::JsonMember& member : members) {
    std::optional<double> value;
    biases.number(member.name, {-100, 100}, value);
    if (value) out.emplace_back(member.name, *value);
  }
  in.adopt(biases.error());
}

// What Hugging Face's generate() knows and others of its kind send along.
void read_search_fields(FieldReader& in, GenerationFields& out, std::vector<std::string>& warnings) {
  std::optional<std::int64_t> beams;
  in.whole("num_beams", {1, kMaxInt}, beams);
  if (beams && *beams > 1) in.fail("num_beams", "beam search is not offered; leave it out or send 1", "unsupported");
  std::optional<bool> do_sample;
  in.boolean("do_sample", do_sample);
  if (do_sample && !*do_sample) out.temperature = 0;
  std::optional<bool> early_stopping;
  in.boolean("early_stopping", early_stopping);
  if (early_stopping) warnings.emplace_back("early_stopping: without beams it has no effect");
}

void read_stream(FieldReader& in, GenerationFields& out) {
  in.boolean("stream", out.stream);
  const Json* options = in.object("stream_options");
  if (options == nullptr) return;
  FieldReader fields(*options, in.path_of("stream_options") + ".");
  fields.boolean("include_usage", out.include_usage);
  fields.accept({"continuous_usage_stats", "include_obfuscation"});
  in.adopt(fields.error());
}

Reply<TokenId> token_of(const std::string& key, const Tokenizer& tokenizer) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error == std::errc{} && end == key.data() + key.size()) {
    if (id >= 0 && id < tokenizer.n_vocab()) return static_cast<TokenId>(id);
    return refuse("logit_bias",
                  fmt::format("logit_bias: there is no token {}; ids go from 0 to {}", id, tokenizer.n_vocab() - 1));
  }
  const std::vector<TokenId> ids = tokenizer.encode(key, false);
  if (ids.size() == 1) return ids.front();
  return refuse("logit_bias", fmt::format("logit_bias: \"{}\" is {} tokens, not one; POST /tokenize tells their ids",
                                          shortened(key), ids.size()));
}

}  // namespace

void read_generation_fields(FieldReader& in, GenerationFields& out, std::vector<std::string>& warnings) {
  in.number("temperature", {0, 10}, out.temperature);
  in.number("top_p", {0, 1}, out.top_p);
  in.number("min_p", {0, 1}, out.min_p);
  in.whole("top_k", {-1, kMaxInt}, out.top_k);
  in.number("repetition_penalty", {0.01, 10}, out.repetition_penalty);
  in.number("repeat_penalty", {0.01, 10}, out.repetition_penalty);
  in.number("presence_penalty", {-2, 2}, out.presence_penalty);
  in.number("frequency_penalty", {-2, 2}, out.frequency_penalty);
  in.whole("seed", {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}, out.seed);
  in.whole("min_tokens", {0, kMaxInt}, out.min_tokens);
  in.boolean("ignore_eos", out.ignore_eos);
  in.boolean("loop_guard", out.loop_guard);
  in.string("user", 256, out.user);
  std::optional<int> n;
  in.whole("n", {1, kMaxChoices}, n);
  out.n = n.value_or(1);
  read_max_tokens(in, out.max_tokens);
  read_stop(in, out.stop, warnings);
  read_stop_tokens(in, out.stop_tokens);
  read_logit_bias(in, out.logit_bias);
  read_search_fields(in, out, warnings);
  read_stream(in, out);
  if (out.seed && *out.seed == -1) out.seed.reset();  // llama.cpp's way to say: any
  if (out.top_k && *out.top_k == -1) out.top_k = 0;   // vLLM's way to say: off
}

Reply<Request> make_request(const GenerationFields& fields, const Engine& engine) {
  Request request;
  request.sample = engine.info().sample_defaults;
  const auto set = [](float& field, const std::optional<double>& value) {
    if (value) field = static_cast<float>(*value);
  };
  set(request.sample.temperature, fields.temperature);
  set(request.sample.top_p, fields.top_p);
  set(request.sample.min_p, fields.min_p);
  set(request.sample.repetition_penalty, fields.repetition_penalty);
  set(request.sample.presence_penalty, fields.presence_penalty);
  set(request.sample.frequency_penalty, fields.frequency_penalty);
  if (fields.top_k) request.sample.top_k = *fields.top_k;
  // Greedy decoding draws nothing.
  if (request.sample.temperature > 0) request.sample.seed = std::random_device{}();
  if (fields.seed) request.sample.seed = static_cast<std::uint64_t>(*fields.seed);
  for (const auto& [key, bias] : fields.logit_bias) {
    auto id = token_of(key, engine.tokenizer());
    if (!id) return std::unexpected(std::move(id).error());
    request.sample.logit_bias.emplace_back(*id, static_cast<float>(bias));
  }
  request.max_new_tokens = fields.max_tokens.value_or(kUnbounded);
  request.min_new_tokens = fields.min_tokens.value_or(0);
  request.ignore_eos = fields.ignore_eos;
  request.stop = fields.stop;
  request.stop_tokens = fields.stop_tokens;
  request.loop_guard = fields.loop_guard;
  return request;
}

}  // namespace reckon::server
