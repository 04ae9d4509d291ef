// Calls that are wrong, ranks that do not agree, and ranks that never come: each is an error that
// says who, and nobody hangs.

#include <chrono>
#include <memory>

#include "simt/tests/nccl/ranks.h"

namespace {

bool says(const std::string& text, const std::string& part) {
  const bool does = text.find(part) != std::string::npos;
  if (!does) MESSAGE(text);
  return does;
}

bool last_error_says(const std::string& part) {
  return says(ncclGetLastError(nullptr), part);
}

float one(int, std::size_t) {
  return 1.0f;
}

ncclResult_t async_error(ncclComm_t comm) {
  ncclResult_t error = ncclSuccess;
  ncclCommGetAsyncError(comm, &error);
  return error;
}

}  // namespace

TEST_SUITE_BEGIN("mistakes");

TEST_CASE("arguments") {
  Ranks ranks(2);
  const RankArrays<float> x(2, 8, one);
  const auto reduce = [&](const void* send, void* receive, int type, int op,
                          std::size_t count = 4) {
    return ncclAllReduce(send, receive, count, static_cast<ncclDataType_t>(type),
                         static_cast<ncclRedOp_t>(op), ranks[0], nullptr);
  };
  CHECK(reduce(nullptr, x[0], ncclFloat, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("ncclAllReduce, rank 0 of 2: sendbuff is null"));
  CHECK(reduce(x[0], nullptr, ncclFloat, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("recvbuff is null"));
  CHECK(reduce(x[0], x[0], 12, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("datatype is 12"));
  CHECK(reduce(x[0], x[0], ncclFloat8e4m3, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("not available here"));
  CHECK(reduce(x[0], x[0], ncclFloat, 5) == ncclInvalidArgument);
  CHECK(last_error_says("op is 5"));
  CHECK(reduce(x[0], x[0], ncclFloat, ncclSum, SIZE_MAX) == ncclInvalidArgument);
  CHECK(last_error_says("count is"));
  CHECK(reduce(x[1], x[0], ncclFloat, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("sendbuff is memory of device 1, and the communicator is of device 0"));
  float on_host[4] = {};
  CHECK(reduce(x[0], on_host, ncclFloat, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("recvbuff is memory of the host"));
  CHECK(reduce(x[0], x[0] + 1, ncclFloat, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("sendbuff and recvbuff overlap"));
  CHECK(ncclBcast(x[0], 4, ncclFloat, 2, ranks[0], nullptr) == ncclInvalidArgument);
  CHECK(last_error_says("root is 2, which is not in 0..1"));
  CHECK(ncclSend(x[0], 4, ncclFloat, -1, ranks[0], nullptr) == ncclInvalidArgument);
  CHECK(last_error_says("peer is -1"));
  CHECK(ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, nullptr, nullptr) == ncclInvalidArgument);
  CHECK(last_error_says("comm is null"));
  cudaSetDevice(1);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  CHECK(ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, ranks[0], stream) == ncclInvalidArgument);
  CHECK(last_error_says("stream is of device 1"));
  cudaStreamDestroy(stream);
  // None of these has harmed the communicator.
  CHECK(async_error(ranks[0]) == ncclSuccess);
  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclAllReduce(x[rank], x[rank], 4, ncclFloat, ncclSum, comm, nullptr);
  }) == ncclSuccess);
  ncclCommFinalize(ranks[0]);
  CHECK(reduce(x[0], x[0], ncclFloat, ncclSum) == ncclInvalidArgument);
  CHECK(last_error_says("comm has been finalized"));
  CHECK(ncclGroupEnd() == ncclInvalidUsage);
}

TEST_CASE("a group in which a call is wrong makes none") {
  Ranks ranks(2);
  const RankArrays<float> x(2, 4, one);
  ncclGroupStart();
  CHECK(ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, ranks[0], nullptr) == ncclSuccess);
  CHECK(ncclAllReduce(x[1], nullptr, 4, ncclFloat, ncclSum, ranks[1], nullptr) ==
        ncclInvalidArgument);
  CHECK(ncclGroupEnd() == ncclInvalidArgument);
  CHECK(last_error_says("rank 1 of 2: recvbuff is null"));
  CHECK(x.host(0)[0] == 1.0f);
  // The next group is another.
  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclAllReduce(x[rank], x[rank], 4, ncclFloat, ncclSum, comm, nullptr);
  }) == ncclSuccess);
}

