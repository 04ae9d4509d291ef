#include "python/turns.h"

#include <cuda_runtime.h>

#include <nanobind/nanobind.h>
#include <stdexcept>

#ifdef SIMT_EXECUTOR
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <pthread.h>

#include "simt/executor/counters.h"
#include "simt/executor/interrupt.h"
#endif

namespace worklog::python {

#ifdef SIMT_EXECUTOR

namespace {

// How often Python is asked whether a signal has come. A handler runs in the main thread alone.
constexpr std::chrono::milliseconds kInterval{20};
constexpr std::chrono::milliseconds kUrgentInterval{5};
// Another thread for fewer than these takes longer than they do.
constexpr std::int64_t kWorthAThread = 4096;

struct Turns {
  std::timed_mutex mutex;
  std::optional<Counts> counts;
};

// Never destroyed: a thread may be at work when the program ends.
Turns& turns() {
  static Turns& instance = *new Turns;
  return instance;
}

Counts counted() {
  Counts counts;
  for (const auto& [name, value] : simt::named(simt::counters()))
    counts.emplace(name, value);
  return counts;
}

// False if a call has been under way all the time. Nobody waits for the GIL with the mutex: whoever
// forks waits for the mutex with the GIL.
bool copy_counts(std::optional<Counts>& counts) {
  const nanobind::gil_scoped_release others_may_run;
  const std::unique_lock turn(turns().mutex, kInterval);
  if (turn.owns_lock()) counts = turns().counts;
  return turn.owns_lock();
}

// A call that waits for its turn, then has it, and may be told to end at any time.
class Call {
 public:
  // Returns early where it was told to end before its turn.
  void run(const std::function<void()>& work) {
    std::unique_lock turn(turns().mutex, std::defer_lock);
    while (!turn.try_lock_for(kInterval)) {
      if (is_to_end_) return;
    }
    const AtWork at_work(*this);
    if (!is_to_end_) run_in_turn(work);
  }

  // False where others have their turn.
  static bool run_at_once(const std::function<void()>& work) {
    const std::unique_lock turn(turns().mutex, std::try_to_lock);
    if (turn.owns_lock()) run_in_turn(work);
    return turn.owns_lock();
  }

  void end() {
    is_to_end_ = true;
    const std::lock_guard lock(mutex_);
    if (is_at_work_) simt::interrupt_launches(true);
  }

 private:
  static void run_in_turn(const std::function<void()>& work) {
    turns().counts.reset();  // a call that fails leaves none
    simt::reset_counters();
    work();
    turns().counts = counted();
  }

  // The executor is interrupted for this call, and for none after it.
  class AtWork {
   public:
    explicit AtWork(Call& call) : call_(call) { set(true); }
    ~AtWork() {
      set(false);
      simt::interrupt_launches(false);
    }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    void set(bool is_at_work) {
      const std::lock_guard lock(call_.mutex_);
      call_.is_at_work_ = is_at_work;
    }
    Call& call_;
  };

  std::atomic<bool> is_to_end_ = false;
  std::mutex mutex_;
  bool is_at_work_ = false;
};

// Whether a handler of Python's has raised an exception.
bool signal_has_raised() {
  const nanobind::gil_scoped_acquire holds;
  return PyErr_CheckSignals() != 0;
}

// False where a signal has ended it.
bool run_in_another_thread(const std::function<void()>& work) {
  Call call;
  std::future<void> ended = std::async(std::launch::async, [&] { call.run(work); });
  while (ended.wait_for(kInterval) != std::future_status::ready) {
    if (!signal_has_raised()) continue;
    // Again and again: the threads that run blocks may be anywhere.
    do {
      call.end();
    } while (ended.wait_for(kUrgentInterval) != std::future_status::ready);
    return false;
  }
  ended.get();
  return true;
}

}  // namespace

void make_forks_safe() {
  const auto release = [] { turns().mutex.unlock(); };
  pthread_atfork([] { turns().mutex.lock(); }, release, release);
}

void take_turn(std::int64_t elements, const std::function<void()>& work) {
  bool has_ended = true;
  {
    const nanobind::gil_scoped_release others_may_run;
    const bool is_long = elements >= kWorthAThread;
    if (is_long || !Call::run_at_once(work)) has_ended = run_in_another_thread(work);
  }
  if (!has_ended) throw nanobind::python_error();
}

Counts counts_of_last_turn() {
  std::optional<Counts> counts;
  while (!copy_counts(counts)) {
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
  if (counts) return *counts;
  throw std::runtime_error(
      "nothing was launched yet, or the last call failed: call softmax, log_softmax or topk");
}

#else

// What threads launch at the same time does not meet.
void make_forks_safe() {}

void take_turn(std::int64_t, const std::function<void()>& work) {
  const nanobind::gil_scoped_release others_may_run;
  work();
}

Counts counts_of_last_turn() {
  throw std::runtime_error(
      "a GPU counts nothing by itself: counts() needs the module built for the CPU executor");
}

#endif

}  // namespace worklog::python
