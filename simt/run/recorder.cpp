// Linked into each program that `simt run` builds. Writes down every launch and finding as it
// happens, so that a program that crashes leaves what is known. Does nothing in a program that was
// started by hand.

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "simt/executor/counters.h"
#include "simt/executor/launch_observer.h"
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
    ordered_json values = to_json(launch);
    add_warps(values);
    write({{"launch", std::move(values)}});
    add_new_findings();
  }

  /// Records what the warps of the launches from here on do.
  void start_warps() {
    records_warps_ = true;
    start_recording();
  }

  /// Those of host code as well, which belong to no launch.
  void add_new_findings() {
    const std::vector<Finding>& all = findings();
    for (; findings_ < all.size(); ++findings_) {
      const Finding& finding = all[findings_];
      write({{"finding", {{"kind", finding.kind}, {"message", finding.message}}}});
    }
  }

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
  std::size_t findings_ = 0;
  bool records_warps_ = false;
  std::size_t events_ = 0;  ///< that were recorded
};

Recorder* recorder = nullptr;

bool start() {
  const char* name = std::getenv(kRecordVariable);
  std::FILE* file = name != nullptr ? std::fopen(name, "a") : nullptr;
  if (file == nullptr) return false;
  recorder = new Recorder(file);
  set_findings_printed(false);
  const char* warps = std::getenv(kWarpsVariable);
  if (warps != nullptr && *warps != '\0') recorder->start_warps();
  observe_launches([](const EndedLaunch& launch) { recorder->add(launch); });
  std::atexit([] { recorder->add_new_findings(); });
  return true;
}

[[maybe_unused]] const bool started = start();

}  // namespace
}  // namespace simt::run
