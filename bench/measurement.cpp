#include "bench/measurement.h"

#include <initializer_list>

#include "bench/shapes.h"

namespace worklog::bench {

namespace {

void add_operation(std::vector<Measurement>& list, const std::vector<Step>& steps,
                   const Shape& shape, int k, Cache cache) {
  for (const Step& step : steps) {
    if (step.is_top_k() != (k > 0)) continue;
    const bool ladder_only = k > 0 && k != kUsualK;
    if (ladder_only && !step.variant.empty()) continue;
    list.push_back({Subject::kStep, &step, shape.dtype, shape.rows, shape.cols, k, cache});
  }
}

void add_shape(std::vector<Measurement>& list, const std::vector<Step>& steps, const Shape& shape,
               Cache cache) {
  list.push_back({Subject::kCopy, nullptr, shape.dtype, shape.rows, shape.cols, 0, cache});
  list.push_back({Subject::kRead, nullptr, shape.dtype, shape.rows, shape.cols, 0, cache});
  add_operation(list, steps, shape, 0, cache);
  for (const int k : shape.ks)
    add_operation(list, steps, shape, k, cache);
}

}  // namespace

std::string Measurement::name() const {
  const std::string subject_name =
      subject == Subject::kCopy ? "copy" : (subject == Subject::kRead ? "read" : step->label());
  return subject_name + "/" + std::string(name_of(dtype)) + "/" + std::to_string(rows) + "x" +
         std::to_string(cols) + (k > 0 ? "/k" + std::to_string(k) : "") + "/" +
         std::string(name_of(cache));
}

std::int64_t Measurement::bytes() const {
  const std::int64_t array = rows * cols * static_cast<std::int64_t>(size_of(dtype));
  if (subject == Subject::kRead) return array;
  if (step != nullptr && step->takes<NegativeLogLikelihood>()) {
    return array + rows * static_cast<std::int64_t>(sizeof(float) + sizeof(std::int64_t));
  }
  if (k == 0) return 2 * array;
  return array + rows * k * static_cast<std::int64_t>(sizeof(float) + sizeof(std::int64_t));
}

std::vector<Measurement> all_measurements(const std::vector<Step>& steps) {
  std::vector<Measurement> list;
  for (const Shape& shape : all_shapes()) {
    add_shape(list, steps, shape, Cache::kCold);
    if (shape.warm_too) add_shape(list, steps, shape, Cache::kWarm);
  }
  return list;
}

}  // namespace worklog::bench
