#include "simt/nccl/room.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace simt::nccl {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kDefaultLimit = 120;
// How often a carrier is asked for what has arrived.
constexpr std::chrono::microseconds kPause{200};

double limit_from_environment() {
  const char* text = std::getenv("SIMT_NCCL_TIMEOUT");
  if (text == nullptr) return kDefaultLimit;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end != text && *end == '\0' && seconds > 0) return seconds;
  std::fprintf(stderr, "SIMT_NCCL_TIMEOUT='%s' is no number of seconds above 0: it is %g s\n", text,
               kDefaultLimit);
  return kDefaultLimit;
}

std::string seconds_text() {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", time_limit().count());
  return text;
}

std::string rank_text(int rank) {
  return "rank " + std::to_string(rank);
}

}  // namespace

Seconds time_limit() {
  static const Seconds limit{limit_from_environment()};
  return limit;
}

void Room::set_carrier(std::unique_ptr<Carrier> carrier, std::vector<bool> is_elsewhere) {
  const std::lock_guard lock(mutex_);
  carrier_ = std::move(carrier);
  is_elsewhere_ = std::move(is_elsewhere);
  changed_.notify_all();
}

// ---- who is there ----

void Room::join(int rank, int device) {
  const std::lock_guard lock(mutex_);
  for (int other = 0; other < ranks_; ++other) {
    if (devices_[static_cast<std::size_t>(other)] != device) continue;
    throw Failure{ncclInvalidUsage, "rank " + std::to_string(rank) + " and rank " +
                                        std::to_string(other) + " are both on device " +
                                        std::to_string(device)};
  }
  int& known = devices_[static_cast<std::size_t>(rank)];
  if (known >= 0) {
    throw Failure{ncclInvalidUsage, rank_text(rank) + " has joined this communicator before"};
  }
  known = device;
  changed_.notify_all();
}

// Waits until done() or for the time limit; false when that is over.
template <typename Done>
bool Room::wait(std::unique_lock<std::mutex>& lock, Done done) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(time_limit());
  while (!done()) {
    if (Clock::now() > deadline) return false;
    if (carrier_ == nullptr) {
      changed_.wait_until(lock, deadline);
      continue;
    }
    lock.unlock();
    carrier_->deliver(*this);
    lock.lock();
    if (!done()) changed_.wait_for(lock, kPause);
  }
  return true;
}

std::string Room::names_of_missing() const {
  std::string names;
  int missing = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    const bool is_there = devices_[i] >= 0 || (i < is_elsewhere_.size() && is_elsewhere_[i]);
    if (is_there) continue;
    names += (missing++ == 0 ? "" : ", ") + std::to_string(rank);
  }
  return (missing == 1 ? "rank " : "ranks ") + names + (missing == 1 ? " has" : " have");
}

void Room::wait_for_all(int rank) {
  std::unique_lock lock(mutex_);
  const auto all_are_there = [this] {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i] < 0 && (i >= is_elsewhere_.size() || !is_elsewhere_[i])) return false;
    }
    return true;
  };
  const bool in_time = wait(lock, [&] { return aborted_by_.has_value() || all_are_there(); });
  check_alive(rank, "ncclCommInitRank");
  if (!in_time) {
    throw Failure{ncclRemoteError,
                  names_of_missing() + " not joined the communicator in " + seconds_text()};
  }
}

void Room::check_alive(int awaited, const std::string& call) const {
  if (aborted_by_) {
    throw Failure{ncclRemoteError, rank_text(*aborted_by_) + " has aborted the communicator"};
  }
  const auto end = ends_.find(awaited);
  if (end != ends_.end()) {
    throw Failure{ncclRemoteError,
                  rank_text(awaited) + " " + end->second + ", and never comes to " + call};
  }
}

void Room::leave(int rank) {
  const std::string what_became = "has destroyed its communicator";
  note_end(rank, what_became);
  if (carrier_ == nullptr) return;
  carrier_->tell_all(rank, what_became);
  bool is_last = true;
  {
    const std::lock_guard lock(mutex_);
    for (int other = 0; other < ranks_; ++other) {
      const bool is_here = !is_elsewhere_[static_cast<std::size_t>(other)];
      is_last &= !is_here || ends_.contains(other);
    }
  }
  if (is_last) carrier_->leave(*this);
}

void Room::note_end(int rank, const std::string& what_became) {
  const std::lock_guard lock(mutex_);
  ends_.try_emplace(rank, what_became);
  changed_.notify_all();
}

void Room::abort(int rank) {
  const std::lock_guard lock(mutex_);
  if (!aborted_by_) aborted_by_ = rank;
  changed_.notify_all();
}

// ---- messages ----

void Room::send(int from, int to, Channel channel, Message message) {
  const auto i = static_cast<std::size_t>(to);
  if (i < is_elsewhere_.size() && is_elsewhere_[i]) {
    return carrier_->send(from, to, channel, std::move(message));
  }
  put(from, to, channel, std::move(message));
}

void Room::put(int from, int to, Channel channel, Message message) {
  const std::lock_guard lock(mutex_);
  messages_[{from, to, channel}].push_back(std::move(message));
  changed_.notify_all();
}

Message Room::receive(int from, int to, Channel channel, const std::string& call) {
  std::unique_lock lock(mutex_);
  std::deque<Message>& arrived = messages_[{from, to, channel}];
  const bool in_time = wait(
      lock, [&] { return !arrived.empty() || aborted_by_.has_value() || ends_.contains(from); });
  if (arrived.empty() || aborted_by_) {
    check_alive(from, call);
    if (!in_time) {
      throw Failure{ncclRemoteError,
                    rank_text(from) + " has not come to " + call + " in " + seconds_text()};
    }
  }
  Message message = std::move(arrived.front());
  arrived.pop_front();
  return message;
}

}  // namespace simt::nccl
