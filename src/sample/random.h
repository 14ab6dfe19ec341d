#pragma once
// Random numbers by counter: no state, the same on every machine.

#include <cstdint>

namespace reckon::sample {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection in which each input bit flips half of the output.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Uniform in [0, 1), a multiple of 2^-53: the upper bits of mix(mix(mix(seed) + g (position + 1)) + g attempt), where
// g is 2^64 divided by the golden ratio.
constexpr double uniform(std::uint64_t seed, std::uint64_t position, std::uint64_t attempt = 0) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  const std::uint64_t at_position = mix_bits(mix_bits(seed + kGolden) + kGolden * (position + 1));
  return static_cast<double>(mix_bits(at_position + kGolden * attempt) >> 11) * 0x1p-53;
}

}  // namespace reckon::sample
