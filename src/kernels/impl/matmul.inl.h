// Matrix products over panels. See common.inl.h, panel.h and table.h.
//
// For each (row, token) the arithmetic is, whichever path computes it:
//   dot = 0; low = 0
//   for each block of 32 columns, in order:
//     dot = fma(float(exact integer sum of code * q), scale_of_row * scale_of_token, dot)     twice for scales per 16
//     low = fma(min_of_row, sum_of_token, low)                                                 types with mins
//   result = dot + low

constexpr int kPrefetchBytes = 8192;  // ahead of the code stream; measured best on DDR5 servers (docs/PERF.md)

// Scales of one span of up to 256 columns, for 16 rows: [block or half block][16].
struct SpanScales {
  alignas(64) float scale[16 * 16];
  alignas(64) float min[16 * 16];
};

inline void scale_times(const std::uint16_t* d, const Vf16& factor, float* out, bool negate) {
  for (int h = 0; h < kHalves; ++h) {
    Vf v = Isa::mul(Isa::load_f16(d + h * Isa::kLanes), factor.half[h]);
    if (negate) v = Isa::sub(Isa::zero_f(), v);
    Isa::store_f(out + h * Isa::kLanes, v);
  }
}

inline void decode_k4(const std::uint8_t* span, float* scale, float* min) {
  const auto* d = reinterpret_cast<const std::uint16_t*>(span + 192);
  for (int j = 0; j < 8; ++j) {
    const std::uint8_t* low = span + 16 * j;
    const std::uint8_t* high = span + 128 + 16 * (j % 4);
    alignas(16) std::uint8_t s[16];
    alignas(16) std::uint8_t m[16];
    const int shift = j < 4 ? 0 : 4;
    for (int r = 0; r < 16; ++r) {
      s[r] = static_cast<std::uint8_t>((low[r] & 15) | (high[r] >> shift & 3) << 4);
      m[r] = static_cast<std::uint8_t>((low[r] >> 4) | (high[r] >> (shift + 2) & 3) << 4);
    }
    Vf16 fs;
    Vf16 fm;
    for (int h = 0; h < kHalves; ++h) {
      fs.half[h] = Isa::from_u8(s + h * Isa::kLanes);
      fm.half[h] = Isa::from_u8(m + h * Isa::kLanes);
    }
    scale_times(d, fs, scale + 16 * j, false);
    scale_times(d + 16, fm, min + 16 * j, true);
  }
}

inline void decode_int8(const std::uint8_t* span, int n, const std::uint16_t* d, float* scale) {
  for (int j = 0; j < n; ++j) {
    Vf16 f;
    for (int h = 0; h < kHalves; ++h) {
      f.half[h] = Isa::from_i8(reinterpret_cast<const std::int8_t*>(span) + 16 * j + h * Isa::kLanes);
    }
    scale_times(d, f, scale + 16 * j, false);
  }
}

inline void decode_nibble(const std::uint8_t* span, float* scale, float* min) {
  const auto* d = reinterpret_cast<const std::uint16_t*>(span + 256);
  for (int j = 0; j < 16; ++j) {
    alignas(16) std::uint8_t s[16];
    alignas(16) std::uint8_t m[16];
    for (int r = 0; r < 16; ++r) {
      s[r] = span[16 * j + r] & 15;
      m[r] = static_cast<std::uint8_t>(span[16 * j + r] >> 4);
    }
    Vf16 fs;
    Vf16 fm;
    for (int h = 0; h < kHalves; ++h) {
      fs.half[h] = Isa::from_u8(s + h * Isa::kLanes);
      fm.half[h] = Isa::from_u8(m + h * Isa::kLanes);
    }
    scale_times(d, fs, scale + 16 * j, false);
    scale_times(d + 16, fm, min + 16 * j, true);
  }
}

