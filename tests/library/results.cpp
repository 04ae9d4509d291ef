// Every operation and type against the reference, at shapes that lie on both sides of where a step
// takes over from another.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/step/run.h"
#include "common/verify/check_gradients.h"
#include "common/verify/check_row.h"
#include "library/candidates.h"
#include "library/include/softmax_worklog/softmax_worklog.h"
#include "library/recorded_choices.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

// Of each step that holds rows where they are, and of the one whose blocks share a row.
constexpr Size kSoftmaxSizes[] = {{1, 1},      {3, 77},      {600, 128},  {9, 513},
                                  {5, 1025},   {2, 4097},    {140, 9000}, {1, 32769},
                                  {2, 100001}, {140, 40000}, {1, 2400000}};
constexpr Size kSizes[] = {{1, 1}, {3, 77}, {9, 1025}, {2, 32769}, {1, 100001}};

template <typename T>
struct Served {
  const Step* step;
  DeviceBuffer<std::uint64_t> memory;
  sw::Workspace workspace;
};

// The step, and a workspace of just the size that is asked for.
template <typename T>
Served<T> served(sw::Operation operation, const Size& size, int k = 0) {
  const char* label = nullptr;
  REQUIRE(softmax_worklog_step(static_cast<softmax_worklog_operation>(operation), sw::dtype_of<T>(),
                               size.rows, size.cols, k, &label) == SOFTMAX_WORKLOG_SUCCESS);
  const std::string name = std::string(label).substr(0, std::string(label).find('/'));
  const std::string variant = name == label ? "" : std::string(label).substr(name.size() + 1);
  sw::Workspace workspace;
  const sw::Status status =
      sw::workspace_bytes<T>(operation, size.rows, size.cols, &workspace.bytes, k);
  REQUIRE_MESSAGE(status.ok(), status.message());
  DeviceBuffer<std::uint64_t> memory(static_cast<std::int64_t>(workspace.bytes / 8));
  workspace.data = memory.data();
  return {&registered_step(name, variant), std::move(memory), workspace};
}

// The most columns that any step takes for an operation: cross-entropy's end where a cluster does.
template <typename T>
std::int64_t most_cols(softmax_worklog_operation operation) {
  std::int64_t most = 0;
  for (const library::Candidate& candidate : library::candidates_of(operation))
    most = std::max(most, candidate.step->info.most_cols(sizeof(T), 0));
  return most;
}

// Who serves what, by the smallest of the shapes at which a range of a table begins.
template <typename T>
std::map<std::string, Size> smallest_by_step(softmax_worklog_operation operation) {
  std::map<std::string, Size> smallest;
  const std::vector<std::int64_t> ends = column_ends();
  for (int line = 0; line < kTableLines; ++line) {
    const std::int64_t rows = line == 0 ? 1 : (std::int64_t{1} << (line - 1)) + 1;
    for (std::size_t column = 0; column < ends.size(); ++column) {
      const Size size = {rows, column == 0 ? 1 : ends[column - 1] + 1};
      if (size.cols > most_cols<T>(operation)) continue;
      const char* label = nullptr;
      REQUIRE(softmax_worklog_step(operation, sw::dtype_of<T>(), size.rows, size.cols, 0, &label) ==
              SOFTMAX_WORKLOG_SUCCESS);
      Size& kept = smallest.try_emplace(label, size).first->second;
      if (size.rows * size.cols < kept.rows * kept.cols) kept = size;
    }
  }
  return smallest;
}

template <typename T>
int block_of(const Step& step, const Size& size) {
  return step.info.block_size_for(size.rows, size.cols, sizeof(T));
}

template <typename T>
RowChecker row_checker(const Step& step, const Size& size, DType output) {
  return {error_model(step.info, output, size.cols, block_of<T>(step, size)), size.cols};
}

template <typename T>
std::string check_softmax(const Size& size, bool logarithm) {
  auto given = served<T>(logarithm ? sw::Operation::kLogSoftmax : sw::Operation::kSoftmax, size);
  const auto logits = random_array<T>(size.rows * size.cols);
  auto array = on_device(logits);  // in place
  const sw::Status status =
      logarithm
          ? sw::log_softmax<T>(array.data(), array.data(), size.rows, size.cols, given.workspace)
          : sw::softmax<T>(array.data(), array.data(), size.rows, size.cols, given.workspace);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto results = array.download();
  RowChecker checker = row_checker<T>(*given.step, size, dtype_of<T>());
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const std::span<const T> got(results.data() + row * size.cols,
                                 static_cast<std::size_t>(size.cols));
    if (logarithm) {
      checker.check_log_softmax<T>(row, wide(logits, row, size.cols), got);
    } else {
      checker.check_softmax<T>(row, wide(logits, row, size.cols), got);
    }
  }
  CHECK_MESSAGE(checker.found().wrong == 0, given.step->label() << ": " << checker.found().failure);
  CHECK(checker.found().checked == size.rows * size.cols);
  return given.step->name;
}

