#pragma once
// Reads GBNF, the grammar notation of llama.cpp (grammars/README.md there):
//   root ::= "yes" | "no" [!.]{1,3} rest*   # a comment
// Literals and classes with \n \r \t \\ \" \[ \] \- \^ \xNN \uNNNN \UNNNNNNNN, groups, . * + ? {m} {m,} {m,n}. A rule
// ends with its line, but a line may break inside parentheses, after ::= and around |.

#include <string_view>

#include "base/result.h"
#include "grammar/syntax.h"

namespace reckon::grammar {

// kInvalidInput names line and column; kLimit; kUnsupported: references to tokens (<[1]>).
[[nodiscard]] Result<Syntax> read_gbnf(std::string_view source);

}  // namespace reckon::grammar
