/// \file
/// What Google Benchmark shows and writes of a measurement.
#pragma once

#include <benchmark/benchmark.h>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/measurement.h"

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

/// JSON of Google Benchmark's form with a line for each row, in which real_time is the median time
/// of the work, and in which a row says in fields what it is of (bench/fields.h).
class ResultsReporter : public benchmark::BenchmarkReporter {
 public:
  /// `machine`: pairs of a name and a value for the context.
  ResultsReporter(const std::vector<Measurement>& measurements,
                  std::vector<std::pair<std::string, std::string>> machine);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::map<std::string, Measurement> by_name_;
  std::vector<std::pair<std::string, std::string>> machine_;
  bool first_ = true;
};

}  // namespace worklog::bench
