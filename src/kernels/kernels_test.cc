// Every table against the slow twins, and against each other bit for bit.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include "base/arena.h"
#include "kernels/dispatch.h"
#include "kernels/pack.h"
#include "kernels/panel.h"
#include "kernels/reference.h"
#include "quant/half.h"
#include "quant/quantize.h"

namespace reckon::kernels {
namespace {

std::vector<float> random_floats(std::size_t n, unsigned seed, float outlier = 1.0F) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal;
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = normal(rng) * (i % 97 == 3 ? outlier : 1.0F);
  return out;
}

// A matrix of random blocks, in the file's form and packed.
struct Matrix {
  Matrix(TensorType type_, int n_rows, int n_cols, unsigned seed) : type(type_) {
    const TypeInfo& info = *type_info(type);
    row_bytes = static_cast<std::size_t>(n_cols / info.block_elements * info.block_bytes);
    blocks.resize(row_bytes * static_cast<std::size_t>(n_rows));
    quant::fill_random_blocks(type, static_cast<std::int64_t>(n_rows) * n_cols, seed, blocks.data());
    repack(n_rows, n_cols);
  }

  void repack(int n_rows, int n_cols) {
    view.format = &panel_format(type);
    view.n_rows = n_rows;
    view.n_cols = n_cols;
    view.scale_bytes = scale_region_bytes(*view.format, n_cols);
    view.panel_stride = view.group_stride = panel_bytes(*view.format, n_cols);
    arena = Arena::create(view.panel_stride * static_cast<std::size_t>(view.n_panels()) + 64).value();
    view.data = reinterpret_cast<const std::uint8_t*>(arena.data());
    for (int p = 0; p < view.n_panels(); ++p) {
      std::array<const std::byte*, kPanelRows> rows{};
      for (int r = 0; r < kPanelRows && p * kPanelRows + r < n_rows; ++r) {
        rows[static_cast<std::size_t>(r)] = blocks.data() + static_cast<std::size_t>(p * kPanelRows + r) * row_bytes;
      }
      pack_panel(*view.format, rows, n_cols, const_cast<std::uint8_t*>(view.panel(p)));
    }
  }

  TensorType type;
  std::size_t row_bytes;
  std::vector<std::byte> blocks;
  MatView view;
  Arena arena;
};

struct Tokens {
  Tokens(const Table& table, const std::vector<float>& x_, int n_cols_) : n_cols(n_cols_), x(x_) {
    const std::size_t n = x.size() / static_cast<std::size_t>(n_cols);
    // Room for whole groups, with what may be left there: nothing of it may reach a result.
    const std::size_t room = (n + kTokenGroup - 1) / kTokenGroup * kTokenGroup * static_cast<std::size_t>(n_cols);
    q.resize(room, 77);
    scale.resize(room / 32, std::numeric_limits<float>::quiet_NaN());
    sum.resize(room / 32, std::numeric_limits<float>::infinity());
    sum16.resize(room / 16, 1234);
    for (std::size_t t = 0; t < n; ++t) {
      const std::size_t c = t * static_cast<std::size_t>(n_cols);
      table.quantize_row(x.data() + c, n_cols,
                         {q.data() + c, scale.data() + c / 32, sum.data() + c / 32, sum16.data() + c / 16});
    }
  }
  [[nodiscard]] Activations view() const {
    return {q.data(), scale.data(), sum.data(), sum16.data(), x.data(), n_cols, n_cols / 32, n_cols};
  }

