#include <utility>

#include "common/ranks/group.h"

namespace worklog {

namespace {

class ThreadGroup : public Group {
 public:
  ThreadGroup(Board& board, int rank) : board_(board), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return board_.ranks(); }
  int device() const override { return rank_; }
  Messages exchange(const std::string& message, std::chrono::milliseconds limit) override {
    return board_.exchange(rank_, turn_++, message, limit);
  }

 private:
  Board& board_;
  int rank_;
  int turn_ = 0;
};

bool is_complete(const Group::Messages& messages) {
  for (const auto& message : messages) {
    if (!message) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Group> Board::group_of(int rank) {
  return std::make_unique<ThreadGroup>(*this, rank);
}

Group::Messages Board::exchange(int rank, int turn, const std::string& message,
                                std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  Group::Messages& messages = turns_[turn];
  messages.resize(static_cast<std::size_t>(ranks_));
  messages[static_cast<std::size_t>(rank)] = message;
  came_.notify_all();
  came_.wait_for(lock, limit, [&messages] { return is_complete(messages); });
  turns_.erase(turns_.begin(), turns_.lower_bound(turn - 1));  // everyone has read those, or left
  return messages;
}

}  // namespace worklog
