#pragma once
// What this program is: version, compiler, and what it found in the CPU.

#include <string>

namespace reckon::cli {

std::string version_text();  // for --version, several lines
std::string isa_name();      // the kernel table that was picked, e.g. "avx512"

}  // namespace reckon::cli
