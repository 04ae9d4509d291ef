#include "common/measure/measure.h"

#include <utility>

#include "common/cuda/device.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

namespace worklog {

namespace {

#ifdef SIMT_EXECUTOR

double ratio(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of);
}

Counts counts_of(const Step& step, const Case& a_case, int block_size,
                 const simt::Counters& counters) {
  const auto elements = static_cast<std::uint64_t>(a_case.rows * a_case.cols);
  const auto predicted = [&](const Accesses& accesses) {
    if (elements == 0) return 0.0;
    const std::int64_t total = step.info.total(accesses, a_case.rows, a_case.cols, a_case.k,
                                               size_of(a_case.dtype), block_size);
    return ratio(static_cast<std::uint64_t>(total), elements);
  };
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const auto& [name, value] : simt::named(counters))
    all.emplace_back(name, value);
  return {.loads_per_element = ratio(counters.global_loads.elements, elements),
          .stores_per_element = ratio(counters.global_stores.elements, elements),
          .predicted_loads = predicted(step.info.loads),
          .predicted_stores = predicted(step.info.stores),
          .sectors_per_load_request =
              ratio(counters.global_loads.sectors, counters.global_loads.requests),
          .launches = static_cast<std::int64_t>(counters.launches),
          .all = std::move(all)};
}

#endif

}  // namespace

std::string machine_name() {
#ifdef SIMT_EXECUTOR
  return "cpu";
#else
  return current_device().name;
#endif
}

Record measure(const Step& step, const Case& a_case, const VerifyOptions& options) {
  Record record{
      .step = &step, .a_case = a_case, .machine = machine_name(), .verdict = {}, .counts = {}};
#ifdef SIMT_EXECUTOR
  simt::reset_counters();
#endif
  record.verdict = verify(step, a_case, options);
#ifdef SIMT_EXECUTOR
  record.counts = counts_of(step, a_case, options.block_size, simt::counters());
#endif
  return record;
}

}  // namespace worklog
