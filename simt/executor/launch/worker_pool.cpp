#include "simt/executor/launch/worker_pool.h"

#include <thread>

#include "simt/executor/launch/take_part.h"

namespace simt {

const Tally& WorkerPool::run(Launch& launch, int workers) {
  if (own_ == nullptr) own_ = std::make_unique<Worker>();
  {
    const std::lock_guard lock(mutex_);
    while (static_cast<int>(helpers_.size()) < workers - 1) {
      helpers_.push_back(std::make_unique<Worker>());
      std::thread([this, worker = helpers_.back().get()] { sleep_and_help(*worker); }).detach();
    }
    launch_ = &launch;
    ++launches_;
    places_ = workers - 1;
    sum_ = Tally{};
  }
  if (workers > 1) wake_.notify_all();
  take_part(*own_, launch);

  std::unique_lock lock(mutex_);
  launch_ = nullptr;
  done_.wait(lock, [this] { return helping_ == 0; });
  sum_.add(own_->tally);
  return sum_;
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