template <typename T>
void check_top_k(const Size& size, int k) {
  auto given = served<T>(sw::Operation::kTopK, size, k);
  const auto logits = random_array<T>(size.rows * size.cols);
  const auto array = on_device(logits);
  DeviceBuffer<float> values(size.rows * k);
  DeviceBuffer<std::int64_t> indices(size.rows * k);
  const sw::Status status = sw::top_k<T>(array.data(), values.data(), indices.data(), size.rows,
                                         size.cols, k, given.workspace);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto got_values = values.download();
  const auto got_indices = indices.download();
  RowChecker checker = row_checker<T>(*given.step, size, DType::kFloat32);
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const auto count = static_cast<std::size_t>(k);
    checker.check_softmax_top_k(row, wide(logits, row, size.cols),
                                {got_values.data() + row * k, count},
                                {got_indices.data() + row * k, count});
  }
  CHECK_MESSAGE(checker.found().wrong == 0, given.step->label() << ": " << checker.found().failure);
}

template <typename T>
std::string check_backward(const Size& size, bool logarithm) {
  auto given = served<T>(
      logarithm ? sw::Operation::kLogSoftmaxBackward : sw::Operation::kSoftmaxBackward, size);
  const auto y = random_array<T>(size.rows * size.cols, 1);
  const auto dy = random_array<T>(size.rows * size.cols, 2);
  const auto y_array = on_device(y);
  const auto dy_array = on_device(dy);
  DeviceBuffer<T> dx(size.rows * size.cols);
  const sw::Status status =
      logarithm ? sw::log_softmax_backward<T>(y_array.data(), dy_array.data(), dx.data(), size.rows,
                                              size.cols, given.workspace)
                : sw::softmax_backward<T>(y_array.data(), dy_array.data(), dx.data(), size.rows,
                                          size.cols, given.workspace);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto results = dx.download();
  GradientChecker checker(
      gradient_model(given.step->info, dtype_of<T>(), size.cols, block_of<T>(*given.step, size)));
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const std::span<const T> got(results.data() + row * size.cols,
                                 static_cast<std::size_t>(size.cols));
    const auto y_row = wide(y, row, size.cols);
    const auto dy_row = wide(dy, row, size.cols);
    if (logarithm) {
      checker.check_log_softmax<T>(row, y_row, dy_row, got);
    } else {
      checker.check_softmax<T>(row, y_row, dy_row, got);
    }
  }
  CHECK_MESSAGE(checker.found().wrong == 0, given.step->label() << ": " << checker.found().failure);
  return given.step->label();
}

// In double precision.
double loss_of(const std::vector<double>& logits, std::int64_t label) {
  double sum = 0.0;
  for (const double x : logits)
    sum += std::exp(x);
  return std::log(sum) - logits[static_cast<std::size_t>(label)];
}

// How many gradients of a row are not the probabilities less the target. Beside one rounding to T,
// fp32 may be off in proportion to either.
template <typename T>
int wrong_gradients(const std::vector<T>& gradients, std::int64_t row, const std::vector<double>& x,
                    std::int64_t label, double log_sum_exp) {
  const auto cols = static_cast<std::int64_t>(x.size());
  const auto [relative, smallest] = kRounding<T>;
  int wrong = 0;
  for (std::int64_t col = 0; col < cols; ++col) {
    const double probability = std::exp(x[at(col)] - log_sum_exp);
    const double target = col == label ? 1.0 : 0.0;
    const double right = probability - target;
    const double bound =
        kArithmetic * (probability + target) + std::abs(right) * relative + smallest;
    const double got = static_cast<float>(gradients[at(row * cols + col)]);
    const bool is_right = std::abs(got - right) <= bound;
    if (!is_right && wrong++ == 0)
      MESSAGE("row " << row << ", column " << col << ": " << got << ", but must be " << right);
  }
  return wrong;
}

