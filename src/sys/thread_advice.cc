#include "sys/thread_advice.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace reckon::sys {
namespace {

std::string plural(int n, const std::string& noun) { return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s"); }

// 2 -> "2", 2.5 -> "2.5", 7.65 -> "7.65"
std::string short_number(double value) {
  std::string text = std::to_string(std::round(value * 100) / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::optional<ThreadWish> thread_wish_of_environment() {
  for (const char* variable : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    const char* text = std::getenv(variable);
    if (text == nullptr) continue;
    // OpenMP allows a list, one number for each level of nesting: the first is ours.
    const auto value = parse_int(split(text, ',').front());
    if (value && *value >= 1 && *value <= 4096) return ThreadWish{variable, static_cast<int>(*value)};
  }
  return std::nullopt;
}

ThreadAdvice recommend_threads(const Topology& topology, const CgroupLimits& limits,
                               const std::optional<ThreadWish>& wish) {
  const int n_cores = topology.n_cores();
  const int n_efficient = topology.n_efficient_cores();
  const int n_fast = n_cores - n_efficient;
  const int n_online = static_cast<int>(topology.cpus.size());

  ThreadAdvice advice;
  std::string reason;
  if (n_fast > 0 && n_efficient > 0) {
    advice.n_threads = n_fast;
    reason = "one for each fast core; the " + plural(n_efficient, "efficient core") + " would hold them back";
  } else {
    advice.n_threads = n_cores;
    reason = "one for each physical core";
    if (topology.has_smt()) reason += " (CPUs of one core share its units)";
  }
  if (topology.n_allowed() < n_online) {
    reason += "; the affinity of the process allows " + std::to_string(topology.n_allowed()) + " of " +
              plural(n_online, "CPU");
  }
  const std::string of_cores = ", of " + plural(n_cores, "core");
  if (limits.cpus) {
    const int quota = std::max(1, static_cast<int>(std::min(*limits.cpus, 1e6)));
    if (quota < advice.n_threads) {
      advice.n_threads = quota;
      reason = "the control group allows " + short_number(*limits.cpus) + (*limits.cpus == 1 ? " CPU (" : " CPUs (") +
               limits.cpus_file + ")" + of_cores;
    }
  }
  if (wish && wish->n_threads < advice.n_threads) {
    advice.n_threads = wish->n_threads;
    reason = wish->variable + " is set" + of_cores;
  } else if (wish && wish->n_threads > advice.n_threads) {
    reason += "; " + wish->variable + "=" + std::to_string(wish->n_threads) + " asks for more";
  }
  advice.why = plural(advice.n_threads, "thread") + ": " + reason;
  return advice;
}

}  // namespace reckon::sys
