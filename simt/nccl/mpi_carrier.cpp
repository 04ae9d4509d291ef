// Ranks of other processes, by MPI. Messages are sent and received without waiting, and looked
// after by whoever waits for one, so that a deadline can end the wait. They travel in
// MPI_COMM_WORLD with a tag of their own: a communicator could only be made by all processes
// together, and some may never come.
//
// The process that made the ncclUniqueId is the host of its communicator. Each rank elsewhere says
// hello to it, and when all ranks are there it tells every process which rank is where.

#define OMPI_SKIP_MPICXX 1
#include <atomic>
#include <climits>
#include <cstring>
#include <list>
#include <map>
#include <mpi.h>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simt/nccl/processes.h"

namespace simt::nccl {
namespace {

// The highest that every MPI allows. (MPI 4.1, section 9.1.2: MPI_TAG_UB is at least 32767.)
constexpr int kTag = 32767;

enum class Kind : std::uint32_t { kHello, kBegin, kRefuse, kData, kEnd, kAbort };

struct Header {
  RoomName name;
  Kind kind = {};
  Channel channel = {};
  std::int32_t from = 0;
  std::int32_t to = 0;
};

using Bytes = std::vector<std::byte>;

Bytes packed(const Header& header, const void* data, std::size_t bytes) {
  Bytes all(sizeof header + bytes);
  std::memcpy(all.data(), &header, sizeof header);
  if (bytes > 0) std::memcpy(all.data() + sizeof header, data, bytes);
  return all;
}

class MpiCarrier;

// What this process sends and receives, of all its communicators.
class Post {
 public:
  static Post& instance() {
    static Post& post = *new Post;  // never destroyed: communicators may end at the very end
    return post;
  }

  void open(const RoomName& name, MpiCarrier& carrier);
  void close(const RoomName& name) {
    const std::lock_guard lock(mutex_);
    carriers_.erase(name);
    closed_.insert(name);
  }

  void send(int process, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    check_thread();
    if (bytes.size() > INT_MAX) {
      throw Failure{ncclInvalidUsage, "more than 2 GiB between two processes in one call"};
    }
    Letter& letter = sent_.emplace_back(Letter{std::move(bytes)});
    ++unfinished_;
    MPI_Isend(letter.bytes.data(), static_cast<int>(letter.bytes.size()), MPI_BYTE, process, kTag,
              MPI_COMM_WORLD, &letter.request);
  }  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): is_done() asks for it
  bool all_sent() const { return unfinished_ == 0; }
  void look_after();

 private:
  struct Letter {
    Bytes bytes;
    int process = -1;  // that sent it
    MPI_Request request = MPI_REQUEST_NULL;
  };

  // Below MPI_THREAD_SERIALIZED only the thread that called MPI_Init may.
  static void check_thread() {
    if (!process_number()) {
      throw Failure{ncclInvalidUsage, "MPI_Finalize was called while a communicator was in use"};
    }
    int level = MPI_THREAD_SINGLE;
    int is_main = 0;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    if (level >= MPI_THREAD_SERIALIZED || is_main != 0) return;
    throw Failure{
        ncclInvalidUsage,
        "several threads use MPI, which MPI_Init does not allow: call MPI_Init_thread with "
        "MPI_THREAD_SERIALIZED or more"};
  }
  static bool is_done(Letter& letter) {
    int done = 0;
    MPI_Test(&letter.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void begin_to_receive();
  void hand_out(Letter letter);
  static void hand_to(MpiCarrier& carrier, const Letter& letter);

  std::recursive_mutex mutex_;  // who takes a letter may answer
  std::map<RoomName, MpiCarrier*> carriers_;
  std::set<RoomName> closed_;
  std::list<Letter> sent_;
  std::atomic<std::size_t> unfinished_ = 0;  // of these
  std::list<Letter> arriving_;  // in the order in which they were sent, of each process
  std::map<RoomName, std::vector<Letter>> early_;  // of rooms that are not open yet
};

class MpiCarrier final : public Carrier {
 public:
  MpiCarrier(const RoomName& name, Room& room)
      : name_(name), room_(room), where_(static_cast<std::size_t>(room.ranks()), kUnknown) {
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    Post::instance().open(name_, *this);
  }
  MpiCarrier(const MpiCarrier&) = delete;
  MpiCarrier& operator=(const MpiCarrier&) = delete;
  ~MpiCarrier() override { Post::instance().close(name_); }

  void note_here(int rank) override {
    const std::lock_guard lock(mutex_);
    where(rank) = process_;
  }

  void announce(int rank) override {
    const std::int32_t ranks = room_.ranks();
    if (!is_host()) post(host_process(), Kind::kHello, rank, -1, &ranks, sizeof ranks);
  }

  void begin() override {
    if (!is_host()) return;
    const std::vector<std::int32_t> table = where_now();
    if (has_begun_.exchange(true)) return;
    for (const int process : others())
      post(process, Kind::kBegin, -1, -1, table.data(), table.size() * sizeof table[0]);
  }

  void refuse(const std::string& why) override {
    if (!is_host()) return;
    for (const int process : others())
      post(process, Kind::kRefuse, -1, -1, why.data(), why.size());
  }

  void send(int from, int to, Channel channel, const Message& message) override {
    const Header header{name_, Kind::kData, channel, from, to};
    Post::instance().send(process_of(to), packed(header, message->data(), message->size()));
  }
  bool all_sent() override { return Post::instance().all_sent(); }

  void tell_end(int rank, const std::string& what_became) override {
    for (const int process : others())
      post(process, Kind::kEnd, rank, -1, what_became.data(), what_became.size());
  }
  void tell_abort(const std::string& who) override {
    for (const int process : others())
      post(process, Kind::kAbort, -1, -1, who.data(), who.size());
    // What follows may be the end of the process: this must be on its way.
    Post::instance().look_after();
  }

  void deliver() override { Post::instance().look_after(); }

  std::string host() const override {
    if (is_host()) return "";
    return "process " + std::to_string(host_process()) + ", which made commId,";
  }

  /// A message that has arrived.
  void take(const Header& header, int process, std::span<const std::byte> data);

 private:
  static constexpr std::int32_t kUnknown = -1;

  bool is_host() const { return name_.host == process_; }
  int host_process() const { return static_cast<int>(name_.host); }
  std::int32_t& where(int rank) { return where_[static_cast<std::size_t>(rank)]; }
  int process_of(int rank) {
    const std::lock_guard lock(mutex_);
    return where(rank);
  }
  std::vector<std::int32_t> where_now() {
    const std::lock_guard lock(mutex_);
    return where_;
  }
  // The other processes that have ranks, as far as they are known.
  std::set<int> others() {
    const std::lock_guard lock(mutex_);
    std::set<int> processes(where_.begin(), where_.end());
    processes.erase(process_);
    processes.erase(kUnknown);
    return processes;
  }
  void post(int process, Kind kind, int from, int to, const void* data, std::size_t bytes) const {
    Post::instance().send(process,
                          packed({name_, kind, Channel::kCollective, from, to}, data, bytes));
  }
  void take_hello(int rank, int process, std::span<const std::byte> data);
  bool note_there(int rank, int process);
  void take_table(std::span<const std::byte> data);

  const RoomName name_;
  Room& room_;
  int process_ = 0;
  std::atomic<bool> has_begun_ = false;
  std::mutex mutex_;
  std::vector<std::int32_t> where_;  // the process of each rank
};

// ---- what arrives ----

void Post::open(const RoomName& name, MpiCarrier& carrier) {
  const std::lock_guard lock(mutex_);
  carriers_[name] = &carrier;
  const auto early = early_.extract(name);
  if (early.empty()) return;
  for (const Letter& letter : early.mapped())
    hand_to(carrier, letter);
}

void Post::look_after() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread does
  check_thread();
  unfinished_ -= sent_.remove_if(is_done);
  begin_to_receive();
  while (!arriving_.empty() && is_done(arriving_.front())) {
    Letter letter = std::move(arriving_.front());
    arriving_.pop_front();
    hand_out(std::move(letter));
  }
}

void Post::begin_to_receive() {
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &message, &status);
    if (there == 0) return;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    Letter& letter = arriving_.emplace_back(
        Letter{Bytes(static_cast<std::size_t>(bytes)), status.MPI_SOURCE, MPI_REQUEST_NULL});
    MPI_Imrecv(letter.bytes.data(), bytes, MPI_BYTE, &message, &letter.request);
  }
}