  int n_cols;
  std::vector<float> x;
  std::vector<std::int8_t> q;
  std::vector<float> scale, sum;
  std::vector<std::int32_t> sum16;
};

std::vector<float> multiply(const Table& table, const Matrix& matrix, const Activations& in, int n_tokens) {
  const auto rows = static_cast<std::size_t>(matrix.view.n_rows);
  std::vector<float> out(rows * static_cast<std::size_t>(n_tokens), -1.0F);
  const Arena memory = Arena::create(matmul_scratch_bytes(n_tokens, matrix.view.n_cols)).value();
  table.matmul(matrix.view, 0, matrix.view.n_panels(), in, n_tokens, {out.data(), matrix.view.n_rows, 0, false},
               make_scratch(memory.data(), matrix.view.n_cols));
  return out;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class EveryType : public testing::TestWithParam<TensorType> {};

std::string type_name(const testing::TestParamInfo<TensorType>& param) { return type_info(param.param)->name; }

INSTANTIATE_TEST_SUITE_P(Kernels, EveryType, testing::ValuesIn(all_tensor_types().begin(), all_tensor_types().end()),
                         type_name);

TEST_P(EveryType, product_is_within_the_forward_error_of_the_slow_twin) {
  for (const int n_cols : {256, 1536, 2816}) {
    const Matrix matrix(GetParam(), 40, n_cols, 7);
    const auto x = random_floats(static_cast<std::size_t>(n_cols), 11, 20);
    std::vector<double> magnitude;
    const auto expected =
        matrix.view.format->is_float()
            ? reference::matvec(GetParam(), matrix.blocks, 40, n_cols, x, magnitude)
            : reference::matvec(GetParam(), matrix.blocks, 40, n_cols, reference::quantize(x), magnitude);
    for (const Table* table : supported_tables()) {
      const auto y = multiply(*table, matrix, Tokens(*table, x, n_cols).view(), 1);
      // Each of n_cols / 32 (or n_cols / 4) terms of a chain rounds once or twice.
      const double bound = static_cast<double>(std::numeric_limits<float>::epsilon()) * n_cols / 8;
      for (std::size_t r = 0; r < y.size(); ++r) {
        ASSERT_NEAR(static_cast<double>(y[r]), expected[r], bound * magnitude[r]) << table->name << " row " << r;
      }
    }
  }
}

TEST_P(EveryType, every_table_gives_the_same_bits_for_any_number_of_tokens) {
  constexpr int kCols = 1280;  // two and a half chunks of the tiled path
  const Matrix matrix(GetParam(), 56, kCols, 3);
  const Table& scalar = *supported_tables().front();
  const auto x = random_floats(static_cast<std::size_t>(kCols) * 33, 5);
  const Tokens tokens(scalar, x, kCols);
  std::vector<float> one_by_one;
  for (int t = 0; t < 33; ++t) {
    Activations in = tokens.view();
    in.q += t * in.q_stride;
    in.scale += t * in.block_stride;
    in.sum += t * in.block_stride;
    in.sum16 += 2 * t * in.block_stride;
    in.x += t * in.x_stride;
    const auto y = multiply(scalar, matrix, in, 1);
    one_by_one.insert(one_by_one.end(), y.begin(), y.end());
  }
  for (const Table* table : supported_tables()) {
    const Tokens own(*table, x, kCols);
    ASSERT_EQ(own.q, tokens.q) << table->name;
    ASSERT_TRUE(same_bits(own.scale, tokens.scale) && same_bits(own.sum, tokens.sum)) << table->name;
    for (const int n : {1, 2, 3, 5, 6, 7, 8, 13, 15, 16, 17, 31, 33}) {
      const auto y = multiply(*table, matrix, own.view(), n);
      const std::vector<float> expected(one_by_one.begin(), one_by_one.begin() + n * 56);
      ASSERT_TRUE(same_bits(y, expected)) << table->name << " with " << n << " tokens";
    }
  }
}

TEST_P(EveryType, extreme_codes_do_not_saturate) {
  constexpr int kCols = 512;
  if (panel_format(GetParam()).is_float()) return;  // no integer products
  Matrix matrix(GetParam(), 16, kCols, 1);
  // All code bytes to ones, block by block; the scale fields keep their random values.
  std::vector<std::byte> saved = matrix.blocks;
  for (const std::uint8_t fill : {std::uint8_t{0xff}, std::uint8_t{0x00}, std::uint8_t{0x80}}) {
    const TypeInfo& info = *type_info(GetParam());
    for (std::size_t b = 0; b < saved.size(); b += static_cast<std::size_t>(info.block_bytes)) {
      const std::size_t keep = 4;  // leave what may be a scale at the front and at the back
      for (std::size_t i = keep; i + keep < static_cast<std::size_t>(info.block_bytes); ++i) {
        matrix.blocks[b + i] = static_cast<std::byte>(fill);
      }
    }
    matrix.repack(16, kCols);
    for (const float sign : {1.0F, -1.0F}) {
      std::vector<float> x(kCols, 3.0F * sign);  // every activation is +-127
      std::vector<double> magnitude;
      const auto expected = reference::matvec(GetParam(), matrix.blocks, 16, kCols, reference::quantize(x), magnitude);
      for (const Table* table : supported_tables()) {
        const auto y = multiply(*table, matrix, Tokens(*table, x, kCols).view(), 1);
        for (std::size_t r = 0; r < y.size(); ++r) {
          ASSERT_NEAR(static_cast<double>(y[r]), expected[r], 1e-5 * magnitude[r] + 1e-30) << table->name;
        }
      }
    }
  }
}

TEST(Kernels, a_token_that_is_not_finite_poisons_itself_only) {
  constexpr int kCols = 256;
  const Matrix matrix(TensorType::kQ4_K, 32, kCols, 3);
  for (const Table* table : supported_tables()) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      auto x = random_floats(kCols * 3, 5);
      x[kCols + 100] = bad;
      const auto y = multiply(*table, matrix, Tokens(*table, x, kCols).view(), 3);
      for (std::size_t r = 0; r < 32; ++r) {
        EXPECT_TRUE(std::isfinite(y[r])) << table->name;
        EXPECT_TRUE(std::isnan(y[32 + r])) << table->name;
        EXPECT_TRUE(std::isfinite(y[64 + r])) << table->name;
      }
      EXPECT_FALSE(table->all_finite(y.data(), static_cast<std::ptrdiff_t>(y.size())));
      EXPECT_TRUE(table->all_finite(y.data(), 32));
    }
  }
}

