#pragma once
// RECKON_TRY: hand an Error to the caller without nesting.

#include <utility>

#include "reckon/result.h"

#define RECKON_CAT_(a, b) a##b
#define RECKON_CAT(a, b) RECKON_CAT_(a, b)

// RECKON_TRY(auto file, MappedFile::open(path));  declares `file`, or returns the Error.
#define RECKON_TRY(declaration, expression)                                       \
  auto RECKON_CAT(reckon_try_, __LINE__) = (expression);                          \
  if (!RECKON_CAT(reckon_try_, __LINE__))                                         \
    return std::unexpected(std::move(RECKON_CAT(reckon_try_, __LINE__)).error()); \
  declaration = *std::move(RECKON_CAT(reckon_try_, __LINE__))

// RECKON_TRY_VOID(check(x));  for Result<void>.
#define RECKON_TRY_VOID(expression)                               \
  do {                                                            \
    if (auto reckon_try_void = (expression); !reckon_try_void)    \
      return std::unexpected(std::move(reckon_try_void).error()); \
  } while (false)
