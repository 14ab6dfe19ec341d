#pragma once
// Where warnings of library code go. Library code never prints: it hands lines to the sink that the program set.

#include <functional>
#include <string_view>

namespace reckon {

enum class LogLevel { kDebug, kInfo, kWarning };

using LogSink = std::function<void(LogLevel, std::string_view)>;

// Thread: any. The default sink drops everything. A line has no newline at its end.
void set_log_sink(LogSink sink);
void log_line(LogLevel level, std::string_view line);

}  // namespace reckon