TEST(Kernels, results_are_added_where_asked) {
  const Matrix matrix(TensorType::kQ8_0, 20, 64, 3);
  for (const Table* table : supported_tables()) {
    const auto x = random_floats(64, 5);
    const Tokens tokens(*table, x, 64);
    const auto y = multiply(*table, matrix, tokens.view(), 1);
    std::vector<float> sum(21, 2.0F);
    table->matmul(matrix.view, 0, 2, tokens.view(), 1, {sum.data(), 20, 0, true}, {});
    for (std::size_t r = 0; r < 20; ++r) EXPECT_EQ(sum[r], 2.0F + y[r]);
    EXPECT_EQ(sum[20], 2.0F);  // nothing beyond the last row
  }
}

// ---- Attention ------------------------------------------------------------------------------------------------------

struct Pages {
  Pages(const Table& table, int head_size_, bool f32, const std::vector<float>& keys, const std::vector<float>& values)
      : head_size(head_size_), stride((head_size_ + 15) / 16 * 16), as_f32(f32) {
    const auto n_keys = keys.size() / static_cast<std::size_t>(head_size);
    key_memory.resize(4);
    value_memory.resize(4);
    for (int p = 0; p < 4; ++p) {
      key_memory[static_cast<std::size_t>(p)].assign(static_cast<std::size_t>(64 * head_size), 1e30F);  // stale
      value_memory[static_cast<std::size_t>(p)].assign(static_cast<std::size_t>(64 * stride), 0x7c00);
    }
    for (std::size_t k = 0; k < n_keys; ++k) {
      const std::size_t at = k * static_cast<std::size_t>(head_size);
      table.store_key(keys.data() + at, head_size, f32, static_cast<int>(k % 64), key_memory[k / 64].data());
      table.store_value(values.data() + at, head_size, stride, static_cast<int>(k % 64), value_memory[k / 64].data());
    }
  }
  int head_size;
  int stride;
  bool as_f32;
  std::vector<std::vector<float>> key_memory;
  std::vector<std::vector<std::uint16_t>> value_memory;
};

