#pragma once
// From a prepared request to an answer on its way: what all endpoints that generate have in common.

#include <memory>
#include <string>
#include <vector>

#include "server/service.h"

namespace reckon::server {

// What the cache of results says to a request.
struct CacheLookup {
  std::string key;               // empty: not to be kept
  ResultCache::Results results;  // null: not there
  // X-Cache: hit or miss; nothing where the cache has no part in it.
  [[nodiscard]] std::vector<http::Header> headers() const;
};
[[nodiscard]] CacheLookup look_up(Call& call, bool is_deterministic);

// Hands the sequences to the engine, or the listener what the cache has; the client's leaving cancels them. An error:
// nothing runs, the listener hears nothing.
[[nodiscard]] Reply<void> launch(Call& call, std::string id, const CacheLookup& cached,
                                 std::shared_ptr<AnswerListener> listener,
                                 std::vector<RunningAnswer::Sequence> sequences);

// Whether a prompt of so many tokens leaves room for an answer; context_length_exceeded with both numbers otherwise.
[[nodiscard]] Reply<void> check_prompt_tokens(std::size_t n_prompt, int n_context, std::string_view param);
// The same before tokenisation, for texts that cannot fit however they are cut: no token has more than kMaxTokenBytes.
[[nodiscard]] Reply<void> check_prompt_bytes(std::size_t n_bytes, int n_context, std::string_view param);

inline constexpr std::size_t kMaxTokenBytes = 64;

[[nodiscard]] std::int64_t unix_seconds();

}  // namespace reckon::server
