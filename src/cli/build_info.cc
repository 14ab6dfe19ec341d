#include "cli/build_info.h"

#include <fmt/format.h>

#include "kernels/dispatch.h"
#include "reckon/version.h"
#include "sys/cpu.h"

namespace reckon::cli {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* kCompiler = "GCC " __VERSION__;
#else
constexpr const char* kCompiler = "unknown compiler";
#endif

#ifndef RECKON_BUILD_TYPE
#define RECKON_BUILD_TYPE "unknown"
#endif

std::string cpu_sets() {
  const sys::CpuFeatures& cpu = sys::cpu_features();
  std::string sets;
  const auto add = [&](bool has, const char* name) {
    if (has) sets += fmt::format("{}{}", sets.empty() ? "" : " ", name);
  };
  add(cpu.avx2, "avx2");
  add(cpu.avx_vnni, "avx-vnni");
  add(cpu.avx512, "avx512");
  add(cpu.avx512_vnni, "avx512-vnni");
  add(cpu.avx512_vbmi, "avx512-vbmi");
  add(cpu.avx512_bf16, "avx512-bf16");
  add(cpu.gfni, "gfni");
  return sets.empty() ? "none beyond the baseline" : sets;
}

}  // namespace

std::string isa_name() {
  const auto table = kernels::pick_table();
  return table ? (*table)->name : "none";
}

std::string version_text() {
  std::string tables;
  for (const kernels::Table* table : kernels::supported_tables()) tables += fmt::format(" {}", table->name);
  const auto picked = kernels::pick_table();
  std::string text = fmt::format("reckon {}\n", kVersion);
  text += fmt::format("build    {}, {}\n", kCompiler, RECKON_BUILD_TYPE);
  text += fmt::format("cpu      {}\n", sys::cpu_features().name);
  text += fmt::format("found    {}\n", cpu_sets());
  text += picked ? fmt::format("kernels  {} (of{}; RECKON_ISA chooses)\n", (*picked)->name, tables)
                 : fmt::format("kernels  none: {}\n", picked.error().message);
  return text + "licence  Apache-2.0\n";
}

}  // namespace reckon::cli