std::vector<float> attend(const Table& table, const Pages& pages, const std::vector<float>& queries,
                          std::vector<int> n_keys) {
  const int n_rows = static_cast<int>(n_keys.size());
  std::vector<float> scores(std::size_t{kMaxAttentionRows} * kChunkKeys);
  AttentionChunk chunk{};
  for (std::size_t p = 0; p < 4; ++p) {
    chunk.key_pages[p] = pages.key_memory[p].data();
    chunk.value_pages[p] = pages.value_memory[p].data();
  }
  chunk.key_is_f32 = pages.as_f32;
  chunk.head_size = pages.head_size;
  chunk.value_stride = pages.stride;
  chunk.n_rows = n_rows;
  chunk.scores = scores.data();
  for (int r = 0; r < n_rows; ++r) {
    chunk.query[r] = queries.data() + r * pages.head_size;
    chunk.n_keys[r] = n_keys[static_cast<std::size_t>(r)];
  }
  std::vector<float> max(6);
  std::vector<float> weight(6);
  std::vector<float> out(static_cast<std::size_t>(6 * pages.stride));
  table.attend(chunk, {max.data(), weight.data(), out.data()});
  std::vector<float> result;
  for (int r = 0; r < n_rows; ++r) {
    for (int i = 0; i < pages.head_size; ++i) {
      result.push_back(out[static_cast<std::size_t>(r * pages.stride + i)] / weight[static_cast<std::size_t>(r)]);
    }
  }
  return result;
}

std::vector<float> through_half(std::vector<float> values) {
  for (float& v : values) v = quant::f16_to_f32(quant::f32_to_f16(v));
  return values;
}

