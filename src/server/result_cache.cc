#include "server/result_cache.h"

#include <algorithm>
#include <utility>

namespace reckon::server {
namespace {

constexpr std::size_t kMaxKeyBytes = 64u << 10;

// What changes the form of the answer but not the answer, or nothing at all.
constexpr std::string_view kIgnored[] = {"stream", "stream_options",  "user",      "metadata",
                                         "store",  "return_progress", "keep_alive"};

bool is_own_end(const ChoiceResult& result) {
  const bool ended =
      result.finish == Finish::kStop || result.finish == Finish::kLength || result.finish == Finish::kRepetition;
  return ended && result.thought_end != ThoughtEnd::kAsked;
}

std::size_t bytes_of(const std::string& key, std::span<const ChoiceResult> results) {
  std::size_t bytes = 2 * key.size() + 256;
  for (const ChoiceResult& result : results) {
    bytes += sizeof result + result.embedding.size() * sizeof(float) + result.reasoning.size() + result.content.size();
    for (const ToolCall& call : result.tool_calls) bytes += sizeof call + call.name.size() + call.arguments.size();
    for (const auto* tokens : {&result.tokens, &result.prompt_tokens}) {
      for (const TokenText& token : *tokens) bytes += sizeof token + token.top.size() * sizeof(TokenLogprob);
    }
  }
  return bytes;
}

}  // namespace

ResultCache::Results ResultCache::find(const std::string& key, Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    ++counts_.misses;
    return nullptr;
  }
  const auto entry = found->second;
  if (limits_.lifetime.count() > 0 && now - entry->made > limits_.lifetime) {
    drop(entry);
    ++counts_.misses;
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  ++counts_.hits;
  return entry->results;
}

ResultCache::Counts ResultCache::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

void ResultCache::put(const std::string& key, std::span<const ChoiceResult> results, Clock::time_point now) {
  if (!enabled() || !std::ranges::all_of(results, is_own_end)) return;
  const std::size_t bytes = bytes_of(key, results);
  if (bytes > limits_.max_bytes) return;
  auto kept = std::make_shared<const std::vector<ChoiceResult>>(results.begin(), results.end());
  const std::scoped_lock lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) drop(found->second);
  entries_.push_front({key, std::move(kept), bytes, now});
  by_key_[key] = entries_.begin();
  bytes_ += bytes;
  while (entries_.size() > limits_.max_entries || bytes_ > limits_.max_bytes) drop(std::prev(entries_.end()));
}

void ResultCache::drop(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

std::string cache_key(std::string_view endpoint, const text::Json& body) {
  text::Json kept{text::Json::Object()};
  auto& members = std::get<text::Json::Object>(kept.value);
  const text::Json::Object* all = body.as_object();
  if (all == nullptr) return {};
  for (const text::JsonMember& member : *all) {
    if (std::ranges::find(kIgnored, member.name) == std::end(kIgnored)) members.push_back(member);
  }
  std::string key = std::string(endpoint) + text::dump_json(kept);
  return key.size() <= kMaxKeyBytes ? key : std::string();
}

void replay(const std::vector<ChoiceResult>& results, AnswerListener& listener) {
  std::vector<ChoiceResult> fresh = results;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    ChoiceResult& result = fresh[i];
    result.timings.queue_ms = result.timings.prefill_ms = result.timings.decode_ms = 0;
    result.first_token_ms = result.first_answer_ms = result.thinking_ms = result.total_ms = 0;
    const auto first_answer = std::ranges::find(result.tokens, false, &TokenText::in_thought);
    Piece thought{.text = {.reasoning = result.reasoning, .content = {}, .calls = {}},
                  .tokens = {result.tokens.begin(), first_answer}};
    Piece answer{.text = {.reasoning = {}, .content = result.content, .calls = result.tool_calls},
                 .tokens = {first_answer, result.tokens.end()}};
    if (!thought.empty()) listener.on_piece(i, thought);
    if (!answer.empty()) listener.on_piece(i, answer);
    listener.on_choice_end(i, result);
  }
  listener.on_end(fresh);
}

}  // namespace reckon::server
