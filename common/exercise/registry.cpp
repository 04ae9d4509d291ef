#include "common/exercise/registry.h"

#include <vector>

namespace worklog {

namespace {

// A function's static, because registrations run before main in an unknown order.
std::vector<Exercise>& registry() {
  static std::vector<Exercise> exercises;
  return exercises;
}

StepInfo step_info(const ExerciseInfo& exercise) {
  StepInfo info{.block_sizes = exercise.block_size,
                .stores_exponentials = exercise.stores_exponentials};
  if (exercise.rows == 1) info.max_rows = 1;
  if (exercise.serial_sum) info.summation = Summation::kSerial;
  if (exercise.scratch_bytes != nullptr) {
    info.scratch_bytes = [bytes = exercise.scratch_bytes](std::int64_t rows, std::int64_t cols,
                                                          std::size_t) {
      return bytes(rows, cols);
    };
  }
  return info;
}

template <template <typename> class Problem>
void add(const char* step, const char* role, const ExerciseInfo& info,
         void (*launch)(const Problem<float>&, cudaStream_t)) {
  registry().push_back(
      {{step, role, step_info(info), Launches<Problem>{launch, nullptr, nullptr}}, info});
}

}  // namespace

std::span<const Exercise> all_exercises() {
  return registry();
}

const Exercise* find_exercise(std::string_view step, std::string_view role) {
  for (const Exercise& exercise : all_exercises()) {
    if (exercise.step.name == step && exercise.step.variant == role) return &exercise;
  }
  return nullptr;
}

ExerciseRegistration::ExerciseRegistration(const char* step, const char* role,
                                           const ExerciseInfo& info,
                                           void (*launch)(const Softmax<float>&, cudaStream_t)) {
  add<Softmax>(step, role, info, launch);
}

ExerciseRegistration::ExerciseRegistration(const char* step, const char* role,
                                           const ExerciseInfo& info,
                                           void (*launch)(const LogSoftmax<float>&, cudaStream_t)) {
  add<LogSoftmax>(step, role, info, launch);
}

ExerciseRegistration::ExerciseRegistration(const char* step, const char* role,
                                           const ExerciseInfo& info,
                                           void (*launch)(const SoftmaxBackward<float>&,
                                                          cudaStream_t)) {
  add<SoftmaxBackward>(step, role, info, launch);
}

ExerciseRegistration::ExerciseRegistration(const char* step, const char* role,
                                           const ExerciseInfo& info,
                                           void (*launch)(const CrossEntropy<float>&,
                                                          cudaStream_t)) {
  add<CrossEntropy>(step, role, info, launch);
}

ExerciseRegistration::ExerciseRegistration(const char* step, const char* role,
                                           const ExerciseInfo& info,
                                           void (*launch)(const Attention<float>&, cudaStream_t)) {
  add<Attention>(step, role, info, launch);
}

ExerciseRegistration::ExerciseRegistration(const char* step, const char* role,
                                           const ExerciseInfo& info,
                                           void (*launch)(const TopK<float>&, cudaStream_t)) {
  add<TopK>(step, role, info, launch);
}

}  // namespace worklog
