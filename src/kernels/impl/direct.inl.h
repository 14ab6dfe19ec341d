// Few tokens: panels are used straight from their codes. See matmul.inl.h for the arithmetic.

// One block of 32 columns, kLanes rows, N tokens: adds to dot and low.
template <PanelFormat F, int N>
inline void direct_block(const std::uint8_t* codes, int lane, const float* scale, const float* min,
                         const Activations& in, int i_block, Vf (&dot)[N], Vf (&low)[N]) {
  constexpr bool kPer16 = F.scale_per_16();
  Vb code[8];
  load_codes<F>(codes, lane, code);
  Vi first[N];
  Vi second[N];
  for (int t = 0; t < N; ++t) {
    const std::int32_t* sum16 = in.sum16 + 2 * (t * in.block_stride + i_block);
    if constexpr (kBias<F> == 0) {
      first[t] = second[t] = Isa::zero_i();
    } else {
      first[t] = Isa::set_i(-kBias<F> * (kPer16 ? sum16[0] : sum16[0] + sum16[1]));
      second[t] = kPer16 ? Isa::set_i(-kBias<F> * sum16[1]) : Isa::zero_i();
    }
  }
  for (int p = 0; p < 4; ++p) {
    for (int t = 0; t < N; ++t) {
      const std::int8_t* q = in.q + t * in.q_stride + kBlock * i_block + 4 * p;
      first[t] = dot4<kWide<F>>(first[t], code[p], load_q4(q));
      Vi& other = kPer16 || N <= 4 ? second[t] : first[t];  // two chains where registers allow
      other = dot4<kWide<F>>(other, code[4 + p], load_q4(q + 16));
    }
  }
  for (int t = 0; t < N; ++t) {
    const std::ptrdiff_t at = t * in.block_stride + i_block;
    const Vf token_scale = Isa::set_f(in.scale[at]);
    if constexpr (kPer16) {
      dot[t] = Isa::fma(Isa::to_f(first[t]), Isa::mul(Isa::load_f(scale + lane), token_scale), dot[t]);
      dot[t] = Isa::fma(Isa::to_f(second[t]), Isa::mul(Isa::load_f(scale + 16 + lane), token_scale), dot[t]);
      if constexpr (F.has_min) {
        const float sum0 = in.scale[at] * static_cast<float>(in.sum16[2 * at]);
        const float sum1 = in.scale[at] * static_cast<float>(in.sum16[2 * at + 1]);
        low[t] = Isa::fma(Isa::load_f(min + lane), Isa::set_f(sum0), low[t]);
        low[t] = Isa::fma(Isa::load_f(min + 16 + lane), Isa::set_f(sum1), low[t]);
      }
    } else {
      const Vi sum = N <= 4 ? Isa::add_i(first[t], second[t]) : first[t];
      dot[t] = Isa::fma(Isa::to_f(sum), Isa::mul(Isa::load_f(scale + lane), token_scale), dot[t]);
      if constexpr (F.has_min) low[t] = Isa::fma(Isa::load_f(min + lane), Isa::set_f(in.sum[at]), low[t]);
    }
  }
}

// N tokens, of which the first n_tokens are wanted.
template <PanelFormat F, int N>
void direct_panel(const MatView& matrix, int i_panel, const Activations& in, int first_token, int n_tokens,
                  const MatmulOutput& out) {
  constexpr int kScaleStep = F.scale_per_16() ? 32 : 16;
  const std::uint8_t* region = matrix.panel(i_panel);
  const std::uint8_t* codes = region + matrix.scale_bytes;
  const Activations tokens = from_token(in, first_token);
  const int n_blocks = matrix.n_cols / kBlock;
  SpanScales span;
  Vf dot[kHalves][N];
  Vf low[kHalves][N];
  for (int h = 0; h < kHalves; ++h) {
    for (int t = 0; t < N; ++t) dot[h][t] = low[h][t] = Isa::zero_f();
  }
  for (int b = 0; b < n_blocks; b += kSpanBlocks) {
    const int here = n_blocks - b < kSpanBlocks ? n_blocks - b : kSpanBlocks;
    decode_scales<F>(region, b / kSpanBlocks, here, span.scale, span.min);
    for (int j = 0; j < here; ++j) {
      for (std::size_t line = 0; line < F.block_bytes(); line += 64) Isa::prefetch(codes + kPrefetchBytes + line);
      for (int h = 0; h < kHalves; ++h) {
        direct_block<F, N>(codes, h * Isa::kLanes, span.scale + kScaleStep * j, span.min + kScaleStep * j, tokens,
                           b + j, dot[h], low[h]);
      }
      codes += F.block_bytes();
    }
  }
  for (int h = 0; h < kHalves; ++h) {
    for (int t = 0; t < N && t < n_tokens; ++t) {
      const Vf value = F.has_min ? Isa::add(dot[h][t], low[h][t]) : dot[h][t];
      put_result(out, first_token + t, i_panel * kPanelRows + h * Isa::kLanes, matrix.n_rows, value);
    }
  }
}

// A panel is read and decoded once for up to kTokenGroup tokens. Where registers are wide, computing tokens that nobody
// wants costs less than decoding the panel again for the few that are left.
template <PanelFormat F>
void direct(const MatView& matrix, int begin_panel, int end_panel, const Activations& in, int n_tokens,
            const MatmulOutput& out) {
  constexpr int kFillFrom = Isa::kLanes == 16 ? 5 : 7;
  for (int p = begin_panel; p < end_panel; ++p) {
    for (int t = 0; t < n_tokens;) {
      const int left = n_tokens - t;
      if (left >= kFillFrom) {
        direct_panel<F, kTokenGroup>(matrix, p, in, t, left, out);
        t += kTokenGroup;
      } else if (left >= 3) {
        direct_panel<F, 4>(matrix, p, in, t, left, out);
        t += 4;
      } else if (left == 2) {
        direct_panel<F, 2>(matrix, p, in, t, left, out);
        t += 2;
      } else {
        direct_panel<F, 1>(matrix, p, in, t, left, out);
        t += 1;
      }
    }
  }
}
