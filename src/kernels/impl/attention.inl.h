// Attention of a few queries over one chunk of keys. See common.inl.h and table.h.

// Scores of Rows queries against one block of 16 keys: one chain per (row, key), in order of the head's dimensions.
template <int Rows, bool F32>
inline void score_block(const AttentionChunk& chunk, int i_block, int first_row) {
  const int head_size = chunk.head_size;
  const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(i_block % 4) * head_size * 16;
  const void* page = chunk.key_pages[i_block / 4];
  const auto* wide = static_cast<const float*>(page) + offset;
  const auto* half = static_cast<const std::uint16_t*>(page) + offset;
  Vf16 sum[Rows];
  for (int r = 0; r < Rows; ++r) sum[r] = zero16();
  for (int i = 0; i < head_size; ++i) {
    Vf16 key;
    for (int h = 0; h < kHalves; ++h) {
      key.half[h] = F32 ? Isa::load_f(wide + 16 * i + h * Isa::kLanes) : Isa::load_f16(half + 16 * i + h * Isa::kLanes);
    }
    for (int r = 0; r < Rows; ++r) {
      const Vf q = Isa::set_f(chunk.query[first_row + r][i]);
      for (int h = 0; h < kHalves; ++h) sum[r].half[h] = Isa::fma(q, key.half[h], sum[r].half[h]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    float* out = chunk.scores + static_cast<std::ptrdiff_t>(first_row + r) * kChunkKeys + 16 * i_block;
    for (int h = 0; h < kHalves; ++h) Isa::store_f(out + h * Isa::kLanes, sum[r].half[h]);
  }
}

template <bool F32>
inline void score_rows(const AttentionChunk& chunk, int n_blocks) {
  for (int b = 0; b < n_blocks; ++b) {
    switch (chunk.n_rows) {
      case 1:
        score_block<1, F32>(chunk, b, 0);
        break;
      case 2:
        score_block<2, F32>(chunk, b, 0);
        break;
      case 3:
        score_block<3, F32>(chunk, b, 0);
        break;
      case 4:
        score_block<4, F32>(chunk, b, 0);
        break;
      case 5:
        score_block<5, F32>(chunk, b, 0);
        break;
      default:
        score_block<6, F32>(chunk, b, 0);
        break;
    }
  }
}

// Turns a row's scores into weights 2^(score - max), zero for keys past n_keys; n_blocks: of the whole chunk.
inline void softmax_row(float* score, int n_keys, int n_blocks, float* max, float* weight) {
  for (int i = n_keys; i < 16 * n_blocks; ++i) score[i] = -__builtin_inff();
  Vf16 largest = zero16();
  for (int h = 0; h < kHalves; ++h) largest.half[h] = Isa::load_f(score + h * Isa::kLanes);
  for (int b = 1; b < n_blocks; ++b) {
    for (int h = 0; h < kHalves; ++h) {
      largest.half[h] = Isa::max_f(largest.half[h], Isa::load_f(score + 16 * b + h * Isa::kLanes));
    }
  }
  const float top = max16(largest);
  const Vf vtop = Isa::set_f(top);
  Vf16 total = zero16();
  for (int b = 0; b < n_blocks; ++b) {
    for (int h = 0; h < kHalves; ++h) {
      float* at = score + 16 * b + h * Isa::kLanes;
      const Vf p = exp2_negative(Isa::sub(Isa::load_f(at), vtop));
      Isa::store_f(at, p);
      total.half[h] = Isa::add(total.half[h], p);
    }
  }
  *max = top;
  *weight = sum16(total);
}

// out[row][first_dim ...] = sum over keys of weight * value, in order of keys; Parts vectors of kLanes dimensions.
template <int Rows, int Parts>
inline void weigh_values(const AttentionChunk& chunk, int n_keys, int first_row, int first_dim, float* out) {
  Vf sum[Rows][Parts];
  for (int r = 0; r < Rows; ++r) {
    for (int d = 0; d < Parts; ++d) sum[r][d] = Isa::zero_f();
  }
  const float* weight = chunk.scores + static_cast<std::ptrdiff_t>(first_row) * kChunkKeys;
  for (int k = 0; k < n_keys; ++k) {
    const std::uint16_t* value =
        chunk.value_pages[k / 64] + static_cast<std::ptrdiff_t>(k % 64) * chunk.value_stride + first_dim;
    Vf v[Parts];
    for (int d = 0; d < Parts; ++d) v[d] = Isa::load_f16(value + d * Isa::kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Vf p = Isa::set_f(weight[r * kChunkKeys + k]);
      for (int d = 0; d < Parts; ++d) sum[r][d] = Isa::fma(p, v[d], sum[r][d]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    float* row = out + static_cast<std::ptrdiff_t>(first_row + r) * chunk.value_stride + first_dim;
    for (int d = 0; d < Parts; ++d) Isa::store_f(row + d * Isa::kLanes, sum[r][d]);
  }
}

template <int Rows>
inline void weigh_rows(const AttentionChunk& chunk, int n_keys, int first_row, float* out) {
  constexpr int kParts = Isa::kLanes == 16 ? 4 : 2;
  int dim = 0;
  for (; dim + kParts * Isa::kLanes <= chunk.value_stride; dim += kParts * Isa::kLanes) {
    weigh_values<Rows, kParts>(chunk, n_keys, first_row, dim, out);
  }
  for (; dim < chunk.value_stride; dim += Isa::kLanes) weigh_values<Rows, 1>(chunk, n_keys, first_row, dim, out);
}

void attend(const AttentionChunk& chunk, const AttentionPartial& out) {
  int n_keys = 0;
  for (int r = 0; r < chunk.n_rows; ++r) n_keys = chunk.n_keys[r] > n_keys ? chunk.n_keys[r] : n_keys;
  const int n_blocks = (n_keys + 15) / 16;
  if (chunk.key_is_f32) {
    score_rows<true>(chunk, n_blocks);
  } else {
    score_rows<false>(chunk, n_blocks);
  }
  for (int r = 0; r < chunk.n_rows; ++r) {
    softmax_row(chunk.scores + static_cast<std::ptrdiff_t>(r) * kChunkKeys, chunk.n_keys[r], n_blocks, out.max + r,
                out.weight + r);
  }
  switch (chunk.n_rows) {
    case 1:
      weigh_rows<1>(chunk, n_keys, 0, out.out);
      break;
    case 2:
      weigh_rows<2>(chunk, n_keys, 0, out.out);
      break;
    case 3:
      weigh_rows<3>(chunk, n_keys, 0, out.out);
      break;
    case 4:
      weigh_rows<4>(chunk, n_keys, 0, out.out);
      break;
    case 5:
      weigh_rows<5>(chunk, n_keys, 0, out.out);
      break;
    default:
      weigh_rows<6>(chunk, n_keys, 0, out.out);
      break;
  }
}

void merge(float* max, float* weight, float* out, float next_max, float next_weight, const float* next_out,
           int value_stride) {
  const float top = next_max > *max ? next_max : *max;
  alignas(64) float pair[16] = {*max - top, next_max - top};
  for (int h = 0; h < kHalves; ++h) {
    float* at = pair + h * Isa::kLanes;
    Isa::store_f(at, exp2_negative(Isa::load_f(at)));
  }
  const Vf keep = Isa::set_f(pair[0]);
  const Vf take = Isa::set_f(pair[1]);
  for (int d = 0; d < value_stride; d += Isa::kLanes) {
    const Vf old_part = Isa::mul(Isa::load_f(out + d), keep);
    Isa::store_f(out + d, Isa::fma(Isa::load_f(next_out + d), take, old_part));
  }
  *weight = *weight * pair[0] + next_weight * pair[1];
  *max = top;
}

void store_key(const float* key, int head_size, bool as_f32, int slot, void* page) {
  const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(slot / 16) * head_size * 16 + slot % 16;
  if (as_f32) {
    float* out = static_cast<float*>(page) + offset;
    for (int i = 0; i < head_size; ++i) out[16 * i] = key[i];
    return;
  }
  auto* out = static_cast<std::uint16_t*>(page) + offset;
  for (int i = 0; i < head_size; ++i) out[16 * i] = Isa::to_half(key[i]);
}

void store_value(const float* value, int head_size, int value_stride, int slot, std::uint16_t* page) {
  std::uint16_t* out = page + static_cast<std::ptrdiff_t>(slot) * value_stride;
  for (int i = 0; i < head_size; ++i) out[i] = Isa::to_half(value[i]);
  for (int i = head_size; i < value_stride; ++i) out[i] = 0;
}
