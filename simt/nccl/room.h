/// \file
/// Where the ranks of one communicator meet that are in this process, and their messages to each
/// other. Ranks of other processes are reached by a carrier.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "simt/nccl/failure.h"

namespace simt::nccl {

/// Shared by all who are sent the same.
using Message = std::shared_ptr<const std::vector<std::byte>>;

/// Messages of different kinds do not wait for each other.
enum class Channel : std::uint32_t {
  kCollective,  ///< of calls that all ranks make
  kDirect,      ///< from ncclSend() to ncclRecv()
};

class Room;

/// Brings messages to ranks of other processes, and from them.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Takes a message for a rank elsewhere along. Does not wait for it to arrive.
  virtual void send(int from, int to, Channel channel, Message message) = 0;
  /// Tells all ranks elsewhere what has become of a rank here.
  virtual void tell_all(int rank, const std::string& what_became) = 0;
  /// Brings what has arrived into the room.
  virtual void deliver(Room& room) = 0;
  /// No rank is left here: waits until the others have left, too, or for the time limit.
  virtual void leave(Room& room) = 0;
};

/// How long a rank waits for another: the environment's SIMT_NCCL_TIMEOUT in seconds, or 120.
std::chrono::duration<double> time_limit();

/// One communicator. Functions that wait throw a Failure which names the rank that is missing.
class Room {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Room(int ranks) : ranks_(ranks), devices_(static_cast<std::size_t>(ranks), -1) {}

  int ranks() const { return ranks_; }
  /// Has ranks elsewhere reached, and says which ranks these are.
  void set_carrier(std::unique_ptr<Carrier> carrier, std::vector<bool> is_elsewhere);

  /// A rank of this process is there, on this device.
  void join(int rank, int device);
  /// Waits until all have joined.
  void wait_for_all(int rank);
  /// A rank has left, orderly; or not, and says why.
  void leave(int rank);
  /// The same of one elsewhere, or of one that was ended: nobody need wait for it.
  void note_end(int rank, const std::string& what_became);
  /// Ends all: whoever waits, or comes later, is told so.
  void abort(int rank);

  /// Sends; does not wait.
  void send(int from, int to, Channel channel, Message message);
  /// Puts a message that has come from elsewhere where its receiver looks for it.
  void put(int from, int to, Channel channel, Message message);
  /// Waits for the next message; `call` is what it is for.
  Message receive(int from, int to, Channel channel, const std::string& call);

 private:
  using Address = std::tuple<int, int, Channel>;  // from, to

  template <typename Done>
  bool wait(std::unique_lock<std::mutex>& lock, Done done);
  std::string names_of_missing() const;
  void check_alive(int awaited, const std::string& call) const;

  const int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> devices_;  // of the ranks that have joined; -1 of others
  std::vector<bool> is_elsewhere_;
  std::map<int, std::string> ends_;  // what became of a rank
  std::optional<int> aborted_by_;
  std::map<Address, std::deque<Message>> messages_;
  std::unique_ptr<Carrier> carrier_;
};

}  // namespace simt::nccl