// Decodes the scales of span i_span (n_blocks of 32 columns) from a panel's scale region.
template <PanelFormat F>
inline void decode_scales(const std::uint8_t* region, int i_span, int n_blocks, float* scale, float* min) {
  if constexpr (F.scales == ScaleLayout::kHalf || F.scales == ScaleLayout::kHalfMin) {
    constexpr int kStep = F.scales == ScaleLayout::kHalf ? 16 : 32;
    const auto* d = reinterpret_cast<const std::uint16_t*>(region) + i_span * kSpanBlocks * kStep;
    for (int b = 0; b < n_blocks; ++b) {
      for (int h = 0; h < kHalves; ++h) {
        const int lane = h * Isa::kLanes;
        Isa::store_f(scale + 16 * b + lane, Isa::load_f16(d + kStep * b + lane));
        if constexpr (F.has_min) Isa::store_f(min + 16 * b + lane, Isa::load_f16(d + kStep * b + 16 + lane));
      }
    }
  } else if constexpr (F.scales == ScaleLayout::kK4) {
    decode_k4(region + 256 * i_span, scale, min);
  } else if constexpr (F.scales == ScaleLayout::kInt8) {
    const std::uint8_t* span = region + 288 * i_span;
    decode_int8(span, 16, reinterpret_cast<const std::uint16_t*>(span + 256), scale);
  } else if constexpr (F.scales == ScaleLayout::kInt8x32) {
    const std::uint8_t* span = region + 192 * i_span;
    decode_int8(span, 8, reinterpret_cast<const std::uint16_t*>(span + 128), scale);
  } else if constexpr (F.scales == ScaleLayout::kNibble) {
    decode_nibble(region + 320 * i_span, scale, min);
  }
}

// The codes of 8 column groups of one block for kLanes rows: vector g holds columns 4g..4g+3.
template <PanelFormat F>
inline void load_codes(const std::uint8_t* block, int lane, Vb (&code)[8]) {
  const std::uint8_t* at = block + 4 * lane;
  if constexpr (F.nibble) {
    const Vb low = Isa::set_b(0x0f);
    for (int p = 0; p < 4; ++p) {
      const Vb v = Isa::load_b(at + 64 * p);
      code[p] = Isa::and_b(v, low);
      code[4 + p] = Isa::and_b(Isa::template shift_right<4>(v), low);
    }
    if constexpr (F.lut) {
      const Vb book = Isa::load_table16(kIq4Codes);
      for (int g = 0; g < 8; ++g) code[g] = Isa::look_up16(book, code[g]);
    }
  }
  constexpr int kPairAt = F.nibble ? 256 : 0;
  if constexpr (F.pair) {
    const Vb mask = Isa::set_b(F.nibble ? 0x30 : 0x03);
    for (int v = 0; v < 2; ++v) {
      const Vb fields = Isa::load_b(at + kPairAt + 64 * v);
      Vb part[4];
      if constexpr (F.nibble) {
        part[0] = Isa::template shift_left<4>(fields);
        part[1] = Isa::template shift_left<2>(fields);
        part[2] = fields;
        part[3] = Isa::template shift_right<2>(fields);
      } else {
        part[0] = fields;
        part[1] = Isa::template shift_right<2>(fields);
        part[2] = Isa::template shift_right<4>(fields);
        part[3] = Isa::template shift_right<6>(fields);
      }
      for (int f = 0; f < 4; ++f) {
        const Vb field = Isa::and_b(part[f], mask);
        if constexpr (F.nibble) {
          code[4 * v + f] = Isa::or_b(code[4 * v + f], field);
        } else {
          code[4 * v + f] = field;
        }
      }
    }
  }
  if constexpr (F.bit) {
    constexpr int kTarget = F.nibble ? 4 : 2;  // where the bit goes
    const Vb bits = Isa::load_b(at + kPairAt + (F.pair ? 128 : 0));
    const Vb mask = Isa::set_b(1 << kTarget);
    const auto put = [&]<int G>() __attribute__((always_inline)) {
      Vb moved = bits;
      if constexpr (G < kTarget) moved = Isa::template shift_left<kTarget - G>(bits);
      if constexpr (G > kTarget) moved = Isa::template shift_right<G - kTarget>(bits);
      code[G] = Isa::or_b(code[G], Isa::and_b(moved, mask));
    };
    put.template operator()<0>();
    put.template operator()<1>();
    put.template operator()<2>();
    put.template operator()<3>();
    put.template operator()<4>();
    put.template operator()<5>();
    put.template operator()<6>();
    put.template operator()<7>();
  }
  if constexpr (F.byte) {
    for (int g = 0; g < 8; ++g) code[g] = Isa::load_b(at + 64 * g);
  }
}

