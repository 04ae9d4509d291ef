#include "common/verify/verify.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "common/verify/attention_inputs.h"
#include "common/verify/case_buffers.h"
#include "common/verify/check_attention.h"
#include "common/verify/check_cross_entropy.h"
#include "common/verify/check_gradients.h"
#include "common/verify/check_row.h"
#include "common/verify/guarded_buffer.h"
#include "common/verify/labels.h"
#include "common/verify/rows_in_parallel.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

namespace worklog {

namespace {

// Rows pass through the host in parts of about this many elements, so that arrays far larger than
// the host's memory can be verified.
constexpr std::int64_t kElementsPerPart = 1 << 24;

// Calls visit(first_row, rows) for one part after another of so many rows.
template <typename Visit>
void for_parts(std::int64_t rows, std::int64_t cols, Visit visit) {
  const std::int64_t part =
      std::max(std::int64_t{1}, kElementsPerPart / std::max(cols, std::int64_t{1}));
  for (std::int64_t first = 0; first < rows; first += part)
    visit(first, std::min(part, rows - first));
}

template <typename Visit>
void for_parts(const Case& a_case, Visit visit) {
  for_parts(a_case.rows, a_case.cols, visit);
}

template <typename T>
std::span<const T> row_of(const std::vector<T>& part, std::int64_t row, std::int64_t cols) {
  return std::span(part).subspan(static_cast<std::size_t>(row * cols),
                                 static_cast<std::size_t>(cols));
}

// An array that a step is given, in the storage type.
template <typename T>
class Given {
 public:
  Given(std::int64_t cols, RowSource source, std::optional<float> limit = {})
      : cols_(cols), source_(std::move(source)), limit_(limit) {}

  std::int64_t cols() const { return cols_; }

  // Rows [first, first + rows), converted to the storage type. They are kept until others are asked
  // for: most cases are of one part, which is written, compared with and looked at once more.
  const std::vector<T>& part(std::int64_t first, std::int64_t rows) {
    if (first != first_ || part_.size() != static_cast<std::size_t>(rows * cols_)) {
      make_part(first, rows);
    }
    return part_;
  }

 private:
  void make_part(std::int64_t first, std::int64_t rows) {
    first_ = -1;  // until it is whole
    part_.resize(static_cast<std::size_t>(rows * cols_));
    for_rows_in_parallel(rows, cols_, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> row(static_cast<std::size_t>(cols_));
      for (std::int64_t r = begin; r < end; ++r) {
        source_(first + r, row);
        if (limit_) limit_row(row);
        std::transform(row.begin(), row.end(), part_.begin() + r * cols_,
                       [](float x) { return static_cast<T>(x); });
      }
    });
    first_ = first;
  }

  void limit_row(std::vector<float>& row) const {
    for (float& x : row)
      x = std::isnan(x) ? 0.0f : std::clamp(x, -*limit_, *limit_);
  }

  std::int64_t cols_;
  RowSource source_;
  std::optional<float> limit_;
  std::int64_t first_ = -1;
  std::vector<T> part_;
};

template <typename T>
void widen(std::span<const T> row, std::vector<double>& to) {
  std::transform(row.begin(), row.end(), to.begin(),
                 [](T x) { return static_cast<double>(static_cast<float>(x)); });
}

template <typename T>
class Verification {
 public:
  Verification(const Step& step, const Case& a_case, const RowSource& source,
               const VerifyOptions& options)
      : step_(step),
        case_(a_case),
        options_(options),
        in_place_(options.in_place && step.keeps_columns()),
        over_results_(options.over_results && step.is_backward()),
        logits_(a_case.cols, step.is_backward() ? forward_results(step, source) : source,
                domain_limit(step, options)),
        gradients_(a_case.cols, make_gradients(a_case.input, a_case.dtype, options.seed)) {
    if (!step.takes<Attention>() || a_case.cols == 0) return;
    const AttentionInputs inputs =
        attention_inputs(source, a_case.input, a_case.dtype, a_case.cols, options.seed);
    attention_.emplace(AttentionArrays{.queries = {kHeadDim, inputs.queries},
                                       .keys = {kHeadDim, inputs.keys},
                                       .values = {kHeadDim, inputs.values}});
  }

