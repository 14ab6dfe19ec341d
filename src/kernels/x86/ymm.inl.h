// The 256-bit Isa, for AVX2 and AVX-VNNI; the including file defines RECKON_DOT4_VNNI to 0 or 1 first.

struct Isa {
  static constexpr int kLanes = 8;
  using Vf = __m256;
  using Vi = __m256i;
  using Vb = __m256i;
#if RECKON_DOT4_VNNI
  static constexpr const char* kName = "avxvnni";
  static constexpr bool kWideIsSigned = false;
  static constexpr int kTileVecs = 2;  // 16 rows x 2 tokens: 4 + 4 accumulators of 16 registers
  static constexpr int kTileTokens = 2;
  static Vi dot4(Vi sum, Vb code, std::int32_t q) { return _mm256_dpbusd_avx_epi32(sum, code, _mm256_set1_epi32(q)); }
  static Vi dot4_wide(Vi sum, Vb code, std::int32_t q) { return dot4(sum, code, q); }
#else
  static constexpr const char* kName = "avx2";
  static constexpr bool kWideIsSigned = true;
  static constexpr int kTileVecs = 2;
  static constexpr int kTileTokens = 2;
  // Codes up to 129: two products of at most 129 * 127 fit in signed 16 bits.
  static Vi dot4(Vi sum, Vb code, std::int32_t q) {
    const __m256i pairs = _mm256_maddubs_epi16(code, _mm256_set1_epi32(q));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  // Codes of 8 bits, less 128: |w| * (sign of w) q, at most 2 * 128 * 127 in signed 16 bits.
  static Vi dot4_wide(Vi sum, Vb code, std::int32_t q) {
    const __m256i w = _mm256_xor_si256(code, _mm256_set1_epi8(static_cast<char>(0x80)));
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(_mm256_set1_epi32(q), w));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
#endif

  static Vf zero_f() { return _mm256_setzero_ps(); }
  static Vf set_f(float x) { return _mm256_set1_ps(x); }
  static Vf load_f(const float* p) { return _mm256_loadu_ps(p); }
  static void store_f(float* p, Vf v) { _mm256_storeu_ps(p, v); }
  static Vf add(Vf a, Vf b) { return _mm256_add_ps(a, b); }
  static Vf sub(Vf a, Vf b) { return _mm256_sub_ps(a, b); }
  static Vf mul(Vf a, Vf b) { return _mm256_mul_ps(a, b); }
  static Vf div(Vf a, Vf b) { return _mm256_div_ps(a, b); }
  static Vf fma(Vf a, Vf b, Vf c) { return _mm256_fmadd_ps(a, b, c); }
  static Vf max_f(Vf a, Vf b) { return _mm256_max_ps(a, b); }
  static Vf abs(Vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
  static Vf neg_abs(Vf a) { return _mm256_or_ps(a, _mm256_set1_ps(-0.0F)); }
  static Vf round(Vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static Vf scale_exponent(Vf p, Vf whole) {
    return _mm256_castsi256_ps(
        _mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_cvtps_epi32(whole), 23)));
  }
  static Vf zero_where_less(Vf v, Vf x, Vf bound) { return _mm256_and_ps(v, _mm256_cmp_ps(x, bound, _CMP_NLT_UQ)); }
  static Vf select_negative(Vf x, Vf if_negative, Vf otherwise) { return _mm256_blendv_ps(otherwise, if_negative, x); }
  static Vf load_f16(const std::uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Vf load_bf16(const std::uint16_t* p) {
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16));
  }
  static Vf from_u8(const std::uint8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static Vf from_i8(const std::int8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static std::uint16_t to_half(float x) {
    return static_cast<std::uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(x), 0), 0));
  }
  static float sqrt_scalar(float x) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))); }

  static Vi zero_i() { return _mm256_setzero_si256(); }
  static Vi set_i(std::int32_t x) { return _mm256_set1_epi32(x); }
  static Vi add_i(Vi a, Vi b) { return _mm256_add_epi32(a, b); }
  static Vf to_f(Vi a) { return _mm256_cvtepi32_ps(a); }

  static Vb load_b(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store_b(std::uint8_t* p, Vb v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static Vb set_b(int x) { return _mm256_set1_epi8(static_cast<char>(x)); }
  static Vb and_b(Vb a, Vb b) { return _mm256_and_si256(a, b); }
  static Vb or_b(Vb a, Vb b) { return _mm256_or_si256(a, b); }
  // Within 16 bits: callers mask what crosses a byte.
  template <int N>
  static Vb shift_right(Vb a) {
    return _mm256_srli_epi16(a, N);
  }
  template <int N>
  static Vb shift_left(Vb a) {
    return _mm256_slli_epi16(a, N);
  }
  static Vb load_table16(const std::uint8_t* p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Vb look_up16(Vb table, Vb index) { return _mm256_shuffle_epi8(table, index); }

  // q = round to nearest even of x * inverse, 16 of them.
  static void quantize16(const float* x, float inverse, std::int8_t* q) {
    const __m256 factor = _mm256_set1_ps(inverse);
    const __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x), factor));
    const __m256i b = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + 8), factor));
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(q), bytes);
  }
  static void prefetch(const std::uint8_t* p) { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }
  static void keep(Vi v) { asm volatile("" ::"x"(v)); }
};