TEST_CASE("communicators that cannot be made") {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclComm_t comm = nullptr;
  CHECK(ncclCommInitRank(&comm, 2, id, 2) == ncclInvalidArgument);
  CHECK(last_error_says("ncclCommInitRank, rank 2 of 2: rank is 2, which is not in 0..1"));
  CHECK(ncclCommInitRank(&comm, 0, id, 0) == ncclInvalidArgument);
  CHECK(ncclCommInitRank(nullptr, 1, id, 0) == ncclInvalidArgument);
  CHECK(ncclCommInitRank(&comm, 1, ncclUniqueId{}, 0) == ncclInvalidArgument);
  CHECK(last_error_says("commId does not come from ncclGetUniqueId"));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  CHECK(ncclCommInitRankConfig(&comm, 1, id, 0, &config) == ncclInvalidArgument);
  CHECK(last_error_says("config.blocking is 0"));
  const int twice[] = {3, 3};
  ncclComm_t comms[2] = {};
  CHECK(ncclCommInitAll(comms, 2, twice) == ncclInvalidUsage);
  CHECK(last_error_says("rank 1 of 2: rank 0 is on device 3, too"));
  const int no_device[] = {0, 8};
  CHECK(ncclCommInitAll(comms, 2, no_device) == ncclUnhandledCudaError);
  CHECK(last_error_says("rank 1 is on device 8, which is not in 0..7"));
  CHECK(comm == nullptr);
}

TEST_CASE("memory that nobody wrote, or that is too small") {
  Ranks ranks(1);
  float* x = nullptr;
  cudaMalloc(&x, 16);
  const ExpectedFindings found;
  CHECK(ncclAllReduce(x, x, 4, ncclFloat, ncclSum, ranks[0], nullptr) == ncclSuccess);
  CHECK(found.kinds() == "uninitialized-copy ");
  CHECK(says(found.message(), "ncclAllReduce reads byte 0 of an allocation of 16 bytes"));
  simt::clear_findings();
  CHECK(ncclAllReduce(x, x, 5, ncclFloat, ncclSum, ranks[0], nullptr) == ncclInvalidArgument);
  CHECK(last_error_says("sendbuff has fewer than the 20 bytes that are read"));
  CHECK(found.kinds() == "copy-out-of-bounds ");
  cudaFree(x);
}

TEST_CASE("ranks that call something else are named, and nothing is written") {
  struct {
    const char* name;
    std::size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
  } const wrong[] = {{"3 ncclFloat32, ncclSum", 3, ncclFloat, ncclSum},
                     {"4 ncclInt32, ncclSum", 4, ncclInt, ncclSum},
                     {"4 ncclFloat32, ncclMax", 4, ncclFloat, ncclMax},
                     {"ncclBroadcast of 4 ncclFloat32, root 0", 4, ncclFloat, ncclNumOps}};
  for (const auto& each : wrong) {
    CAPTURE(each.name);
    Ranks ranks(3);
    const RankArrays<float> x(3, 4, one);
    const auto results = ranks.in_threads([&](int rank, ncclComm_t comm) {
      if (rank != 1) return ncclAllReduce(x[rank], x[rank], 4, ncclFloat, ncclSum, comm, nullptr);
      if (each.op == ncclNumOps) return ncclBcast(x[rank], each.count, each.type, 0, comm, nullptr);
      return ncclAllReduce(x[rank], x[rank], each.count, each.type, each.op, comm, nullptr);
    });
    CHECK(results == std::vector<ncclResult_t>(3, ncclInvalidUsage));
    CHECK(says(ranks.reasons[0], "ncclAllReduce, rank 0 of 3: rank 1 calls "));
    CHECK(says(ranks.reasons[0], each.name));
    CHECK(says(ranks.reasons[1],
               "rank 1 of 3: rank 0 calls ncclAllReduce of 4 ncclFloat32, ncclSum"));
    CHECK(says(ranks.reasons[2], "rank 2 of 3: rank 1 calls "));
    for (int rank = 0; rank < 3; ++rank) {
      CHECK(x.host(rank) == std::vector<float>(4, 1.0f));
      CHECK(async_error(ranks[rank]) == ncclInvalidUsage);
    }
    // Nor can such a communicator be used any more.
    ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, ranks[0], nullptr);
    CHECK(ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, ranks[0], nullptr) == ncclInvalidUsage);
    CHECK(
        last_error_says("the communicator has failed before: ncclAllReduce, rank 0 of 3: rank 1"));
    CHECK(says(ncclGetLastError(ranks[2]), "rank 2 of 3: rank 1 calls "));
  }
}

TEST_CASE("what is sent and what is received must agree") {
  Ranks ranks(2);
  const RankArrays<float> x(2, 4, one);
  ncclGroupStart();
  ncclSend(x[0], 3, ncclFloat, 1, ranks[0], nullptr);
  ncclRecv(x[1], 4, ncclFloat, 0, ranks[1], nullptr);
  CHECK(ncclGroupEnd() == ncclInvalidUsage);
  CHECK(
      last_error_says("ncclRecv, rank 1 of 2: rank 0 calls ncclSend of 3 ncclFloat32, where this "
                      "one calls ncclRecv of 4 ncclFloat32"));
}