  Verdict verify() {
#ifdef SIMT_EXECUTOR
    simt::clear_findings();
#endif
    try {
      Buffers buffers = poisoned_buffers();
      fill(buffers);
      run_on(buffers);
      check_results(buffers);
      check_guards(buffers);
      check_inputs_unchanged(buffers);
    } catch (const CudaError& error) {
      note_findings();  // which say more than the error that they ended in
      note(error.what());
    }
    return verdict();
  }

 private:
  using Buffers = ProblemBuffers<T, GuardedBuffer>;

  struct AttentionArrays {
    Given<T> queries;
    Given<T> keys;
    Given<T> values;
  };

  static std::optional<float> domain_limit(const Step& step, const VerifyOptions& options) {
    if (step.info.expected_failure.empty() || !options.stay_in_domain) return std::nullopt;
    return step.info.largest_logit;
  }

  // In place, the input is an output and guarded as one. Else it ends where the array ends, for
  // memory checkers to see.
  Buffers poisoned_buffers() const {
    const ArrayLengths lengths = array_lengths(step_, case_.rows, case_.cols, case_.k, case_.dtype);
    const auto guard_if = [](bool is_output) { return is_output ? GuardedBuffer<T>::kGuard : 0; };
    const std::int64_t shift = options_.output_shift;
    const bool has_own_output = !in_place_ && !over_results_;
    return {.rows = case_.rows,
            .cols = case_.cols,
            .k = case_.k,
            .logits = GuardedBuffer<T>(lengths.logits, options_.logits_shift, guard_if(in_place_)),
            .results =
                GuardedBuffer<T>(lengths.results, options_.logits_shift, guard_if(over_results_)),
            .gradients =
                GuardedBuffer<T>(lengths.gradients, options_.gradients_shift, guard_if(in_place_)),
            .labels = GuardedBuffer<std::int64_t>(lengths.labels, 0, 0),
            .queries = GuardedBuffer<T>(lengths.queries, options_.logits_shift, 0),
            .keys = GuardedBuffer<T>(lengths.keys, options_.logits_shift, 0),
            .key_values = GuardedBuffer<T>(lengths.keys, options_.gradients_shift, 0),
            .columns = GuardedBuffer<T>(has_own_output ? lengths.columns : 0, shift),
            .values = GuardedBuffer<float>(lengths.values, shift),
            .indices = GuardedBuffer<std::int64_t>(lengths.indices, shift),
            .scratch = GuardedBuffer<std::uint16_t>(lengths.scratch_bytes / Buffers::kWordBytes, 0,
                                                    GuardedBuffer<std::uint16_t>::kGuard,
                                                    Poison::kScratch)};
  }

  void fill(Buffers& buffers) {
    if (step_.takes<Attention>()) {
      if (attention_) fill_attention(buffers);
      return;
    }
    for_parts(case_, [&](std::int64_t first, std::int64_t rows) {
      GuardedBuffer<T>& forward = step_.is_backward() ? buffers.results : buffers.logits;
      forward.write(first * case_.cols, logits_.part(first, rows));
      if (step_.is_backward())
        buffers.gradients.write(first * case_.cols, gradients_.part(first, rows));
    });
    buffers.labels.write(0, labels());
  }

  void fill_attention(Buffers& buffers) {
    for_parts(case_.rows, kHeadDim, [&](std::int64_t first, std::int64_t rows) {
      buffers.queries.write(first * kHeadDim, attention_->queries.part(first, rows));
    });
    buffers.keys.write(0, attention_->keys.part(0, case_.cols));
    buffers.key_values.write(0, attention_->values.part(0, case_.cols));
  }

  std::int64_t label_at(std::int64_t row) const {
    const std::int64_t ignored = options_.cross_entropy.ignore_index;
    const bool is_mixed = options_.labels == LabelKind::kMixed;
    if (options_.labels == LabelKind::kIgnored || (is_mixed && row % 5 == 3)) return ignored;
    if (is_mixed && row % 7 == 4) return row % 2 == 0 ? case_.cols : -1;
    return label_of(row, case_.cols);
  }

