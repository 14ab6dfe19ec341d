#include "engine/finish_name.h"

namespace reckon::engine {

std::string_view finish_name(Finish finish) {
  switch (finish) {
    case Finish::kRunning:
      return "running";
    case Finish::kStop:
      return "stop";
    case Finish::kLength:
      return "length";
    case Finish::kRepetition:
      return "repetition";
    case Finish::kCancelled:
      return "cancelled";
    case Finish::kFailed:
      return "failed";
    case Finish::kTimeout:
      return "timeout";
  }
  return "failed";
}

}  // namespace reckon::engine
