#include "library/dispatcher.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/step/validate.h"
#include "library/recorded_choices.h"
#include "library/recorded_table.h"
#include "library/status.h"

namespace worklog::library {

namespace {

// A list of the largest is the fastest with the fewest columns.
constexpr std::int64_t kColsOfList = 16;
constexpr std::int64_t kColsOfHalfList = 128;
constexpr int kMostOfList = 128;

// ---- tables ----

// Where candidates begin to be asked, for each line and column of a table.
using Starts = std::array<std::array<std::uint8_t, kTableColumns>, kTableLines>;

struct ResolvedTable {
  int generation;
  int l2_bytes;
  Starts starts;
};

// By operation, then by whether elements have 2 bytes or 4.
using ResolvedTables = std::array<std::array<std::vector<ResolvedTable>, 2>, kOperations>;

std::size_t of_bytes(std::size_t element_bytes) {
  return element_bytes == sizeof(float) ? 1 : 0;
}

std::uint8_t index_of(std::string_view label, const std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].label == label) return static_cast<std::uint8_t>(i);
  }
  throw std::logic_error(std::string(label) + " is no candidate for the operation");
}

ResolvedTable resolved(const RecordedTable& table) {
  const std::vector<Candidate>& candidates = candidates_of(table.operation);
  ResolvedTable made = {table.generation, table.l2_bytes, {}};
  for (std::size_t line = 0; line < kTableLines; ++line) {
    for (std::size_t column = 0; column < kTableColumns; ++column) {
      const char letter = table.by_rows[line].at(column);
      made.starts[line][column] = index_of(table.steps[letter - 'a'], candidates);
    }
  }
  return made;
}

const ResolvedTables& resolved_tables() {
  static const ResolvedTables tables = [] {
    ResolvedTables all;
    for (const RecordedTable& table : kRecordedTables) {
      all[static_cast<std::size_t>(table.operation)]
         [of_bytes(static_cast<std::size_t>(table.element_bytes))]
             .push_back(resolved(table));
    }
    return all;
  }();
  return tables;
}

// 0 for up to 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, and so on.
std::size_t line_of(std::int64_t rows) {
  const auto before = static_cast<std::uint64_t>(std::max<std::int64_t>(rows, 1) - 1);
  return std::min<std::size_t>(std::bit_width(before), kTableLines - 1);
}

// Beyond 4 each doubling has four: its number in the upper bits, and in the lower two those that
// follow the highest bit of the count before.
std::size_t column_of(std::int64_t cols) {
  const auto before = static_cast<std::uint64_t>(std::max<std::int64_t>(cols, 1) - 1);
  if (before < 4) return before;
  const auto width = static_cast<std::uint64_t>(std::bit_width(before));
  const std::uint64_t quarter = before >> (width - 3) & 3;
  return std::min<std::size_t>(4 * (width - 2) + quarter, kTableColumns - 1);
}

// Cards differ in how fast their memory is, and so in which step is the best. One without a table
// of its own takes that of the nearest generation, and of those the one with an L2 cache of the
// nearest size. Null where there is no table.
const ResolvedTable* nearest_of(const std::vector<ResolvedTable>& tables,
                                const DeviceTraits& device) {
  constexpr int kPerGeneration = 10;
  const auto apart = [&](const ResolvedTable& table) {
    return std::pair(std::abs(table.generation - device.compute_capability / kPerGeneration),
                     std::abs(table.l2_bytes - device.l2_bytes));
  };
  const auto nearest = std::ranges::min_element(tables, {}, apart);
  return nearest == tables.end() ? nullptr : &*nearest;
}

// Of top-k, which no sweep has recorded a table of.
std::size_t modelled_start(const Shape& shape) {
  static const std::size_t list = index_of("07_topk_fusion", candidates_of(SOFTMAX_WORKLOG_TOP_K));
  if (shape.operation != SOFTMAX_WORKLOG_TOP_K) return 0;
  const std::int64_t cols = shape.dtype == DType::kFloat32 ? kColsOfList : kColsOfHalfList;
  return shape.cols <= cols && shape.k <= kMostOfList ? list : 0;
}

