/// \file
/// What is kept of many samples of a time.
#pragma once

#include <vector>

namespace worklog {

/// The time of one piece of work, in microseconds.
struct Timing {
  double median_us = 0.0;  ///< of all samples
  double spread = 0.0;     ///< the distance between the quartiles, relative to the median
  int samples = 0;         ///< how many there were
};

/// The median and the spread of samples, in microseconds. Quantiles between two samples are
/// interpolated. Throws std::invalid_argument for none.
Timing summarize(std::vector<double> samples_us);

/// Standard error of a median, in microseconds: 0.93 quartile distances over the root of the
/// number of samples, as for normally distributed samples.
double standard_error(const Timing& timing);

}  // namespace worklog
