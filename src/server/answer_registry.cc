#include "server/answer_registry.h"

namespace reckon::server {

void AnswerRegistry::add(const std::shared_ptr<RunningAnswer>& answer) {
  const std::scoped_lock lock(mutex_);
  answers_[answer->id()] = answer;
}

void AnswerRegistry::remove(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  answers_.erase(id);
}

std::shared_ptr<RunningAnswer> AnswerRegistry::find(const std::string& id, const std::string& client) const {
  const std::scoped_lock lock(mutex_);
  const auto found = answers_.find(id);
  if (found == answers_.end()) return nullptr;
  auto answer = found->second.lock();
  return answer != nullptr && answer->client() == client ? answer : nullptr;
}

std::size_t AnswerRegistry::size() const {
  const std::scoped_lock lock(mutex_);
  return answers_.size();
}

}  // namespace reckon::server
