// A kernel that never ends must be stopped where it is, at no cost to those that do end.
// Instrumented code calls the executor in each basic block, and looks whether the lane's log is
// full. So when the time is up, a signal makes the log of the lane that runs seem full; the lane
// then stops itself, at a place where that is safe. In a copy without hooks every place is, for it
// is the program's own code and holds nothing of a library's: there the signal's handler leaves for
// the scheduler, as that of a crash does.

#include "simt/executor/checkers/time_limit.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <thread>
#include <utility>

#include "simt/executor/checkers/interrupted_code.h"
#include "simt/executor/counters.h"
#include "simt/executor/fibers/plain_code.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/fibers/turns.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/interrupt.h"
#include "simt/executor/program_deadline.h"
#include "simt/executor/system/flush_output.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/rendezvous.h"

namespace simt {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kDefaultLimit = 600;
constexpr int kErrorLaunchTimeout = 702;
constexpr std::chrono::milliseconds kInterval{50};
// For a kernel that waits in a library, or that loops without an access to memory, and never comes
// by the executor: 3 seconds of signals. They are counted where they arrive, because a lane that
// gets no processor cannot react, and because the executor, too, may take seconds: to replay a long
// log, or to say where threads are.
constexpr int kMostIgnoredSignals = 60;
// And where no signal arrives, because a library blocks them, say.
constexpr Seconds kLongestGrace{120};
// The same after the program's deadline, which is to be one.
constexpr Seconds kLongestGraceOfProgram{10};
// How long host code may go on after a kernel of its was stopped at the program's deadline.
constexpr Seconds kLastWords{1};
// Ignored by default, and used by few.
constexpr int kSignal = SIGURG;

double limit_from_environment() {
  const char* text = std::getenv("SIMT_TIME_LIMIT");
  if (text == nullptr) return kDefaultLimit;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end != text && *end == '\0' && seconds >= 0) return seconds;
  std::fprintf(stderr, "SIMT_TIME_LIMIT='%s' is no number of seconds (0 for none): it is %g s\n",
               text, kDefaultLimit);
  return kDefaultLimit;
}

// When the whole program shall end.
struct Deadline {
  Clock::time_point time;
  Seconds after;                            ///< from when it was set
  std::function<void()> at_end;             ///< ends the program
  std::optional<Clock::time_point> kernel;  ///< when the last kernel was stopped because of it
};

struct State {
  ForkLock<std::mutex> mutex;
  Seconds limit{limit_from_environment()};
  std::map<Launch*, Clock::time_point> starts;  // of those that run
  struct Thread {
    pthread_t thread;
    Launch* launch;
  };
  std::map<Worker*, Thread> threads;
  bool watching = false;
  bool interrupted = false;  // by whoever uses the program
  std::optional<Deadline> deadline;
};

// Never destroyed: the watching thread outlives everything.
State& state() {
  static State& instance = *new State;
  return instance;
}

void stop_running_lane(int, siginfo_t*, void* context) {
  Lane* const lane = current.lane;
  if (lane == nullptr) return;
  Worker& worker = worker_of(*lane);
  if (worker.is_stopping || current.reporting) return;
  const std::uintptr_t code_address = interrupted_code(context);
  if (current.plain && worker.launch->out_of_time && is_in_plain_copy(code_address)) {
    worker.late = {lane, kSignal, 0, code_address};
    abandon_launch(*lane);
  }
  worker.late_lane = lane;
  worker.late_at = code_address;
  ++worker.ignored_signals;
  if (current.log == nullptr) current.log = &worker.tripwire;
  current.log->seem_full();
}

Seconds limit() {
  const std::lock_guard lock(state().mutex);
  return state().limit;
}

bool past(const std::optional<Deadline>& deadline) {
  return deadline && Clock::now() > deadline->time;
}

std::string seconds_text(Seconds seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds.count());
  return text;
}

// Null if no signal has met a lane of the launch.
const Worker* late_worker(const State& s, const Launch& launch) {
  for (const auto& [worker, at] : s.threads) {
    if (at.launch == &launch && worker->late_lane != nullptr) return worker;
  }
  return nullptr;
}

void report_unstoppable(const State& s, const Launch& launch) {
  const bool is_program = past(s.deadline);
  const std::string message =
      std::string(is_program ? "the program" : "the launch") + " takes longer than " +
      seconds_text(is_program ? s.deadline->after : s.limit) + ", the time limit, and kernel " +
      launch.kernel +
      " does not react: it waits in a library, or loops without an access to memory. The program "
      "is ended";
  const Worker* const worker = late_worker(s, launch);
  if (worker == nullptr) {
    return report_of(launch, {}, "time-limit", {{"unknown line", 0}}, message, {});
  }
  const Lane& lane = *worker->late_lane;
  report_of(launch, {lane.warp->block->number, lane.thread}, "time-limit",
            {{}, worker->late_at + 1}, message, {});
}

// Whoever observes launches is told of this one, too.
[[noreturn]] void end_program(const State& s, const Launch& launch) {
  report_unstoppable(s, launch);
  tell_of_unended(launch);
  flush_output();
  if (past(s.deadline)) s.deadline->at_end();
  std::_Exit(1);
}

