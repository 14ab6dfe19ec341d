// Writes the seeds of gguf_fuzz: make_gguf_corpus FOLDER. Small files, so that the fuzzer is fast.

#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "formats/test_model.h"
#include "quant/dequantize.h"
#include "quant/quantize.h"

namespace {

using namespace reckon;
using formats::GgufWriter;
using formats::TestModelOptions;

TestModelOptions tiny(bool bias, bool norm) {
  return {.n_layers = 1,
          .n_embd = 32,
          .n_ff = 32,
          .n_heads = 2,
          .n_kv_heads = 1,
          .head_size = 16,
          .n_vocab = 4,
          .qkv_bias = bias,
          .qk_norm = norm};
}

GgufWriter qwen2() {
  GgufWriter writer = make_test_model(tiny(true, false), TensorType::kQ8_0, quant::fill_random_blocks);
  writer.set_string("qwen2.rope.scaling.type", "yarn");
  writer.set_float("qwen2.rope.scaling.factor", 4);
  writer.set_uint32("qwen2.rope.scaling.original_context_length", 64);
  writer.set_float("general.sampling.temp", 0.6F);
  return writer;
}

GgufWriter qwen3() {
  TestModelOptions options = tiny(false, true);
  options.architecture = "qwen3";
  options.tied_head = false;
  return make_test_model(options, TensorType::kQ4_0, quant::fill_random_blocks);
}

GgufWriter llama3() {
  TestModelOptions options = tiny(false, false);
  options.architecture = "llama";
  GgufWriter writer = make_test_model(options, TensorType::kQ5_1, quant::fill_random_blocks);
  const std::vector<float> factors{1, 1, 2, 2, 4, 4, 8, 8};
  const auto bytes = std::as_bytes(std::span(factors));
  writer.add_tensor("rope_freqs.weight", TensorType::kF32, {8}, {bytes.begin(), bytes.end()});
  return writer;
}

// No model, but a row of each type and a value of each kind.
GgufWriter every_type() {
  GgufWriter writer(64);
  writer.set_uint16("split.no", 0);
  writer.set_uint16("split.count", 1);
  writer.set_uint64("a", 1);
  writer.set_bool("b", true);
  writer.set_int32("c", -1);
  writer.set_int32s("d", std::vector<std::int32_t>{1, 2});
  writer.set_floats("e", std::vector<float>{1, 2});
  for (const TensorType type : all_tensor_types()) {
    std::vector<std::byte> data(quant::row_bytes(type, 256));
    quant::fill_random_blocks(type, 256, 1, data.data());
    writer.add_tensor(type_info(type)->name, type, {256, 1}, std::move(data));
  }
  return writer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const auto write = [&](const GgufWriter& writer, const char* name) {
    const auto done = writer.write(folder / name);
    if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return done.has_value();
  };
  const bool fine = write(qwen2(), "qwen2.gguf") && write(qwen3(), "qwen3.gguf") && write(llama3(), "llama3.gguf") &&
                    write(every_type(), "every_type.gguf");
  return fine ? 0 : 1;
}