  std::vector<std::int64_t> labels() const {
    if (!step_.takes<CrossEntropy>()) {
      return labels_of(step_.takes<NegativeLogLikelihood>() ? case_.rows : 0, case_.cols);
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(case_.rows));
    for (std::int64_t row = 0; row < case_.rows; ++row)
      all[static_cast<std::size_t>(row)] = label_at(row);
    return all;
  }

  // What a mean's gradients are multiplied by. Infinite if no row counts.
  double scale() const {
    if (options_.cross_entropy.reduction != Reduction::kMean) return 1.0;
    const std::vector<std::int64_t> all = labels();
    const auto ignored = std::count(all.begin(), all.end(), options_.cross_entropy.ignore_index);
    return 1.0 / static_cast<double>(case_.rows - ignored);
  }

  // Runs the step on these arrays and waits for its end.
  void run_on(Buffers& buffers) {
    AnyProblem<T> problem = buffers.problem(options_.block_size);
    problem.columns = output_of(buffers).data();
    problem.cross_entropy = options_.cross_entropy;
    if (step_.takes<CrossEntropy>() && options_.short_labels) {
      run_with_short_labels(problem);
    } else {
      run(step_, problem, nullptr);
    }
    check(cudaDeviceSynchronize(), step_.label());
    note_findings();
  }

  void run_with_short_labels(const AnyProblem<T>& problem) {
    const std::vector<std::int64_t> all = labels();
    const DeviceBuffer<std::int32_t> short_labels(
        std::vector<std::int32_t>(all.begin(), all.end()));
    run(step_,
        CrossEntropy<T>{.logits = problem.logits,
                        .labels = {.of_32_bits = short_labels.data()},
                        .losses = problem.values,
                        .log_sum_exps = problem.values + case_.rows,
                        .loss = problem.values + 2 * case_.rows,
                        .gradients = problem.columns,
                        .options = options_.cross_entropy,
                        .rows = case_.rows,
                        .cols = case_.cols,
                        .block_size = options_.block_size,
                        .scratch = problem.scratch},
        nullptr);
    check(cudaDeviceSynchronize(), step_.label());
  }

  // Where the results are that have as many columns as the logits.
  template <typename AnyBuffers>
  auto& output_of(AnyBuffers& buffers) const {
    if (over_results_) return buffers.results;
    if (!in_place_) return buffers.columns;
    return step_.is_backward() ? buffers.gradients : buffers.logits;
  }

  void check_results(const Buffers& buffers) {
    if (step_.is_backward()) {
      check_gradients(output_of(buffers));
    } else if (step_.takes<CrossEntropy>()) {
      if (case_.rows * case_.cols > 0) check_cross_entropy(buffers.values, output_of(buffers));
    } else if (step_.takes<Attention>()) {
      if (attention_) check_attention(buffers.columns);
    } else if (step_.is_top_k()) {
      check_top_k(buffers.scratch, buffers.values, buffers.indices);
    } else if (step_.takes<NegativeLogLikelihood>()) {
      if (case_.cols > 0) check_losses(buffers.values);  // else nothing is written
    } else {
      check_columns(output_of(buffers));
    }
  }

  void check_guards(const Buffers& buffers) {
    const bool has_losses = step_.takes<NegativeLogLikelihood>() || step_.takes<CrossEntropy>();
    check_guards(buffers.scratch, "scratch");
    check_guards(output_of(buffers), step_.trains()             ? "gradients of logits"
                                     : step_.takes<Attention>() ? "outputs"
                                     : step_.takes<Softmax>()   ? "probabilities"
                                                                : "log-probabilities");
    check_guards(buffers.values, has_losses ? "losses" : "values");
    check_guards(buffers.indices, "indices");
  }

  int block_size() const {
    if (options_.block_size > 0) return options_.block_size;
    return step_.info.block_size_for(case_.rows, case_.cols, sizeof(T));
  }

  ErrorModel model(DType output) const {
    return error_model(step_.info, output, case_.cols, block_size());
  }

