// Matrix products over panels. See common.inl.h, panel.h and table.h.
//
// For each (row, token) the arithmetic is, whichever path computes it:
//   dot = 0; low = 0
//   for each block of 32 columns, in order:
//     dot = fma(float(exact integer sum of code * q), scale_of_row * scale_of_token, dot)     twice for scales per 16
//     low = fma(min_of_row, sum_of_token, low)                                                 types with mins
//   result = dot + low

template <PanelFormat F>
void quantised_matmul(const MatView& matrix, int begin_panel, int end_panel, const Activations& in, int n_tokens,
                      const MatmulOutput& out, const MatmulScratch& scratch) {
  if (n_tokens <= kMaxDirectTokens) return direct<F>(matrix, begin_panel, end_panel, in, n_tokens, out);
  for (int p = begin_panel; p < end_panel; p += 2) {
    const Strip strip = strip_at(matrix, p, end_panel);
    const Strip following = strip_at(matrix, p + 2 < end_panel ? p + 2 : p, end_panel);
    tiled_strip<F>(matrix, strip, following, in, n_tokens, out, scratch);
  }
}

constexpr PanelFormat format_of(TensorType type) {
  for (const PanelFormat& format : kPanelFormats) {
    if (format.type == type) return format;
  }
  return {};
}

void matmul(const MatView& matrix, int begin_panel, int end_panel, const Activations& in, int n_tokens,
            const MatmulOutput& out, const MatmulScratch& scratch) {
  switch (matrix.format->type) {
#define RECKON_QUANTISED(T) \
  case TensorType::T:       \
    return quantised_matmul<format_of(TensorType::T)>(matrix, begin_panel, end_panel, in, n_tokens, out, scratch)
    RECKON_QUANTISED(kQ4_0);
    RECKON_QUANTISED(kQ4_1);
    RECKON_QUANTISED(kQ5_0);
    RECKON_QUANTISED(kQ5_1);
    RECKON_QUANTISED(kQ8_0);
    RECKON_QUANTISED(kQ2_K);
    RECKON_QUANTISED(kQ3_K);
    RECKON_QUANTISED(kQ4_K);
    RECKON_QUANTISED(kQ5_K);
    RECKON_QUANTISED(kQ6_K);
    RECKON_QUANTISED(kIQ4_NL);
    RECKON_QUANTISED(kIQ4_XS);
#undef RECKON_QUANTISED
    case TensorType::kF32:
      return float_matmul<TensorType::kF32>(matrix, begin_panel, end_panel, in, n_tokens, out);
    case TensorType::kF16:
      return float_matmul<TensorType::kF16>(matrix, begin_panel, end_panel, in, n_tokens, out);
    case TensorType::kBF16:
      return float_matmul<TensorType::kBF16>(matrix, begin_panel, end_panel, in, n_tokens, out);
  }
}