// What is left of it was not written: no loss is that, no gradient, and no zero.
template <typename T>
DeviceBuffer<T> unwritten(std::int64_t count) {
  return on_device(std::vector<T>(at(count), static_cast<T>(7.0f)));
}

template <typename T>
void check_cross_entropy(const Size& size) {
  CAPTURE(size.rows);
  CAPTURE(size.cols);
  auto given = served<T>(sw::Operation::kCrossEntropy, size);
  const auto logits = random_array<T>(size.rows * size.cols);
  std::vector<std::int64_t> labels;
  for (std::int64_t row = 0; row < size.rows; ++row)
    labels.push_back(7 * row % size.cols);
  const auto array = on_device(logits);
  const auto label_array = on_device(labels);
  auto losses = unwritten<float>(size.rows);
  auto alone = unwritten<float>(size.rows);
  auto loss = unwritten<float>(1);
  auto gradients = unwritten<T>(size.rows * size.cols);
  auto of_sum = unwritten<T>(size.rows * size.cols);
  sw::Status status = sw::cross_entropy<T>(array.data(), label_array.data(),
                                           {losses.data(), nullptr, gradients.data()}, size.rows,
                                           size.cols, {}, given.workspace);
  CHECK_MESSAGE(status.ok(), status.message());
  // Without the losses of the rows, which the workspace takes.
  sw::CrossEntropyOptions options;
  options.reduction = sw::Reduction::kSum;
  status =
      sw::cross_entropy<T>(array.data(), label_array.data(), {nullptr, loss.data(), of_sum.data()},
                           size.rows, size.cols, options, given.workspace);
  CHECK_MESSAGE(status.ok(), status.message());
  auto given_alone = served<T>(sw::Operation::kCrossEntropyLoss, size);
  status = sw::cross_entropy_loss<T>(array.data(), label_array.data(), alone.data(), size.rows,
                                     size.cols, given_alone.workspace);
  CHECK_MESSAGE(status.ok(), status.message());

  const auto got = gradients.download();
  const auto got_of_sum = of_sum.download();
  const auto got_losses = losses.download();
  const auto got_alone = alone.download();
  double total = 0.0;
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const auto x = wide(logits, row, size.cols);
    const std::int64_t label = labels[at(row)];
    const double expected = loss_of(x, label);
    total += expected;
    const double bound = 1e-5 * (1.0 + std::abs(expected));
    CHECK(std::abs(got_losses[at(row)] - expected) < bound);
    CHECK(std::abs(got_alone[at(row)] - expected) < bound);
    const double log_sum_exp = expected + x[at(label)];
    CHECK(wrong_gradients(got, row, x, label, log_sum_exp) == 0);
    CHECK(wrong_gradients(got_of_sum, row, x, label, log_sum_exp) == 0);
  }
  CHECK(std::abs(loss.download()[0] - total) < 1e-5 * (1.0 + std::abs(total)));
}

template <typename T>
void check_served(softmax_worklog_operation operation, const Size& size) {
  switch (operation) {
    case SOFTMAX_WORKLOG_SOFTMAX:
    case SOFTMAX_WORKLOG_LOG_SOFTMAX:
      check_softmax<T>(size, operation == SOFTMAX_WORKLOG_LOG_SOFTMAX);
      return;
    case SOFTMAX_WORKLOG_SOFTMAX_BACKWARD:
      check_backward<T>(size, false);
      return;
    case SOFTMAX_WORKLOG_CROSS_ENTROPY:
      check_cross_entropy<T>(size);
      return;
    default:
      FAIL("a table of an operation that is not checked here");
  }
}

}  // namespace

