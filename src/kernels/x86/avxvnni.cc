// AVX-VNNI, the 256-bit int8 dot product without AVX-512: Alder Lake, Zen 5 and later.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/panel.h"
#include "kernels/table.h"

namespace reckon::kernels {
namespace {

#define RECKON_DOT4_VNNI 1
#include "kernels/impl/attention.inl.h"
#include "kernels/impl/common.inl.h"
#include "kernels/impl/elementwise.inl.h"
#include "kernels/impl/matmul.inl.h"
#include "kernels/impl/table.inl.h"
#include "kernels/x86/ymm.inl.h"

}  // namespace

extern const Table kAvxVnniTable;
constexpr Table kAvxVnniTable = kThisTable;

}  // namespace reckon::kernels
