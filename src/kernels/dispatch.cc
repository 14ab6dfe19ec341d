#include "kernels/dispatch.h"

#include <cstdlib>
#include <string>

#include "kernels/panel.h"
#include "sys/cpu.h"

namespace reckon::kernels {

extern const Table kScalarTable;
#if defined(__x86_64__)
extern const Table kAvx2Table;
extern const Table kAvxVnniTable;
extern const Table kAvx512Table;
#endif

namespace {

std::size_t round_up_64(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Offsets of the parts of a thread's scratch, in order: codes, scales, mins, sums.
constexpr std::size_t kCodesBytes = std::size_t{kMatmulChunk} * 32;
constexpr std::size_t kScalesBytes = std::size_t{kMatmulChunk / 16} * 32 * sizeof(float);

std::size_t mins_bytes(int max_cols) {
  return round_up_64((static_cast<std::size_t>(max_cols) / 16 + 1) * 32 * sizeof(float));
}

}  // namespace

std::vector<const Table*> supported_tables() {
  std::vector<const Table*> tables = {&kScalarTable};
#if defined(__x86_64__)
  const sys::CpuFeatures& cpu = sys::cpu_features();
  if (cpu.avx2) tables.push_back(&kAvx2Table);
  if (cpu.avx2 && cpu.avx_vnni) tables.push_back(&kAvxVnniTable);
  if (cpu.avx2 && cpu.avx512 && cpu.avx512_vnni) tables.push_back(&kAvx512Table);
#endif
  return tables;
}

Result<const Table*> pick_table() {
  const auto tables = supported_tables();
  const char* wanted = std::getenv("RECKON_ISA");
  if (wanted == nullptr || *wanted == '\0') return tables.back();
  std::string names;
  for (const Table* table : tables) {
    if (std::string_view(table->name) == wanted) return table;
    names += (names.empty() ? "" : ", ") + std::string(table->name);
  }
  return fail(ErrorCode::kUnsupported,
              "RECKON_ISA=" + std::string(wanted) + " cannot run on this CPU; it supports " + names);
}

std::size_t matmul_scratch_bytes(int max_tokens, int max_cols) {
  return kCodesBytes + kScalesBytes + mins_bytes(max_cols) + static_cast<std::size_t>(max_tokens) * 32 * sizeof(float);
}

MatmulScratch make_scratch(std::byte* memory, int max_cols) {
  auto* scales = memory + kCodesBytes;
  auto* mins = scales + kScalesBytes;
  auto* sums = mins + mins_bytes(max_cols);
  return {reinterpret_cast<std::uint8_t*>(memory), reinterpret_cast<float*>(scales), reinterpret_cast<float*>(mins),
          reinterpret_cast<float*>(sums)};
}

}  // namespace reckon::kernels