// Codes above 127 need a product of their own where bytes are multiplied in signed 16 bits: of the code less 128.
template <PanelFormat F>
constexpr bool kWide = F.bias == 128;
template <PanelFormat F>
constexpr int kBias = kWide<F> && Isa::kWideIsSigned ? 0 : F.bias;

template <bool Wide>
inline Vi dot4(Vi sum, Vb code, std::int32_t q) {
  return Wide ? Isa::dot4_wide(sum, code, q) : Isa::dot4(sum, code, q);
}

inline std::int32_t load_q4(const std::int8_t* q) {
  std::int32_t bits;
  __builtin_memcpy(&bits, q, 4);
  return bits;
}

// ---- Few tokens: straight from the codes ----------------------------------------------------------------------------

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

// Writes kLanes results of one token; the matrix may end inside the vector.
inline void put_result(const MatmulOutput& out, int token, int row, int n_rows, Vf value) {
  float* at = out.out + token * out.stride + (row - out.first_row);
  if (row + Isa::kLanes <= n_rows) {
    Isa::store_f(at, out.add ? Isa::add(Isa::load_f(at), value) : value);
    return;
  }
  alignas(64) float lanes[Isa::kLanes];
  Isa::store_f(lanes, value);
  for (int l = 0; row + l < n_rows; ++l) at[l] = out.add ? at[l] + lanes[l] : lanes[l];
}

inline Activations from_token(const Activations& in, int token) {
  Activations shifted = in;
  shifted.q += token * in.q_stride;
  shifted.scale += token * in.block_stride;
  shifted.sum += token * in.block_stride;
  shifted.sum16 += 2 * token * in.block_stride;
  if (in.x != nullptr) shifted.x += token * in.x_stride;
  return shifted;
}

template <PanelFormat F, int N>
void direct_panel(const MatView& matrix, int i_panel, const Activations& in, int first_token, const MatmulOutput& out) {
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
    for (int t = 0; t < N; ++t) {
      const Vf value = F.has_min ? Isa::add(dot[h][t], low[h][t]) : dot[h][t];
      put_result(out, first_token + t, i_panel * kPanelRows + h * Isa::kLanes, matrix.n_rows, value);
    }
  }
}

template <PanelFormat F>
void direct(const MatView& matrix, int begin_panel, int end_panel, const Activations& in, int n_tokens,
            const MatmulOutput& out) {
  for (int p = begin_panel; p < end_panel; ++p) {
    int t = 0;
    for (; t + 8 <= n_tokens; t += 8) direct_panel<F, 8>(matrix, p, in, t, out);
    if (n_tokens - t >= 4) {
      direct_panel<F, 4>(matrix, p, in, t, out);
      t += 4;
    }
    if (n_tokens - t >= 2) {
      direct_panel<F, 2>(matrix, p, in, t, out);
      t += 2;
    }
    if (n_tokens - t >= 1) direct_panel<F, 1>(matrix, p, in, t, out);
  }
}

// ---- Many tokens: unpack a strip of two panels once, then tiles of rows x tokens ------------------------------------

struct Strip {
  const std::uint8_t* panel[2];
  int n_panels;
  int first_row;
};