  // Compares the rows of one part, on all cores: compare(checker, row in the part, its logits).
  template <typename Compare>
  void compare_part(const ErrorModel& model, std::int64_t first, std::int64_t rows,
                    Compare compare) {
    const std::vector<T>& logits = logits_.part(first, rows);
    std::mutex mutex;
    for_rows_in_parallel(rows, case_.cols, [&](std::int64_t begin, std::int64_t end) {
      RowChecker checker(model, case_.cols);
      std::vector<double> row(static_cast<std::size_t>(case_.cols));
      for (std::int64_t r = begin; r < end; ++r) {
        widen(row_of(logits, r, case_.cols), row);
        compare(checker, r, row);
      }
      const std::lock_guard lock(mutex);
      found_.merge(checker.found());
    });
  }

  void check_columns(const GuardedBuffer<T>& output) {
    for_parts(case_, [&](std::int64_t first, std::int64_t rows) {
      std::vector<T> part(static_cast<std::size_t>(rows * case_.cols));
      output.read(first * case_.cols, part);
      compare_part(model(case_.dtype), first, rows,
                   [&](RowChecker& checker, std::int64_t row, const std::vector<double>& logits) {
                     const auto result = row_of(part, row, case_.cols);
                     if (step_.takes<Softmax>()) {
                       checker.check_softmax<T>(first + row, logits, result);
                     } else {
                       checker.check_log_softmax<T>(first + row, logits, result);
                     }
                   });
    });
  }

  void check_gradients(const GuardedBuffer<T>& output) {
    const GradientModel model = gradient_model(step_.info, case_.dtype, case_.cols, block_size());
    std::mutex mutex;
    for_parts(case_, [&](std::int64_t first, std::int64_t rows) {
      const std::vector<T>& forward = logits_.part(first, rows);
      const std::vector<T>& gradients = gradients_.part(first, rows);
      std::vector<T> part(forward.size());
      output.read(first * case_.cols, part);
      for_rows_in_parallel(rows, case_.cols, [&](std::int64_t begin, std::int64_t end) {
        GradientChecker checker(model);
        std::vector<double> y(static_cast<std::size_t>(case_.cols));
        std::vector<double> dy(y.size());
        for (std::int64_t r = begin; r < end; ++r) {
          widen(row_of(forward, r, case_.cols), y);
          widen(row_of(gradients, r, case_.cols), dy);
          if (step_.takes<SoftmaxBackward>()) {
            checker.check_softmax<T>(first + r, y, dy, row_of(part, r, case_.cols));
          } else {
            checker.check_log_softmax<T>(first + r, y, dy, row_of(part, r, case_.cols));
          }
        }
        const std::lock_guard lock(mutex);
        found_.merge(checker.found());
      });
    });
  }

  void check_attention(const GuardedBuffer<T>& outputs) {
    const auto elements = static_cast<std::size_t>(case_.cols * kHeadDim);
    KeysAndValues shared{std::vector<double>(elements), std::vector<double>(elements)};
    widen<T>(attention_->keys.part(0, case_.cols), shared.keys);
    widen<T>(attention_->values.part(0, case_.cols), shared.values);
    std::mutex mutex;
    for_parts(case_.rows, kHeadDim, [&](std::int64_t first, std::int64_t rows) {
      const std::vector<T>& queries = attention_->queries.part(first, rows);
      std::vector<T> part(queries.size());
      outputs.read(first * kHeadDim, part);
      for_rows_in_parallel(rows, case_.cols * kHeadDim, [&](std::int64_t begin, std::int64_t end) {
        AttentionChecker checker(step_.info, case_.dtype, shared);
        std::vector<double> query(kHeadDim);
        for (std::int64_t r = begin; r < end; ++r) {
          widen(row_of(queries, r, kHeadDim), query);
          checker.check<T>(first + r, query, row_of(part, r, kHeadDim));
        }
        const std::lock_guard lock(mutex);
        found_.merge(checker.found());
      });
    });
  }

