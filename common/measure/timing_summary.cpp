#include "common/measure/timing_summary.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace worklog {

namespace {

// The value below which a fraction of the samples lies; between two samples, on the line.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

Timing summarize(std::vector<double> samples_us) {
  if (samples_us.empty()) throw std::invalid_argument("timing: no samples to summarize");
  std::sort(samples_us.begin(), samples_us.end());
  const double median = quantile(samples_us, 0.5);
  const double quartile_distance = quantile(samples_us, 0.75) - quantile(samples_us, 0.25);
  return {median, median > 0.0 ? quartile_distance / median : 0.0,
          static_cast<int>(samples_us.size())};
}

double standard_error(const Timing& timing) {
  return 0.93 * timing.spread * timing.median_us / std::sqrt(static_cast<double>(timing.samples));
}

}  // namespace worklog