// Codes to [group of 4 columns][2][64 bytes]; scales to [block or half block][2][16]; mins likewise, behind those of
// earlier chunks.
template <PanelFormat F>
void unpack_strip(const Strip& strip, const MatView& matrix, int first_block, int n_blocks,
                  const MatmulScratch& scratch) {
  constexpr int kPerBlock = F.scale_per_16() ? 2 : 1;
  for (int s = 0; s < strip.n_panels; ++s) {
    const std::uint8_t* codes =
        strip.panel[s] + matrix.scale_bytes + static_cast<std::size_t>(first_block) * F.block_bytes();
    for (int b = 0; b < n_blocks; ++b) {
      std::uint8_t* out = scratch.codes + static_cast<std::ptrdiff_t>(b) * 8 * 128 + 64 * s;
      for (int h = 0; h < kHalves; ++h) {
        Vb code[8];
        load_codes<F>(codes, h * Isa::kLanes, code);
        for (int g = 0; g < 8; ++g) Isa::store_b(out + 128 * g + 4 * h * Isa::kLanes, code[g]);
      }
      codes += F.block_bytes();
    }
    for (int b = 0; b < n_blocks; b += kSpanBlocks) {
      SpanScales span;
      const int here = n_blocks - b < kSpanBlocks ? n_blocks - b : kSpanBlocks;
      decode_scales<F>(strip.panel[s], (first_block + b) / kSpanBlocks, here, span.scale, span.min);
      for (int i = 0; i < here * kPerBlock; ++i) {
        for (int l = 0; l < 16; l += Isa::kLanes) {
          Isa::store_f(scratch.scales + (b * kPerBlock + i) * 32 + 16 * s + l, Isa::load_f(span.scale + 16 * i + l));
          if constexpr (F.has_min) {
            Isa::store_f(scratch.mins + ((first_block + b) * kPerBlock + i) * 32 + 16 * s + l,
                         Isa::load_f(span.min + 16 * i + l));
          }
        }
      }
    }
  }
}

// Adds one chunk of columns to the sums of V vectors of rows (from vector first_vec) x N tokens.
// One function for all types with scales of the same kind: the unpacked strip no longer shows where it came from.
template <bool Per16, bool Wide, int V, int N>
[[gnu::noinline]] void tile(const MatmulScratch& scratch, int first_vec, int bias, const Activations& in,
                            int first_token, int first_block, int n_blocks) {
  constexpr int kParts = Per16 ? 2 : 1;
  constexpr int kGroups = 8 / kParts;
  const int lane = first_vec * Isa::kLanes;
  const Activations tokens = from_token(in, first_token);
  float* sums = scratch.sums + static_cast<std::ptrdiff_t>(first_token) * 32 + lane;
  Vf dot[V][N];
  for (int v = 0; v < V; ++v) {
    for (int t = 0; t < N; ++t) {
      dot[v][t] = first_block == 0 ? Isa::zero_f() : Isa::load_f(sums + 32 * t + v * Isa::kLanes);
    }
  }
  const std::int8_t* q[N];
  for (int t = 0; t < N; ++t) q[t] = tokens.q + t * tokens.q_stride + static_cast<std::ptrdiff_t>(kBlock) * first_block;
  for (int b = 0; b < n_blocks; ++b) {
    for (int part = 0; part < kParts; ++part) {
      const std::uint8_t* codes = scratch.codes + (b * 8 + part * kGroups) * 128 + 4 * lane;
      Vi sum[V][N];
      for (int t = 0; t < N; ++t) {
        const std::int32_t* sum16 = tokens.sum16 + 2 * (t * tokens.block_stride + first_block + b);
        const Vi start = Isa::set_i(-bias * (Per16 ? sum16[part] : sum16[0] + sum16[1]));
        for (int v = 0; v < V; ++v) sum[v][t] = start;
      }
      for (int g = 0; g < kGroups; ++g) {
        Vb w[V];
        for (int v = 0; v < V; ++v) w[v] = Isa::load_b(codes + 128 * g + 4 * v * Isa::kLanes);
        for (int t = 0; t < N; ++t) {
          const std::int32_t x = load_q4(q[t] + kBlock * b + 4 * (part * kGroups + g));
          for (int v = 0; v < V; ++v) sum[v][t] = dot4<Wide>(sum[v][t], w[v], x);
        }
      }
      const float* scale = scratch.scales + (b * kParts + part) * 32 + lane;
      for (int t = 0; t < N; ++t) {
        const Vf token_scale = Isa::set_f(tokens.scale[t * tokens.block_stride + first_block + b]);
        for (int v = 0; v < V; ++v) {
          const Vf both = Isa::mul(Isa::load_f(scale + v * Isa::kLanes), token_scale);
          dot[v][t] = Isa::fma(Isa::to_f(sum[v][t]), both, dot[v][t]);
        }
      }
    }
  }
  for (int v = 0; v < V; ++v) {
    for (int t = 0; t < N; ++t) Isa::store_f(sums + 32 * t + v * Isa::kLanes, dot[v][t]);
  }
}

