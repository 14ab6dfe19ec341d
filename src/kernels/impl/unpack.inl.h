// Scales and codes of a panel, and what both matrix paths share. See common.inl.h and panel.h.

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
