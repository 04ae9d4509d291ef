#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "common/cuda/device.h"
#include "common/cuda/event.h"
#include "common/ranks/mailbox.h"
#include "common/ranks/rank_case.h"
#include "common/ranks/run_case.h"
#include "common/ranks/times.h"

namespace worklog {

namespace {

constexpr int kSamples = 25;
constexpr int kWarmUps = 3;
constexpr std::int64_t kFlushBytes = 256 << 20;  // more than any L2 cache has
constexpr std::chrono::milliseconds kLimit{60000};

// Columns are those of each slice.
struct TimedShape {
  std::int64_t rows;
  std::int64_t cols;
  DType dtype;
};
constexpr TimedShape kShapes[] = {
    {8192, 64128, DType::kBFloat16}, {8192, 16384, DType::kBFloat16},
    {4000, 50000, DType::kFloat32},  {1024, 64128, DType::kBFloat16},
    {64, 64128, DType::kBFloat16},   {1, 1 << 24, DType::kFloat32},
};

// Numbers of the whole type's range that a softmax cares for, without the host's help.
template <typename T>
__global__ void fill(T* x, std::int64_t count, unsigned seed) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    unsigned bits = static_cast<unsigned>(i) * 2654435761u ^ seed;
    bits = (bits ^ bits >> 13) * 0x5bd1e995u;
    bits ^= bits >> 15;
    x[i] = static_cast<T>((static_cast<float>(bits & 0xffff) / 65536.0f - 0.5f) * 8.0f);
  }
}

constexpr int kCopyThreads = 512;

// A vector a thread.
__global__ void copy(const uint4* from, uint4* to, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kCopyThreads + threadIdx.x;
  if (i < count) __stcs(to + i, __ldcs(from + i));
}

// What all ranks measure together.
class Stopwatch {
 public:
  Stopwatch(Group& group, Communicator& communicator)
      : group_(group), communicator_(communicator), flushed_(kFlushBytes), one_(1) {}

  cudaStream_t stream() const { return stream_.get(); }

  // Without a time.
  void once(const std::string& what, const std::function<void()>& work) {
    communicator_.finish_in_time(what, stream_, kLimit, work);
  }

  // Microseconds of the slowest rank, sample by sample.
  std::vector<double> samples(const std::function<void()>& work) {
    std::vector<double> mine;
    for (int i = 0; i < kWarmUps + kSamples; ++i) {
      const double time = sample(work);
      if (i >= kWarmUps) mine.push_back(time);
    }
    const std::string bytes(reinterpret_cast<const char*>(mine.data()),
                            mine.size() * sizeof(double));
    for (const std::string& theirs :
         meet(group_, kTimes, bytes, kLimit, static_cast<std::ptrdiff_t>(bytes.size()))) {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        double time = 0.0;
        std::memcpy(&time, theirs.data() + i * sizeof time, sizeof time);
        mine[i] = std::max(mine[i], time);
      }
    }
    std::sort(mine.begin(), mine.end());
    return mine;
  }

 private:
  // A small all-reduce behind the flush lets all ranks begin at the same time, when their hosts
  // have long handed everything over.
  double sample(const std::function<void()>& work) {
    Event begin;
    Event end;
    communicator_.finish_in_time("a sample", stream_, kLimit, [&] {
      check(cudaMemsetAsync(flushed_.data(), 0, flushed_.bytes(), stream()), "flushing the L2");
      check_nccl(ncclAllReduce(one_.data(), one_.data(), 1, ncclFloat, ncclSum, communicator_.get(),
                               stream()),
                 "ncclAllReduce");
      begin.record(stream());
      work();
      end.record(stream());
    });
    return end.microseconds_since(begin);
  }

  Group& group_;
  Communicator& communicator_;
  Stream stream_;
  DeviceBuffer<std::byte> flushed_;
  DeviceBuffer<float> one_;
};

// A rank's part of the times of a shape.
template <typename T>
class ShapeTimes {
 public:
  ShapeTimes(Group& group, Communicator& communicator, Stopwatch& stopwatch,
             const TimedShape& shape, int block_size)
      : group_(group),
        communicator_(communicator),
        stopwatch_(stopwatch),
        shape_(shape),
        block_size_(block_size),
        logits_(shape.rows * shape.cols),
        results_(shape.rows * shape.cols),
        labels_(std::vector<std::int64_t>(static_cast<std::size_t>(shape.rows), shape.cols / 2)),
        losses_(2 * shape.rows),
        numbers_(2 * shape.rows * (group.size() + 1)) {
    fill<<<1024, 256, 0, stopwatch.stream()>>>(logits_.data(), logits_.size(),
                                               static_cast<unsigned>(group.rank()) * 77u + 1u);
    check(cudaStreamSynchronize(stopwatch.stream()), "filling a slice");
  }

