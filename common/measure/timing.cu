#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/cuda/device.h"
#include "common/cuda/event.h"
#include "common/cuda/graph.h"
#include "common/measure/timing.h"
#include "common/step/check_launch.h"

namespace worklog {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFlushThreads = 512;
constexpr int kFlushBlocksPerSm = 4;

// Samples that are enqueued before the host waits for them.
constexpr int kBatch = 20;

// Flushing takes this many times longer, at most, to let a slow host keep ahead.
constexpr int kMaxFlushPasses = 64;

// A warm sample replays its work for about this long, which hides the launch of the next graph. To
// start a graph takes time, too, which the replays share: so short kernels, which are compared to a
// few percent, all get as many of them.
constexpr double kReplayMicroseconds = 1000.0;
constexpr int kMaxReplays = 200;

// To tell how many replays that is.
constexpr Sampling kQuickLook{.min_samples = Sampling::kFewestSamples,
                              .max_samples = Sampling::kFewestSamples};

// The array holds zeros, which the compiler cannot know: the store never happens, the loads do.
__global__ void read_all(const uint4* data, std::int64_t count, unsigned* sink) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned seen = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const uint4 value = data[i];
    seen |= value.x | value.y | value.z | value.w;
  }
  if (seen != 0) *sink = seen;
}

// Collects batches of samples until the median is known well enough or time is up. `batch(count)`
// returns the samples of `count` tries that are valid.
template <typename Batch>
Timing sample(const Sampling& sampling, Batch&& batch) {
  const Clock::time_point begin = Clock::now();
  std::vector<double> samples;
  int tried = 0;
  int next = Sampling::kFewestSamples;
  while (true) {
    const std::vector<double> more = batch(next);
    samples.insert(samples.end(), more.begin(), more.end());
    tried += next;

    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    const std::chrono::duration<double> left = sampling.time_limit - elapsed;
    const int taken = static_cast<int>(samples.size());
    const double affordable = tried * left.count() / elapsed.count();
    if (taken >= Sampling::kFewestSamples && affordable < 1.0) break;
    if (taken >= sampling.max_samples) break;
    if (taken >= sampling.min_samples) {
      const Timing timing = summarize(samples);
      if (standard_error(timing) <= sampling.goal * timing.median_us) break;
    }
    if (affordable < 1.0 && tried > 10 * Sampling::kFewestSamples) {
      throw std::runtime_error("timing: the GPU waited for the host in " + std::to_string(tried) +
                               " samples; is the machine busy?");
    }
    next = static_cast<int>(std::clamp(affordable, 1.0, static_cast<double>(kBatch)));
  }
  return summarize(std::move(samples));
}

}  // namespace

Timer::Timer() : sink_(1) {
  const Device device = current_device();
  blocks_ = device.sm_count * kFlushBlocksPerSm;
  flushed_ = DeviceBuffer<uint4>(kFlushedCaches * device.l2_bytes /
                                 static_cast<std::int64_t>(sizeof(uint4)));
  check(cudaMemsetAsync(flushed_.data(), 0, flushed_.bytes(), stream_.get()), "clearing an array");
  stream_.synchronize();
}

void Timer::flush(int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    read_all<<<blocks_, kFlushThreads, 0, stream_.get()>>>(flushed_.data(), flushed_.size(),
                                                           sink_.data());
    check_launch("read_all", blocks_, kFlushThreads);
  }
}

Timing Timer::time(Cache cache, const Work& work, const Sampling& sampling) {
  switch (cache) {
    case Cache::kCold:
      return cold(work, sampling);
    case Cache::kWarm:
      return warm(work, sampling);
    case Cache::kWritten:
      return written(work, sampling);
  }
  throw std::invalid_argument("timing: no such state of the cache");
}

Timing Timer::cold(const Work& work, const Sampling& sampling) {
  return after([&](int passes) { flush(passes); }, work, sampling);
}

Timing Timer::written(const Work& work, const Sampling& sampling) {
  const auto flush_by_writing = [&](int passes) {
    flush(passes - 1);  // which only gives a slow host time
    check(cudaMemsetAsync(flushed_.data(), 0, flushed_.bytes(), stream_.get()),
          "clearing an array");
  };
  return after(flush_by_writing, work, sampling);
}

Timing Timer::after(const std::function<void(int)>& flush, const Work& work,
                    const Sampling& sampling) {
  work(stream_.get());  // loads the kernel's code, and shows its errors apart from the flush's
  stream_.synchronize();

  std::vector<Event> starts(kBatch), ends(kBatch);
  int passes = 1;
  return sample(sampling, [&](int count) {
    std::vector<bool> valid(count);
    for (int i = 0; i < count; ++i) {
      flush(passes);
      starts[i].record(stream_.get());
      work(stream_.get());
      ends[i].record(stream_.get());
      valid[i] = !starts[i].reached();
    }
    stream_.synchronize();

    std::vector<double> samples;
    for (int i = 0; i < count; ++i) {
      if (valid[i]) samples.push_back(ends[i].microseconds_since(starts[i]));
    }
    if (2 * samples.size() < valid.size()) passes = std::min(2 * passes, kMaxFlushPasses);
    return samples;
  });
}

Timing Timer::warm(const Work& work, const Sampling& sampling) {
  // With a cold cache, but without the time that the host takes to launch it.
  const double estimate = std::max(1.0, cold(work, kQuickLook).median_us);
  const int replays = std::clamp(static_cast<int>(kReplayMicroseconds / estimate), 1, kMaxReplays);
  const Graph graph([&](cudaStream_t stream) {
    for (int i = 0; i < replays; ++i)
      work(stream);
  });

  std::vector<Event> marks(kBatch + 1);
  return sample(sampling, [&](int count) {
    std::vector<bool> valid(count);
    graph.launch(stream_.get());  // warms the cache, and runs while the samples are enqueued
    marks[0].record(stream_.get());
    for (int i = 0; i < count; ++i) {
      graph.launch(stream_.get());
      marks[i + 1].record(stream_.get());
      valid[i] = !marks[i].reached();
    }
    stream_.synchronize();

    std::vector<double> samples;
    for (int i = 0; i < count; ++i) {
      if (valid[i]) samples.push_back(marks[i + 1].microseconds_since(marks[i]) / replays);
    }
    return samples;
  });
}

}  // namespace worklog
