#include "common/simt/executor/access_log.h"

#include <algorithm>

namespace simt {

std::uintptr_t code_address(Event event, std::uintptr_t near_kernel) {
  constexpr std::int64_t kSpan = std::int64_t{1} << 31;
  const auto low = static_cast<std::int64_t>(event >> 1);
  const auto near_low = static_cast<std::int64_t>(near_kernel % kSpan);
  std::int64_t distance = low - near_low;
  if (distance > kSpan / 2) distance -= kSpan;
  if (distance < -kSpan / 2) distance += kSpan;
  return near_kernel + static_cast<std::uintptr_t>(distance);
}

void LaneLog::grow(std::size_t capacity) {
  const std::size_t events = path_.empty() ? 0 : this->events();
  const std::size_t accesses =
      accesses_.empty() ? 0 : static_cast<std::size_t>(access_end_ - accesses_.data());
  path_.resize(capacity + kSpareEvents);
  accesses_.resize(capacity + kSpareEvents);
  path_end_ = path_.data() + events;
  path_limit_ = path_.data() + capacity;
  access_end_ = accesses_.data() + accesses;
}

void LaneLog::drop_front(std::size_t events, std::size_t accesses) {
  path_end_ = std::copy(path_.data() + events, path_end_, path_.data());
  access_end_ = std::copy(accesses_.data() + accesses, access_end_, accesses_.data());
  const std::size_t capacity = path_.size() - kSpareEvents;
  path_limit_ = path_.data() + capacity;  // it may have seemed full
  if (this->events() > capacity / 2) grow(capacity * 2);
}

}  // namespace simt