  // `values` are the losses, log(sum(exp)) of each row, and the sum or the mean.
  void check_cross_entropy(const GuardedBuffer<float>& values, const GuardedBuffer<T>& output) {
    std::vector<float> all(static_cast<std::size_t>(values.size()));
    values.read(0, all);
    const GradientModel model =
        cross_entropy_model(step_.info, case_.dtype, case_.cols, block_size());
    const double factor = scale();
    std::mutex mutex;
    for_parts(case_, [&](std::int64_t first, std::int64_t rows) {
      const std::vector<T>& logits = logits_.part(first, rows);
      std::vector<T> part(logits.size());
      output.read(first * case_.cols, part);
      for_rows_in_parallel(rows, case_.cols, [&](std::int64_t begin, std::int64_t end) {
        CrossEntropyChecker checker(model, options_.cross_entropy, factor);
        std::vector<double> row(static_cast<std::size_t>(case_.cols));
        for (std::int64_t r = begin; r < end; ++r) {
          widen(row_of(logits, r, case_.cols), row);
          const auto at = static_cast<std::size_t>(first + r);
          checker.check<T>(first + r, row, label_at(first + r),
                           {.loss = all[at],
                            .log_sum_exp = all[at + static_cast<std::size_t>(case_.rows)],
                            .gradients = row_of(part, r, case_.cols)});
        }
        const std::lock_guard lock(mutex);
        found_.merge(checker.found());
      });
    });
    if (options_.cross_entropy.reduction == Reduction::kNone) return;
    double sum = 0.0, magnitude = 0.0;
    for (std::int64_t row = 0; row < case_.rows; ++row) {
      sum += all[static_cast<std::size_t>(row)];
      magnitude += std::abs(all[static_cast<std::size_t>(row)]);
    }
    CrossEntropyChecker checker(model, options_.cross_entropy, factor);
    checker.check_total(sum, magnitude, case_.rows, all.back());
    found_.merge(checker.found());
  }

  void check_losses(const GuardedBuffer<float>& losses) {
    for_parts(case_, [&](std::int64_t first, std::int64_t rows) {
      std::vector<float> part(static_cast<std::size_t>(rows));
      losses.read(first, part);
      compare_part(model(DType::kFloat32), first, rows,
                   [&](RowChecker& checker, std::int64_t row, const std::vector<double>& logits) {
                     checker.check_loss(first + row, logits, label_of(first + row, case_.cols),
                                        part[static_cast<std::size_t>(row)]);
                   });
    });
  }

  // The probabilities that an unfused step stored in its scratch.
  std::vector<T> stored_probabilities(const GuardedBuffer<std::uint16_t>& scratch,
                                      std::int64_t first, std::int64_t rows) const {
    constexpr auto kWords = static_cast<std::int64_t>(sizeof(T) / sizeof(std::uint16_t));
    std::vector<std::uint16_t> words(static_cast<std::size_t>(rows * case_.cols * kWords));
    scratch.read(first * case_.cols * kWords, words);
    std::vector<T> part(static_cast<std::size_t>(rows * case_.cols));
    if (!part.empty()) {
      std::memcpy(static_cast<void*>(part.data()), words.data(), part.size() * sizeof(T));
    }
    return part;
  }

  void check_top_k(const GuardedBuffer<std::uint16_t>& scratch, const GuardedBuffer<float>& values,
                   const GuardedBuffer<std::int64_t>& indices) {
    const Operation operation = step_.operation();
    const bool unfused = operation == Operation::kSoftmaxThenTopK;
    // An unfused step's own rounding is in the probabilities that it stored; fused ones come out in
    // fp32.
    const ErrorModel of_values = model(unfused ? case_.dtype : DType::kFloat32);
    for_parts(case_, [&](std::int64_t first, std::int64_t rows) {
      std::vector<float> part_values(static_cast<std::size_t>(rows * case_.k));
      std::vector<std::int64_t> part_indices(part_values.size());
      values.read(first * case_.k, part_values);
      indices.read(first * case_.k, part_indices);
      const std::vector<T> stored =
          unfused ? stored_probabilities(scratch, first, rows) : std::vector<T>();
      const auto compare = [&](RowChecker& checker, std::int64_t row,
                               const std::vector<double>& logits) {
        const auto row_values = row_of(part_values, row, case_.k);
        const auto row_indices = row_of(part_indices, row, case_.k);
        if (operation == Operation::kSoftmaxTopK) {
          checker.check_softmax_top_k(first + row, logits, row_values, row_indices);
        } else if (operation == Operation::kTopKOfValues) {
          checker.check_top_k(first + row, logits, row_values, row_indices);
        } else {
          const auto probabilities = row_of(stored, row, case_.cols);
          checker.check_softmax<T>(first + row, logits, probabilities);
          std::vector<double> ranked(probabilities.size());
          widen(probabilities, ranked);
          checker.check_top_k(first + row, ranked, row_values, row_indices);
        }
      };
      compare_part(of_values, first, rows, compare);
    });
  }

