#include "common/ranks/communicator.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "common/cuda/check.h"

namespace worklog {

namespace {

// Calls a function in a thread of its own unless it is destroyed in time.
class Alarm {
 public:
  Alarm(std::chrono::milliseconds limit, std::function<void()> ring)
      : thread_([this, limit, ring = std::move(ring)] {
          std::unique_lock lock(mutex_);
          if (!ends_.wait_for(lock, limit, [this] { return is_over_; })) ring();
        }) {}
  ~Alarm() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    ends_.notify_all();
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::jthread thread_;
};

std::string seconds_text(std::chrono::milliseconds limit) {
  std::string text = std::to_string(static_cast<double>(limit.count()) / 1000.0);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace

void check_nccl(ncclResult_t code, const std::string& what, std::source_location where) {
  if (code == ncclSuccess || code == ncclInProgress) return;
  throw NcclError(code, what + ": " + ncclGetErrorString(code) + " at " + where.file_name() + ":" +
                            std::to_string(where.line()));
}

Communicator::Communicator(Group& group, std::chrono::milliseconds limit) {
  ncclUniqueId id;
  if (group.rank() == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  const std::string mine(reinterpret_cast<const char*>(&id), group.rank() == 0 ? sizeof id : 0);
  const std::vector<std::string> ids = meet(group, kBeginning, mine, limit);
  if (ids[0].size() != sizeof id) throw RankError("rank 0 has no id for the others");
  std::memcpy(&id, ids[0].data(), sizeof id);
  check_nccl(ncclCommInitRank(&communicator_, group.size(), id, group.rank()), "ncclCommInitRank");
}

Communicator::~Communicator() {
  if (std::uncaught_exceptions() > exceptions_) abort();
  if (!is_aborted_) ncclCommDestroy(communicator_);
}

void Communicator::abort() {
  const std::lock_guard lock(mutex_);
  if (!is_aborted_) ncclCommAbort(communicator_);
  is_aborted_ = true;
  communicator_ = nullptr;  // which NCCL refuses, where what was there is gone
}

void Communicator::check_communicator() {
  const std::lock_guard lock(mutex_);
  if (is_aborted_) return;
  ncclResult_t error = ncclSuccess;
  check_nccl(ncclCommGetAsyncError(communicator_, &error), "ncclCommGetAsyncError");
  check_nccl(error, "what NCCL had begun");
}

void Communicator::wait_for(const Stream& stream) {
  for (;;) {
    const cudaError_t code = cudaStreamQuery(stream.get());
    if (code == cudaSuccess) return;
    if (code != cudaErrorNotReady) check(code, "waiting for a stream");
    cudaGetLastError();  // an answer, not an error: leave nothing for the next check
    check_communicator();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void Communicator::finish_in_time(const std::string& what, const Stream& stream,
                                  std::chrono::milliseconds limit,
                                  const std::function<void()>& work,
                                  const std::function<void()>& give_up) {
  std::atomic<bool> is_late = false;
  const auto late_text = [&] { return what + " did not end within " + seconds_text(limit); };
  const std::string aborted_text = what + ": the communicator was aborted";
  try {
    const Alarm alarm(limit, [&] {
      is_late = true;
      abort();
      try {
        give_up();
      } catch (const std::exception&) {  // of the device: whoever waits for it gets it, too
      }
    });
    work();
    wait_for(stream);
  } catch (const NcclError&) {
    if (is_late) throw RankError(late_text());
    if (is_aborted_) throw std::runtime_error(aborted_text);
    abort();
    throw;
  } catch (const std::invalid_argument&) {
    throw;
  } catch (...) {
    abort();
    throw;
  }
  if (is_late) throw RankError(late_text());
  if (is_aborted_) throw std::runtime_error(aborted_text);
}

}  // namespace worklog
