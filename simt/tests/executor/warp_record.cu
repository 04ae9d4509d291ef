// What is recorded of warps: which event, of which lanes, at which addresses, in the program's
// order.

#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "simt/executor/counters.h"
#include "simt/executor/warp_record.h"
#include "simt/tests/support/device_array.h"

namespace {

using Names = std::vector<std::string>;
using simt::WarpEvent;
using simt::WarpEventKind;

constexpr std::uint32_t kAll = 0xffffffff;

__global__ void copy(const float* from, float* to, int apart) {
  to[threadIdx.x] = from[threadIdx.x * apart];
}

__global__ void conflict(float* to) {
  __shared__ float values[1024];
  values[threadIdx.x * 2] = 1.0f;
  to[threadIdx.x] = 0.0f;
}

__global__ void exchange_between_loads(const int* from, int* to) {
  const int first = from[threadIdx.x];
  const int other = __shfl_xor_sync(kAll, first, 1);
  const int second = from[(threadIdx.x + other) % 32];
  const unsigned votes = __ballot_sync(kAll, threadIdx.x < 4);
  to[threadIdx.x] = second + static_cast<int>(votes);
}

__global__ void exchange_in_halves(const int* from, int* to) {
  int value = 0;
  if (threadIdx.x < 16) {
    value = from[threadIdx.x];
    value = __shfl_xor_sync(0xffff, value, 1);
    to[threadIdx.x] = value;
  }
  __syncwarp();
  to[threadIdx.x] = value;
}

__global__ void exchange_in_a_loop(int* to, int turns) {
  int sum = static_cast<int>(threadIdx.x);
  for (int i = 0; i < turns; ++i) {
    sum += __shfl_xor_sync(kAll, sum, 1);
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }
}

__global__ void through_barrier(int* to) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = values[63 - threadIdx.x];
}

__global__ void odd_lanes_load(const int* from, int* to) {
  int value = 0;
  if (threadIdx.x % 2 == 1) value = from[threadIdx.x];
  to[threadIdx.x] = value;
}

// By when the upper half operates, the lower one has run to its end.
__global__ void exchange_in_one_half(const int* from, int* to) {
  int value = from[threadIdx.x];
  if (threadIdx.x >= 16) {
    value += __shfl_xor_sync(0xffff0000, value, 1);
    value += from[threadIdx.x - 16];
    value += __shfl_xor_sync(0xffff0000, value, 2);
  }
  to[threadIdx.x] = value;
}

__global__ void half_a_barrier(int* to) {
  if (threadIdx.x < 40) __syncthreads();
  to[threadIdx.x] = 0;
}

