#include "kernels/panel.h"

#include <utility>

#include "base/check.h"

namespace reckon::kernels {
namespace {

std::size_t round_up_64(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

const PanelFormat& panel_format(TensorType type) {
  for (const PanelFormat& format : kPanelFormats) {
    if (format.type == type) return format;
  }
  RECKON_CHECK(false);  // every TensorType has a format
  std::unreachable();
}

std::size_t scale_region_bytes(const PanelFormat& format, int n_cols) {
  const auto blocks = static_cast<std::size_t>(n_cols / kBlock);
  const auto spans = static_cast<std::size_t>(n_cols / (kBlock * kSpanBlocks));
  using enum ScaleLayout;
  switch (format.scales) {
    case kNone:
      return 0;
    case kHalf:
      return round_up_64(blocks * 32);
    case kHalfMin:
      return blocks * 64;
    case kK4:
      return spans * 256;
    case kInt8:
      return round_up_64(spans * 288);
    case kInt8x32:
      return spans * 192;
    case kNibble:
      return spans * 320;
  }
  return 0;
}

std::size_t panel_bytes(const PanelFormat& format, int n_cols) {
  if (format.is_float()) {
    const std::size_t element = format.type == TensorType::kF32 ? 4 : 2;
    return static_cast<std::size_t>((n_cols + 3) / 4 * 4) * kPanelRows * element;
  }
  return scale_region_bytes(format, n_cols) + static_cast<std::size_t>(n_cols / kBlock) * format.block_bytes();
}

}  // namespace reckon::kernels
