// Which step is picked, on which device.

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "library/dispatcher.h"
#include "library/recorded_choices.h"
#include "library/status.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library;
using namespace worklog::library::tests;

namespace {

std::atomic<int> allocations = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

constexpr DeviceTraits kH200 = {90, 132, 232448, 62914560, true, false};
constexpr DeviceTraits kH100 = {90, 132, 232448, 52428800, true, false};
constexpr DeviceTraits kA100 = {80, 108, 166912, 41943040, false, false};

std::string picked(const Shape& shape, const DeviceTraits& device) {
  return pick(shape, device).candidate->label;
}

// The card of a table: all that are recorded are Hopper's.
DeviceTraits card_of(const RecordedTable& table) {
  REQUIRE(table.generation == 9);
  DeviceTraits card = kH200;
  card.l2_bytes = table.l2_bytes;
  return card;
}

// The step of a letter serves the line's first and last rows, where it takes them.
void check_served(const RecordedTable& table, std::size_t line, std::size_t column,
                  std::int64_t cols) {
  const std::string_view label = table.steps[table.by_rows[line][column] - 'a'];
  const DType dtype = table.element_bytes == sizeof(float) ? DType::kFloat32 : DType::kFloat16;
  const std::int64_t last = std::int64_t{1} << line;
  for (const Candidate& candidate : candidates_of(table.operation)) {
    if (candidate.label != label) continue;
    for (const std::int64_t rows : {last / 2 + 1, last}) {
      if (!candidate.step->info.takes_shape(rows, cols, size_of(dtype), 0)) continue;
      CAPTURE(table.operation);
      CAPTURE(rows);
      CAPTURE(cols);
      CAPTURE(table.l2_bytes);
      CHECK(picked({table.operation, dtype, rows, cols, 0}, card_of(table)) == label);
    }
  }
}

std::string gradient_step(std::int64_t rows, std::int64_t cols, const DeviceTraits& device) {
  return picked({SOFTMAX_WORKLOG_SOFTMAX_BACKWARD, DType::kFloat32, rows, cols, 0}, device);
}

std::string log_softmax_step(std::int64_t rows, std::int64_t cols, const DeviceTraits& device) {
  return picked({SOFTMAX_WORKLOG_LOG_SOFTMAX, DType::kFloat32, rows, cols, 0}, device);
}

std::string softmax_step(std::int64_t rows, std::int64_t cols, const DeviceTraits& device) {
  return picked({SOFTMAX_WORKLOG_SOFTMAX, DType::kFloat32, rows, cols, 0}, device);
}

}  // namespace