  nlohmann::json records() {
    const std::int64_t vectors = static_cast<std::int64_t>(logits_.bytes() / sizeof(uint4));
    const auto pairs = static_cast<std::size_t>(2 * shape_.rows);
    time("copy", "", [&] {
      const auto blocks = static_cast<unsigned>((vectors + kCopyThreads - 1) / kCopyThreads);
      copy<<<blocks, kCopyThreads, 0, stopwatch_.stream()>>>(
          reinterpret_cast<const uint4*>(logits_.data()), reinterpret_cast<uint4*>(results_.data()),
          vectors);
    });
    time("memcpy", "", [&] {
      check(cudaMemcpyAsync(results_.data(), logits_.data(), logits_.bytes(),
                            cudaMemcpyDeviceToDevice, stopwatch_.stream()),
            "cudaMemcpyAsync");
    });
    time("all_reduce", "", [&] {
      check_nccl(ncclAllReduce(numbers_.data(), numbers_.data(), pairs, ncclFloat, ncclSum,
                               communicator_.get(), stopwatch_.stream()),
                 "ncclAllReduce");
    });
    time("all_gather", "", [&] {
      check_nccl(ncclAllGather(numbers_.data() + pairs * static_cast<std::size_t>(group_.size()),
                               numbers_.data(), pairs, ncclFloat, communicator_.get(),
                               stopwatch_.stream()),
                 "ncclAllGather");
    });
    for (const RankStep& step : all_rank_steps()) {
      for (const SliceResult result : step.info.results)
        time_step(step, result, group_, step.variant.empty() ? "step" : step.variant);
    }
    // A slice alone is what the kernel does that asks nobody else.
    Board alone(1);
    const std::unique_ptr<Group> self = alone.group_of(0);
    for (const RankStep& step : all_rank_steps()) {
      if (step.info.mailbox_words != nullptr)
        time_step(step, SliceResult::kSoftmax, *self, "slice_alone/" + step.variant);
    }
    return records_;
  }

 private:
  void time_step(const RankStep& step, SliceResult result, Group& sharers,
                 const std::string& name) {
    const SliceShape shape = {result,         shape_.rows, shape_.cols,
                              sharers.size(), sizeof(T),   block_size_};
    const std::int64_t scratch_bytes =
        step.info.scratch_bytes != nullptr ? step.info.scratch_bytes(shape) : 0;
    DeviceBuffer<std::byte> scratch(scratch_bytes);
    std::optional<Mailbox> mailbox;
    if (step.info.mailbox_words != nullptr)
      mailbox.emplace(sharers, step.info.mailbox_words(shape), kPatience, kLimit);
    const bool has_labels = result == SliceResult::kCrossEntropy;
    meet(group_, kReadiness, "", kLimit);
    time(name, std::string(name_of(result)), [&] {
      step.launch<T>({.result = result,
                      .logits = logits_.data(),
                      .results = results_.data(),
                      .labels = has_labels ? labels_.data() : nullptr,
                      .losses = losses_.data(),
                      .log_sum_exps = losses_.data() + shape_.rows,
                      .rows = shape_.rows,
                      .cols = shape_.cols,
                      .first_col = shape_.cols * sharers.rank(),
                      .all_cols = shape_.cols * sharers.size(),
                      .widest = shape_.cols,
                      .rank = sharers.rank(),
                      .ranks = sharers.size(),
                      .communicator = communicator_.get(),
                      .mailboxes = mailbox ? mailbox->next() : Mailboxes{},
                      .block_size = block_size_,
                      .scratch = Scratch(scratch.data(), scratch.size())},
                     stopwatch_.stream());
    });
    if (mailbox) mailbox->check_all_came();
    meet(group_, kEnd, "", kLimit);  // before a mailbox goes
  }

  // A kernel that does not take the shape refuses it in every rank.
  void time(const std::string& kernel, const std::string& result,
            const std::function<void()>& work) {
    nlohmann::json record = {{"kernel", kernel},
                             {"result", result},
                             {"dtype", name_of(shape_.dtype)},
                             {"rows", shape_.rows},
                             {"cols_of_a_slice", shape_.cols},
                             {"ranks", group_.size()}};
    if (block_size_ > 0) record["block_size"] = block_size_;
    std::string refused;
    try {
      stopwatch_.once(kernel, work);
    } catch (const std::invalid_argument& error) {
      refused = error.what();
    }
    if (!refused.empty()) {
      record["refused"] = refused;
      records_.push_back(record);
      return;
    }
    const std::vector<double> samples = stopwatch_.samples(work);
    record["median_us"] = samples[samples.size() / 2];
    record["fastest_us"] = samples.front();
    record["spread"] = (samples[samples.size() * 3 / 4] - samples[samples.size() / 4]) /
                       samples[samples.size() / 2];
    records_.push_back(record);
  }

  Group& group_;
  Communicator& communicator_;
  Stopwatch& stopwatch_;
  TimedShape shape_;
  int block_size_;
  DeviceBuffer<T> logits_;
  DeviceBuffer<T> results_;
  DeviceBuffer<std::int64_t> labels_;
  DeviceBuffer<float> losses_;
  DeviceBuffer<float> numbers_;
  nlohmann::json records_ = nlohmann::json::array();
};

nlohmann::json context_of(const Group& group) {
  const Device device = current_device();
  int version = 0;
  check_nccl(ncclGetVersion(&version), "ncclGetVersion");
  return {{"gpu", device.name},
          {"ranks", group.size()},
          {"nccl", version},
          {"driver", device.driver_version},
          {"runtime", device.runtime_version},
          {"samples", kSamples},
          {"cache", "cold"}};
}

}  // namespace

void write_times(Group& group, Communicator& communicator, const TimesOptions& options) {
  Stopwatch stopwatch(group, communicator);
  nlohmann::json records = nlohmann::json::array();
  for (const TimedShape& shape : kShapes) {
    const nlohmann::json of_shape = with_type(shape.dtype, [&](auto zero) {
      using T = decltype(zero);
      return ShapeTimes<T>(group, communicator, stopwatch, shape, options.block_size).records();
    });
    records.insert(records.end(), of_shape.begin(), of_shape.end());
  }
  if (group.rank() != 0) return;
  std::ofstream file(options.file);
  file << nlohmann::json{{"context", context_of(group)}, {"of_ranks", records}}.dump(1) << "\n";
  if (!file) throw std::runtime_error(options.file.string() + " cannot be written");
}

}  // namespace worklog