// The last step of a tile: adds the mins and writes the results.
template <bool Per16, bool HasMin, int V, int N>
[[gnu::noinline]] void finish_tile(const MatmulScratch& scratch, const Strip& strip, int first_vec, int n_rows,
                                   const Activations& in, int first_token, int n_blocks, const MatmulOutput& out) {
  const int lane = first_vec * Isa::kLanes;
  const Activations tokens = from_token(in, first_token);
  Vf low[V][N];
  for (int v = 0; v < V; ++v) {
    for (int t = 0; t < N; ++t) low[v][t] = Isa::zero_f();
  }
  if constexpr (HasMin) {
    for (int b = 0; b < n_blocks; ++b) {
      for (int part = 0; part < (Per16 ? 2 : 1); ++part) {
        const float* min = scratch.mins + (b * (Per16 ? 2 : 1) + part) * 32 + lane;
        for (int t = 0; t < N; ++t) {
          const std::ptrdiff_t at = t * tokens.block_stride + b;
          const float token_sum =
              Per16 ? tokens.scale[at] * static_cast<float>(tokens.sum16[2 * at + part]) : tokens.sum[at];
          for (int v = 0; v < V; ++v) {
            low[v][t] = Isa::fma(Isa::load_f(min + v * Isa::kLanes), Isa::set_f(token_sum), low[v][t]);
          }
        }
      }
    }
  }
  const float* sums = scratch.sums + static_cast<std::ptrdiff_t>(first_token) * 32 + lane;
  for (int t = 0; t < N; ++t) {
    for (int v = 0; v < V; ++v) {
      Vf value = Isa::load_f(sums + 32 * t + v * Isa::kLanes);
      if constexpr (HasMin) value = Isa::add(value, low[v][t]);
      put_result(out, first_token + t, strip.first_row + lane + v * Isa::kLanes, n_rows, value);
    }
  }
}

// What a strip's tiles need to know of its type.
struct StripKind {
  int bias;
  int n_rows;    // of the matrix
  int n_vecs;    // of the strip
  int n_blocks;  // of the matrix
};

// One tile of N tokens over all vectors of the strip, one chunk of columns; the last chunk ends the sums.
template <bool Per16, bool Wide, bool HasMin, int N>
void tile_tokens(const StripKind& kind, const Strip& strip, const Activations& in, int first_token, int first_block,
                 int n_blocks, const MatmulOutput& out, const MatmulScratch& scratch) {
  const bool last = first_block + n_blocks == kind.n_blocks;
  int v = 0;
  for (; v + Isa::kTileVecs <= kind.n_vecs; v += Isa::kTileVecs) {
    tile<Per16, Wide, Isa::kTileVecs, N>(scratch, v, kind.bias, in, first_token, first_block, n_blocks);
    if (last) {
      finish_tile<Per16, HasMin, Isa::kTileVecs, N>(scratch, strip, v, kind.n_rows, in, first_token, kind.n_blocks,
                                                    out);
    }
  }
  for (; v < kind.n_vecs; ++v) {
    tile<Per16, Wide, 1, N>(scratch, v, kind.bias, in, first_token, first_block, n_blocks);
    if (last) finish_tile<Per16, HasMin, 1, N>(scratch, strip, v, kind.n_rows, in, first_token, kind.n_blocks, out);
  }
}

