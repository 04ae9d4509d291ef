#include "common/simt/executor/findings.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "common/simt/executor/counters.h"
#include "common/simt/executor/scheduler.h"
#include "common/simt/executor/source_lines.h"
#include "common/simt/executor/worker.h"

namespace simt {
namespace {

constexpr std::uint64_t kHost = ~std::uint64_t{0};

struct Pending {
  std::uint64_t block = kHost;
  std::string kind;
  std::string line;
  std::string message;
  std::string who;
};

struct Collection {
  std::mutex mutex;
  bool printed = true;
  std::map<std::pair<std::string, std::string>, Pending> pending;  // by kind and line
  std::vector<Finding> published;
};

Collection& collection() {
  static Collection& instance = *new Collection;
  return instance;
}

std::string text(const Index3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

std::string running_thread() {
  if (current.lane == nullptr) return "in host code";
  const Block& block = *current.lane->warp->block;
  return std::string("in kernel ") + block.worker->launch->kernel + ", block " + text(block.index) +
         ", thread " + text(current.lane->index);
}

std::string line_of(const Place& place) {
  if (place.code_address != 0) return source_line(place.code_address);
  if (place.line.line == 0) return place.line.file;
  return source_line(place.line.file, place.line.line);
}

}  // namespace

void report(const char* kind, const Place& place, const std::string& message) {
  Pending finding{.block = current.lane != nullptr ? current.lane->warp->block->number : kHost,
                  .kind = kind,
                  .line = line_of(place),
                  .message = message,
                  .who = running_thread()};
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  const auto [known, is_new] = all.pending.try_emplace({finding.kind, finding.line}, finding);
  if (!is_new && finding.block < known->second.block) known->second = std::move(finding);
}

void report_and_end_launch(const char* kind, const Place& place, const std::string& message,
                           int error) {
  report(kind, place, message);
  Lane& self = *current.lane;
  worker_of(self).launch->error = error;
  abandon_launch(self);
}

void publish_findings() {
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  std::vector<Pending> sorted;
  sorted.reserve(all.pending.size());
  for (auto& [key, finding] : all.pending)
    sorted.push_back(std::move(finding));
  all.pending.clear();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Pending& a, const Pending& b) { return a.block < b.block; });
  for (const Pending& finding : sorted) {
    all.published.push_back({finding.kind, finding.line + ": error: " + finding.message + " [" +
                                               finding.kind + "]\n  " + finding.who});
    if (all.printed) std::fprintf(stderr, "%s\n", all.published.back().message.c_str());
  }
}

const std::vector<Finding>& findings() {
  publish_findings();
  return collection().published;
}

void clear_findings() {
  Collection& all = collection();
  const std::lock_guard lock(all.mutex);
  all.pending.clear();
  all.published.clear();
}

void set_findings_printed(bool on) {
  collection().printed = on;
}

}  // namespace simt
