#include <limits>
#include <map>
#include <stdexcept>

#include "bench/cudnn_softmax.h"
#include "bench/times.h"
#include "bench/transfer.h"
#include "bench/workload.h"
#include "common/cuda/device.h"
#include "common/measure/timing.h"

namespace worklog::bench {

namespace {

// For finding the fastest of several transfers, before it alone is timed at length.
constexpr Sampling kQuickLook{.goal = 0.01, .min_samples = 7, .max_samples = 20};

std::string version_or_absence(const std::string& version) {
  return version.empty() ? "not found when this was built" : version;
}

class TimesOnGpu : public Times {
 public:
  explicit TimesOnGpu(TimeLimit limit)
      : limit_(limit),
        device_(current_device()),
        copies_(all_copies(device_.sm_count)),
        reads_(all_reads(device_.sm_count)),
        combines_(all_combines(device_.sm_count)) {
    verify_transfers(device_.sm_count);
  }

  std::vector<std::pair<std::string, std::string>> machine() const override {
    return {{"gpu", device_.name},
            {"sm_count", std::to_string(device_.sm_count)},
            {"l2_bytes", std::to_string(device_.l2_bytes)},
            {"cuda_driver", device_.driver_version},
            {"cuda_runtime", device_.runtime_version},
            {"nvcc", WORKLOG_NVCC_VERSION},
            {"cudnn", version_or_absence(cudnn_version())}};
  }

  Result time(const Measurement& m) override { return timed(m, within_limit({})); }

  Result quick_look(const Measurement& m) override { return timed(m, within_limit(kQuickLook)); }

 private:
  Sampling within_limit(Sampling sampling) const {
    sampling.time_limit = limit_;
    return sampling;
  }

  Result timed(const Measurement& m, const Sampling& sampling) {
    if (m.step == nullptr) return transfer(m);
    Result ceiling;
    if (const std::optional<Subject> transfers = m.ceiling())
      ceiling = transfer({*transfers, nullptr, m.dtype, m.rows, m.cols, 0, m.cache});
    StepWorkload workload(m);
    Result result;
    result.timing = timer_.time(m.cache, workload.launches(), sampling);
    if (m.subject == Subject::kStep) {
      result.block_size = m.step->info.block_size_for(m.rows, m.cols, size_of(m.dtype));
    }
    result.ceiling_us = ceiling.timing.median_us;
    return result;
  }

  // The fastest of all copies, of all reads or of all combinations.
  Result transfer(const Measurement& m) {
    const auto known = transfers_.find(m.name());
    if (known != transfers_.end()) return known->second;

    TransferArrays arrays(m);
    const auto bytes = static_cast<std::int64_t>(arrays.logits.bytes());
    Work best_work;
    Result best;
    double best_us = std::numeric_limits<double>::infinity();
    const auto consider = [&](const std::string& name, const Work& work) {
      const double us = timer_.time(m.cache, work, within_limit(kQuickLook)).median_us;
      if (us >= best_us) return;
      best_us = us;
      best_work = work;
      best.fastest = name;
    };
    if (m.subject == Subject::kCopy) {
      for (const Copy& copy : copies_) {
        consider(copy.name, [&, bytes](cudaStream_t stream) {
          copy.launch(arrays.logits.data(), arrays.results.data(), bytes, stream);
        });
      }
    } else if (m.subject == Subject::kCombine) {
      for (const Combine& combine : combines_) {
        consider(combine.name, [&, bytes](cudaStream_t stream) {
          combine.launch(arrays.logits.data(), arrays.others.data(), arrays.results.data(), bytes,
                         stream);
        });
      }
    } else {
      for (const Read& read : reads_) {
        consider(read.name, [&, bytes](cudaStream_t stream) {
          read.launch(arrays.logits.data(), bytes,
                      reinterpret_cast<unsigned*>(arrays.results.data()), stream);
        });
      }
    }
    best.timing = timer_.time(m.cache, best_work, within_limit({}));
    best.ceiling_us = best.timing.median_us;
    return transfers_[m.name()] = best;
  }

  TimeLimit limit_;
  Device device_;
  std::vector<Copy> copies_;
  std::vector<Read> reads_;
  std::vector<Combine> combines_;
  Timer timer_;
  std::map<std::string, Result> transfers_;
};

}  // namespace

std::unique_ptr<Times> make_times(TimeLimit limit) {
  return std::make_unique<TimesOnGpu>(limit);
}

}  // namespace worklog::bench
