#include "metrics/families.h"

#include <algorithm>

namespace reckon::metrics {
namespace {

prometheus::MetricFamily make_family(std::string name, std::string help, prometheus::MetricType type) {
  return {.name = std::move(name), .help = std::move(help), .type = type, .metric = {}};
}

}  // namespace

void add_value(prometheus::MetricFamily& family, double value, const LabelList& labels) {
  prometheus::ClientMetric& metric = family.metric.emplace_back();
  for (const auto& [name, text] : labels) metric.label.push_back({name, text});
  if (family.type == prometheus::MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
}

prometheus::MetricFamily make_gauge(std::string name, std::string help, double value, const LabelList& labels) {
  auto family = make_family(std::move(name), std::move(help), prometheus::MetricType::Gauge);
  add_value(family, value, labels);
  return family;
}

prometheus::MetricFamily make_counter(std::string name, std::string help, double value, const LabelList& labels) {
  auto family = make_family(std::move(name), std::move(help), prometheus::MetricType::Counter);
  add_value(family, value, labels);
  return family;
}

const prometheus::MetricFamily* find_family(const std::vector<prometheus::MetricFamily>& families,
                                            const std::string& name) {
  const auto found = std::ranges::find(families, name, &prometheus::MetricFamily::name);
  return found == families.end() ? nullptr : &*found;
}

}  // namespace reckon::metrics
