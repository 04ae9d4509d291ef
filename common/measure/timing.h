/// \file
/// How long work takes on a GPU: its L2 cache cold or warm, the median of many samples. GPU only.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/cuda/stream.h"
#include "common/measure/cache.h"
#include "common/measure/timing_summary.h"

namespace worklog {

/// When to stop: once the median is known well enough, or time is up.
struct Sampling {
  /// Standard error of the median, relative to it.
  double goal = 0.0025;
  int min_samples = 20;   ///< before the goal may end the sampling
  int max_samples = 400;  ///< that end it whatever the spread
  /// Of sampling one piece of work. Work so slow that it does not leave time for min_samples is
  /// sampled at least kFewestSamples times all the same.
  std::chrono::duration<double> time_limit{0.2};

  static constexpr int kFewestSamples = 3;  ///< whatever the time limit
};

/// Puts some work on a stream and does not wait for it.
using Work = std::function<void(cudaStream_t)>;

/// Times work with CUDA events.
///
/// An event is a mark in the stream that the GPU stamps when it gets there. Two marks enclose the
/// work alone only if the GPU finds the second one waiting: had it to wait for the host, that wait
/// would be part of the sample. So something that takes longer than enqueueing the work always
/// runs ahead of the first mark, and a sample whose first mark the GPU had passed before the host
/// was done is thrown away.
class Timer {
 public:
  /// Allocates the array that flushes the L2 cache, kFlushedCaches times as large.
  Timer();

  /// Each sample finds nothing of its data in the L2 cache: before it, a kernel reads an array
  /// several times as large. Reading, not writing, leaves clean lines behind, so the work pays for
  /// its own traffic and not for another's stores; and it writes back what the sample before had
  /// stored.
  Timing cold(const Work& work, const Sampling& sampling = {});

  /// Like cold(), but the array is written, as by a program whose kernel before this one stored its
  /// results. What of that is not in DRAM yet (some 15 to 27 of the 60 MB of an H200's L2, by what
  /// the profiles of large kernels have left) gets there while the work runs, which pays for it,
  /// too.
  Timing written(const Work& work, const Sampling& sampling = {});

  /// Each sample replays a graph of the same work many times over: data that fits the L2 cache
  /// is still there from the time before. The time is that of one, with the gap between two
  /// kernels that depend on each other.
  Timing warm(const Work& work, const Sampling& sampling = {});

  /// cold(), warm() or written(), as `cache` says.
  Timing time(Cache cache, const Work& work, const Sampling& sampling = {});

 private:
  static constexpr int kFlushedCaches = 4;

  /// A pass reads the whole array.
  void flush(int passes);

  /// Samples of work before each of which `flush` has filled the cache, in a number of passes.
  Timing after(const std::function<void(int)>& flush, const Work& work, const Sampling& sampling);

  Stream stream_;
  int blocks_;
  DeviceBuffer<uint4> flushed_;
  DeviceBuffer<unsigned> sink_;
};

}  // namespace worklog