std::size_t start_of(const Shape& shape, const DeviceTraits& device) {
  const auto& tables =
      resolved_tables()[static_cast<std::size_t>(shape.operation)][of_bytes(size_of(shape.dtype))];
  const ResolvedTable* table = nearest_of(tables, device);
  return table == nullptr ? modelled_start(shape)
                          : table->starts[line_of(shape.rows)][column_of(shape.cols)];
}

// The candidate that is asked as number `turn` of so many: first the one at `start`, then those
// behind it and those before it. The last one of all mostly takes nearly any row, and is slow where
// others take it, too: it comes at the end.
std::size_t in_turn(std::size_t start, std::size_t turn, std::size_t candidates) {
  const std::size_t last = candidates - 1;
  if (start == last) return (start + turn) % candidates;
  return turn == last ? last : (start + turn) % last;
}

// ---- refusals ----

// Only if a device runs one of them does a shape decide.
[[noreturn]] void refuse_all(const Shape& shape, const DeviceTraits& device) {
  const std::vector<Candidate>& candidates = candidates_of(shape.operation);
  std::int64_t most_cols = 0;
  bool runs_any = false;
  for (const Candidate& candidate : candidates) {
    if (!runs_on(candidate.need, device)) continue;
    runs_any = true;
    if (shape.k > candidate.step->info.max_k && candidate.step->is_top_k()) continue;
    most_cols = std::max(most_cols, candidate.step->info.most_cols(size_of(shape.dtype), 0));
  }
  if (!runs_any) {
    throw Refusal(
        SOFTMAX_WORKLOG_UNSUPPORTED_ARCHITECTURE,
        "the current device's compute capability = " + std::to_string(device.compute_capability) +
            ": must be 90 or later, with clusters, for this operation; the library was built for " +
            architectures());
  }
  if (shape.operation == SOFTMAX_WORKLOG_TOP_K) most_cols = std::min(most_cols, kMaxTopKCols);
  if (most_cols == 0) {
    refuse("k", std::to_string(shape.k),
           "at most " + std::to_string(kMostOfList) + " on this device");
  }
  refuse("cols", std::to_string(shape.cols),
         "at most " + std::to_string(most_cols) +
             (shape.operation == SOFTMAX_WORKLOG_TOP_K
                  ? " for k = " + std::to_string(shape.k)
                  : std::string(" for this operation on this device")));
}

}  // namespace

void require_shape(const Shape& shape) {
  validate_shape(shape.rows, shape.cols, size_of(shape.dtype));
  if (shape.rows > SOFTMAX_WORKLOG_MAX_ROWS) {
    refuse("rows", std::to_string(shape.rows),
           "at most " + std::to_string(SOFTMAX_WORKLOG_MAX_ROWS));
  }
  if (shape.operation != SOFTMAX_WORKLOG_TOP_K) return;
  const std::int64_t most = std::min<std::int64_t>(shape.cols, SOFTMAX_WORKLOG_MAX_K);
  if (shape.k < 1 || shape.k > most) {
    refuse("k", std::to_string(shape.k),
           "from 1 to " + std::to_string(SOFTMAX_WORKLOG_MAX_K) +
               ", and at most cols = " + std::to_string(shape.cols));
  }
}

Choice pick(const Shape& shape, const DeviceTraits& device) {
  const std::vector<Candidate>& candidates = candidates_of(shape.operation);
  const std::size_t bytes = size_of(shape.dtype);
  const std::size_t start = start_of(shape, device);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[in_turn(start, i, candidates.size())];
    const StepInfo& info = candidate.step->info;
    if (!runs_on(candidate.need, device)) continue;
    if (!info.takes_shape(shape.rows, shape.cols, bytes, shape.k)) continue;
    if (shape.operation == SOFTMAX_WORKLOG_TOP_K && shape.cols > kMaxTopKCols) continue;
    return {&candidate, info.block_size_for(shape.rows, shape.cols, bytes)};
  }
  refuse_all(shape, device);
}

}  // namespace worklog::library
