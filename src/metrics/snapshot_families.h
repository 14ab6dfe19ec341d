#pragma once
// A Snapshot as metric families.

#include <prometheus/metric_family.h>

#include <vector>

#include "metrics/service_metrics.h"

namespace reckon::metrics {

void append_snapshot(std::vector<prometheus::MetricFamily>& families, const Snapshot& now, const Labels& labels);

}  // namespace reckon::metrics