TEST_SUITE("results") {
  TEST_CASE_TEMPLATE("softmax", T, float, __half, __nv_bfloat16) {
    std::set<std::string> steps;
    for (const Size& size : kSoftmaxSizes) {
      CAPTURE(size.rows);
      CAPTURE(size.cols);
      steps.insert(check_softmax<T>(size, false));
    }
    // Step 15 serves from 1025 long rows on, for which the suite `tables` has time.
    CHECK(steps == std::set<std::string>{"13_row_in_a_warp", "14_row_in_registers", "16_cluster",
                                         "17_long_row_one_launch"});
  }

  TEST_CASE_TEMPLATE("log-softmax", T, float, __half, __nv_bfloat16) {
    for (const Size& size : kSizes)
      check_softmax<T>(size, true);
  }

  TEST_CASE_TEMPLATE("top-k", T, float, __half, __nv_bfloat16) {
    check_top_k<T>({3, 77}, 77);
    check_top_k<T>({3, 1024}, 5);
    check_top_k<T>({3, 1025}, 5);
    check_top_k<T>({2, 5000}, 2048);
    check_top_k<T>({1, 900001}, 3);
  }

  TEST_CASE_TEMPLATE("backward passes", T, float, __half, __nv_bfloat16) {
    for (const Size& size : kSizes) {
      check_backward<T>(size, false);
      check_backward<T>(size, true);
    }
    check_backward<T>({2, 262145}, false);  // in fp32 a part of it waits in registers
    check_backward<T>({1, 400001}, false);
    check_backward<T>({1, 530001}, false);  // longer than a cluster holds
  }

  // By the definitions in softmax_worklog.h: the mean of the rows that count of
  // (1 - s) (lse - x[label]) + s (lse - mean of x) + z lse^2.
  TEST_CASE("cross-entropy with all options, in place, with labels of 32 bits") {
    constexpr std::int64_t kRows = 5;
    constexpr std::int64_t kCols = 37;
    constexpr double kSmoothing = 0.1;
    constexpr double kZLoss = 0.01;
    const std::vector<std::int32_t> labels = {3, -7, 36, 0, 12};  // -7 is ignored
    const auto logits = random_array<float>(kRows * kCols);
    const auto array = on_device(logits);
    const auto label_array = on_device(labels);
    DeviceBuffer<float> loss(1);
    sw::CrossEntropyOptions options;
    options.ignore_index = -7;
    options.label_smoothing = static_cast<float>(kSmoothing);
    options.z_loss = static_cast<float>(kZLoss);
    options.reduction = sw::Reduction::kMean;
    auto given = served<float>(sw::Operation::kCrossEntropy, {kRows, kCols});
    const sw::Status status = sw::cross_entropy<float>(
        array.data(), label_array.data(), {nullptr, loss.data(), const_cast<float*>(array.data())},
        kRows, kCols, options, given.workspace);
    CHECK_MESSAGE(status.ok(), status.message());

    const auto gradients = array.download();
    double total = 0.0;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const auto x = wide(logits, row, kCols);
      const std::int32_t label = labels[static_cast<std::size_t>(row)];
      const bool counts = label != -7;
      const double lse = counts ? loss_of(x, label) + x[static_cast<std::size_t>(label)] : 0.0;
      const double mean = std::accumulate(x.begin(), x.end(), 0.0) / kCols;
      if (counts) {
        total += (1.0 - kSmoothing) * (lse - x[static_cast<std::size_t>(label)]) +
                 kSmoothing * (lse - mean) + kZLoss * lse * lse;
      }
      for (std::int64_t col = 0; col < kCols; ++col) {
        const double p = std::exp(x[static_cast<std::size_t>(col)] - lse);
        const double target = kSmoothing / kCols + (col == label ? 1.0 - kSmoothing : 0.0);
        const double right = counts ? (p * (1.0 + 2.0 * kZLoss * lse) - target) / 4.0 : 0.0;
        CHECK(gradients[static_cast<std::size_t>(row * kCols + col)] ==
              doctest::Approx(right).epsilon(1e-5).scale(0.1));
      }
    }
    CHECK(loss.download()[0] == doctest::Approx(total / 4.0).epsilon(1e-5));
  }

  TEST_CASE_TEMPLATE("cross-entropy", T, float, __half, __nv_bfloat16) {
    for (const Size& size : kSizes)
      check_cross_entropy<T>(size);
  }
}

// Once for each step and type: `ctest -C thorough -L thorough`.
TEST_SUITE("tables") {
  // A step that is chosen for larger shapes alone is verified by its own tests: here it would want
  // 24 GB of memory.
  constexpr std::int64_t kMostElements = std::int64_t{1} << 26;

  // Those of the device that this runs on; those of other cards name mostly the same steps.
  TEST_CASE_TEMPLATE("by every step of the tables", T, float, __half, __nv_bfloat16) {
    std::set<softmax_worklog_operation> operations;
    for (const RecordedTable& table : kRecordedTables)
      operations.insert(table.operation);
    for (const softmax_worklog_operation operation : operations) {
      for (const auto& [step, size] : smallest_by_step<T>(operation)) {
        if (size.rows * size.cols > kMostElements) continue;
        CAPTURE(step);
        check_served<T>(operation, size);
      }
    }
  }
}
