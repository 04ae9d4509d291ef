/// \file
/// Communicators of several ranks in this process, a device each, and their memory.
#pragma once

#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "simt/include/nccl.h"
#include "simt/nccl/link_counters.h"
#include "simt/tests/support/device_array.h"

/// Ranks 0 to `count` - 1 on the devices of these numbers.
class Ranks {
 public:
  explicit Ranks(int count) : comms_(static_cast<std::size_t>(count)) {
    REQUIRE(ncclCommInitAll(comms_.data(), count, nullptr) == ncclSuccess);
    simt::nccl::reset_link_counters();
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {
    for (const ncclComm_t comm : comms_)
      if (comm != nullptr) ncclCommDestroy(comm);
    cudaSetDevice(0);
  }

  int count() const { return static_cast<int>(comms_.size()); }
  ncclComm_t& operator[](int rank) { return comms_[static_cast<std::size_t>(rank)]; }

  /// Makes the calls of all ranks from one thread, in a group. Returns what its end returns.
  ncclResult_t in_group(const std::function<ncclResult_t(int rank, ncclComm_t comm)>& call) {
    ncclGroupStart();
    for (int rank = 0; rank < count(); ++rank)
      CHECK(call(rank, (*this)[rank]) == ncclSuccess);
    return ncclGroupEnd();
  }
  /// A thread for each rank. Returns what each returns, and keeps why.
  std::vector<ncclResult_t> in_threads(
      const std::function<ncclResult_t(int rank, ncclComm_t comm)>& call) {
    std::vector<ncclResult_t> results(comms_.size());
    reasons.assign(comms_.size(), "");
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count(); ++rank) {
      threads.emplace_back([&, rank] {
        cudaSetDevice(rank);
        const auto i = static_cast<std::size_t>(rank);
        results[i] = call(rank, comms_[i]);
        if (results[i] != ncclSuccess) reasons[i] = ncclGetLastError(nullptr);
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    return results;
  }

  std::vector<std::string> reasons;  ///< of in_threads()

 private:
  std::vector<ncclComm_t> comms_;
};

/// An array on each rank's device.
template <typename T>
class RankArrays {
 public:
  RankArrays(int ranks, std::size_t count, const std::function<T(int rank, std::size_t i)>& value) {
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<T> values(count);
      for (std::size_t i = 0; i < count; ++i)
        values[i] = value(rank, i);
      cudaSetDevice(rank);
      arrays_.push_back(std::make_unique<DeviceArray<T>>(values));
    }
    cudaSetDevice(0);
  }
  T* operator[](int rank) const { return arrays_[static_cast<std::size_t>(rank)]->get(); }
  std::vector<T> host(int rank) const { return arrays_[static_cast<std::size_t>(rank)]->host(); }

 private:
  std::vector<std::unique_ptr<DeviceArray<T>>> arrays_;
};
