#pragma once
// The answers that are on their way, by the id that their clients see. Thread-safe.

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "server/running_answer.h"

namespace reckon::server {

class AnswerRegistry {
 public:
  void add(const std::shared_ptr<RunningAnswer>& answer);
  void remove(const std::string& id);
  // Null where there is none, it is over, or it is another client's.
  [[nodiscard]] std::shared_ptr<RunningAnswer> find(const std::string& id, const std::string& client) const;
  [[nodiscard]] std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<RunningAnswer>> answers_;
};

}  // namespace reckon::server