TEST_SUITE("choices") {
  TEST_CASE("what was recorded on an H200 is taken there") {
    CHECK(softmax_step(1000000, 64, kH200) == "13_row_in_a_warp");
    CHECK(softmax_step(4000, 4000, kH200) == "14_row_in_registers/warp_reduce");
    CHECK(softmax_step(16000, 4000, kH200) == "14_row_in_registers");
    CHECK(softmax_step(4000, 50000, kH200) == "15_row_in_shared_memory");
    CHECK(softmax_step(4000, 100000, kH200) == "16_cluster/messages");
    CHECK(softmax_step(1, 16777216, kH200) == "17_long_row_one_launch");
    CHECK(softmax_step(40, 16777216, kH200) == "12_bytes_in_flight");  // too many rows for 17
  }

  // By whose choice it would take an H200 a seventh longer.
  TEST_CASE("what is best on an H200 is not taken on an H100") {
    CHECK(gradient_step(4096, 50304, kH200) == "19_backward/shared_memory");
    CHECK(gradient_step(4096, 50304, kH100) == "19_backward");
  }

  TEST_CASE("a card without tables takes those of the one whose L2 cache is nearest in size") {
    const auto step_with = [](int megabytes) {
      DeviceTraits device = kH100;
      device.l2_bytes = megabytes << 20;
      return gradient_step(4096, 50304, device);
    };
    for (const int megabytes : {0, 25, 50, 54})
      CHECK(step_with(megabytes) == "19_backward");
    for (const int megabytes : {56, 60, 2000})
      CHECK(step_with(megabytes) == "19_backward/shared_memory");
  }

  TEST_CASE("few long rows are spread over blocks, and a single short one over none") {
    CHECK(softmax_step(1, 262144, kH200) == "17_long_row_one_launch");
    for (const std::int64_t rows : {1, 5, 16}) {  // of rows that no cluster holds
      for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
        CHECK(picked({SOFTMAX_WORKLOG_SOFTMAX, dtype, rows, 2500000, 0}, kH200) ==
              "17_long_row_one_launch");
      }
      CHECK(softmax_step(rows, 1500000, kH200) == "17_long_row_one_launch");
    }
    CHECK(softmax_step(8, 151936, kH200) == "16_cluster/messages");
    CHECK(softmax_step(64, 256000, kH200) == "16_cluster/messages");
    CHECK(softmax_step(512, 262144, kH200) == "16_cluster/messages");
    CHECK(softmax_step(1, 77, kH200) == "13_row_in_a_warp/warp_reduce");
  }

  TEST_CASE("a table is read as it is written") {
    const std::vector<std::int64_t> ends = column_ends();
    REQUIRE(ends.back() == 16777216);
    for (const RecordedTable& table : kRecordedTables) {
      for (std::size_t line = 0; line < kTableLines; ++line) {
        REQUIRE(table.by_rows[line].size() == ends.size());
        for (std::size_t column = 0; column < ends.size(); ++column) {
          check_served(table, line, column, ends[column]);
          check_served(table, line, column, column == 0 ? 1 : ends[column - 1] + 1);
        }
      }
    }
  }

  TEST_CASE("a device without clusters runs nothing that needs them") {
    for (const std::int64_t cols : {1, 1024, 1025, 32768, 32769, 100000, 10000000}) {
      for (const std::int64_t rows : {1, 16, 17, 4000}) {
        CAPTURE(cols);
        CHECK(runs_on(
            pick({SOFTMAX_WORKLOG_SOFTMAX, DType::kFloat16, rows, cols, 0}, kA100).candidate->need,
            kA100));
      }
    }
    CHECK(softmax_step(4000, 1024, kA100) == "13_row_in_a_warp");
    CHECK(softmax_step(4000, 32768, kA100) == "14_row_in_registers");
    CHECK(softmax_step(4000, 32769, kA100) == "12_bytes_in_flight");
    CHECK(softmax_step(1, 16777216, kA100) == "12_bytes_in_flight");
    CHECK(picked({SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS, DType::kFloat32, 4, 4, 0}, kA100) ==
          "08_log_softmax/negative_log_likelihood");
  }

  TEST_CASE("a card of another generation takes what was recorded on the nearest one") {
    constexpr DeviceTraits kLater = {100, 148, 232448, 132644864, true, false};
    for (const std::int64_t rows : {1, 8, 64, 4000}) {
      for (const std::int64_t cols : {77, 1024, 4000, 50304, 128256, 262144, 1500000}) {
        CAPTURE(rows);
        CAPTURE(cols);
        CHECK(softmax_step(rows, cols, kLater) == softmax_step(rows, cols, kH200));
        CHECK(gradient_step(rows, cols, kLater) == gradient_step(rows, cols, kH200));
        CHECK(log_softmax_step(rows, cols, kLater) == log_softmax_step(rows, cols, kH200));
      }
    }
    CHECK(softmax_step(1, 50304, kLater) == "16_cluster/messages");
    CHECK(log_softmax_step(8, 50304, kLater) == "16_cluster/log_softmax");
    CHECK(softmax_step(4000, 100000, kLater) == "16_cluster/messages");
  }

  // An H100 in a PCIe slot, an H20 and a part of an H100.
  TEST_CASE("where too few multiprocessors share a row, a cluster has it") {
    for (const int multiprocessors : {131, 114, 78, 60}) {
      DeviceTraits device = kH100;
      device.multiprocessors = multiprocessors;
      CHECK(softmax_step(1, 262144, device) == "16_cluster/messages");
      CHECK(softmax_step(16, 1000000, device) == "16_cluster/messages");
      CHECK(softmax_step(1, 1449985, device) == "12_bytes_in_flight");  // more than a cluster holds
      CHECK(log_softmax_step(1, 262144, device) == "16_cluster/log_softmax");
      CHECK(log_softmax_step(1, 1449985, device) == "08_log_softmax");
    }
    CHECK(softmax_step(1, 1449985, kH100) == "17_long_row_one_launch");
    CHECK(log_softmax_step(17, 1449985, kH100) == "08_log_softmax");
    CHECK(log_softmax_step(1, 262144, kA100) == "08_log_softmax");
    CHECK(log_softmax_step(4000, 1024, kA100) == "13_row_in_a_warp/log_softmax");
    CHECK(log_softmax_step(4000, 1024, kH100) == "15_row_in_shared_memory/log_softmax");
  }

  // As GPUs for games are: clusters, but 99 KB for a block.
  TEST_CASE("a device with clusters and little shared memory runs what fits it") {
    constexpr DeviceTraits kSmall = {120, 170, 101376, 100663296, true, false};
    for (const std::int64_t cols : {1, 1024, 32768, 32769, 10000000}) {
      for (const std::int64_t rows : {1, 16, 4000}) {
        CAPTURE(rows);
        CAPTURE(cols);
        for (const softmax_worklog_operation operation :
             {SOFTMAX_WORKLOG_SOFTMAX, SOFTMAX_WORKLOG_LOG_SOFTMAX,
              SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS}) {
          const Shape shape = {operation, DType::kFloat32, rows, cols, 0};
          CHECK(runs_on(pick(shape, kSmall).candidate->need, kSmall));
        }
        const std::string step = gradient_step(rows, cols, kSmall);
        CHECK((step == "19_backward/short_rows" || step == "19_backward/reads_twice"));
      }
    }
    const auto step = [&](softmax_worklog_operation operation, std::int64_t cols) {
      return picked({operation, DType::kFloat32, 64, cols, 0}, kSmall);
    };
    CHECK(step(SOFTMAX_WORKLOG_CROSS_ENTROPY, 1024) == "20_cross_entropy/short_rows");
    CHECK_THROWS_WITH_AS(step(SOFTMAX_WORKLOG_CROSS_ENTROPY, 1025),
                         "cols = 1025: must be at most 1024 for this operation on this device",
                         Refusal);
    CHECK(step(SOFTMAX_WORKLOG_LOG_SOFTMAX, 1024) == "13_row_in_a_warp/log_softmax");
    CHECK(step(SOFTMAX_WORKLOG_LOG_SOFTMAX, 1025) == "08_log_softmax");
    CHECK(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 64, 512, 128}, kSmall) ==
          "18_topk_by_threshold/short_rows");
    CHECK(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 64, 513, 128}, kSmall) ==
          "07_topk_fusion");
    CHECK(step(SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD, 512) == "19_backward/log_softmax_short_rows");
    CHECK_THROWS_WITH_AS(step(SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD, 513),
                         "cols = 513: must be at most 512 for this operation on this device",
                         Refusal);
  }

  TEST_CASE("an operation whose kernels need clusters is refused elsewhere") {
    CHECK_THROWS_WITH_AS(
        picked({SOFTMAX_WORKLOG_SOFTMAX_BACKWARD, DType::kFloat32, 1, 1, 0}, kA100),
        "the current device's compute capability = 80: must be 90 or later, with clusters, for "
        "this operation; the library was built for the CPU executor",
        Refusal);
    constexpr std::int64_t kMostOfTopK = std::int64_t{1} << 32;
    CHECK(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 1, kMostOfTopK, 5}, kH200) ==
          "07_topk_fusion");
    CHECK_THROWS_WITH_AS(
        picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 1, kMostOfTopK + 1, 5}, kH200),
        "cols = 4294967297: must be at most 4294967296 for k = 5", Refusal);
    CHECK(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 1, 16, 5}, kH200) == "07_topk_fusion");
    CHECK(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 1, 17, 5}, kH200) ==
          "18_topk_by_threshold");
    CHECK(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat16, 1, 128, 5}, kH200) == "07_topk_fusion");
    CHECK(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat16, 1, 129, 5}, kH200) ==
          "18_topk_by_threshold");
    CHECK_THROWS_WITH_AS(picked({SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 1, 5000, 300}, kA100),
                         "k = 300: must be at most 128 on this device", Refusal);
  }

  TEST_CASE("a device before all that is built in is refused") {
    CHECK_NOTHROW(require_architecture(kA100, "80,90"));
    CHECK_NOTHROW(require_architecture(kA100, "native"));
    CHECK_THROWS_WITH_AS(require_architecture(kA100, "90,100"),
                         "the current device's compute capability = 80: must be one that this "
                         "library was built for, or later: 90,100",
                         Refusal);
  }

  TEST_CASE("a choice allocates nothing") {
    const auto choose = [](int i) {
      for (int operation = 0; operation < kOperations; ++operation) {
        const int k = operation == SOFTMAX_WORKLOG_TOP_K ? 5 : 0;
        pick({static_cast<softmax_worklog_operation>(operation), DType::kFloat32, 1 + i,
              100 * (1 + i), k},
             kH200);
      }
    };
    choose(0);  // the tables are made once
    const int before = allocations;
    for (int i = 0; i < 1000; ++i)
      choose(i);
    CHECK(allocations == before);
  }
}
