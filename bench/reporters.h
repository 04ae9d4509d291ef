/// \file
/// What Google Benchmark shows and writes of a measurement.
#pragma once

#include <benchmark/benchmark.h>
#include <cstddef>
#include <vector>

namespace worklog::bench {

/// One line a measurement, with its number, as progress. The label of one without a time says why.
class LineReporter : public benchmark::BenchmarkReporter {
 public:
  explicit LineReporter(std::size_t measurements) : measurements_(measurements) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  std::size_t measurements_;
  std::size_t reported_ = 0;
};

/// Google Benchmark's JSON, in which real_time is the median time of the work.
///
/// UseManualTime() and Iterations(1) would do the same, but put "/iterations:1/manual_time" behind
/// every name, also where names are listed and filtered.
class MedianJsonReporter : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace worklog::bench
