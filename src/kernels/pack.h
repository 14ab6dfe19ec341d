#pragma once
// From rows of GGUF blocks to panels. Portable, run once at load.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/panel.h"

namespace reckon::kernels {

// rows[r]: the blocks of row r of the panel, or null for a padding row, which becomes zeros.
// out: panel_bytes(format, n_cols) bytes, 64-byte aligned.
void pack_panel(const PanelFormat& format, std::span<const std::byte* const, kPanelRows> rows, int n_cols,
                std::uint8_t* out);

}  // namespace reckon::kernels
