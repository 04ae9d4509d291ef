#include "simt/executor/launch/worker_pool.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "simt/executor/fibers/current.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/launch/take_part.h"

namespace simt {
namespace {

constexpr std::chrono::milliseconds kFirstPatience{100};
constexpr int kMostWorkers = 132;  // an H200 has so many multiprocessors

}  // namespace

const Tally& WorkerPool::run(Launch& launch, int workers) {
  if (own_ == nullptr) own_ = std::make_unique<Worker>();
  {
    const std::lock_guard lock(mutex_);
    launch.pool = this;
    launch_ = &launch;
    ++launches_;
    places_ = 0;
    patience_ = kFirstPatience;
    sum_ = Tally{};
    add_places(workers - 1);
  }
  take_part_or_fail(*own_, launch);

  std::unique_lock<std::mutex> lock(mutex_);
  launch_ = nullptr;
  done_.wait(lock, [this] { return helping_ == 0; });
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  sum_.add(std::move(own_->tally));
  return sum_;
}

// Under the lock.
void WorkerPool::add_places(int count) {
  if (count == 0) return;
  places_ += count;
  while (static_cast<int>(helpers_.size()) < helping_ + places_) {
    helpers_.push_back(std::make_unique<Worker>());
    std::thread([this, worker = helpers_.back().get()] { sleep_and_help(*worker); }).detach();
  }
  wake_.notify_all();
}

void WorkerPool::help_waiting_blocks(Launch& launch, Clock::time_point since) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t clusters = launch.blocks / launch.blocks_per_cluster;
  const std::uint64_t taken = launch.next_cluster;
  const int workers = helping_ + 1;
  if (taken >= clusters || places_ > 0 || workers >= kMostWorkers) return;
  if (Clock::now() - since < patience_) return;
  patience_ *= 2;
  const auto left = static_cast<int>(std::min<std::uint64_t>(clusters - taken, kMostWorkers));
  add_places(std::min({workers, left, kMostWorkers - workers}));
}

void WorkerPool::take_part_or_fail(Worker& worker, Launch& launch) {
  try {
    take_part(worker, launch);
  } catch (...) {
    current = {};
    launch.error = kErrorMemoryAllocation;  // the others need not go on
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
  }
}

// The condition variable waits for the threads that slept in it, and what they worked with may be
// half-way between two states: neither is destroyed.
void WorkerPool::forget_helpers() {
  for (std::unique_ptr<Worker>& helper : helpers_)
    static_cast<void>(helper.release());
  helpers_.clear();
  new (&wake_) std::condition_variable;
}

void WorkerPool::sleep_and_help(Worker& worker) {
  std::uint64_t last = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return launch_ != nullptr && launches_ != last && places_ > 0; });
    last = launches_;
    Launch& launch = *launch_;
    --places_;
    ++helping_;
    lock.unlock();
    take_part_or_fail(worker, launch);
    lock.lock();
    sum_.add(std::move(worker.tally));
    if (--helping_ == 0) done_.notify_one();
  }
}

}  // namespace simt
