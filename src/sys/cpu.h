#pragma once
// What this CPU can do, from CPUID and XGETBV.

#include <string>
#include <string_view>

namespace reckon::sys {

struct CpuFeatures {
  bool avx2 = false;      // with FMA, F16C and BMI2, and the system saves ymm
  bool avx_vnni = false;  // 256-bit VEX
  bool avx512 = false;    // F, BW, DQ, VL, CD, and the system saves zmm
  bool avx512_vnni = false;
  bool avx512_vbmi = false;
  bool avx512_bf16 = false;
  bool gfni = false;
  std::string name;  // "AMD EPYC 9xx5", trimmed
};

const CpuFeatures& cpu_features();  // read once; thread-safe

}  // namespace reckon::sys
