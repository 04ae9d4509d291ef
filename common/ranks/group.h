/// \file
/// The ranks of a program, and how they talk beside NCCL: to meet, to compare what they have, and
/// to say what went wrong.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace worklog {

/// One rank's view of all ranks.
class Group {
 public:
  /// What each rank sent; nothing from one that sent nothing in time.
  using Messages = std::vector<std::optional<std::string>>;

  virtual ~Group() = default;

  /// 0 .. size() - 1.
  virtual int rank() const = 0;
  /// How many there are.
  virtual int size() const = 0;
  /// The device that this rank shall use, by its number on this machine.
  virtual int device() const = 0;

  /// Sends `message` to all ranks and returns theirs, its own too. All ranks make the same calls in
  /// the same order; one that does not come is waited for until `limit` ends, and never longer.
  virtual Messages exchange(const std::string& message, std::chrono::milliseconds limit) = 0;
};

/// Where the ranks of one process, a thread each, leave their messages.
class Board {
 public:
  /// For so many ranks.
  explicit Board(int ranks) : ranks_(ranks) {}

  /// The group as `rank` sees it; this must outlive it.
  std::unique_ptr<Group> group_of(int rank);

  /// How many there are.
  int ranks() const { return ranks_; }
  /// Leaves the `turn`th message of `rank` and waits for those of the others.
  Group::Messages exchange(int rank, int turn, const std::string& message,
                           std::chrono::milliseconds limit);

 private:
  int ranks_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::map<int, Group::Messages> turns_;
};

/// Whether this process is one of several that mpirun has started.
bool is_started_by_mpi();

/// The processes that mpirun has started, a rank each. Throws std::runtime_error in a program that
/// was built without MPI.
std::unique_ptr<Group> group_of_processes();

}  // namespace worklog
