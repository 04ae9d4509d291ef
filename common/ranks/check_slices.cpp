#include "common/ranks/check_slices.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "common/verify/check_cross_entropy.h"
#include "common/verify/check_row.h"
#include "common/verify/labels.h"
#include "common/verify/poison.h"
#include "common/verify/rows_in_parallel.h"

namespace worklog {

namespace {

// What bounds ask a step for: all rank steps take exponentials as steps 13 to 17 do.
const StepInfo& exact_step() {
  static const StepInfo info = {.exact_difference = true};
  return info;
}

constexpr int kThreads = 256;  // that share a row, for the bound of a gradient's sum

template <typename T>
ErrorModel model_of(const RankCase& a_case, int ranks) {
  ErrorModel model = error_model(exact_step(), dtype_of<T>(), a_case.cols, kThreads);
  model.base_ulp += a_case.step->info.ulp_of_exchange(a_case.shape(ranks));
  return model;
}

// Row `row` of all slices, side by side.
template <typename T>
void join(const RankCase& a_case, const std::vector<SliceOutput<T>>& outputs, std::int64_t row,
          std::vector<T>& joined) {
  auto to = joined.begin();
  for (const SliceOutput<T>& output : outputs) {
    const std::int64_t cols = std::ssize(output.results) / a_case.rows;
    to = std::copy_n(output.results.begin() + row * cols, cols, to);
  }
}

// Losses that differ from rank to rank are wrong, whichever is right.
template <typename T>
void check_alike(const std::vector<SliceOutput<T>>& outputs, std::int64_t row, Comparison& found) {
  const auto at = static_cast<std::size_t>(row);
  for (std::size_t rank = 1; rank < outputs.size(); ++rank) {
    const auto is_other = [&](const std::vector<float>& first, const std::vector<float>& other) {
      return std::memcmp(&first[at], &other[at], sizeof(float)) != 0;
    };
    if (is_other(outputs[0].losses, outputs[rank].losses) ||
        is_other(outputs[0].log_sum_exps, outputs[rank].log_sum_exps)) {
      found.fail(row, "row " + std::to_string(row) + ": rank " + std::to_string(rank) +
                          " has another loss than rank 0");
    }
  }
}

template <typename T>
Comparison check_rows(const RankCase& a_case, const std::vector<SliceOutput<T>>& outputs,
                      const std::vector<std::int64_t>& labels, std::int64_t begin,
                      std::int64_t end) {
  const auto ranks = static_cast<int>(outputs.size());
  const auto cols = static_cast<std::size_t>(a_case.cols);
  constexpr std::int64_t kNoLabel = std::numeric_limits<std::int64_t>::min();
  RowChecker checker(model_of<T>(a_case, ranks), a_case.cols);
  CrossEntropyChecker losses(
      cross_entropy_model(exact_step(), dtype_of<T>(), a_case.cols, kThreads),
      {.ignore_index = kNoLabel}, 1.0);
  const RowSource source = a_case.logits();
  std::vector<float> row_of_input(cols);
  std::vector<double> logits(cols);
  std::vector<T> results(cols);
  Comparison found;
  for (std::int64_t row = begin; row < end; ++row) {
    source(row, row_of_input);
    std::transform(row_of_input.begin(), row_of_input.end(), logits.begin(), [](float x) {
      return static_cast<double>(static_cast<float>(static_cast<T>(x)));
    });
    join(a_case, outputs, row, results);
    switch (a_case.result) {
      case SliceResult::kSoftmax:
        checker.check_softmax<T>(row, logits, results);
        break;
      case SliceResult::kLogSoftmax:
        checker.check_log_softmax<T>(row, logits, results);
        break;
      case SliceResult::kCrossEntropy: {
        const auto at = static_cast<std::size_t>(row);
        losses.check<T>(row, logits, labels[at],
                        {outputs[0].losses[at], outputs[0].log_sum_exps[at], results});
        check_alike(outputs, row, found);
        break;
      }
    }
  }
  found.merge(checker.found());
  found.merge(losses.found());
  return found;
}

template <typename Value>
std::string bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

template <typename Value>
const char* take(const char* from, std::vector<Value>& values) {
  if (!values.empty()) std::memcpy(values.data(), from, values.size() * sizeof(Value));
  return from + values.size() * sizeof(Value);
}

}  // namespace

template <typename T>
std::string SliceOutput<T>::bytes() const {
  return bytes_of(results) + bytes_of(losses) + bytes_of(log_sum_exps);
}

template <typename T>
SliceOutput<T> output_of(const std::string& bytes, const RankCase& a_case, std::int64_t cols) {
  const bool has_losses = a_case.result == SliceResult::kCrossEntropy;
  const auto losses = static_cast<std::size_t>(has_losses ? a_case.rows : 0);
  SliceOutput<T> output;
  output.results.resize(static_cast<std::size_t>(a_case.rows * cols));
  output.losses.resize(losses);
  output.log_sum_exps.resize(losses);
  const std::size_t expected = output.results.size() * sizeof(T) + 2 * losses * sizeof(float);
  if (bytes.size() != expected) {
    throw std::runtime_error("a rank handed in " + std::to_string(bytes.size()) + " bytes, not " +
                             std::to_string(expected));
  }
  take(take(take(bytes.data(), output.results), output.losses), output.log_sum_exps);
  return output;
}

std::vector<std::int64_t> labels_of(const RankCase& a_case) {
  constexpr std::int64_t kIgnoredElsewhere = -100;  // in PyTorch, and in step 20
  if (a_case.result != SliceResult::kCrossEntropy) return {};
  std::vector<std::int64_t> labels = labels_of(a_case.rows, a_case.cols);
  const std::int64_t others[] = {a_case.cols, -1, 0, a_case.cols - 1, kIgnoredElsewhere};
  for (std::size_t i = 0; i < std::size(others) && i + 1 < labels.size(); ++i)
    labels[i + 1] = others[i];
  return labels;
}

template <typename T>
Comparison check_slices(const RankCase& a_case, const std::vector<SliceOutput<T>>& outputs) {
  const std::vector<std::int64_t> labels = labels_of(a_case);
  Comparison found;
  std::mutex mutex;
  for_rows_in_parallel(a_case.rows, a_case.cols, [&](std::int64_t begin, std::int64_t end) {
    const Comparison part = check_rows(a_case, outputs, labels, begin, end);
    const std::lock_guard lock(mutex);
    found.merge(part);
  });
  return found;
}

template struct SliceOutput<float>;
template struct SliceOutput<__half>;
template struct SliceOutput<__nv_bfloat16>;
template SliceOutput<float> output_of(const std::string&, const RankCase&, std::int64_t);
template SliceOutput<__half> output_of(const std::string&, const RankCase&, std::int64_t);
template SliceOutput<__nv_bfloat16> output_of(const std::string&, const RankCase&, std::int64_t);
template Comparison check_slices(const RankCase&, const std::vector<SliceOutput<float>>&);
template Comparison check_slices(const RankCase&, const std::vector<SliceOutput<__half>>&);
template Comparison check_slices(const RankCase&, const std::vector<SliceOutput<__nv_bfloat16>>&);

}  // namespace worklog
