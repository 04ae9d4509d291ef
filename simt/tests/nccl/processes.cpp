// A program of several processes, as NCCL's manual has it: MPI starts them and hands the id around.
// Its first argument says what goes wrong, in the last process but one.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string>
#include <thread>
#include <vector>

#include "simt/include/nccl.h"
#include "simt/nccl/link_counters.h"

namespace {

thread_local int rank = 0;

// Ends the process as a program does that looks at each error.
void check(ncclResult_t result, ncclComm_t comm = nullptr) {
  if (result == ncclSuccess) return;
  std::printf("process %d: error %d: %s\n", rank, result, ncclGetLastError(comm));
  std::fflush(stdout);
  MPI_Finalize();
  std::exit(1);
}

void check_sum(const std::vector<float>& sums, int ranks) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto expected = static_cast<float>(ranks * (ranks - 1) / 2) +
                          static_cast<float>(ranks) * static_cast<float>(i % 7);
    if (sums[i] == expected) continue;
    std::printf("process %d: element %zu is %g and not %g\n", rank, i, sums[i], expected);
    std::exit(1);
  }
}

// All ranks' numbers, added up.
void all_reduce(ncclComm_t comm, int ranks, std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<float>(rank) + static_cast<float>(i % 7);
  float* x = nullptr;
  cudaMalloc(&x, count * sizeof(float));
  cudaMemcpy(x, numbers.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  check(ncclAllReduce(x, x, count, ncclFloat, ncclSum, comm, nullptr));
  cudaMemcpy(numbers.data(), x, count * sizeof(float), cudaMemcpyDeviceToHost);
  check_sum(numbers, ranks);
  cudaFree(x);
}

// Each to the next, and the last to the first.
void pass_around(ncclComm_t comm, int ranks) {
  int* x = nullptr;
  cudaMalloc(&x, 2 * sizeof(int));
  cudaMemcpy(x, &rank, sizeof(int), cudaMemcpyHostToDevice);
  ncclGroupStart();
  check(ncclSend(x, 1, ncclInt, (rank + 1) % ranks, comm, nullptr));
  check(ncclRecv(x + 1, 1, ncclInt, (rank + ranks - 1) % ranks, comm, nullptr));
  check(ncclGroupEnd());
  int got = -1;
  cudaMemcpy(&got, x + 1, sizeof(int), cudaMemcpyDeviceToHost);
  if (got != (rank + ranks - 1) % ranks) std::exit(1);
  cudaFree(x);
}

// Two ranks in each process, each in a thread and on a device of its own.
void run_in_threads(int process, int processes, const ncclUniqueId& id) {
  const int ranks = 2 * processes;
  std::vector<ncclComm_t> comms(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      rank = 2 * process + i;
      cudaSetDevice(i);
      ncclComm_t& comm = comms[static_cast<std::size_t>(i)];
      check(ncclCommInitRank(&comm, ranks, id, rank));
      all_reduce(comm, ranks, 100000);
      pass_around(comm, ranks);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const ncclComm_t comm : comms)
    check(ncclCommDestroy(comm));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "none";
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, fault == "threads" ? MPI_THREAD_MULTIPLE : level, &level);
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool is_faulty = rank == ranks - 2;

  ncclUniqueId id;
  if (rank == 0) check(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (fault == "threads") {
    run_in_threads(rank, ranks, id);
    std::printf("process %d: both are done\n", rank);
    return MPI_Finalize();
  }
  if (fault == "absent" && is_faulty) return MPI_Finalize();
  ncclComm_t comm = nullptr;
  check(ncclCommInitRank(&comm, ranks, id, rank));

  all_reduce(comm, ranks, 1000);
  if (is_faulty) {
    if (fault == "killed") std::raise(SIGKILL);
    if (fault == "left") return MPI_Finalize();
    if (fault == "aborted") {
      ncclCommAbort(comm);
      return MPI_Finalize();
    }
  }
  // Too much for a message that MPI sends before it is asked for.
  const std::size_t many = 100000;
  all_reduce(comm, ranks, fault == "rows" && is_faulty ? many - 1 : many);
  pass_around(comm, ranks);
  check(ncclCommDestroy(comm));

  const auto crossed = simt::nccl::link_counters(rank, "ncclAllReduce");
  std::printf("process %d: %zu bytes sent, %zu received\n", rank,
              static_cast<std::size_t>(crossed.sent_bytes),
              static_cast<std::size_t>(crossed.received_bytes));
  MPI_Finalize();
  return 0;
}
