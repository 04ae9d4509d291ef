#include "bench/workload.h"

#include <string>

#include "bench/fill.h"
#include "bench/times.h"
#include "bench/transfer.h"
#include "common/cuda/device.h"
#include "common/step/run.h"
#include "common/verify/labels.h"

namespace worklog::bench {

namespace {

// Left to the driver and to kernels' local memory.
constexpr std::int64_t kHeadroom = 256LL * 1024 * 1024;

bool has_labels(const Measurement& m) {
  return m.step != nullptr && m.step->takes<NegativeLogLikelihood>();
}

std::int64_t result_bytes(const Measurement& m, std::int64_t logits_bytes) {
  if (has_labels(m)) return m.rows * static_cast<std::int64_t>(sizeof(float));
  if (m.k > 0) return m.rows * m.k * static_cast<std::int64_t>(sizeof(float));
  if (m.subject == Subject::kRead) {
    return sums_for(logits_bytes) * static_cast<std::int64_t>(sizeof(unsigned));
  }
  return logits_bytes;
}

}  // namespace

void Workload::prepare(const Measurement& m) {
  const std::int64_t elements = m.rows * m.cols;
  const std::int64_t logits = elements * static_cast<std::int64_t>(size_of(m.dtype));
  const std::int64_t results = result_bytes(m, logits);
  const std::int64_t indices = m.rows * m.k;
  const std::int64_t labels = has_labels(m) ? m.rows : 0;
  const std::int64_t scratch =
      m.subject == Subject::kStep ? scratch_bytes(*m.step, m.rows, m.cols, m.dtype) : 0;

  results_ = {};
  indices_ = {};
  labels_ = {};
  scratch_ = {};
  const bool keep_logits = dtype_ == m.dtype && elements_ == elements;
  if (!keep_logits) {
    logits_ = {};
    elements_ = -1;
  }
  const std::int64_t needed = (keep_logits ? 0 : logits) + results +
                              (indices + labels) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
                              scratch;
  const std::int64_t available = free_device_memory() - kHeadroom;
  if (needed > available) {
    throw DoesNotFit("needs " + std::to_string(needed) + " bytes of device memory, " +
                     std::to_string(available) + " are available");
  }
  if (!keep_logits) prepare_logits(m);
  results_ = DeviceBuffer<std::byte>(results);
  indices_ = DeviceBuffer<std::int64_t>(indices);
  labels_ = DeviceBuffer<std::int64_t>(labels_of(labels, m.cols));
  scratch_ = DeviceBuffer<std::byte>(scratch);
}

void Workload::prepare_logits(const Measurement& m) {
  const std::int64_t elements = m.rows * m.cols;
  logits_ = DeviceBuffer<std::byte>(elements * static_cast<std::int64_t>(size_of(m.dtype)));
  with_type(m.dtype, [&](auto zero) {
    using T = decltype(zero);
    fill_with_logits(reinterpret_cast<T*>(logits_.data()), elements, stream_.get());
  });
  stream_.synchronize();
  dtype_ = m.dtype;
  elements_ = elements;
}

Work Workload::step(const Measurement& m, int block_size) {
  const Scratch scratch(scratch_.data(), scratch_.size());
  return with_type(m.dtype, [&](auto zero) -> Work {
    using T = decltype(zero);
    const bool keeps_columns = m.step->keeps_columns();
    void* const results = results_.data();
    const AnyProblem<T> problem{.logits = reinterpret_cast<const T*>(logits_.data()),
                                .labels = labels_.data(),
                                .columns = keeps_columns ? static_cast<T*>(results) : nullptr,
                                .values = keeps_columns ? nullptr : static_cast<float*>(results),
                                .indices = indices_.data(),
                                .rows = m.rows,
                                .cols = m.cols,
                                .k = m.k,
                                .block_size = block_size,
                                .scratch = scratch};
    return [step = m.step, problem](cudaStream_t stream) { run(*step, problem, stream); };
  });
}

}  // namespace worklog::bench
