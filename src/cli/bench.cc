// `reckon bench`: how fast a model runs here, beside what the machine could do.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench_runner.h"
#include "cli/build_info.h"
#include "cli/display_text.h"
#include "cli/machine_limits.h"
#include "text/json_writer.h"

namespace reckon::cli {
namespace {

struct BenchFlags {
  ModelFlags model;
  std::string tests = "pp512,tg64,tg32@d4096";
  int n_repeats = 5;
  bool json = false;
};

// A result beside the machine of the same minute: the better of the probes before and after.
struct BenchRow {
  BenchResult result;
  MachineLimits limits;
};

MachineLimits better(const MachineLimits& a, const MachineLimits& b) {
  MachineLimits best;
  best.read_bandwidth_gbs = std::max(a.read_bandwidth_gbs, b.read_bandwidth_gbs);
  best.barrier_ns = a.barrier_ns > 0 && b.barrier_ns > 0 ? std::min(a.barrier_ns, b.barrier_ns)
                                                         : std::max(a.barrier_ns, b.barrier_ns);
  best.int8_macs = std::max(a.int8_macs, b.int8_macs);
  return best;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string row_json(const BenchRow& row, const ModelRuntime& runtime) {
  const BenchResult& result = row.result;
  const auto [low, high] = std::ranges::minmax(result.tokens_per_second);
  text::JsonObject object;
  object.text("test", result.test.name).number("tokens_per_second", median(result.tokens_per_second));
  object.number("tokens_per_second_min", low).number("tokens_per_second_max", high);
  if (result.test.kind == BenchTest::Kind::kDecode) {
    object.number("gigabytes_per_second", result.gigabytes_per_second);
    if (row.limits.read_bandwidth_gbs > 0) {
      object.number("bandwidth_share", share(result.gigabytes_per_second, row.limits.read_bandwidth_gbs), 4);
    }
  } else {
    object.number("tera_macs_per_second", result.macs_per_second / 1e12, 4);
    if (row.limits.int8_macs > 0) object.number("int8_share", share(result.macs_per_second, row.limits.int8_macs), 4);
  }
  if (row.limits.read_bandwidth_gbs > 0) object.number("read_bandwidth_gbs", row.limits.read_bandwidth_gbs, 2);
  if (row.limits.barrier_ns > 0) object.number("barrier_ns", row.limits.barrier_ns, 0);
  if (row.limits.int8_macs > 0) object.number("int8_peak_tera_macs_per_second", row.limits.int8_macs / 1e12, 4);
  object.integer("threads", runtime.threads->size()).text("isa", isa_name());
  object.text("model", runtime.plan.config.name).integer("repeat", result.tokens_per_second.size());
  return object.str();
}

struct Cell {
  int width;
  const char* title;
};
constexpr Cell kCells[] = {{14, "test"}, {10, "tokens/s"}, {17, "min .. max"}, {9, "GB/s"}, {20, "of the machine"}};

std::string table_head() {
  std::string line = pad_right(kCells[0].title, kCells[0].width);
  for (std::size_t i = 1; i < std::size(kCells); ++i) line += pad_left(kCells[i].title, kCells[i].width);
  return line;
}

std::string table_row(const BenchRow& row) {
  const BenchResult& result = row.result;
  const auto [low, high] = std::ranges::minmax(result.tokens_per_second);
  std::string gigabytes;
  std::string of_machine;
  if (result.test.kind == BenchTest::Kind::kDecode) {
    gigabytes = fmt::format("{:.1f}", result.gigabytes_per_second);
    if (row.limits.read_bandwidth_gbs > 0) {
      of_machine =
          fmt::format("{:.0f} % of read", 100 * share(result.gigabytes_per_second, row.limits.read_bandwidth_gbs));
    }
  } else if (row.limits.int8_macs > 0) {
    of_machine = fmt::format("{:.0f} % of int8", 100 * share(result.macs_per_second, row.limits.int8_macs));
  }
  return pad_right(result.test.name, kCells[0].width) +
         pad_left(fmt::format("{:.2f}", median(result.tokens_per_second)), kCells[1].width) +
         pad_left(fmt::format("{:.1f} .. {:.1f}", low, high), kCells[2].width) + pad_left(gigabytes, kCells[3].width) +
         pad_left(of_machine, kCells[4].width);
}

std::string machine_line(const MachineLimits& limits) {
  std::string line;
  if (limits.read_bandwidth_gbs > 0) line += fmt::format("memory reads at {:.1f} GB/s", limits.read_bandwidth_gbs);
  if (limits.barrier_ns > 0) line += fmt::format(", a barrier takes {:.0f} ns", limits.barrier_ns);
  if (limits.int8_macs > 0) line += fmt::format(", int8 peak {:.2f} Tmac/s", limits.int8_macs / 1e12);
  return line;
}

void print_head(const ModelRuntime& runtime, Io& io) {
  const Style style(io.out_colour);
  io.out.line(fmt::format("{}{}{}  {} threads, {}", style.bold(), cut_to_width(one_line(runtime.plan.config.name), 50),
                          style.reset(), runtime.threads->size(), isa_name()));
  io.out.line(table_head());
}

Outcome<Exit> bench(const BenchFlags& flags, Context& context) {
  Io& io = context.io;
  RECKON_TRY(const auto tests, parse_bench_tests(flags.tests));
  int max_context = 0;
  for (const BenchTest& test : tests) max_context = std::max(max_context, test.context());
  RECKON_TRY(auto runtime, load_runtime(flags.model, max_context, context));
  if (!flags.json) print_head(runtime, io);
  MachineLimits best;
  MachineLimits before = measure_machine(*runtime.threads);
  for (const BenchTest& test : tests) {
    if (io.err_is_terminal) io.err.write(fmt::format("\r{} ...\x1b[K", test.name));
    auto result = run_bench(runtime, test, flags.n_repeats);
    const MachineLimits after = measure_machine(*runtime.threads);
    if (io.err_is_terminal) io.err.write("\r\x1b[K");
    if (!result) return std::unexpected(result.error());
    const BenchRow row{std::move(*result), better(before, after)};
    if (!io.out.line(flags.json ? row_json(row, runtime) : table_row(row))) break;
    before = after;
    best = better(best, row.limits);
  }
  if (const auto line = machine_line(best); !flags.json && !line.empty()) io.out.line(line);
  return Exit::kOk;
}

}  // namespace

Command add_bench(CLI::App& root) {
  const auto flags = std::make_shared<BenchFlags>();
  CLI::App* app = root.add_subcommand("bench", "Measure how fast a model runs on this machine.");
  add_model_flag(*app, flags->model);
  add_thread_flag(*app, flags->model);
  app->add_option("--tests", flags->tests,
                  "what to measure, with commas between: ppN is a prompt of N tokens, tgN decodes N tokens, tgNxK "
                  "decodes K sequences together, @dM behind it puts M tokens in the cache first; else "
                  "pp512,tg64,tg32@d4096")
      ->type_name("LIST")
      ->group("Measurement");
  add_whole(*app, "-r,--repeat", flags->n_repeats, 1, 1000, "times that each test runs; the median counts; else 5")
      ->group("Measurement");
  app->add_flag("--json", flags->json, "one JSON object a line")->group("Output");
  app->footer(
      "Examples:\n"
      "  reckon bench -m model.gguf\n"
      "  reckon bench --tests tg64,tg64x4,tg64x8 --threads 4\n"
      "  reckon bench --tests pp4096 --repeat 3 --json >> speed.jsonl\n"
      "\n"
      "Each test is run once before the clock starts. Memory bandwidth is measured before and after\n"
      "each, since machines change from minute to minute. RECKON_ISA=scalar|avx2|avxvnni|avx512\n"
      "forces a set of kernels.\n");
  return {app, [flags](Context& context) { return bench(*flags, context); }};
}

}  // namespace reckon::cli
