#include "bench/library_cases.h"

#include <algorithm>
#include <fmt/format.h>

#include "bench/cudnn_steps.h"
#include "bench/library_steps.h"
#include "library/candidates.h"
#include "library/device.h"
#include "library/dispatcher.h"

namespace worklog::bench {

namespace {

constexpr std::int64_t kMostBytes = 24'000'000'000;
// Of the L2 cache. On an H100 arrays of 0.74 of it are copied at up to twice the speed of DRAM,
// those of 0.94 at no more than that. As WARM_PART of
// report/worklog_report/results/library_times.py.
constexpr double kWarmPart = 0.75;

// Of language models: Llama 2, GPT-2 and the next multiple of 64, Llama 3, Qwen, o200k, Gemma.
constexpr std::int64_t kVocabularies[] = {32000,  50257,  50304,  128256,
                                          151936, 201088, 256000, 262144};
// Heads and experts, image patches with a class token (197, 577), a text encoder's tokens (77).
constexpr std::int64_t kShortRows[] = {16, 32, 64, 77, 128, 197, 256, 577, 1024};

struct Numbers {
  std::vector<std::int64_t> of_vocabularies;  // rows
  std::vector<std::int64_t> of_short_rows;
};

struct Timed {
  softmax_worklog_operation operation;
  std::string_view name;
  int arrays;  // as long as the logits
  Numbers rows;
  Reduction reduction = Reduction::kMean;
};

// Inference asks for a few rows, training for thousands.
const std::vector<Timed>& all_timed() {
  static const Numbers rows_of_cross_entropy = {{64, 512, 4096, 32768}, {512, 32768}};
  static const std::vector<Timed> timed = {
      {SOFTMAX_WORKLOG_SOFTMAX,
       "softmax",
       2,
       {{1, 8, 64, 512, 4096, 32768}, {1, 8, 64, 512, 4096, 32768, 1'000'000, 4'000'000}}},
      {SOFTMAX_WORKLOG_CROSS_ENTROPY, "cross_entropy", 2, rows_of_cross_entropy},
      {SOFTMAX_WORKLOG_CROSS_ENTROPY, "cross_entropy_rows", 2, rows_of_cross_entropy,
       Reduction::kNone},
      {SOFTMAX_WORKLOG_TOP_K, "top_k", 1, {{1, 8, 64, 512, 4096}, {512, 32768}}},
      {SOFTMAX_WORKLOG_SOFTMAX_BACKWARD,
       "softmax_backward",
       3,
       {{64, 512, 4096}, {512, 32768, 1'000'000}}},
      {SOFTMAX_WORKLOG_LOG_SOFTMAX, "log_softmax", 2, {{8, 512, 4096}, {512, 32768}}},
  };
  return timed;
}

const Timed& timed_of(const LibraryCase& a_case) {
  const auto& all = all_timed();
  return *std::find_if(all.begin(), all.end(), [&](const Timed& one) {
    return one.operation == a_case.operation && one.reduction == a_case.reduction;
  });
}

template <typename Columns>
void add(std::vector<LibraryCase>& cases, const Timed& timed, const Columns& columns,
         const std::vector<std::int64_t>& rows, Cache cache, std::int64_t most_bytes,
         int largest = kSampledK) {
  for (const std::int64_t cols : columns) {
    for (const std::int64_t row_count : rows) {
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
        const LibraryCase a_case = {timed.operation, dtype,           row_count, cols,
                                    cache,           timed.reduction, largest};
        if (a_case.k() <= cols && a_case.bytes() <= most_bytes) cases.push_back(a_case);
      }
    }
  }
}

Measurement measured(const LibraryCase& a_case, Subject subject, const Step& step) {
  Measurement m = {subject,     &step,      a_case.dtype, a_case.rows,
                   a_case.cols, a_case.k(), a_case.cache};
  m.reduction = a_case.reduction;
  return m;
}

const library::DeviceTraits& current_device_traits() {
  return library::traits_of(library::current_device_index());
}

}  // namespace

std::string_view LibraryCase::operation_name() const {
  return timed_of(*this).name;
}

int LibraryCase::k() const {
  return operation == SOFTMAX_WORKLOG_TOP_K ? largest : 0;
}

std::int64_t LibraryCase::bytes() const {
  return timed_of(*this).arrays * rows * cols * static_cast<std::int64_t>(size_of(dtype));
}

std::string LibraryCase::name() const {
  return fmt::format("{}/{}/{}x{}{}/{}", operation_name(), name_of(dtype), rows, cols,
                     k() > 0 ? fmt::format("/k{}", k()) : "", name_of(cache));
}

nlohmann::ordered_json LibraryCase::fields() const {
  return {{"operation", operation_name()},
          {"dtype", name_of(dtype)},
          {"rows", rows},
          {"cols", cols},
          {"k", k()},
          {"cache", name_of(cache)}};
}

std::vector<LibraryCase> library_cases(std::int64_t l2_bytes) {
  const auto most_warm_bytes = static_cast<std::int64_t>(kWarmPart * static_cast<double>(l2_bytes));
  std::vector<LibraryCase> cases;
  for (const Cache cache : {Cache::kCold, Cache::kWarm}) {
    const std::int64_t most = cache == Cache::kWarm ? most_warm_bytes : kMostBytes;
    for (const Timed& timed : all_timed()) {
      add(cases, timed, kVocabularies, timed.rows.of_vocabularies, cache, most);
      add(cases, timed, kShortRows, timed.rows.of_short_rows, cache, most);
      if (timed.operation == SOFTMAX_WORKLOG_TOP_K) {
        add(cases, timed, kShortRows, timed.rows.of_short_rows, cache, most, kRoutedK);
      }
    }
  }
  return cases;
}

Measurement measurement_of(const LibraryCase& a_case) {
  return measured(a_case, Subject::kLibrary, library_step(a_case.operation));
}

std::string picked_step(const LibraryCase& a_case) {
  const library::Shape shape = {a_case.operation, a_case.dtype, a_case.rows, a_case.cols,
                                a_case.k()};
  return library::pick(shape, current_device_traits()).candidate->label;
}

std::vector<Measurement> candidates_for(const LibraryCase& a_case) {
  const library::DeviceTraits& device = current_device_traits();
  std::vector<Measurement> all;
  for (const library::Candidate& candidate : library::candidates_of(a_case.operation)) {
    if (!library::runs_on(candidate.need, device)) continue;
    if (!candidate.step->info.takes_shape(a_case.rows, a_case.cols, size_of(a_case.dtype),
                                          a_case.k())) {
      continue;
    }
    all.push_back(measured(a_case, Subject::kStep, *candidate.step));
  }
  return all;
}

std::vector<Measurement> cudnn_for(const LibraryCase& a_case) {
  const std::string wanted = a_case.operation == SOFTMAX_WORKLOG_SOFTMAX ? "cudnn/softmax_accurate"
                             : a_case.operation == SOFTMAX_WORKLOG_LOG_SOFTMAX ? "cudnn/log_softmax"
                                                                               : "";
  std::vector<Measurement> all;
  for (const Step& step : cudnn_steps()) {
    if (step.name == wanted) all.push_back(measured(a_case, Subject::kCudnn, step));
  }
  return all;
}

}  // namespace worklog::bench
