#pragma once
// Which table of kernels this process uses.

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernels/table.h"

namespace reckon::kernels {

// All tables that this CPU can run, slowest first; "scalar" is always there.
std::vector<const Table*> supported_tables();

// The best supported table, or the one that RECKON_ISA names: scalar, avx2, avxvnni, avx512.
// kUnsupported where that one is not known or this CPU lacks it. Thread: any.
Result<const Table*> pick_table();

// Scratch of one thread for steps of up to max_tokens tokens and matrices of up to max_cols columns.
[[nodiscard]] std::size_t matmul_scratch_bytes(int max_tokens, int max_cols);
MatmulScratch make_scratch(std::byte* memory, int max_cols);  // memory: matmul_scratch_bytes(), 64-byte aligned

}  // namespace reckon::kernels
