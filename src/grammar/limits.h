#pragma once
// What bounds a grammar, whatever its source. Over a limit is kLimit, before memory or time is spent.

#include <cstddef>
#include <cstdint>

namespace reckon::grammar {

inline constexpr std::size_t kMaxSourceBytes = 64 * 1024;
inline constexpr int kMaxNesting = 100;     // groups in a grammar, groups in a pattern
inline constexpr int kMaxSchemaDepth = 64;  // schemas inside schemas
inline constexpr std::size_t kMaxRules = 10'000;
inline constexpr std::uint64_t kMaxRepetition = 2000;  // copies that {m,n} makes, in total; nested ones multiply
inline constexpr int kMaxNodeDepth = 500;              // of a syntax tree: what recursion over it costs
inline constexpr std::size_t kMaxNodes = 400'000;      // of all syntax trees of a grammar

// Compiling: the sum over all rules.
inline constexpr std::size_t kMaxNfaStates = 300'000;
inline constexpr std::size_t kMaxStates = 100'000;
inline constexpr std::size_t kMaxEdges = 1'000'000;
inline constexpr std::size_t kMaxCompileSteps = 40'000'000;

// Matching.
inline constexpr std::size_t kMaxStacks = 4096;     // of one place in the text
inline constexpr std::size_t kMaxFrames = 1 << 20;  // of all stacks of one sequence
inline constexpr std::size_t kKeptConfigs = 8192;   // configurations kept between masks, about 1 KiB each
inline constexpr std::size_t kMaxConfigsOfOneWalk = 32'768;
inline constexpr std::size_t kMaxWalkSteps = 30'000'000;  // trie nodes visited for one mask
inline constexpr std::size_t kTokenSetBytes = 32 << 20;   // token sets kept by one grammar

}  // namespace reckon::grammar
