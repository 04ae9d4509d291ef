#include "simt/nccl/room.h"

#include <algorithm>
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

std::string seconds_text(Seconds seconds = time_limit()) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds.count());
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

Room::Room(int ranks) : ranks_(ranks), members_(static_cast<std::size_t>(ranks)) {}

// Waits until done() or for so many time limits; false when these are over.
template <typename Done>
bool Room::wait(std::unique_lock<std::mutex>& lock, Done done, int limits) {
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(limits * time_limit());
  while (!done()) {
    if (Clock::now() > deadline) return false;
    if (carrier_ == nullptr) {
      changed_.wait_until(lock, deadline);
      continue;
    }
    lock.unlock();
    carrier_->deliver();
    lock.lock();
    if (!done()) changed_.wait_for(lock, kPause);
  }
  return true;
}

// "rank 2 has" or "ranks 1, 2 have"
template <typename IsMeant>
std::string Room::names_of(IsMeant is_meant) const {
  std::string names;
  int count = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (is_meant(member(rank))) names += (count++ == 0 ? "" : ", ") + std::to_string(rank);
  }
  return count == 1 ? "rank " + names + " has" : "ranks " + names + " have";
}

void Room::check_abort() const {
  if (abort_) throw Failure{ncclRemoteError, *abort_};
}

// ---- who is there ----

void Room::join(int rank, int device) {
  {
    const std::lock_guard lock(mutex_);
    for (int other = 0; other < ranks_; ++other) {
      if (member(other).device != device || other == rank) continue;
      throw Failure{ncclInvalidUsage, "rank " + std::to_string(other) + " is on device " +
                                          std::to_string(device) + ", too"};
    }
    if (member(rank).place != Place::kNowhere) {
      throw Failure{ncclInvalidUsage, "another has joined as this rank before"};
    }
    if (carrier_ != nullptr) carrier_->note_here(rank);  // before others see that all are there
    member(rank) = {Place::kHere, device};
    changed_.notify_all();
  }
  if (carrier_ != nullptr) carrier_->announce(rank);
}

bool Room::note_elsewhere(int rank) {
  const std::lock_guard lock(mutex_);
  if (member(rank).place != Place::kNowhere) return false;
  member(rank).place = Place::kElsewhere;
  changed_.notify_all();
  return true;
}

void Room::wait_for_all() {
  std::unique_lock lock(mutex_);
  const auto is_missing = [](const Member& each) { return each.place == Place::kNowhere; };
  const std::string host = carrier_ != nullptr ? carrier_->host() : "";
  // The host says who is missing, once its own time is up.
  const int limits = host.empty() ? 1 : 2;
  const bool in_time = wait(
      lock,
      [&] {
        return abort_ || refusal_ || std::none_of(members_.begin(), members_.end(), is_missing);
      },
      limits);
  check_abort();
  if (refusal_) throw Failure{ncclRemoteError, *refusal_};
  const std::string who = host.empty() ? names_of(is_missing) : host + " has";
  lock.unlock();
  if (in_time) {
    if (carrier_ != nullptr) carrier_->begin();
    return;
  }
  const std::string why =
      who + " not joined the communicator in " + seconds_text(limits * time_limit());
  if (carrier_ != nullptr) carrier_->refuse(why);
  throw Failure{ncclRemoteError, why};
}

void Room::refuse(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!refusal_) refusal_ = why;
  changed_.notify_all();
}

// ---- who has left ----

void Room::leave(int rank) {
  const std::string what_became = "has destroyed its communicator";
  note_end(rank, what_became);
  if (carrier_ == nullptr) return;
  carrier_->tell_end(rank, what_became);
  std::unique_lock lock(mutex_);
  const auto is_at_work = [](const Member& each) { return !each.end; };
  const bool is_last = std::none_of(members_.begin(), members_.end(), [&](const Member& each) {
    return each.place == Place::kHere && is_at_work(each);
  });
  if (!is_last) return;
  const bool in_time = wait(
      lock, [&] { return abort_ || std::none_of(members_.begin(), members_.end(), is_at_work); });
  if (!in_time) {
    throw Failure{ncclRemoteError,
                  names_of(is_at_work) + " not destroyed the communicator in " + seconds_text()};
  }
}

void Room::note_end(int rank, const std::string& what_became) {
  const std::lock_guard lock(mutex_);
  if (!member(rank).end) member(rank).end = what_became;
  changed_.notify_all();
}

void Room::note_abort(const std::string& who) {
  const std::lock_guard lock(mutex_);
  if (!abort_) abort_ = who;
  changed_.notify_all();
}

void Room::abort(int rank, const std::string& why) {
  const std::string who = rank_text(rank) + " has aborted the communicator" +
                          (why.empty() ? "" : ", after this: " + why);
  note_abort(who);
  if (carrier_ != nullptr) carrier_->tell_abort(who);
}

// ---- messages ----

void Room::send(int from, int to, Channel channel, Message message) {
  if (member(to).place == Place::kElsewhere) return carrier_->send(from, to, channel, message);
  put(from, to, channel, std::move(message));
}

void Room::put(int from, int to, Channel channel, Message message) {
  const std::lock_guard lock(mutex_);
  messages_[{from, to, channel}].push_back(std::move(message));
  changed_.notify_all();
}

// What was sent before the end of a rank, or of all, is still worth reading: it may say why.
Message Room::receive(int from, int to, Channel channel, const std::string& call) {
  std::unique_lock lock(mutex_);
  std::deque<Message>& arrived = messages_[{from, to, channel}];
  const std::optional<std::string>& end = member(from).end;
  const bool in_time = wait(lock, [&] { return !arrived.empty() || abort_ || end; });
  if (!arrived.empty()) {
    Message message = std::move(arrived.front());
    arrived.pop_front();
    return message;
  }
  check_abort();
  const std::string who = rank_text(from);
  throw Failure{ncclRemoteError, in_time
                                     ? who + " " + *end + ", and never comes to " + call
                                     : who + " has not come to " + call + " in " + seconds_text()};
}

void Room::flush() {
  if (carrier_ == nullptr) return;
  std::unique_lock lock(mutex_);
  const bool in_time = wait(lock, [&] { return abort_ || carrier_->all_sent(); });
  check_abort();
  if (!in_time) {
    throw Failure{ncclRemoteError,
                  "what was sent has not been taken by another rank in " + seconds_text()};
  }
}

}  // namespace simt::nccl
