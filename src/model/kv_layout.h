#pragma once
// Where keys and values lie inside a page of kv::kPageTokens tokens: layer by layer, then kv head by kv head, first the
// keys ([4 blocks][head_size][16 keys], f16 or f32 by layer), then the values ([64][value_stride], f16).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kv/page_pool.h"

namespace reckon::model {

class KvLayout {
 public:
  KvLayout() = default;
  KvLayout(int n_kv_heads, int head_size, const std::vector<bool>& key_is_f32)
      : value_stride_((head_size + 15) / 16 * 16) {
    for (const bool wide : key_is_f32) {
      const std::size_t keys = std::size_t{kv::kPageTokens} * static_cast<std::size_t>(head_size) * (wide ? 4 : 2);
      const std::size_t values = std::size_t{kv::kPageTokens} * static_cast<std::size_t>(value_stride_) * 2;
      layers_.push_back({page_bytes_, round_up(keys), round_up(keys) + round_up(values)});
      page_bytes_ += layers_.back().head_bytes * static_cast<std::size_t>(n_kv_heads);
    }
  }

  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }
  [[nodiscard]] int value_stride() const { return value_stride_; }  // elements
  [[nodiscard]] std::byte* keys(std::byte* page, int layer, int head) const {
    const Layer& at = layers_[static_cast<std::size_t>(layer)];
    return page + at.offset + at.head_bytes * static_cast<std::size_t>(head);
  }
  [[nodiscard]] std::uint16_t* values(std::byte* page, int layer, int head) const {
    return reinterpret_cast<std::uint16_t*>(keys(page, layer, head) +
                                            layers_[static_cast<std::size_t>(layer)].key_bytes);
  }

 private:
  struct Layer {
    std::size_t offset;
    std::size_t key_bytes;   // of one head
    std::size_t head_bytes;  // keys and values of one head
  };
  static std::size_t round_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  std::vector<Layer> layers_;
  std::size_t page_bytes_ = 0;
  int value_stride_ = 0;
};

}  // namespace reckon::model