  // Those that are not the output, too.
  void check_inputs_unchanged(const Buffers& buffers) {
    if (step_.takes<Attention>()) {
      if (!attention_) return;
      check_unchanged(buffers.queries, attention_->queries, "the array of queries", case_.rows);
      check_unchanged(buffers.keys, attention_->keys, "the array of keys", case_.cols);
      check_unchanged(buffers.key_values, attention_->values, "the array of values", case_.cols);
      return;
    }
    if (!step_.is_backward()) {
      if (!in_place_) check_unchanged(buffers.logits, logits_, "the input");
      return;
    }
    if (!over_results_) check_unchanged(buffers.results, logits_, "the forward pass's result");
    if (!in_place_) check_unchanged(buffers.gradients, gradients_, "the array of gradients");
  }

  void check_unchanged(const GuardedBuffer<T>& input, Given<T>& given, const std::string& name) {
    check_unchanged(input, given, name, case_.rows);
  }

  void check_unchanged(const GuardedBuffer<T>& input, Given<T>& given, const std::string& name,
                       std::int64_t all_rows) {
    const std::int64_t cols = given.cols();
    for_parts(all_rows, cols, [&](std::int64_t first, std::int64_t rows) {
      const std::vector<T>& before = given.part(first, rows);
      std::vector<T> after(before.size());
      input.read(first * cols, after);
      if (std::memcmp(before.data(), after.data(), before.size() * sizeof(T)) == 0) return;
      for (std::size_t at = 0; at < before.size(); ++at) {
        if (std::memcmp(&before[at], &after[at], sizeof(T)) == 0) continue;
        const auto element = static_cast<std::int64_t>(at);
        note(name + " was written to, at row " + std::to_string(first + element / cols) +
             ", column " + std::to_string(element % cols));
        return;
      }
    });
  }

  template <typename U>
  void check_guards(const GuardedBuffer<U>& buffer, const std::string& name) {
    const std::optional<std::int64_t> at = buffer.first_damage();
    if (!at) return;
    note("wrote outside of " + name + ": element " + std::to_string(*at) + " of " +
         std::to_string(buffer.size()));
  }

  void note_findings() {
#ifdef SIMT_EXECUTOR
    if (!simt::findings().empty()) note(simt::findings().front().message);
#endif
  }

  void note(const std::string& failure) {
    if (failure_.empty()) failure_ = failure;
  }

  Verdict verdict() const {
    const char* separator = failure_.empty() || found_.failure.empty() ? "" : "; ";
    Verdict verdict{.failure = failure_ + separator + found_.failure,
                    .wrong_elements = found_.wrong,
                    .checked_elements = found_.checked,
                    .max_ulp = found_.max_ulp,
                    .max_excess = found_.max_excess,
                    .max_share_of_bound = found_.max_share_of_bound,
                    .max_sum_error = found_.max_sum_error};
    verdict.ok = verdict.failure.empty();
    return verdict;
  }

  const Step& step_;
  const Case& case_;
  const VerifyOptions& options_;
  bool in_place_;
  bool over_results_;
  Given<T> logits_;     // of a backward step, what the forward pass made of them
  Given<T> gradients_;  // of a backward step
  std::optional<AttentionArrays> attention_;
  Comparison found_;
  std::string failure_;  // of a guard band, the input, a finding or CUDA
};

}  // namespace

Verdict verify(const Step& step, const Case& a_case, const VerifyOptions& options) {
  const RowSource rows =
      make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols, options.seed);
  return verify(step, a_case, rows, options);
}

Verdict verify(const Step& step, const Case& a_case, const RowSource& rows,
               const VerifyOptions& options) {
  scratch_bytes(step, a_case.rows, a_case.cols, a_case.dtype);  // throws for a bad shape
  return with_type(a_case.dtype, [&]<typename T>(T) {
    return Verification<T>(step, a_case, rows, options).verify();
  });
}

}  // namespace worklog
