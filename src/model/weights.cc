#include "model/weights.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>

#include "kernels/pack.h"
#include "quant/dequantize.h"

namespace reckon::model {
namespace {

using formats::Tensor;
using kernels::kPanelRows;
using kernels::MatView;

// Which row of the tensor becomes row i of the matrix. Llama files keep rotated pairs side by side, (2i, 2i + 1) of a
// head; the kernels want them half a head apart. Query and key get the same order, so their product stays the same.
struct RowOrder {
  int head_size = 0;  // 0: as in the file
  int n_dims = 0;

  [[nodiscard]] std::int64_t source(std::int64_t row) const {
    if (head_size == 0) return row;
    const std::int64_t head = row / head_size;
    const std::int64_t i = row % head_size;
    if (i >= n_dims) return row;
    const std::int64_t half = n_dims / 2;
    return head * head_size + (i < half ? 2 * i : 2 * (i - half) + 1);
  }
};

// One matrix to pack: where from, where to.
struct Job {
  const Tensor* tensor;
  MatView* view;
  RowOrder order;
};

// Lays matrices one behind the other in the arena; sizes first, memory later.
class Layout {
 public:
  void add(const Tensor& tensor, MatView& view, RowOrder order = {}) {
    describe(tensor, view);
    view.panel_stride = padded(kernels::panel_bytes(*view.format, view.n_cols));
    view.group = 1;
    view.group_stride = view.panel_stride;
    place(tensor, view, order, used_);
    used_ += view.panel_stride * static_cast<std::size_t>(view.n_panels());
  }

  // Two matrices with as many rows each, in turns of two panels, so that reading both is one stream.
  void add_in_turns(const Tensor& a, MatView& view_a, const Tensor& b, MatView& view_b) {
    describe(a, view_a);
    describe(b, view_b);
    for (MatView* view : {&view_a, &view_b}) {
      view->panel_stride = padded(kernels::panel_bytes(*view->format, view->n_cols));
      view->group = 2;
    }
    const std::size_t turn = 2 * (view_a.panel_stride + view_b.panel_stride);
    view_a.group_stride = view_b.group_stride = turn;
    place(a, view_a, {}, used_);
    place(b, view_b, {}, used_ + 2 * view_a.panel_stride);
    used_ += turn * static_cast<std::size_t>((view_a.n_panels() + 1) / 2);
  }

  [[nodiscard]] std::size_t used() const { return used_; }

  // Gives every view its place in the arena.
  std::vector<Job> bind(std::byte* base) {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].view->data = reinterpret_cast<const std::uint8_t*>(base) + offsets_[i];
    }
    return std::move(jobs_);
  }

 private:
  static std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  static void describe(const Tensor& tensor, MatView& view) {
    view.format = &kernels::panel_format(tensor.type);
    view.n_rows = static_cast<int>(tensor.n_rows());
    view.n_cols = static_cast<int>(tensor.n_cols());
    view.scale_bytes = kernels::scale_region_bytes(*view.format, view.n_cols);
  }

  void place(const Tensor& tensor, MatView& view, RowOrder order, std::size_t offset) {
    jobs_.push_back({&tensor, &view, order});
    offsets_.push_back(offset);
  }

  std::vector<Job> jobs_;
  std::vector<std::size_t> offsets_;
  std::size_t used_ = 0;
};

void pack_rows(const Job& job, int begin_panel, int end_panel) {
  const std::size_t row_bytes = quant::row_bytes(job.tensor->type, job.tensor->n_cols());
  std::array<const std::byte*, kPanelRows> rows{};
  for (int p = begin_panel; p < end_panel; ++p) {
    for (int r = 0; r < kPanelRows; ++r) {
      const std::int64_t row = static_cast<std::int64_t>(p) * kPanelRows + r;
      rows[static_cast<std::size_t>(r)] =
          row < job.tensor->n_rows()
              ? job.tensor->data.data() + static_cast<std::size_t>(job.order.source(row)) * row_bytes
              : nullptr;
    }
    kernels::pack_panel(*job.view->format, rows, job.view->n_cols, const_cast<std::uint8_t*>(job.view->panel(p)));
  }
}

std::vector<float> floats(const Tensor* tensor) {
  if (tensor == nullptr) return {};
  std::vector<float> out(static_cast<std::size_t>(tensor->n_elements()));
  quant::dequantize_row(tensor->type, tensor->data.data(), tensor->n_elements(), out.data());
  return out;
}

// Rows of a vector (bias, norm weight) in the order of the packed matrix.
void reorder(std::vector<float>& values, const RowOrder& order) {
  if (order.head_size == 0 || values.empty()) return;
  std::vector<float> moved(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    moved[i] = values[static_cast<std::size_t>(order.source(static_cast<std::int64_t>(i)))];
  }
  values = std::move(moved);
}

