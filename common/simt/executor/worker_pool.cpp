#include "common/simt/executor/worker_pool.h"

#include <thread>

namespace simt {

Tally WorkerPool::run(Launch& launch, int workers) {
  {
    const std::lock_guard lock(mutex_);
    while (static_cast<int>(workers_.size()) < workers) {
      workers_.push_back(std::make_unique<Worker>());
      const int number = static_cast<int>(workers_.size()) - 1;
      Worker& worker = *workers_.back();
      if (number > 0)
        std::thread([this, &worker, number] { sleep_and_help(worker, number); }).detach();
    }
    launch_ = &launch;
    ++launches_;
    taking_part_ = workers;
    busy_ = workers - 1;
  }
  if (workers > 1) wake_.notify_all();
  workers_.front()->take_part(launch);

  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  Tally sum;
  for (int number = 0; number < workers; ++number) {
    sum += workers_[static_cast<std::size_t>(number)]->tally;
  }
  return sum;
}

void WorkerPool::sleep_and_help(Worker& worker, int number) {
  std::uint64_t last = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return launches_ != last && number < taking_part_ && busy_ > 0; });
    last = launches_;
    Launch& launch = *launch_;
    lock.unlock();
    worker.take_part(launch);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace simt
