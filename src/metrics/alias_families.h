#pragma once
// Our families under the names of llama.cpp's server and of vLLM, so that dashboards made for those draw.
// Names: https://github.com/ggml-org/llama.cpp (tools/server/README.md, "/metrics") and
// https://docs.vllm.ai ("Production Metrics").

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "metrics/service_metrics.h"

namespace reckon::metrics {

// Appends the aliases of what is in `families`.
void append_aliases(std::vector<prometheus::MetricFamily>& families, Aliases aliases, const std::string& model);

}  // namespace reckon::metrics
