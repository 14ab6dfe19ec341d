// Norm, quantisation, SwiGLU, rotation: everything that is not a matrix or attention. See common.inl.h.

void quantize_row(const float* x, int n, const ActivationRow& out) {
  for (int b = 0; b < n / kBlock; ++b) {
    const float* in = x + b * kBlock;
    Vf16 largest = zero16();
    Vf16 poison = zero16();  // x * 0 is NaN where x is not finite
    for (int i = 0; i < 2; ++i) {
      for (int h = 0; h < kHalves; ++h) {
        const Vf v = Isa::load_f(in + 16 * i + h * Isa::kLanes);
        largest.half[h] = Isa::max_f(largest.half[h], Isa::abs(v));
        poison.half[h] = Isa::fma(v, Isa::zero_f(), poison.half[h]);
      }
    }
    const float amax = max16(largest);
    const float not_finite = sum16(poison);
    const float inverse = amax > 1e-30F ? 127.0F / amax : 0.0F;
    std::int8_t* q = out.q + b * kBlock;
    std::int32_t sums[2];
    for (int i = 0; i < 2; ++i) {
      Isa::quantize16(in + 16 * i, inverse, q + 16 * i);
      std::int32_t sum = 0;
      for (int k = 0; k < 16; ++k) sum += q[16 * i + k];
      sums[i] = sum;
      out.sum16[2 * b + i] = sum;
    }
    const float scale = (amax > 1e-30F ? amax / 127.0F : 0.0F) + not_finite;
    out.scale[b] = scale;
    out.sum[b] = scale * static_cast<float>(sums[0] + sums[1]);
  }
}

void rms_norm(const float* x, const float* weight, int n, float epsilon, float* out) {
  Vf16 sum = zero16();
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    for (int h = 0; h < kHalves; ++h) {
      const Vf v = Isa::load_f(x + i + h * Isa::kLanes);
      sum.half[h] = Isa::fma(v, v, sum.half[h]);
    }
  }
  float total = sum16(sum);
  for (int k = i; k < n; ++k) total += x[k] * x[k];
  const float scale = 1.0F / Isa::sqrt_scalar(total / static_cast<float>(n) + epsilon);
  const Vf factor = Isa::set_f(scale);
  int j = 0;
  for (; j + 16 <= n; j += 16) {
    for (int h = 0; h < kHalves; ++h) {
      const int at = j + h * Isa::kLanes;
      Isa::store_f(out + at, Isa::mul(Isa::mul(Isa::load_f(x + at), factor), Isa::load_f(weight + at)));
    }
  }
  for (; j < n; ++j) out[j] = x[j] * scale * weight[j];
}

// silu(g) * u = g * u / (1 + e^-g). For g < 0 the exponential is of a negative number too: e^g / (1 + e^g).
void swiglu(const float* gate, const float* up, int n, float* out) {
  const Vf one = Isa::set_f(1.0F);
  for (int i = 0; i < n; i += Isa::kLanes) {
    const Vf g = Isa::load_f(gate + i);
    const Vf e = exp2_negative(Isa::mul(Isa::neg_abs(g), Isa::set_f(1.4426950408889634F)));
    const Vf numerator = Isa::select_negative(g, e, one);
    const Vf sigmoid = Isa::div(numerator, Isa::add(one, e));
    Isa::store_f(out + i, Isa::mul(Isa::mul(g, sigmoid), Isa::load_f(up + i)));
  }
}

void rope(float* head, const float* cosine, const float* sine, int n_dims) {
  const int half = n_dims / 2;
  int i = 0;
  for (; i + Isa::kLanes <= half; i += Isa::kLanes) {
    const Vf a = Isa::load_f(head + i);
    const Vf b = Isa::load_f(head + half + i);
    const Vf c = Isa::load_f(cosine + i);
    const Vf s = Isa::load_f(sine + i);
    Isa::store_f(head + i, Isa::sub(Isa::mul(a, c), Isa::mul(b, s)));
    Isa::store_f(head + half + i, Isa::add(Isa::mul(a, s), Isa::mul(b, c)));
  }
  for (; i < half; ++i) {
    const float a = head[i];
    const float b = head[half + i];
    head[i] = a * cosine[i] - b * sine[i];
    head[half + i] = a * sine[i] + b * cosine[i];
  }
}

void scale_row(float* x, int n, float factor) {
  int i = 0;
  for (; i + Isa::kLanes <= n; i += Isa::kLanes) Isa::store_f(x + i, Isa::mul(Isa::load_f(x + i), Isa::set_f(factor)));
  for (; i < n; ++i) x[i] *= factor;
}

void add_row(float* x, const float* y, int n) {
  int i = 0;
  for (; i + Isa::kLanes <= n; i += Isa::kLanes) {
    Isa::store_f(x + i, Isa::add(Isa::load_f(x + i), Isa::load_f(y + i)));
  }
  for (; i < n; ++i) x[i] += y[i];
}

bool all_finite(const float* x, std::ptrdiff_t n) {
  Vf16 poison = zero16();
  std::ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (int h = 0; h < kHalves; ++h) {
      poison.half[h] = Isa::fma(Isa::load_f(x + i + h * Isa::kLanes), Isa::zero_f(), poison.half[h]);
    }
  }
  float total = sum16(poison);
  for (; i < n; ++i) total += x[i] * 0.0F;
  return total == 0.0F;  // NaN where any was NaN or infinite
}
