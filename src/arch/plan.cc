#include "arch/bind.h"
#include "arch/config.h"
#include "arch/model_config.h"

namespace reckon::arch {

std::uint64_t TensorPlan::bytes_per_token() const {
  std::uint64_t sum = output->data.size();
  for (const LayerTensors& layer : layers) {
    for (const formats::Tensor* matrix : {layer.q, layer.k, layer.v, layer.o, layer.gate, layer.up, layer.down}) {
      sum += matrix->data.size();
    }
  }
  return sum;
}

std::uint64_t TensorPlan::n_parameters() const {
  std::uint64_t sum = 0;
  const auto add = [&](const formats::Tensor* tensor) {
    if (tensor != nullptr) sum += static_cast<std::uint64_t>(tensor->n_elements());
  };
  add(token_embd);
  add(output_norm);
  if (output != token_embd) add(output);
  for (const LayerTensors& layer : layers) {
    for (const formats::Tensor* tensor :
         {layer.attn_norm, layer.q, layer.k, layer.v, layer.q_bias, layer.k_bias, layer.v_bias, layer.q_norm,
          layer.k_norm, layer.o, layer.ffn_norm, layer.gate, layer.up, layer.down}) {
      add(tensor);
    }
  }
  return sum;
}

Result<Plan> make_plan(const formats::TensorFile& file) {
  Plan plan;
  RECKON_TRY(plan.config, read_config(file));
  RECKON_TRY(plan.tensors, bind_tensors(file, plan.config));
  return plan;
}

}  // namespace reckon::arch
