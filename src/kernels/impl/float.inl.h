// Float weights: F32, F16, BF16, against the activations as floats. See common.inl.h.

template <TensorType Type>
inline Vf load_weights(const std::uint8_t* at) {
  if constexpr (Type == TensorType::kF32) return Isa::load_f(reinterpret_cast<const float*>(at));
  if constexpr (Type == TensorType::kF16) return Isa::load_f16(reinterpret_cast<const std::uint16_t*>(at));
  if constexpr (Type == TensorType::kBF16) return Isa::load_bf16(reinterpret_cast<const std::uint16_t*>(at));
}

// Four chains per (row, token), columns modulo 4; result = (c0 + c2) + (c1 + c3).
template <TensorType Type, int N>
void float_panel(const MatView& matrix, int i_panel, const Activations& in, int first_token, const MatmulOutput& out) {
  constexpr std::size_t kElement = Type == TensorType::kF32 ? 4 : 2;
  const std::uint8_t* panel = matrix.panel(i_panel);
  for (int h = 0; h < kHalves; ++h) {
    Vf sum[4][N];
    for (int c = 0; c < 4; ++c) {
      for (int t = 0; t < N; ++t) sum[c][t] = Isa::zero_f();
    }
    const float* x = in.x + first_token * in.x_stride;
    for (int k = 0; k < matrix.n_cols; k += 4) {
      const std::uint8_t* at =
          panel + (static_cast<std::size_t>(k) * 16 + static_cast<std::size_t>(h * Isa::kLanes)) * kElement;
      Isa::prefetch(at + kPrefetchBytes);
      for (int c = 0; c < 4; ++c) {
        if (k + c >= matrix.n_cols) break;
        const Vf w = load_weights<Type>(at + static_cast<std::size_t>(c) * 16 * kElement);
        for (int t = 0; t < N; ++t) sum[c][t] = Isa::fma(w, Isa::set_f(x[t * in.x_stride + k + c]), sum[c][t]);
      }
    }
    for (int t = 0; t < N; ++t) {
      const Vf value = Isa::add(Isa::add(sum[0][t], sum[2][t]), Isa::add(sum[1][t], sum[3][t]));
      put_result(out, first_token + t, i_panel * kPanelRows + h * Isa::kLanes, matrix.n_rows, value);
    }
  }
}

template <TensorType Type>
void float_matmul(const MatView& matrix, int begin_panel, int end_panel, const Activations& in, int n_tokens,
                  const MatmulOutput& out) {
  for (int p = begin_panel; p < end_panel; ++p) {
    int t = 0;
    for (; t + 4 <= n_tokens; t += 4) float_panel<Type, 4>(matrix, p, in, t, out);
    for (; t < n_tokens; ++t) float_panel<Type, 1>(matrix, p, in, t, out);
  }
}