TEST_CASE("an abort ends the calls of all ranks") {
  Ranks ranks(3);
  const RankArrays<float> x(3, 4, one);
  const auto results = ranks.in_threads([&](int rank, ncclComm_t comm) {
    if (rank == 2) return ncclCommAbort(comm);
    return ncclAllReduce(x[rank], x[rank], 4, ncclFloat, ncclSum, comm, nullptr);
  });
  ranks[2] = nullptr;
  CHECK(results == std::vector<ncclResult_t>{ncclRemoteError, ncclRemoteError, ncclSuccess});
  CHECK(says(ranks.reasons[0], "ncclAllReduce, rank 0 of 3: rank 2 has aborted the communicator"));
  CHECK(async_error(ranks[1]) == ncclRemoteError);
  CHECK(x.host(0) == std::vector<float>(4, 1.0f));
}

TEST_CASE("what was sent before an abort still arrives") {
  Ranks ranks(2);
  const RankArrays<float> x(2, 4, one);
  CHECK(ncclSend(x[1], 4, ncclFloat, 0, ranks[1], nullptr) == ncclSuccess);
  ncclCommAbort(ranks[1]);
  ranks[1] = nullptr;
  CHECK(ncclRecv(x[0], 4, ncclFloat, 1, ranks[0], nullptr) == ncclSuccess);
  CHECK(ncclRecv(x[0], 4, ncclFloat, 1, ranks[0], nullptr) == ncclRemoteError);
}

TEST_CASE("another thread may abort a rank's call, and an abort after a failure says which") {
  Ranks ranks(2);
  const RankArrays<float> x(2, 4, one);
  std::thread watchdog([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ncclCommAbort(ranks[0]);
  });
  CHECK(ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, ranks[0], nullptr) == ncclRemoteError);
  CHECK(last_error_says("rank 0 has aborted the communicator"));
  watchdog.join();
  ranks[0] = nullptr;

  Ranks others(3);
  ncclGroupStart();
  ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, others[0], nullptr);
  ncclAllReduce(x[1], x[1], 4, ncclFloat, ncclMax, others[1], nullptr);
  CHECK(ncclGroupEnd() == ncclInvalidUsage);
  ncclCommAbort(others[0]);
  others[0] = nullptr;
  const RankArrays<float> y(3, 4, one);
  CHECK(ncclRecv(y[2], 4, ncclFloat, 0, others[2], nullptr) == ncclRemoteError);
  CHECK(
      last_error_says("ncclRecv, rank 2 of 3: rank 0 has aborted the communicator, after this: "
                      "ncclAllReduce, rank 0 of 3: rank 1 calls ncclAllReduce of 4 ncclFloat32, "
                      "ncclMax"));
}

TEST_CASE(
    "a rank that has destroyed its communicator is not waited for, but what it sent arrives") {
  Ranks ranks(2);
  const RankArrays<float> x(2, 4, one);
  CHECK(ncclSend(x[1], 4, ncclFloat, 0, ranks[1], nullptr) == ncclSuccess);
  CHECK(ncclCommDestroy(ranks[1]) == ncclSuccess);
  CHECK(ncclCommDestroy(ranks[1]) == ncclInvalidArgument);
  CHECK(last_error_says("comm has been destroyed"));
  ranks[1] = nullptr;
  CHECK(ncclRecv(x[0], 4, ncclFloat, 1, ranks[0], nullptr) == ncclSuccess);
  CHECK(ncclAllReduce(x[0], x[0], 4, ncclFloat, ncclSum, ranks[0], nullptr) == ncclRemoteError);
  CHECK(
      last_error_says("rank 0 of 2: rank 1 has destroyed its communicator, and never comes to "
                      "ncclAllReduce of 4 ncclFloat32, ncclSum"));
}

TEST_SUITE_END();

// The environment of this suite sets a short limit.
TEST_SUITE_BEGIN("absent");

TEST_CASE("a rank that does not come is named when the time is up") {
  Ranks ranks(3);
  const RankArrays<float> x(3, 4, one);
  const auto results = ranks.in_threads([&](int rank, ncclComm_t comm) {
    if (rank == 1) return ncclSuccess;
    return ncclAllReduce(x[rank], x[rank], 4, ncclFloat, ncclSum, comm, nullptr);
  });
  CHECK(results == std::vector<ncclResult_t>{ncclRemoteError, ncclSuccess, ncclRemoteError});
  CHECK(says(ranks.reasons[0],
             "ncclAllReduce, rank 0 of 3: rank 1 has not come to ncclAllReduce of 4 ncclFloat32, "
             "ncclSum in 1 s"));
  CHECK(says(ranks.reasons[2], "rank 2 of 3: rank 1 has not come"));
}

TEST_CASE("and so are those that do not join") {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclComm_t comm = nullptr;
  CHECK(ncclCommInitRank(&comm, 4, id, 2) == ncclRemoteError);
  CHECK(
      last_error_says("ncclCommInitRank, rank 2 of 4: ranks 0, 1, 3 have not joined the "
                      "communicator in 1 s"));
}

TEST_SUITE_END();