void Post::hand_out(Letter letter) {
  Header header;
  std::memcpy(&header, letter.bytes.data(), sizeof header);
  const auto carrier = carriers_.find(header.name);
  if (carrier != carriers_.end()) return hand_to(*carrier->second, letter);
  if (!closed_.contains(header.name)) early_[header.name].push_back(std::move(letter));
}

void Post::hand_to(MpiCarrier& carrier, const Letter& letter) {
  Header header;
  std::memcpy(&header, letter.bytes.data(), sizeof header);
  carrier.take(header, letter.process, std::span(letter.bytes).subspan(sizeof header));
}

void MpiCarrier::take(const Header& header, int process, std::span<const std::byte> data) {
  const auto text = [&] {
    return std::string(reinterpret_cast<const char*>(data.data()), data.size());
  };
  switch (header.kind) {
    case Kind::kHello:
      return take_hello(header.from, process, data);
    case Kind::kBegin:
      return take_table(data);
    case Kind::kRefuse:
      return room_.refuse(text());
    case Kind::kData:
      return room_.put(header.from, header.to, header.channel,
                       std::make_shared<const Bytes>(data.begin(), data.end()));
    case Kind::kEnd:
      return room_.note_end(header.from, text());
    case Kind::kAbort:
      return room_.note_abort(text());
  }
}

void MpiCarrier::take_hello(int rank, int process, std::span<const std::byte> data) {
  std::int32_t ranks = 0;
  std::memcpy(&ranks, data.data(), sizeof ranks);
  std::string why;
  if (ranks != room_.ranks()) {
    why = "rank " + std::to_string(rank) + " says that nranks is " + std::to_string(ranks) +
          ", and the process that made commId that it is " + std::to_string(room_.ranks());
  } else if (!note_there(rank, process) || !room_.note_elsewhere(rank)) {
    why = "two have joined as rank " + std::to_string(rank);
  } else {
    return;
  }
  room_.refuse(why);
  post(process, Kind::kRefuse, -1, -1, why.data(), why.size());
  refuse(why);
}

// False if the rank is known to be somewhere.
bool MpiCarrier::note_there(int rank, int process) {
  const std::lock_guard lock(mutex_);
  if (where(rank) != kUnknown) return false;
  where(rank) = process;
  return true;
}

void MpiCarrier::take_table(std::span<const std::byte> data) {
  std::vector<int> elsewhere;
  {
    const std::lock_guard lock(mutex_);
    std::memcpy(where_.data(), data.data(), data.size());
    for (int rank = 0; rank < room_.ranks(); ++rank) {
      if (where(rank) != process_) elsewhere.push_back(rank);
    }
  }
  for (const int rank : elsewhere)
    room_.note_elsewhere(rank);
}

}  // namespace

std::optional<int> process_number() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized == 0 || is_finalized != 0) return std::nullopt;
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}

std::unique_ptr<Carrier> make_carrier(const RoomName& name, Room& room) {
  return std::make_unique<MpiCarrier>(name, room);
}

}  // namespace simt::nccl
