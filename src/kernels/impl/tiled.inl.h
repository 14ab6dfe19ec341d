// Many tokens: a strip of two panels is unpacked once, then used in tiles of rows x tokens. See matmul.inl.h for the
// arithmetic, which is that of direct.inl.h.

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
