#include "common/harness/measure.h"

#include "common/cuda/device.h"

#ifdef WORKLOG_SIMT
#include "common/simt/executor/counters.h"
#endif

namespace worklog {

namespace {

#ifdef WORKLOG_SIMT

double ratio(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of);
}

Counts counts_of(const Step& step, const Case& a_case, const simt::Counters& counters) {
  const auto elements = static_cast<std::uint64_t>(a_case.rows * a_case.cols);
  const auto predicted = [&](const Accesses& accesses) {
    const std::int64_t total = elements == 0 ? 0 : accesses.of(a_case.rows, a_case.cols, a_case.k);
    return ratio(static_cast<std::uint64_t>(total), elements);
  };
  return {.loads_per_element = ratio(counters.global_loads.elements, elements),
          .stores_per_element = ratio(counters.global_stores.elements, elements),
          .predicted_loads = predicted(step.info.loads),
          .predicted_stores = predicted(step.info.stores),
          .sectors_per_load_request =
              ratio(counters.global_loads.sectors, counters.global_loads.requests),
          .launches = static_cast<std::int64_t>(counters.launches),
          .all = {{"launches", counters.launches},
                  {"blocks", counters.blocks},
                  {"threads", counters.threads},
                  {"global_load_elements", counters.global_loads.elements},
                  {"global_load_bytes", counters.global_loads.bytes},
                  {"global_load_requests", counters.global_loads.requests},
                  {"global_load_sectors", counters.global_loads.sectors},
                  {"global_store_elements", counters.global_stores.elements},
                  {"global_store_bytes", counters.global_stores.bytes},
                  {"global_store_requests", counters.global_stores.requests},
                  {"global_store_sectors", counters.global_stores.sectors},
                  {"shared_load_requests", counters.shared_loads.requests},
                  {"shared_load_wavefronts", counters.shared_loads.wavefronts},
                  {"shared_store_requests", counters.shared_stores.requests},
                  {"shared_store_wavefronts", counters.shared_stores.wavefronts},
                  {"block_barriers", counters.block_barriers},
                  {"shuffles", counters.shuffles},
                  {"votes", counters.votes},
                  {"divergences", counters.divergences}}};
}

#endif

}  // namespace

std::string machine_name() {
#ifdef WORKLOG_SIMT
  return "cpu";
#else
  return current_device().name;
#endif
}

Record measure(const Step& step, const Case& a_case, const VerifyOptions& options) {
  Record record{
      .step = &step, .a_case = a_case, .machine = machine_name(), .verdict = {}, .counts = {}};
#ifdef WORKLOG_SIMT
  simt::reset_counters();
#endif
  record.verdict = verify(step, a_case, options);
#ifdef WORKLOG_SIMT
  record.counts = counts_of(step, a_case, simt::counters());
#endif
  return record;
}

}  // namespace worklog