// Up to kTileTokens tokens.
template <bool Per16, bool Wide, bool HasMin, int N = Isa::kTileTokens>
void tile_up_to(int n, const StripKind& kind, const Strip& strip, const Activations& in, int first_token,
                int first_block, int n_blocks, const MatmulOutput& out, const MatmulScratch& scratch) {
  if constexpr (N > 1) {
    if (n < N) {
      return tile_up_to<Per16, Wide, HasMin, N - 1>(n, kind, strip, in, first_token, first_block, n_blocks, out,
                                                    scratch);
    }
  }
  tile_tokens<Per16, Wide, HasMin, N>(kind, strip, in, first_token, first_block, n_blocks, out, scratch);
}

// Asks for the next chunk of codes while this one is computed, a part with every tile.
struct NextChunk {
  const std::uint8_t* at[2];
  std::size_t left;  // bytes of each panel
  std::size_t per_tile;
};

inline void prefetch_part(NextChunk& next, int n_panels) {
  const std::size_t now = next.left < next.per_tile ? next.left : next.per_tile;
  for (int s = 0; s < n_panels; ++s) {
    for (std::size_t i = 0; i < now; i += 64) Isa::prefetch(next.at[s] + i);
    next.at[s] += now;
  }
  next.left -= now;
}

template <PanelFormat F>
void tiled_strip(const MatView& matrix, const Strip& strip, const Strip& following, const Activations& in, int n_tokens,
                 const MatmulOutput& out, const MatmulScratch& scratch) {
  constexpr int kChunkBlocks = kMatmulChunk / kBlock;
  const int n_blocks = matrix.n_cols / kBlock;
  const int n_tiles = (n_tokens + Isa::kTileTokens - 1) / Isa::kTileTokens;
  const StripKind kind{kBias<F>, matrix.n_rows, strip.n_panels * kHalves, n_blocks};
  for (int b = 0; b < n_blocks; b += kChunkBlocks) {
    const int here = n_blocks - b < kChunkBlocks ? n_blocks - b : kChunkBlocks;
    const bool last = b + here == n_blocks;
    unpack_strip<F>(strip, matrix, b, here, scratch);
    NextChunk next{};
    const Strip& source = last ? following : strip;
    const int next_block = last ? 0 : b + here;
    const int next_here = n_blocks - next_block < kChunkBlocks ? n_blocks - next_block : kChunkBlocks;
    for (int s = 0; s < source.n_panels; ++s) {
      next.at[s] = source.panel[s] + matrix.scale_bytes + static_cast<std::size_t>(next_block) * F.block_bytes();
    }
    next.left = static_cast<std::size_t>(next_here) * F.block_bytes();
    next.per_tile = (next.left / static_cast<std::size_t>(n_tiles) + 64) / 64 * 64;
    for (int i = 0; i < n_tiles; ++i) {  // tiles of equal size, never 6 + 1
      const int t = static_cast<int>(static_cast<std::int64_t>(n_tokens) * i / n_tiles);
      const int end = static_cast<int>(static_cast<std::int64_t>(n_tokens) * (i + 1) / n_tiles);
      prefetch_part(next, source.n_panels);
      tile_up_to<F.scale_per_16(), kWide<F>, F.has_min>(end - t, kind, strip, in, t, b, here, out, scratch);
    }
  }
}

inline Strip strip_at(const MatView& matrix, int i_panel, int end_panel) {
  Strip strip{};
  strip.n_panels = end_panel - i_panel < 2 ? end_panel - i_panel : 2;
  for (int s = 0; s < strip.n_panels; ++s) strip.panel[s] = matrix.panel(i_panel + s);
  strip.first_row = i_panel * kPanelRows;
  return strip;
}

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

// ---- Float weights --------------------------------------------------------------------------------------------------

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
