#pragma once
// Answers to requests that always give the same text, least recently used first out. Thread-safe.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/running_answer.h"
#include "text/json.h"

namespace reckon::server {

class ResultCache {
 public:
  using Clock = std::chrono::steady_clock;
  using Results = std::shared_ptr<const std::vector<ChoiceResult>>;
  struct Limits {
    std::size_t max_entries = 1000;  // 0: nothing is kept
    std::size_t max_bytes = 64u << 20;
    std::chrono::seconds lifetime{0};  // 0: for ever
  };
  explicit ResultCache(Limits limits) : limits_(limits) {}

  [[nodiscard]] bool enabled() const { return limits_.max_entries > 0; }
  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Results find(const std::string& key, Clock::time_point now = Clock::now());
  // Only answers that came to an end of their own are kept.
  void put(const std::string& key, std::span<const ChoiceResult> results, Clock::time_point now = Clock::now());

 private:
  struct Entry {
    std::string key;
    Results results;
    std::size_t bytes;
    Clock::time_point made;
  };
  void drop(std::list<Entry>::iterator entry);

  Limits limits_;
  mutable std::mutex mutex_;
  Counts counts_;
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

// The request as a key: all of the body but what does not change the text. Empty: too long to be kept.
[[nodiscard]] std::string cache_key(std::string_view endpoint, const text::Json& body);

// The answer as it was, at the times of now.
void replay(const std::vector<ChoiceResult>& results, AnswerListener& listener);

}  // namespace reckon::server
