#pragma once
// Metric families that are made for one scrape and thrown away: figures that are read, not counted.

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

namespace reckon::metrics {

using LabelList = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] prometheus::MetricFamily make_gauge(std::string name, std::string help, double value,
                                                  const LabelList& labels = {});
[[nodiscard]] prometheus::MetricFamily make_counter(std::string name, std::string help, double value,
                                                    const LabelList& labels = {});
void add_value(prometheus::MetricFamily& family, double value, const LabelList& labels);

// The family of that name; null where there is none.
[[nodiscard]] const prometheus::MetricFamily* find_family(const std::vector<prometheus::MetricFamily>& families,
                                                          const std::string& name);

}  // namespace reckon::metrics
