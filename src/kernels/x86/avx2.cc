// AVX2 with FMA and F16C: Haswell, Zen and later.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/panel.h"
#include "kernels/table.h"

namespace reckon::kernels {
namespace {

#define RECKON_DOT4_VNNI 0
// Each stands on those before it.
// clang-format off
#include "kernels/x86/ymm.inl.h"
#include "kernels/impl/common.inl.h"
#include "kernels/impl/elementwise.inl.h"
#include "kernels/impl/attention.inl.h"
#include "kernels/impl/unpack.inl.h"
#include "kernels/impl/direct.inl.h"
#include "kernels/impl/tiled.inl.h"
#include "kernels/impl/float.inl.h"
#include "kernels/impl/matmul.inl.h"
#include "kernels/impl/table.inl.h"
// clang-format on

}  // namespace

extern const Table kAvx2Table;
constexpr Table kAvx2Table = kThisTable;

}  // namespace reckon::kernels
