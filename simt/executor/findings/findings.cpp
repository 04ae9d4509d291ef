#include "simt/executor/findings/findings.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "simt/executor/counters.h"
#include "simt/executor/devices.h"
#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/fibers/grid_index.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/findings/library_calls.h"
#include "simt/executor/findings/reporting.h"
#include "simt/executor/findings/source_lines.h"
#include "simt/executor/launch_observer.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

constexpr std::uint64_t kHost = ~std::uint64_t{0};

struct Pending {
  int device = 0;
  std::uint64_t block = kHost;
  Severity severity = Severity::kError;
  std::string kind;
  std::string kernel;  // empty for host code
  std::string who;
  std::vector<Finding::Line> lines;
};

struct Collection {
  ForkLock<std::mutex> mutex;
  bool printed = true;
  std::function<void(const Finding&)> observer;
  std::map<std::string, Pending> pending;  // by kind and lines
  std::vector<Finding> published;
  std::vector<Finding> notes;
};

Collection& collection() {
  static Collection& instance = *new Collection;
  return instance;
}

std::string text(const Index3& index) {
  char text[40];
  std::snprintf(text, sizeof text, "(%u,%u,%u)", index.x, index.y, index.z);
  return text;
}

// Of a single device it goes without saying.
std::string on_device(const Launch& launch) {
  return device_count() == 1 ? "" : " on device " + std::to_string(launch.device);
}

std::string running_thread() {
  if (current.lane == nullptr) return "in host code";
  const Block& block = *current.lane->warp->block;
  return std::string("in kernel ") + current.launch->kernel + on_device(*current.launch) +
         ", block " + text(block.index) + ", thread " + text(current.lane->index);
}

// Of an access in a library's code the line that has called the library.
std::string line_of_access(std::uintptr_t code_address) {
  const std::uintptr_t caller =
      current.lane != nullptr ? current.launch->config.called_from : HostCall::place();
  const bool is_of_library = caller != 0 && stands_for_frames(caller);
  return source_line(is_of_library && !is_in_program(code_address) ? caller : code_address);
}

std::string line_of(const Place& place) {
  if (place.code_address != 0) return line_of_access(place.code_address);
  if (place.line.file == nullptr) {
    return HostCall::place() != 0 ? source_line(HostCall::place()) : "host code";
  }
  if (place.line.line == 0) return place.line.file;
  return source_line(place.line.file, place.line.line);
}

bool comes_before(const Pending& a, const Pending& b) {
  return a.severity != b.severity ? a.severity < b.severity : a.block < b.block;
}

void add(Pending finding, const Notes& notes) {
  for (const Note& note : notes)
    finding.lines.push_back({line_of(note.place), note.message});
  std::string key = std::to_string(finding.device) + " " + finding.kind;
  for (const Finding::Line& line : finding.lines)
    key += " " + line.place;
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  const auto [known, is_new] = all.pending.try_emplace(key, finding);
  if (!is_new && comes_before(finding, known->second)) known->second = std::move(finding);
}

// As a compiler writes it.
std::string text_of(const Pending& finding) {
  const Finding::Line& main = finding.lines.front();
  const char* const severity = finding.severity == Severity::kError ? ": error: " : ": note: ";
  std::string text =
      main.place + severity + main.message + " [" + finding.kind + "]\n  " + finding.who;
  for (std::size_t i = 1; i < finding.lines.size(); ++i)
    text += "\n" + finding.lines[i].place + ": note: " + finding.lines[i].message;
  return text;
}

}  // namespace

std::string describe(const LaunchConfig& config, const ThreadOfLaunch& thread) {
  return "block " + text(index_in(config.grid, thread.block)) + ", thread " +
         text(index_in(config.block, thread.thread));
}

void report(const char* kind, const Place& place, const std::string& message, const Notes& notes) {
  const Reporting reporting;
  const Lane* lane = current.lane;
  add({.device = lane != nullptr ? current.launch->device : current_device(),
       .block = lane != nullptr ? lane->warp->block->number : kHost,
       .kind = kind,
       .kernel = lane != nullptr ? current.launch->kernel : "",
       .who = running_thread(),
       .lines = {{line_of(place), message}}},
      notes);
}

void report_of(const Launch& launch, const ThreadOfLaunch& thread, const char* kind,
               const Place& place, const std::string& message, const Notes& notes,
               Severity severity) {
  const Reporting reporting;
  add({.device = launch.device,
       .block = thread.block,
       .severity = severity,
       .kind = kind,
       .kernel = launch.kernel,
       .who = std::string("in kernel ") + launch.kernel + on_device(launch) + ", " +
              describe(launch.config, thread),
       .lines = {{line_of(place), message}}},
      notes);
}

namespace {

// Under the lock.
void publish_one(Collection& all, Finding finding) {
  std::vector<Finding>& list = finding.is_note ? all.notes : all.published;
  list.push_back(std::move(finding));
  if (all.observer) all.observer(list.back());
  if (all.printed) std::fprintf(stderr, "%s\n", list.back().message.c_str());
}

// Under the lock.
void publish(Collection& all, std::vector<Pending> sorted) {
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Pending& a, const Pending& b) { return a.block < b.block; });
  for (const Pending& finding : sorted) {
    publish_one(all, {finding.kind, text_of(finding), finding.kernel, finding.lines,
                      finding.severity == Severity::kNote});
  }
}

template <typename IsMeant>
void publish_if(IsMeant is_meant) {
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  std::vector<Pending> meant;
  for (auto next = all.pending.begin(); next != all.pending.end();) {
    const auto each = next++;
    if (!is_meant(each->second)) continue;
    meant.push_back(std::move(each->second));
    all.pending.erase(each);
  }
  publish(all, std::move(meant));
}

}  // namespace

void publish_note(const char* kind, const std::string& line, const std::string& message) {
  const std::string text = line + ": note: " + message + " [" + kind + "]";
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  publish_one(all, {kind, text, "", {{line, message}}, true});
  // Whoever keeps findings from being printed to look at them later does not look for these.
  if (!all.printed && !all.observer) std::fprintf(stderr, "%s\n", text.c_str());
}

void note_in_host_code(const char* kind, const std::string& message) {
  publish_note(kind, line_of({}), message);
}

void publish_findings() {
  publish_if([](const Pending&) { return true; });
}

void publish_findings_of(int device) {
  publish_if([=](const Pending& finding) { return finding.device == device; });
}

namespace {

// Those of host code that nothing has published yet.
[[gnu::destructor]] void publish_at_exit() {
  publish_findings();
}

}  // namespace

const std::vector<Finding>& findings() {
  publish_findings();
  return collection().published;
}

const std::vector<Finding>& notes() {
  publish_findings();
  return collection().notes;
}

void clear_findings() {
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  all.pending.clear();
  all.published.clear();
  all.notes.clear();
}

void set_findings_printed(bool on) {
  collection().printed = on;
}

void observe_findings(std::function<void(const Finding&)> observer) {
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  all.observer = std::move(observer);
}

}  // namespace simt
