/// \file
/// Ends launches that take too long: their kernels may never end.
#pragma once

namespace simt {

struct Lane;
struct Launch;
struct Worker;

/// Watches a launch while it lives. Seconds come from the environment's SIMT_TIME_LIMIT, or from
/// set_time_limit() (counters.h).
class TimedLaunch {
 public:
  /// The time runs from here on.
  explicit TimedLaunch(Launch& launch);
  TimedLaunch(const TimedLaunch&) = delete;
  TimedLaunch& operator=(const TimedLaunch&) = delete;
  ~TimedLaunch();

 private:
  Launch& launch_;
};

/// The worker runs on this OS thread while this lives, and can be interrupted.
class InterruptibleWorker {
 public:
  /// `worker` is interrupted when the time of `launch` is up.
  InterruptibleWorker(Worker& worker, Launch& launch);
  InterruptibleWorker(const InterruptibleWorker&) = delete;
  InterruptibleWorker& operator=(const InterruptibleWorker&) = delete;
  ~InterruptibleWorker();

 private:
  Worker& worker_;
};

/// In a copy of the process, where the thread that watches the time is the parent's.
void forget_watching_thread();

/// Called by a lane whose log is full, as it is made to be when the time is up. Ends the launch in
/// that case.
void check_time_limit(Lane& lane);

/// Called where a worker has left a launch, whose lane was stopped in code without hooks
/// (Worker::late): notes why.
void report_stopped_lane(Worker& worker);

}  // namespace simt
