// Linked into each program that `simt run` builds. Writes down every launch and finding as it
// happens, so that a program that crashes leaves what is known. Does nothing in a program that was
// started by hand.

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "simt/executor/counters.h"
#include "simt/executor/launch_observer.h"
#include "simt/executor/memory/host_pointers.h"
#include "simt/executor/program_deadline.h"
#include "simt/executor/system/ending_signals.h"
#include "simt/executor/system/flush_output.h"
#include "simt/run/launch_json.h"
#include "simt/run/record.h"
#include "simt/run/warp_json.h"

namespace simt::run {
namespace {

using nlohmann::ordered_json;

class Recorder {
 public:
  explicit Recorder(std::FILE* file) : file_(file) {}

  void add(const EndedLaunch& launch) {
    ++launches_;
    ordered_json values = to_json(launch);
    add_warps(values);
    write({{"launch", std::move(values)}});
  }

  /// Of a library; `launch` is the one that comes next.
  void add_library_call(std::string_view function) {
    write({{"library_call", {{"function", function}, {"launch", launches_.load() + 1}}}});
  }

  /// Records what the warps of the launches from here on do.
  void start_warps() {
    records_warps_ = true;
    start_recording();
  }

  void add(const Finding& finding) {
    ordered_json lines = ordered_json::array();
    for (const Finding::Line& line : finding.lines)
      lines.push_back({{"place", line.place}, {"message", line.message}});
    write({{finding.is_note ? "note" : "finding",
            {{"kind", finding.kind},
             {"message", finding.message},
             {"kernel", finding.kernel},
             {"launch", finding.kernel.empty() ? 0 : launches_.load() + 1},
             {"lines", lines}}}});
  }

  void add_time_out() { write({{"timed_out", true}}); }

 private:
  void add_warps(ordered_json& launch) {
    if (!records_warps_) return;
    const LaunchRecord record = take_launch_record();
    launch["recorded"] = to_json(record);
    events_ += count_events(record);
    if (events_ < kMaxRecordedEvents) return;
    stop_recording();
    records_warps_ = false;
  }

  /// Text from the program may be any bytes: what is not UTF-8 is replaced.
  void write(const ordered_json& record) {
    const std::string line =
        record.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    std::fputs(line.c_str(), file_);
    std::fflush(file_);
  }

  std::FILE* file_;
  bool records_warps_ = false;
  std::size_t events_ = 0;  ///< that were recorded
  std::atomic<std::uint64_t> launches_ = 0;
};

Recorder* recorder = nullptr;

/// What the program has printed is not lost with it.
void flush_and_crash(int signal) {
  std::signal(signal, SIG_DFL);
  flush_output_of_crash();
  std::raise(signal);
}

/// The executor's own handlers, while a kernel runs, give way to these for faults of host code.
void catch_crashes_of_host() {
  struct sigaction action = {};
  action.sa_handler = flush_and_crash;
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

/// An exception that nobody catches ends the program without what runs at its exit.
void publish_before_termination() {
  static const std::terminate_handler terminate = std::get_terminate();
  std::set_terminate([] {
    findings();
    terminate();
  });
}

/// As `simt run` would end it from outside.
void end_program() {
  findings();  // publishes what host code did
  recorder->add_time_out();
  std::raise(SIGKILL);
}

bool start() {
  const char* name = std::getenv(kRecordVariable);
  std::FILE* file = name != nullptr ? std::fopen(name, "a") : nullptr;
  if (file == nullptr) return false;
  recorder = new Recorder(file);
  set_findings_printed(false);
  const char* warps = std::getenv(kWarpsVariable);
  if (warps != nullptr && *warps != '\0') recorder->start_warps();
  const char* counted = std::getenv(kCountVariable);
  if (counted != nullptr) set_counted_time(std::strtod(counted, nullptr));
  refuse_host_pointers(true);
  observe_launches([](const EndedLaunch& launch) { recorder->add(launch); });
  observe_library_calls([](std::string_view function) { recorder->add_library_call(function); });
  observe_findings([](const Finding& finding) { recorder->add(finding); });
  std::atexit([] { findings(); });  // publishes what host code did, which belongs to no launch
  catch_crashes_of_host();
  speak_before_ending_signals([] { findings(); });
  publish_before_termination();
  if (time_limit() > 0) end_program_after(time_limit(), end_program);
  return true;
}

[[maybe_unused]] const bool started = start();

}  // namespace
}  // namespace simt::run
