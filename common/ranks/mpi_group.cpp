#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <list>
#include <mpi.h>
#include <stdexcept>
#include <thread>

#include "common/ranks/group.h"

namespace worklog {

namespace {

// MPI's own collectives wait for everyone, however long it takes. So each message goes by itself.
class ProcessGroup : public Group {
 public:
  ProcessGroup() {
    int has_mpi = 0;
    MPI_Initialized(&has_mpi);
    int threads = MPI_THREAD_MULTIPLE;
    if (has_mpi == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads);
    if (threads != MPI_THREAD_MULTIPLE) throw std::runtime_error("this MPI allows no threads");
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &device_);
    MPI_Comm_free(&machine);
  }

  // With everyone here MPI ends in order; a rank that misses one must not wait for it.
  ~ProcessGroup() override {
    if (is_complete_) MPI_Finalize();
  }
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int device() const override { return device_; }

  Messages exchange(const std::string& message, std::chrono::milliseconds limit) override {
    if (message.size() > std::numeric_limits<int>::max()) {
      throw std::length_error("a message of " + std::to_string(message.size()) +
                              " bytes: MPI takes less than 2 GiB");
    }
    const int tag = turn_++;
    sent_.push_back(message);  // what a rank that is gone never takes stays here
    for (int to = 0; to < size_; ++to) {
      if (to == rank_) continue;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(sent_.back().data(), static_cast<int>(sent_.back().size()), MPI_CHAR, to, tag,
                world_, &request);
      requests_.push_back(request);
    }
    Messages messages(static_cast<std::size_t>(size_));
    messages[static_cast<std::size_t>(rank_)] = message;
    const auto end = std::chrono::steady_clock::now() + limit;
    int missing = size_ - 1;
    while (missing > 0 && std::chrono::steady_clock::now() < end) {
      if (receive(messages, tag)) {
        --missing;
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
    is_complete_ = is_complete_ && missing == 0;
    forget_sent();
    return messages;
  }

 private:
  bool receive(Messages& messages, int tag) const {
    int has_one = 0;
    MPI_Message found = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, tag, world_, &has_one, &found, &status);
    if (has_one == 0) return false;
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    std::string text(static_cast<std::size_t>(size), '\0');
    MPI_Mrecv(text.data(), size, MPI_CHAR, &found, &status);
    messages[static_cast<std::size_t>(status.MPI_SOURCE)] = std::move(text);
    return true;
  }

  void forget_sent() {
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    if (all == 0) return;
    requests_.clear();
    sent_.clear();
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int device_ = 0;
  int turn_ = 0;
  bool is_complete_ = true;
  std::list<std::string> sent_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

bool is_started_by_mpi() {
  const char* const of_launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  return std::any_of(std::begin(of_launchers), std::end(of_launchers),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

std::unique_ptr<Group> group_of_processes() {
  return std::make_unique<ProcessGroup>();
}

}  // namespace worklog
