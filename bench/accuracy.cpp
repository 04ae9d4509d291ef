// worklog_accuracy: each step's worst error, and cuDNN's, on inputs that it also writes to files,
// so that other implementations (bench/baselines) can be judged on the same numbers.

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cudnn_softmax.h"
#include "bench/cudnn_steps.h"
#include "bench/times.h"
#include "common/program/write_whole.h"
#include "common/step/step.h"
#include "common/verify/case_buffers.h"
#include "common/verify/verify.h"

namespace {

using nlohmann::json;
using worklog::Case;
using worklog::DType;
using worklog::Step;

constexpr std::int64_t kRows = 256;
constexpr std::int64_t kCols[] = {1000, 4096, 25000, 100000};

std::string file_name(const Case& a_case) {
  return "random_f32_" + std::to_string(a_case.rows) + "x" + std::to_string(a_case.cols) + ".bin";
}

// Rows of 4-byte floating-point numbers, one after the other.
void write_input(const std::string& path, const Case& a_case) {
  const std::vector<float> logits = worklog::logits_of<float>(a_case);
  worklog::write_whole(
      path, {reinterpret_cast<const char*>(logits.data()), logits.size() * sizeof(float)});
}

// Softmax in fp32, and on any logits.
bool is_comparable(const Step& step, std::int64_t cols) {
  return step.takes<worklog::Softmax>() && step.info.expected_failure.empty() &&
         !step.info.storage_arithmetic && step.info.takes_shape(kRows, cols, sizeof(float));
}

json accuracy_of(const Step& step, const Case& a_case) {
  const worklog::Verdict verdict = worklog::verify(step, a_case);
  if (!verdict.ok) throw std::runtime_error(step.label() + ": " + verdict.failure);
  return {{"step", step.name},
          {"variant", step.variant},
          {"serial_sum", step.info.summation == worklog::Summation::kSerial},
          {"rows", a_case.rows},
          {"cols", a_case.cols},
          {"input", file_name(a_case)},
          {"max_ulp", verdict.max_ulp},
          {"max_excess", verdict.max_excess}};
}

// The bound that the steps are held to is not cuDNN's: an element beyond it is told, and no
// failure.
json accuracy_of_cudnn(const Step& cudnn, const Case& a_case) {
  json row = {{"baseline", cudnn.label()},
              {"input", file_name(a_case)},
              {"rows", a_case.rows},
              {"cols", a_case.cols}};
  try {
    const worklog::Verdict verdict = worklog::verify(cudnn, a_case);
    if (verdict.checked_elements == 0) throw std::runtime_error(verdict.failure);
    row["max_ulp"] = verdict.max_ulp;
    if (cudnn.takes<worklog::Softmax>()) row["max_excess"] = verdict.max_excess;
    if (!verdict.ok) row["beyond_bound"] = {verdict.wrong_elements, verdict.failure};
  } catch (const worklog::bench::Refused& refused) {
    row["error_message"] = refused.what();
  }
  return row;
}

std::vector<Step> cudnn_if_present() {
  if (!worklog::bench::cudnn_version().empty()) return worklog::bench::cudnn_steps();
  std::cerr << "worklog_accuracy: cuDNN's errors are left out: it was not found when this was "
               "built\n";
  return {};
}

void measure_all(const std::string& folder) {
  const std::vector<Step> cudnn_steps = cudnn_if_present();
  json of_steps = json::array();
  json of_baselines = json::array();
  for (const std::int64_t cols : kCols) {
    const Case a_case{.dtype = DType::kFloat32, .rows = kRows, .cols = cols};
    std::cerr << file_name(a_case) << '\n';
    write_input(folder + "/" + file_name(a_case), a_case);
    for (const Step& step : worklog::all_steps()) {
      if (is_comparable(step, cols)) of_steps.push_back(accuracy_of(step, a_case));
    }
    for (const Step& cudnn : cudnn_steps)
      of_baselines.push_back(accuracy_of_cudnn(cudnn, a_case));
  }
  const json document = {{"accuracy", of_steps}, {"baseline_accuracy", of_baselines}};
  worklog::write_whole(folder + "/accuracy.json", document.dump(1) + '\n');
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::cerr << "usage: worklog_accuracy FOLDER\n"
                 "  writes the inputs (fp32, row after row) and accuracy.json into FOLDER\n";
    return 2;
  }
  try {
    measure_all(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "worklog_accuracy: " << error.what() << '\n';
    return 1;
  }
}