TEST(Attention, equals_the_slow_twin_and_every_table_gives_the_same_bits) {
  for (const int head_size : {40, 64, 128}) {
    for (const bool f32 : {false, true}) {
      const auto n = static_cast<std::size_t>(head_size);
      const auto keys = through_half(random_floats(200 * n, 1));
      const auto values = through_half(random_floats(200 * n, 2));
      auto queries = random_floats(5 * n, 3);
      for (float& q : queries) q *= 0.2F;
      const std::vector<int> n_keys = {1, 17, 64, 199, 200};
      const Table& scalar = *supported_tables().front();
      const auto expected = attend(scalar, Pages(scalar, head_size, f32, keys, values), queries, n_keys);
      for (std::size_t r = 0; r < 5; ++r) {
        const auto count = static_cast<std::size_t>(n_keys[r]) * n;
        const auto slow =
            reference::attention({queries.data() + r * n, n}, {keys.data(), count}, {values.data(), count});
        for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(static_cast<double>(expected[r * n + i]), slow[i], 2e-5);
      }
      for (const Table* table : supported_tables()) {
        const Pages pages(*table, head_size, f32, keys, values);
        ASSERT_TRUE(same_bits(attend(*table, pages, queries, n_keys), expected)) << table->name;
        for (std::size_t r = 0; r < 5; ++r) {  // alone or in company
          const std::vector<float> query(queries.begin() + static_cast<std::ptrdiff_t>(r * n),
                                         queries.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
          const std::vector<float> row(expected.begin() + static_cast<std::ptrdiff_t>(r * n),
                                       expected.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
          ASSERT_TRUE(same_bits(attend(*table, pages, query, {n_keys[r]}), row)) << table->name;
        }
      }
    }
  }
}

TEST(Attention, merging_partials_is_the_softmax_of_both) {
  for (const Table* table : supported_tables()) {
    std::vector<float> out(16, 3.0F);  // weight 2, so a mean of 1.5
    const std::vector<float> next(16, 4.0F);
    float max = 1;
    float weight = 2;
    table->merge(&max, &weight, out.data(), 3, 1, next.data(), 16);
    EXPECT_FLOAT_EQ(max, 3);
    EXPECT_FLOAT_EQ(weight, 2 * 0.25F + 1);
    EXPECT_FLOAT_EQ(out[7], 3 * 0.25F + 4);
  }
}

// ---- Elementwise ----------------------------------------------------------------------------------------------------

TEST(Elementwise, every_table_gives_the_same_bits_and_the_right_numbers) {
  const auto x = random_floats(96, 1, 30);
  const auto y = random_floats(96, 2);
  const Table& scalar = *supported_tables().front();
  for (const Table* table : supported_tables()) {
    for (const int n : {80, 96, 90}) {
      std::vector<float> norm(96);
      std::vector<float> expected(96);
      table->rms_norm(x.data(), y.data(), n, 1e-6F, norm.data());
      scalar.rms_norm(x.data(), y.data(), n, 1e-6F, expected.data());
      EXPECT_TRUE(same_bits(norm, expected));
      double squares = 0;
      for (int i = 0; i < n; ++i) squares += std::pow(static_cast<double>(x[static_cast<std::size_t>(i)]), 2);
      EXPECT_NEAR(norm[5], x[5] / std::sqrt(squares / n + 1e-6) * y[5], 1e-5);
    }
    std::vector<float> gated(96);
    std::vector<float> gated_scalar(96);
    table->swiglu(x.data(), y.data(), 96, gated.data());
    scalar.swiglu(x.data(), y.data(), 96, gated_scalar.data());
    EXPECT_TRUE(same_bits(gated, gated_scalar));
    for (std::size_t i = 0; i < 96; ++i) {
      const double g = static_cast<double>(x[i]);
      const double exact = g / (1 + std::exp(-g)) * static_cast<double>(y[i]);
      EXPECT_NEAR(static_cast<double>(gated[i]), exact, 1e-6 * std::abs(exact) + 1e-12);
    }
  }
}

TEST(Elementwise, rotation_keeps_lengths_and_products_depend_on_distance) {
  constexpr int kDims = 40;  // not a multiple of any vector
  const auto a = random_floats(kDims, 1);
  const auto b = random_floats(kDims, 2);
  const auto rotated = [&](const Table& table, std::vector<float> head, int position) {
    std::vector<float> cosine;
    std::vector<float> sine;
    for (int i = 0; i < kDims / 2; ++i) {
      const double angle = position * std::pow(10000.0, -2.0 * i / kDims);
      cosine.push_back(static_cast<float>(std::cos(angle)));
      sine.push_back(static_cast<float>(std::sin(angle)));
    }
    table.rope(head.data(), cosine.data(), sine.data(), kDims);
    return head;
  };
  const auto dot = [](const std::vector<float>& u, const std::vector<float>& v) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += static_cast<double>(u[i]) * static_cast<double>(v[i]);
    return sum;
  };
  const Table& scalar = *supported_tables().front();
  for (const Table* table : supported_tables()) {
    EXPECT_TRUE(same_bits(rotated(*table, a, 17), rotated(scalar, a, 17)));
    EXPECT_NEAR(dot(rotated(*table, a, 17), rotated(*table, a, 17)), dot(a, a), 1e-4);
    EXPECT_NEAR(dot(rotated(*table, a, 17), rotated(*table, b, 12)),
                dot(rotated(*table, a, 105), rotated(*table, b, 100)), 1e-4);
  }
}

TEST(Elementwise, a_block_of_zeros_has_scale_zero) {
  for (const Table* table : supported_tables()) {
    const std::vector<float> x(32, 0.0F);
    const Tokens tokens(*table, x, 32);
    EXPECT_EQ(tokens.scale[0], 0.0F);
    EXPECT_EQ(std::vector(tokens.q.begin(), tokens.q.begin() + 32), std::vector<std::int8_t>(32, 0));
  }
}

TEST(Dispatch, an_unknown_table_is_named_with_those_that_exist) {
  setenv("RECKON_ISA", "sse9", 1);
  const auto table = pick_table();
  unsetenv("RECKON_ISA");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(table.error().message.find("scalar"), std::string::npos);
}

}  // namespace
}  // namespace reckon::kernels
