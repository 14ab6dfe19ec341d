#include "sys/cpu.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace reckon::sys {
namespace {

#if defined(__x86_64__)

struct Registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Zeros where the CPU does not know the leaf.
Registers cpuid(std::uint32_t leaf, std::uint32_t subleaf = 0) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

bool bit(std::uint32_t word, int i) { return (word >> i & 1) != 0; }

// Which register files the operating system saves (XCR0). Only where CPUID says OSXSAVE.
std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<std::uint64_t>(high) << 32 | low;
}

std::string brand_string() {
  std::string name;
  for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Registers r = cpuid(leaf);
    for (const std::uint32_t word : {r.eax, r.ebx, r.ecx, r.edx}) {
      for (int shift = 0; shift < 32; shift += 8) name.push_back(static_cast<char>(word >> shift & 0xff));
    }
  }
  name.resize(name.find('\0') == std::string::npos ? name.size() : name.find('\0'));
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string::npos) return "unknown CPU";
  return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

// Bit numbers: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E.
CpuFeatures read_features() {
  CpuFeatures f;
  f.name = brand_string();
  const Registers leaf1 = cpuid(1);
  const bool osxsave = bit(leaf1.ecx, 27);
  const std::uint64_t xcr0 = osxsave ? read_xcr0() : 0;
  const bool saves_ymm = (xcr0 & 0x6) == 0x6;
  const bool saves_zmm = (xcr0 & 0xe6) == 0xe6;
  const Registers leaf7 = cpuid(7);
  const Registers leaf7_1 = leaf7.eax >= 1 ? cpuid(7, 1) : Registers{};

  const bool fma = bit(leaf1.ecx, 12);
  const bool f16c = bit(leaf1.ecx, 29);
  const bool bmi2 = bit(leaf7.ebx, 8);
  f.avx2 = saves_ymm && bit(leaf7.ebx, 5) && fma && f16c && bmi2;
  f.avx_vnni = f.avx2 && bit(leaf7_1.eax, 4);
  const bool avx512_all = bit(leaf7.ebx, 16) && bit(leaf7.ebx, 17) && bit(leaf7.ebx, 28) && bit(leaf7.ebx, 30) &&
                          bit(leaf7.ebx, 31);  // F, DQ, CD, BW, VL
  f.avx512 = f.avx2 && saves_zmm && avx512_all;
  f.avx512_vnni = f.avx512 && bit(leaf7.ecx, 11);
  f.avx512_vbmi = f.avx512 && bit(leaf7.ecx, 1);
  f.avx512_bf16 = f.avx512 && bit(leaf7_1.eax, 5);
  f.gfni = f.avx2 && bit(leaf7.ecx, 8);
  return f;
}

#else

CpuFeatures read_features() {
  CpuFeatures f;
  f.name = "unknown CPU";
  return f;
}

#endif

}  // namespace

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = read_features();
  return features;
}

}  // namespace reckon::sys