// Half of the second warp waits for the other half, which waits for all.
__global__ void waits_for_ever() {
  if (threadIdx.x < 48) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

__global__ void beyond(const float* from, float* to) {
  to[threadIdx.x] = from[threadIdx.x + 1];
}

// Records what follows until it goes.
class Recording {
 public:
  explicit Recording(const simt::RecordLimits& limits = {}) { simt::start_recording(limits); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { simt::stop_recording(); }
};

Names names_of(const simt::RecordedWarp& warp) {
  Names names;
  for (const WarpEvent& event : warp.events)
    names.emplace_back(name_of(event));
  return names;
}

const simt::RecordedWarp& first_warp(const simt::LaunchRecord& record) {
  REQUIRE_FALSE(record.blocks.empty());
  REQUIRE_FALSE(record.blocks[0].recorded.empty());
  return record.blocks[0].recorded[0];
}

simt::LaunchRecord recorded_copy(int apart) {
  const auto from = zeros<float>(32 * 32);
  const DeviceArray<float> to(32);
  const Recording recording;
  copy<<<1, 32>>>(from.get(), to.get(), apart);
  return simt::take_launch_record();
}

}  // namespace

TEST_SUITE_BEGIN("warp_record");

TEST_CASE("a coalesced load: 32 lanes side by side in 4 sectors") {
  const simt::LaunchRecord record = recorded_copy(1);
  const simt::RecordedWarp& warp = first_warp(record);
  CHECK(names_of(warp) == Names{"global load", "global store", "return"});
  CHECK(warp.lanes == kAll);
  CHECK(warp.left_out == 0);
  const WarpEvent& load = warp.events[0];
  CHECK(load.file == "warp_record.cu");
  CHECK(load.line == warp.events[1].line);
  CHECK(load.lanes == kAll);
  CHECK(load.bytes == 4);
  CHECK(load.sectors == 4);
  REQUIRE(load.offsets.size() == 32);
  CHECK(load.offsets[0] == 0);
  CHECK(load.offsets[31] == 31 * sizeof(float));
  CHECK(load.arrays == std::vector<int>(32, 0));
  CHECK(warp.events[1].arrays == std::vector<int>(32, 1));
}

TEST_CASE("arrays are told by their size and by the line that allocated them") {
  const simt::LaunchRecord record = recorded_copy(1);
  REQUIRE(record.arrays.size() == 2);
  CHECK(record.arrays[0].bytes == 32 * 32 * sizeof(float));
  CHECK(record.arrays[0].name == "an allocation of 4096 bytes");
  CHECK(record.arrays[0].allocated_at.find(':') != std::string::npos);
  CHECK(record.arrays[1].bytes == 32 * sizeof(float));
}

TEST_CASE("a load with a stride: a sector for each lane") {
  const simt::LaunchRecord record = recorded_copy(32);
  const WarpEvent& load = first_warp(record).events.at(0);
  CHECK(load.sectors == 32);
  CHECK(load.offsets[3] == 3 * 32 * sizeof(float));
}

TEST_CASE("a bank conflict shows in wavefronts, beside the variable that it is in") {
  const DeviceArray<float> to(32);
  const Recording recording;
  conflict<<<1, 32>>>(to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  const WarpEvent& store = first_warp(record).events.at(0);
  CHECK(name_of(store) == "shared store");
  CHECK(store.wavefronts == 2);
  CHECK(store.conflicts == 1);
  CHECK(store.arrays.empty());
  REQUIRE(record.blocks[0].shared.size() == 1);
  CHECK(record.blocks[0].shared[0].name == "values");
  CHECK(record.blocks[0].shared[0].bytes == 1024 * sizeof(float));
  CHECK(store.offsets[1] - record.blocks[0].shared[0].offset == 2 * sizeof(float));
}

TEST_CASE("operations of the warp stand between the accesses before and after them") {
  const auto from = zeros<int>(32);
  const DeviceArray<int> to(32);
  const Recording recording;
  exchange_between_loads<<<1, 32>>>(from.get(), to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  const simt::RecordedWarp& warp = first_warp(record);
  REQUIRE(names_of(warp) ==
          Names{"global load", "shuffle", "global load", "vote", "global store", "return"});
  CHECK(warp.events[1].operation == "__shfl_xor_sync");
  REQUIRE(warp.events[1].others.size() == 32);
  CHECK(warp.events[1].others[4] == 5);
  CHECK(warp.events[1].line == warp.events[0].line + 1);
  CHECK(warp.events[3].votes == 0xf);
}

TEST_CASE("also those of some lanes alone, and in a branch") {
  const auto from = zeros<int>(32);
  const DeviceArray<int> to(32);
  const Recording recording;
  exchange_in_halves<<<1, 32>>>(from.get(), to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  const simt::RecordedWarp& warp = first_warp(record);
  REQUIRE(names_of(warp) == Names{"part", "global load", "shuffle", "global store", "rejoin",
                                  "warp sync", "global store", "return"});
  CHECK(warp.events[0].others == std::vector<std::uint32_t>{0xffff, 0xffff0000});
  CHECK(warp.events[2].lanes == 0xffff);
  CHECK(warp.events[2].others[0] == 1);
  CHECK(warp.events[4].lanes == kAll);
}

TEST_CASE("and where the others have run to their end meanwhile") {
  const auto from = zeros<int>(32);
  const DeviceArray<int> to(32);
  const Recording recording;
  exchange_in_one_half<<<1, 32>>>(from.get(), to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  const simt::RecordedWarp& warp = first_warp(record);
  REQUIRE(names_of(warp) == Names{"global load", "part", "shuffle", "global load", "shuffle",
                                  "rejoin", "global store", "return"});
  CHECK(warp.events[4].lanes == 0xffff0000);
  CHECK(warp.events[6].lanes == kAll);
}

TEST_CASE("they stay in order where a log is full in the middle") {
  constexpr int kTurns = 3000;
  const DeviceArray<int> to(32);
  const Recording recording({.events = 100000});
  exchange_in_a_loop<<<1, 32>>>(to.get(), kTurns);
  const simt::LaunchRecord record = simt::take_launch_record();
  const simt::RecordedWarp& warp = first_warp(record);
  REQUIRE(warp.events.size() == 2 * kTurns + 1);
  bool alternates = true;
  for (std::size_t i = 0; i < 2 * kTurns; ++i) {
    const auto expected = i % 2 == 0 ? WarpEventKind::kShuffle : WarpEventKind::kAccess;
    alternates &= warp.events[i].kind == expected;
  }
  CHECK(alternates);
}

TEST_CASE("a barrier: who had not come yet, and when the warp goes on") {
  const DeviceArray<int> to(64);
  const Recording recording;
  through_barrier<<<1, 64>>>(to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  REQUIRE(record.blocks[0].recorded.size() == 2);
  CHECK(record.blocks[0].warps == 2);
  const simt::RecordedWarp& warp = first_warp(record);
  REQUIRE(names_of(warp) == Names{"shared store", "barrier arrive", "barrier leave", "shared load",
                                  "global store", "return"});
  CHECK(warp.events[1].others == std::vector<std::uint32_t>{1});
  CHECK(warp.events[1].lanes == kAll);
  CHECK(warp.events[1].line == warp.events[0].line + 1);
  CHECK(record.blocks[0].recorded[1].events[1].others.empty());
}

TEST_CASE("a barrier that threads miss that have returned is left by the others") {
  const DeviceArray<int> to(64);
  simt::set_findings_printed(false);
  const Recording recording;
  half_a_barrier<<<1, 64>>>(to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  CHECK_FALSE(simt::findings().empty());
  simt::clear_findings();
  simt::set_findings_printed(true);
  CHECK(simt::take_error() == 0);
  const Names second = names_of(record.blocks[0].recorded[1]);
  CHECK(second == Names{"part", "global store", "return", "barrier arrive", "barrier leave",
                        "global store", "return"});
}

TEST_CASE("a barrier at which a warp waits for ever is arrived at and not left") {
  simt::set_findings_printed(false);
  const Recording recording;
  waits_for_ever<<<1, 64>>>();
  const simt::LaunchRecord record = simt::take_launch_record();
  simt::clear_findings();
  simt::set_findings_printed(true);
  CHECK(simt::take_error() != 0);
  CHECK(names_of(first_warp(record)) == Names{"barrier arrive"});
  const Names second = names_of(record.blocks[0].recorded[1]);
  CHECK(second == Names{"part", "barrier arrive"});
}

TEST_CASE("the record does not depend on the number of workers") {
  const auto digest = [](int workers) {
    const Workers set(workers);
    const DeviceArray<int> to(5 * 256);
    const Recording recording;
    exchange_in_a_loop<<<5, 256>>>(to.get(), 3);
    const simt::LaunchRecord record = simt::take_launch_record();
    Names names;
    for (const simt::RecordedBlock& block : record.blocks) {
      for (const simt::RecordedWarp& warp : block.recorded) {
        const Names own = names_of(warp);
        names.insert(names.end(), own.begin(), own.end());
        for (const WarpEvent& event : warp.events)
          names.push_back(std::to_string(event.offsets.empty() ? 0 : event.offsets[0]));
      }
    }
    return names;
  };
  CHECK(digest(1) == digest(4));
}

TEST_CASE("lanes that part, and where they go on together") {
  const auto from = zeros<int>(32);
  const DeviceArray<int> to(32);
  const Recording recording;
  odd_lanes_load<<<1, 32>>>(from.get(), to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  const simt::RecordedWarp& warp = first_warp(record);
  REQUIRE(names_of(warp) == Names{"part", "global load", "rejoin", "global store", "return"});
  CHECK(warp.events[1].lanes == 0xaaaaaaaa);
  CHECK(warp.events[1].offsets.size() == 16);
  REQUIRE(warp.events[0].others.size() == 2);
  CHECK((warp.events[0].others[0] ^ warp.events[0].others[1]) == kAll);
}

TEST_CASE("an access beyond an array is told by its distance from it") {
  const auto from = zeros<float>(32);
  const DeviceArray<float> to(32);
  simt::set_findings_printed(false);
  const Recording recording;
  beyond<<<1, 32>>>(from.get(), to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  simt::clear_findings();
  simt::set_findings_printed(true);
  const WarpEvent& load = first_warp(record).events.at(0);
  CHECK(load.arrays == std::vector<int>(32, 0));
  CHECK(load.offsets[31] == record.arrays[0].bytes);
}

TEST_CASE("each warp has an equal share of the limit; what is left out is counted") {
  const DeviceArray<int> to(64);
  const Recording recording({.blocks = 1, .warps = 2, .events = 7});
  through_barrier<<<1, 64>>>(to.get());
  const simt::LaunchRecord record = simt::take_launch_record();
  for (const simt::RecordedWarp& warp : record.blocks[0].recorded) {
    CHECK(warp.events.size() == 3);
    CHECK(warp.left_out == 3);
  }
}

TEST_CASE("the first blocks and warps are recorded, and no others") {
  const DeviceArray<int> to(5 * 256);
  const Recording recording({.blocks = 2, .warps = 4});
  exchange_in_a_loop<<<5, 256>>>(to.get(), 1);
  const simt::LaunchRecord record = simt::take_launch_record();
  REQUIRE(record.blocks.size() == 2);
  CHECK(record.blocks[1].number == 1);
  CHECK(record.blocks[1].warps == 8);
  CHECK(record.blocks[1].recorded.size() == 4);
  CHECK(record.blocks[1].recorded[3].number == 3);
}

TEST_CASE("counts are the same with a record and without, which is there only while asked for") {
  const auto from = zeros<int>(32);
  const DeviceArray<int> to(32);
  exchange_between_loads<<<1, 32>>>(from.get(), to.get());
  const auto without = named(simt::last_launch());
  CHECK(simt::take_launch_record().blocks.empty());
  {
    const Recording recording;
    exchange_between_loads<<<1, 32>>>(from.get(), to.get());
  }
  CHECK(named(simt::last_launch()) == without);
  CHECK_FALSE(simt::take_launch_record().blocks.empty());
  CHECK(simt::take_launch_record().blocks.empty());
}

TEST_SUITE_END();
