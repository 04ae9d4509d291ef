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

/// The way to ranks in other processes.
class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  virtual ~Carrier() = default;

  /// A rank of this process is about to join. Sends nothing.
  virtual void note_here(int rank) = 0;
  /// It has joined.
  virtual void announce(int rank) = 0;
  /// All ranks are known to be there: the others may begin.
  virtual void begin() = 0;
  /// Not all have come, and none may begin.
  virtual void refuse(const std::string& why) = 0;
  /// Takes a message for a rank elsewhere along. Does not wait for it to arrive.
  virtual void send(int from, int to, Channel channel, const Message& message) = 0;
  /// Whether all that was taken along has been received.
  virtual bool all_sent() = 0;
  /// Tells all ranks elsewhere what has become of one here.
  virtual void tell_end(int rank, const std::string& what_became) = 0;
  /// The same of one that ends all.
  virtual void tell_abort(const std::string& who) = 0;
  /// Brings what has arrived into the room.
  virtual void deliver() = 0;
  /// Who a rank here waits for until it hears that all are there, as a noun; empty where it learns
  /// of each rank by itself.
  virtual std::string host() const = 0;
};

/// How long a rank waits for another: the environment's SIMT_NCCL_TIMEOUT in seconds, or 120.
std::chrono::duration<double> time_limit();

/// One communicator. Functions that wait throw a Failure which names the rank that is missing.
class Room {
 public:
  using Clock = std::chrono::steady_clock;  ///< by which ranks wait

  /// For so many ranks, of which none has joined.
  explicit Room(int ranks);

  int ranks() const { return ranks_; }  ///< that it is for
  /// Some ranks may be elsewhere. Before any joins.
  void set_carrier(std::unique_ptr<Carrier> carrier) { carrier_ = std::move(carrier); }

  /// A rank of this process is there, on this device.
  void join(int rank, int device);
  /// One of another process is. False if one of this number has been there before.
  bool note_elsewhere(int rank);
  /// Waits until all have joined.
  void wait_for_all();
  /// Ends that: not all come.
  void refuse(const std::string& why);

  /// A rank of this process has left, orderly. The last one waits until those elsewhere have, too.
  void leave(int rank);
  /// What has become of a rank: nobody need wait for it.
  void note_end(int rank, const std::string& what_became);
  /// Ends all on behalf of a rank here: whoever waits, or comes later, is told so. `why` may be
  /// empty.
  void abort(int rank, const std::string& why);
  /// The same of a rank elsewhere, as a sentence that says who.
  void note_abort(const std::string& who);

  /// Sends; does not wait.
  void send(int from, int to, Channel channel, Message message);
  /// Puts a message where its receiver looks for it.
  void put(int from, int to, Channel channel, Message message);
  /// Waits for the next message; `call` is what it is for.
  Message receive(int from, int to, Channel channel, const std::string& call);
  /// Waits until all that was sent has been received elsewhere.
  void flush();

 private:
  using Address = std::tuple<int, int, Channel>;  // from, to

  enum class Place { kNowhere, kHere, kElsewhere };
  struct Member {
    Place place = Place::kNowhere;
    int device = -1;  // of one that is here
    std::optional<std::string> end = {};
  };

  Member& member(int rank) { return members_[static_cast<std::size_t>(rank)]; }
  const Member& member(int rank) const { return members_[static_cast<std::size_t>(rank)]; }
  template <typename Done>
  bool wait(std::unique_lock<std::mutex>& lock, Done done, int limits = 1);
  template <typename IsMeant>
  std::string names_of(IsMeant is_meant) const;
  void check_abort() const;

  const int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Member> members_;
  std::optional<std::string> refusal_;
  std::optional<std::string> abort_;  // a sentence that says who
  std::map<Address, std::deque<Message>> messages_;
  std::unique_ptr<Carrier> carrier_;
};

}  // namespace simt::nccl
