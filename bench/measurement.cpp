#include "bench/measurement.h"

#include "bench/shapes.h"
#include "common/step/problem_buffers.h"

namespace worklog::bench {

namespace {

bool is_timed(const Step& step, const Shape& shape, int k) {
  if (!step.info.takes_shape(shape.rows, shape.cols, size_of(shape.dtype), k)) return false;
  if (step.takes<Attention>()) return shape.attends;
  if (step.trains()) return shape.trains;
  if (step.takes<NegativeLogLikelihood>() && shape.trains) return true;
  if (!shape.infers) return false;
  const bool is_a_steps_own = step.operation() == Operation::kSoftmax && step.variant.empty();
  const bool shares_a_row = step.info.several_blocks_a_row;
  const bool for_such_shapes = step.reads_once() || shares_a_row || step.info.several_rows_a_block;
  if (shape.pays_once && k == 0 && !is_a_steps_own && !for_such_shapes) return false;
  const bool one_thread_a_row = step.info.summation == Summation::kSerial;
  if (one_thread_a_row && shape.cols > kLongestRowOfOneThread) return false;
  if (shape.rows > 1 || step.takes_one_row()) return true;
  return is_a_steps_own || shares_a_row;
}

void add_operation(std::vector<Measurement>& list, Subject subject, const std::vector<Step>& steps,
                   const Shape& shape, int k, Cache cache) {
  for (const Step& step : steps) {
    if (step.is_top_k() != (k > 0) || !is_timed(step, shape, k)) continue;
    if (cache == Cache::kWritten && !(step.variant.empty() && step.reads_once())) continue;
    list.push_back({subject, &step, shape.dtype, shape.rows, shape.cols, k, cache});
  }
}

void add_hard_values(std::vector<Measurement>& list, const std::vector<Step>& steps,
                     const Shape& shape, int k) {
  for (const Values values : kHardValues) {
    for (const Step& step : steps) {
      if (!step.is_top_k() || !step.variant.empty() || !is_timed(step, shape, k)) continue;
      list.push_back(
          {Subject::kStep, &step, shape.dtype, shape.rows, shape.cols, k, Cache::kCold, values});
    }
  }
}

void add_transfer(std::vector<Measurement>& list, Subject subject, const Shape& shape,
                  Cache cache) {
  list.push_back({subject, nullptr, shape.dtype, shape.rows, shape.cols, 0, cache});
}

}  // namespace

std::string Measurement::subject_name() const {
  if (subject == Subject::kCopy) return "copy";
  if (subject == Subject::kRead) return "read";
  if (subject == Subject::kCombine) return "combine";
  return step->label();
}

std::string Measurement::name() const {
  return subject_name() + "/" + std::string(name_of(dtype)) + "/" + std::to_string(rows) + "x" +
         std::to_string(cols) + (k > 0 ? "/k" + std::to_string(k) : "") + "/" +
         (values != Values::kNormal ? std::string(name_of(values)) + "/" : "") +
         (reduction == Reduction::kNone ? "rows/" : "") + std::string(name_of(cache));
}

std::int64_t Measurement::bytes() const {
  const std::int64_t array = rows * cols * static_cast<std::int64_t>(size_of(dtype));
  if (subject == Subject::kRead) return array;
  if (subject == Subject::kCopy) return 2 * array;
  if (subject == Subject::kCombine) return 3 * array;
  return array_lengths(*step, rows, cols, k, dtype).bytes_to_move(dtype);
}

std::optional<Subject> Measurement::ceiling() const {
  if (step != nullptr && step->takes<Attention>()) return std::nullopt;
  if (subject == Subject::kCombine || (step != nullptr && step->is_backward())) {
    return Subject::kCombine;
  }
  const bool writes_little = k > 0 || (step != nullptr && step->takes<NegativeLogLikelihood>());
  return writes_little || subject == Subject::kRead ? Subject::kRead : Subject::kCopy;
}

std::vector<Measurement> all_measurements(const std::vector<Step>& steps,
                                          const std::vector<Step>& cudnn_steps) {
  std::vector<Measurement> list;
  const auto add = [&](const Shape& shape, Cache cache) {
    add_transfer(list, Subject::kCopy, shape, cache);
    add_transfer(list, Subject::kRead, shape, cache);
    if (shape.trains) add_transfer(list, Subject::kCombine, shape, cache);
    add_operation(list, Subject::kStep, steps, shape, 0, cache);
    add_operation(list, Subject::kCudnn, cudnn_steps, shape, 0, cache);
    for (const int k : shape.ks)
      add_operation(list, Subject::kStep, steps, shape, k, cache);
  };
  for (const Shape& shape : all_shapes()) {
    add(shape, Cache::kCold);
    if (shape.warm_too) add(shape, Cache::kWarm);
    if (shape.written_too) add(shape, Cache::kWritten);
    for (const int k : shape.hard_ks)
      add_hard_values(list, steps, shape, k);
  }
  return list;
}

}  // namespace worklog::bench
