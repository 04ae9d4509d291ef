#include "simt/executor/log/access_log.h"

#include <algorithm>

namespace simt {

std::uintptr_t code_address(Event event, std::uintptr_t near_kernel) {
  constexpr std::int64_t kSpan = std::int64_t{1} << (32 - kKindBits);
  const auto low = static_cast<std::int64_t>(address_bits(event));
  const auto near_low = static_cast<std::int64_t>(near_kernel % kSpan);
  std::int64_t distance = low - near_low;
  if (distance > kSpan / 2) distance -= kSpan;
  if (distance < -kSpan / 2) distance += kSpan;
  return near_kernel + static_cast<std::uintptr_t>(distance);
}

// ---- the warp's ----

WarpLog::WarpLog()
    : path_(kEvents + kSpareEvents + 1), accesses_((kEvents + kSpareEvents) * kLanes) {
  path_[0] = kNoEvent;
}

void WarpLog::drop_front(std::size_t events, std::size_t accesses) {
  const auto first = path_.begin() + static_cast<std::ptrdiff_t>(events);
  const auto end = path_.begin() + static_cast<std::ptrdiff_t>(events_);
  const auto kept = static_cast<std::size_t>(std::count_if(first, end, is_access));
  std::copy_n(row(accesses), kept * kLanes, row(0));
  std::copy(first, end + 1, path_.begin());
  events_ -= events;
}

// ---- a lane's ----

std::size_t LaneLog::common_accesses() const {
  if (!follows_) return common_accesses_;
  return static_cast<std::size_t>(cell_ - warp_->row(0)) / WarpLog::kLanes;
}

Event LaneLog::last_event() const {
  return path_.empty() ? warp_->event(common_events() - 1) : path_.back();
}

bool LaneLog::add(Event event, Access access) {
  if (follows_ && *expected_ == kNoEvent && warp_->has_room()) {
    warp_->extend(event);
    ++expected_;
    if (is_access(event)) {
      *cell_ = access;
      cell_ += WarpLog::kLanes;
    }
    return !warp_->full();
  }
  if (follows_) {
    common_events_ = common_events();
    common_accesses_ = common_accesses();
    follows_ = false;
    expected_ = &kNowhere;
  }
  path_.push_back(event);
  if (is_access(event)) accesses_.push_back(access);
  return path_.size() < limit_;
}

// Of those on the path of the warp and of its own log.
Access LaneLog::access(std::size_t i) const {
  const std::size_t common = common_accesses();
  return i < common ? warp_->row(i)[lane_] : accesses_[i - common];
}

bool LaneLog::repeats_itself(std::size_t count) const {
  const std::size_t kept = accesses_kept();
  if (kept < 2 * count) return false;
  for (std::size_t period = 1; period <= count; ++period) {
    std::size_t i = kept;
    while (i > kept - count && access(i - 1) == access(i - 1 - period))
      --i;
    if (i == kept - count) return stores_nothing_since(i);
  }
  return false;
}

bool LaneLog::stores_nothing_since(std::size_t first) const {
  for (std::size_t i = first; i < accesses_kept(); ++i) {
    const AccessKind kind = access(i).kind();
    if (kind == AccessKind::kGlobalStore || kind == AccessKind::kSharedStore) return false;
  }
  return true;
}

void LaneLog::seem_full() {
  limit_ = 0;
  if (warp_ != nullptr) warp_->seem_full();
}

void LaneLog::follow() {
  path_.clear();
  accesses_.clear();
  common_events_ = common_accesses_ = 0;
  if (warp_ == nullptr) return;
  follows_ = true;
  expected_ = warp_->path();
  cell_ = warp_->row(0) + lane_;
}

void LaneLog::reset() {
  follow();
  limit_ = WarpLog::kEvents;
}

void LaneLog::move_back(std::size_t events, std::size_t accesses) {
  expected_ -= events;
  cell_ -= accesses * WarpLog::kLanes;
}

void LaneLog::leave(std::size_t events, std::size_t accesses) {
  const std::size_t end = common_events();
  path_.insert(path_.begin(), warp_->path() + events, warp_->path() + end);
  const std::size_t taken = common_accesses() - accesses;
  accesses_.insert(accesses_.begin(), taken, Access{});
  for (std::size_t i = 0; i < taken; ++i)
    accesses_[i] = warp_->row(accesses + i)[lane_];
  follows_ = false;
  common_events_ = common_accesses_ = 0;
  expected_ = &kNowhere;
}

void LaneLog::drop_front(std::size_t events, std::size_t accesses) {
  path_.erase(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(events));
  accesses_.erase(accesses_.begin(), accesses_.begin() + static_cast<std::ptrdiff_t>(accesses));
  limit_ = std::max(limit_, WarpLog::kEvents);  // it may have seemed full
  if (path_.size() > limit_ / 2) limit_ *= 2;
}

}  // namespace simt
