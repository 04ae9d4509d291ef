#include "simt/executor/log/called_lines.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

struct Lines {
  ForkLock<std::mutex> mutex;
  std::map<std::pair<std::string, int>, std::uintptr_t> numbers;
  std::deque<Location> lines;  // number 1 comes first
};

Lines& lines() {
  static Lines& instance = *new Lines;
  return instance;
}

std::uintptr_t look_up(const Location& where) {
  Lines& all = lines();
  const std::lock_guard lock(all.mutex);
  const auto [found, is_new] =
      all.numbers.try_emplace({where.file, where.line}, all.lines.size() + 1);
  if (is_new) all.lines.push_back(where);
  return found->second;
}

}  // namespace

std::uintptr_t number_of_line(const Location& where) {
  thread_local std::map<std::pair<const char*, int>, std::uintptr_t> known;
  std::uintptr_t& number = known[{where.file, where.line}];
  if (number == 0) number = look_up(where);
  return number;
}

const Location* line_with_number(std::uintptr_t number) {
  Lines& all = lines();
  const std::lock_guard lock(all.mutex);
  return number - 1 < all.lines.size() ? &all.lines[number - 1] : nullptr;
}

}  // namespace simt
