// Ends a file of one instruction set: the int8 peak loop and the table itself. See common.inl.h.

double int8_peak_loop(long n) {
  constexpr int kChains = Isa::kLanes == 16 ? 24 : 10;  // independent, and within the registers
  Vi sum[kChains];
  for (int c = 0; c < kChains; ++c) sum[c] = Isa::zero_i();
  const Vb w = Isa::set_b(3);
  for (long i = 0; i < n; ++i) {
    for (int c = 0; c < kChains; ++c) sum[c] = Isa::dot4(sum[c], w, 0x01020304);
    Isa::keep(sum[0]);
  }
  for (int c = 0; c < kChains; ++c) Isa::keep(sum[c]);
  return static_cast<double>(n) * kChains * Isa::kLanes * 4;
}

constexpr Table kThisTable = {
    Isa::kName, matmul,    quantize_row, rms_norm, swiglu, rope,       scale_row,
    add_row,    store_key, store_value,  attend,   merge,  all_finite, int8_peak_loop,
};