void read_vectors(const arch::ModelConfig& config, const arch::LayerTensors& from, const RowOrder& order,
                  LayerWeights& to) {
  to.attn_norm = floats(from.attn_norm);
  to.ffn_norm = floats(from.ffn_norm);
  to.q_norm = floats(from.q_norm);
  to.k_norm = floats(from.k_norm);
  reorder(to.q_norm, order);
  reorder(to.k_norm, order);
  auto q = floats(from.q_bias);
  auto k = floats(from.k_bias);
  auto v = floats(from.v_bias);
  q.resize(static_cast<std::size_t>(config.q_size()));
  k.resize(static_cast<std::size_t>(config.kv_size()));
  v.resize(static_cast<std::size_t>(config.kv_size()));
  for (const float bias : k) to.key_is_f32 |= std::abs(bias) > kWideKeyBias;
  reorder(q, order);
  reorder(k, order);
  to.qkv_bias = std::move(q);
  to.qkv_bias.insert(to.qkv_bias.end(), k.begin(), k.end());
  to.qkv_bias.insert(to.qkv_bias.end(), v.begin(), v.end());
}

Layout lay_out(const arch::Plan& plan, Weights& weights) {
  const arch::ModelConfig& config = plan.config;
  const RowOrder order = config.rope.neox ? RowOrder{} : RowOrder{config.head_size, config.rope.n_dims};
  Layout layout;
  weights.layers.resize(plan.tensors.layers.size());
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    const arch::LayerTensors& from = plan.tensors.layers[l];
    LayerWeights& to = weights.layers[l];
    read_vectors(config, from, order, to);
    layout.add(*from.q, to.q, order);
    layout.add(*from.k, to.k, order);
    layout.add(*from.v, to.v);
    layout.add(*from.o, to.o);
    layout.add_in_turns(*from.gate, to.gate, *from.up, to.up);
    layout.add(*from.down, to.down);
  }
  weights.output_norm = floats(plan.tensors.output_norm);
  layout.add(*plan.tensors.output, weights.head);
  return layout;
}

// The first error of any thread.
class FirstError {
 public:
  void set(Error error) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  std::optional<Error> take() { return std::move(error_); }

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
  std::atomic<bool> failed_ = false;
};

// Packs one matrix with all threads, in pieces of whole panels that are checked while they are in cache.
Result<void> pack_matrix(const Job& job, sys::ThreadPool& pool) {
  constexpr int kPiece = 8;  // panels
  const int n_panels = job.view->n_panels();
  const std::size_t row_bytes = quant::row_bytes(job.tensor->type, job.tensor->n_cols());
  std::atomic<int> next = 0;
  FirstError error;
  auto work = [&](int) {
    for (int p = next.fetch_add(kPiece); p < n_panels && !error.failed(); p = next.fetch_add(kPiece)) {
      const int end = std::min(p + kPiece, n_panels);
      const std::int64_t last_row =
          std::min<std::int64_t>(static_cast<std::int64_t>(end) * kPanelRows, job.tensor->n_rows());
      const auto begin_byte = static_cast<std::size_t>(p) * kPanelRows * row_bytes;
      const auto piece =
          job.tensor->data.subspan(begin_byte, static_cast<std::size_t>(last_row) * row_bytes - begin_byte);
      if (auto finite = quant::check_finite(job.tensor->type, piece, job.tensor->name); !finite) {
        error.set(std::move(finite).error());
        return;
      }
      pack_rows(job, p, end);
    }
  };
  pool.run(work);
  if (auto first = error.take()) return std::unexpected(std::move(*first));
  return {};
}

Result<void> check_vectors(const arch::Plan& plan) {
  const auto check = [](const Tensor* tensor) -> Result<void> {
    if (tensor == nullptr) return {};
    return quant::check_finite(tensor->type, tensor->data, tensor->name);
  };
  RECKON_TRY_VOID(check(plan.tensors.output_norm));
  for (const arch::LayerTensors& layer : plan.tensors.layers) {
    for (const Tensor* tensor :
         {layer.attn_norm, layer.ffn_norm, layer.q_norm, layer.k_norm, layer.q_bias, layer.k_bias, layer.v_bias}) {
      RECKON_TRY_VOID(check(tensor));
    }
  }
  return {};
}

}  // namespace

Result<Weights> pack_weights(const arch::Plan& plan, sys::ThreadPool& pool, bool huge_pages,
                             const OnPacked& on_packed) {
  RECKON_TRY_VOID(check_vectors(plan));
  Weights weights;
  Layout layout = lay_out(plan, weights);
  RECKON_TRY(weights.arena, Arena::create(layout.used(), huge_pages));
  const std::uint64_t total = layout.used();
  std::uint64_t done = 0;
  for (const Job& job : layout.bind(weights.arena.data())) {
    job.tensor->file->will_need(job.tensor->offset, job.tensor->data.size());
    RECKON_TRY_VOID(pack_matrix(job, pool));
    // A tied head is the embedding table too: its rows are read again, one a token, and may stay.
    if (job.tensor != plan.tensors.token_embd) job.tensor->file->done_with(job.tensor->offset, job.tensor->data.size());
    done += job.view->panel_stride * static_cast<std::size_t>(job.view->n_panels());
    if (on_packed) on_packed(done, total);
  }
  return weights;
}

}  // namespace reckon::model
