#include "common/simt/executor/access_log.h"

#include <algorithm>

namespace simt {

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
  const auto capacity = static_cast<std::size_t>(path_limit_ - path_.data());
  if (this->events() > capacity / 2) grow(capacity * 2);
}

}  // namespace simt
