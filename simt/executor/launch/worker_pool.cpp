#include "simt/executor/launch/worker_pool.h"

#include <algorithm>
#include <thread>

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
  take_part(*own_, launch);

  std::unique_lock lock(mutex_);
  launch_ = nullptr;
  done_.wait(lock, [this] { return helping_ == 0; });
  sum_.add(own_->tally);
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

void WorkerPool::sleep_and_help(Worker& worker) {
  std::uint64_t last = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return launch_ != nullptr && launches_ != last && places_ > 0; });
    last = launches_;
    Launch& launch = *launch_;
    --places_;
    ++helping_;
    lock.unlock();
    take_part(worker, launch);
    lock.lock();
    sum_.add(worker.tally);
    if (--helping_ == 0) done_.notify_one();
  }
}

}  // namespace simt
