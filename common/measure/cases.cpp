#include "common/measure/cases.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "common/verify/real_data.h"

namespace worklog {

namespace {

constexpr std::int64_t kWidths[] = {1,    10,   32,   100,  128,   512,   1000,  1024,
                                    2048, 4000, 4096, 8192, 10000, 25000, 32000, 100000};
constexpr std::int64_t kMostRows = 64;
constexpr std::int64_t kWidestAttention = 4096;  // a column is as much work as 64 of others
constexpr std::int64_t kMostElements = 1 << 18;

// Every kind of special row occurs: there are 18. The width is odd, so rows are not aligned.
constexpr std::int64_t kInputRows = 36;
constexpr std::int64_t kInputCols = 777;

constexpr int kOtherK[] = {1, 10, 32, 64, 128, 256, 2048};
constexpr int kMostKOfVariants = 32;
constexpr std::int64_t kOtherKRows = 16;  // long lists take the executor long
constexpr std::int64_t kOtherKCols = 4000;

// Of the steps for one long row.
constexpr std::int64_t kLongWidths[] = {1, 32, 1000, 4096, 32000, 100000, 1 << 20};
constexpr std::int64_t kLongInputCols = 77777;

std::int64_t rows_for(std::int64_t cols) {
  return std::clamp(kMostElements / cols, std::int64_t{1}, kMostRows);
}

std::vector<Case> long_row_cases(const Step& step, DType dtype) {
  std::vector<Case> cases;
  for (const std::int64_t cols : kLongWidths)
    cases.push_back({dtype, 1, cols, 0, Input::kRandom});
  for (const Input input : kAllInputs) {
    cases.push_back(is_real(input) ? real_case(step, dtype, input, 1)
                                   : Case{dtype, 1, kLongInputCols, 0, input});
  }
  return cases;
}

}  // namespace

std::int64_t default_cols(const Step& step) {
  return step.takes_one_row() ? kDefaultLongCols
                              : std::min(kDefaultCols, step.info.most_cols(sizeof(float), 0));
}

int default_k(const Step& step, std::int64_t cols) {
  constexpr std::int64_t kPaper = 5;
  return step.is_top_k() ? static_cast<int>(std::min(kPaper, cols)) : 0;
}

Case real_case(const Step& step, DType dtype, Input input, std::int64_t max_rows) {
  const Scores& scores = input == Input::kAttention ? attention_scores() : search_scores();
  return {dtype, std::min({scores.rows, max_rows, step.info.max_rows}), scores.cols,
          default_k(step, scores.cols), input};
}

namespace {

// Without cases that are too long for the step, and with no more rows than it takes. 16 rows still
// have 16 of the 18 kinds of special rows.
std::vector<Case> within_limits(const Step& step, std::vector<Case> cases) {
  for (Case& a_case : cases)
    a_case.rows = std::min(a_case.rows, step.info.max_rows);
  std::erase_if(cases, [&](const Case& a_case) {
    return !step.info.takes_shape(a_case.rows, a_case.cols, size_of(a_case.dtype), a_case.k);
  });
  return cases;
}

}  // namespace

std::vector<Case> report_cases(const Step& step, DType dtype) {
  if (!step.variant.empty() && dtype == DType::kBFloat16) return {};
  if (!step.variant.empty() && dtype == DType::kFloat16) return quick_cases(step, dtype);
  if (step.takes_one_row()) return long_row_cases(step, dtype);
  std::vector<Case> cases;
  for (const std::int64_t cols : kWidths) {
    if (step.takes<Attention>() && cols > kWidestAttention) continue;
    cases.push_back({dtype, rows_for(cols), cols, default_k(step, cols), Input::kRandom});
  }
  if (step.info.several_blocks_a_row) {
    const std::int64_t cols = kLongWidths[std::size(kLongWidths) - 1];
    cases.push_back({dtype, 1, cols, default_k(step, cols), Input::kRandom});
  }
  for (const Input input : kAllInputs) {
    if (step.takes<Attention>() && is_real(input)) continue;
    cases.push_back(is_real(input)
                        ? real_case(step, dtype, input, std::numeric_limits<std::int64_t>::max())
                        : Case{dtype, kInputRows, kInputCols, default_k(step, kInputCols), input});
  }
  if (step.is_top_k()) {
    for (const int k : kOtherK) {
      if (k > kMostKOfVariants && !step.variant.empty()) continue;
      cases.push_back({dtype, kOtherKRows, kOtherKCols, k, Input::kRandom});
    }
  }
  return within_limits(step, std::move(cases));
}

std::vector<Case> quick_cases(const Step& step, DType dtype) {
  if (step.takes_one_row()) {
    return {{dtype, 1, kDefaultLongCols, 0, Input::kRandom},
            {dtype, 1, kLongInputCols, 0, Input::kMasked},
            {dtype, 1, kLongInputCols, 0, Input::kSpecial},
            real_case(step, dtype, Input::kSearch, 1)};
  }
  constexpr std::int64_t kFewRows = 256;
  std::vector<Case> cases = {
      {dtype, 64, 4096, default_k(step, 4096), Input::kRandom},
      {dtype, 64, 1000, default_k(step, 1000), Input::kRandom},
      {dtype, kInputRows, kInputCols, default_k(step, kInputCols), Input::kMasked},
      {dtype, kInputRows, kInputCols, default_k(step, kInputCols), Input::kSpecial},
      real_case(step, dtype, Input::kAttention, kFewRows),
      real_case(step, dtype, Input::kSearch, kFewRows)};
  return within_limits(step, std::move(cases));
}

}  // namespace worklog
