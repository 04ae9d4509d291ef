#include "bench/workload.h"

#include <string>

#include "bench/fill.h"
#include "bench/times.h"
#include "bench/transfer.h"
#include "common/cuda/device.h"
#include "common/cuda/stream.h"
#include "common/step/run.h"
#include "common/verify/labels.h"

namespace worklog::bench {

namespace {

// Left to the driver and to kernels' local memory.
constexpr std::int64_t kHeadroom = 256LL * 1024 * 1024;

void refuse_if_too_large(std::int64_t needed) {
  const std::int64_t available = free_device_memory() - kHeadroom;
  if (needed <= available) return;
  throw DoesNotFit("needs " + std::to_string(needed) + " bytes of device memory, " +
                   std::to_string(available) + " are available");
}

std::int64_t bytes_of(const Measurement& m) {
  return array_lengths(*m.step, m.rows, m.cols, m.k, m.dtype).bytes(m.dtype);
}

// In bytes.
struct TransferLengths {
  std::int64_t logits, others, results;

  std::int64_t sum() const { return logits + others + results; }
};

TransferLengths lengths_of(const Measurement& m) {
  const std::int64_t bytes = m.rows * m.cols * static_cast<std::int64_t>(size_of(m.dtype));
  const std::int64_t sums = sums_for(bytes) * static_cast<std::int64_t>(sizeof(unsigned));
  return {bytes, m.subject == Subject::kCombine ? bytes : 0,
          m.subject == Subject::kRead ? sums : bytes};
}

template <typename T>
void fill(T* logits, std::int64_t count) {
  const Stream stream;
  fill_with_logits(logits, count, stream.get());
  stream.synchronize();
}

template <typename T>
void fill_with_values(T* logits, const Measurement& m) {
  const Stream stream;
  fill_with_logits(logits, m.rows, m.cols, m.k, m.values, stream.get());
  stream.synchronize();
}

template <typename T>
ProblemBuffers<T> filled_buffers(const Measurement& m) {
  auto buffers = problem_buffers<T>(*m.step, m.rows, m.cols, m.k);
  for (DeviceBuffer<T>* given : {&buffers.logits, &buffers.results, &buffers.gradients,
                                 &buffers.queries, &buffers.keys, &buffers.key_values})
    fill(given->data(), given->size());
  if (m.values != Values::kNormal) fill_with_values(buffers.logits.data(), m);
  buffers.labels.upload(labels_of(buffers.labels.size(), m.cols));
  return buffers;
}

}  // namespace

StepWorkload::StepWorkload(const Measurement& m)
    : step_(m.step), reduction_(m.reduction), clearing_(bytes_of(m)) {
  refuse_if_too_large(bytes_of(m));
  with_type(m.dtype, [&]<typename T>(T) { buffers_ = filled_buffers<T>(m); });
}

Work StepWorkload::launches(int block_size) {
  return std::visit(
      [&](auto& buffers) -> Work {
        auto problem = buffers.problem(block_size);
        problem.cross_entropy.reduction = reduction_;
        return [step = step_, problem](cudaStream_t stream) { run(*step, problem, stream); };
      },
      buffers_);
}

TransferArrays::TransferArrays(const Measurement& m) : clearing(lengths_of(m).sum()) {
  const auto [logits_bytes, others_bytes, results_bytes] = lengths_of(m);
  refuse_if_too_large(logits_bytes + others_bytes + results_bytes);
  logits = DeviceBuffer<std::byte>(logits_bytes);
  others = DeviceBuffer<std::byte>(others_bytes);
  results = DeviceBuffer<std::byte>(results_bytes);
  with_type(m.dtype, [&]<typename T>(T) {
    fill(reinterpret_cast<T*>(logits.data()), m.rows * m.cols);
    fill(reinterpret_cast<T*>(others.data()), others_bytes > 0 ? m.rows * m.cols : 0);
  });
}

}  // namespace worklog::bench