// The lane that runs may have changed since the last signal, so it is sent until the launch ends.
void stop_launch(const State& s, Launch& launch) {
  launch.out_of_time = true;
  for (const auto& [worker, at] : s.threads) {
    if (at.launch == &launch) pthread_kill(at.thread, kSignal);
  }
}

void end_late_launch(const State& s, Launch& launch) {
  for (const auto& [worker, at] : s.threads) {
    if (at.launch == &launch && worker->ignored_signals > kMostIgnoredSignals)
      end_program(s, launch);
  }
  stop_launch(s, launch);
}

void watch_launch(State& s, Launch& launch, Clock::time_point start) {
  if (s.interrupted) return stop_launch(s, launch);
  if (past(s.deadline)) {
    s.deadline->kernel = Clock::now();
    if (Clock::now() - s.deadline->time > kLongestGraceOfProgram) end_program(s, launch);
    return end_late_launch(s, launch);
  }
  if (s.limit.count() == 0) return;
  const Seconds taken = Clock::now() - start;
  if (taken > s.limit + kLongestGrace) end_program(s, launch);
  if (taken > s.limit) end_late_launch(s, launch);
}

// No kernel runs.
void watch_host(State& s) {
  if (!past(s.deadline)) return;
  const auto& kernel = s.deadline->kernel;
  if (kernel && Clock::now() - *kernel < kLastWords) return;
  flush_output();
  s.deadline->at_end();
  std::_Exit(1);
}

[[noreturn]] void watch() {
  State& s = state();
  for (;;) {
    std::this_thread::sleep_for(kInterval);
    const std::lock_guard lock(s.mutex);
    for (const auto& [launch, start] : s.starts)
      watch_launch(s, *launch, start);
    if (s.starts.empty()) watch_host(s);
  }
}

void start_watching(State& s) {
  s.watching = true;
  struct sigaction action = {};
  action.sa_sigaction = stop_running_lane;
  // Not deferred, because the handler may not return.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(kSignal, &action, nullptr);
  std::thread(watch).detach();
}

bool is_interrupted() {
  const std::lock_guard lock(state().mutex);
  return state().interrupted;
}

std::string what_takes_too_long() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!past(s.deadline)) {
    return "the launch takes longer than " + seconds_text(s.limit) + ", the time limit";
  }
  return "the program takes longer than " + seconds_text(s.deadline->after) +
         ", the time limit, and this kernel still runs";
}

std::string what_is_late(const Lane& lane) {
  return what_takes_too_long() +
         "; the threads of this block are:" + describe_threads(*lane.warp->block);
}

Place place_of_last_event(const Lane& lane) {
  const Worker& worker = worker_of(lane);
  const LaneLog& log = current.log != nullptr ? *current.log : worker.tripwire;
  if (log.empty()) return {{"unknown line", 0}};
  const Event event = log.last_event();
  const auto& located = worker.tally.located();
  const auto line = located.find(event);
  if (line != located.end()) return {line->second, 0};
  return {{}, code_address(event, reinterpret_cast<std::uintptr_t>(worker.launch->body))};
}

}  // namespace

TimedLaunch::TimedLaunch(Launch& launch) : launch_(launch) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.starts[&launch] = Clock::now();
  if (!s.watching && s.limit.count() > 0) start_watching(s);
}

TimedLaunch::~TimedLaunch() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.starts.erase(&launch_);
}

InterruptibleWorker::InterruptibleWorker(Worker& worker, Launch& launch) : worker_(worker) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.threads[&worker] = {pthread_self(), &launch};
}

InterruptibleWorker::~InterruptibleWorker() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.threads.erase(&worker_);
}

void check_time_limit(Lane& lane) {
  Worker& worker = worker_of(lane);
  if (!worker.launch->out_of_time || worker.is_stopping) return;
  end_turns(lane);
  const Place place = place_of_last_event(lane);
  worker.is_stopping = true;
  current.log = nullptr;
  if (is_interrupted()) {
    worker.launch->error = kErrorLaunchTimeout;
    abandon_launch(lane);
  }
  // Of several workers one reports: it is one launch that takes too long.
  if (worker.launch->is_told_late.exchange(true)) abandon_launch(lane);
  report_and_end_launch("time-limit", place, what_is_late(lane), kErrorLaunchTimeout);
}

void report_stopped_lane(Worker& worker) {
  const Crash late = worker.late;
  worker.late = {};
  worker.launch->error = kErrorLaunchTimeout;
  if (is_interrupted() || worker.launch->is_told_late.exchange(true)) return;
  current.lane = late.lane;
  report("time-limit", {{}, late.code_address + 1}, what_is_late(*late.lane));
  current.lane = nullptr;
}

void interrupt_launches(bool on) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.interrupted = on;
  if (!on) return;
  if (!s.watching) start_watching(s);
  for (const auto& [launch, start] : s.starts)
    stop_launch(s, *launch);
}

void end_program_after(double seconds, std::function<void()> at_end) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto wait = std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  s.deadline = Deadline{Clock::now() + wait, Seconds(seconds), std::move(at_end), {}};
  if (!s.watching) start_watching(s);
}

void forget_watching_thread() {
  state().watching = false;
  state().threads.clear();
}

double time_limit() {
  return limit().count();
}

void set_time_limit(double seconds) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.limit = Seconds(seconds);
}

}  // namespace simt
