#include "common/harness/search.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/cuda/check.h"
#include "common/cuda/device_buffer.h"
#include "common/step/run.h"
#include "common/verify/real_data.h"

namespace worklog {

namespace {

struct Found {
  std::vector<float> values;          // rows x k
  std::vector<std::int64_t> indices;  // rows x k
};

template <typename T>
Found search_as(const Step& step, int k) {
  const Scores& scores = search_scores();
  std::vector<T> logits(scores.values.size());
  std::transform(scores.values.begin(), scores.values.end(), logits.begin(),
                 [](__half x) { return static_cast<T>(static_cast<float>(x)); });
  const DeviceBuffer<T> input(logits);
  DeviceBuffer<float> values(scores.rows * k);
  DeviceBuffer<std::int64_t> indices(scores.rows * k);
  const std::int64_t bytes = scratch_bytes(step, scores.rows, scores.cols, dtype_of<T>());
  DeviceBuffer<unsigned char> scratch(bytes);
  run<T>(step,
         TopK<T>{.logits = input.data(),
                 .values = values.data(),
                 .indices = indices.data(),
                 .rows = scores.rows,
                 .cols = scores.cols,
                 .k = k,
                 .block_size = 0,
                 .scratch = Scratch(scratch.data(), bytes)},
         nullptr);
  check(cudaDeviceSynchronize(), step.label());
  return {values.download(), indices.download()};
}

}  // namespace

void print_search_results(std::ostream& out, const Step& step, DType dtype, int k) {
  constexpr int kNameWidth = 44;
  const Found found = with_type(dtype, [&]<typename T>(T) { return search_as<T>(step, k); });
  out << "\n" << step.label() << ", " << name_of(dtype) << ": what it found\n";
  for (std::size_t question = 0; question < search_questions().size(); ++question) {
    out << "\n" << search_questions()[question] << "\n";
    for (int rank = 0; rank < k; ++rank) {
      const std::size_t at =
          question * static_cast<std::size_t>(k) + static_cast<std::size_t>(rank);
      const SearchEntry& entry = search_entries().at(static_cast<std::size_t>(found.indices[at]));
      char start[96];
      std::snprintf(start, sizeof start, "  %8.5f  %-*s  ", static_cast<double>(found.values[at]),
                    kNameWidth, entry.name.substr(0, kNameWidth).c_str());
      out << start << entry.line << "\n";
    }
  }
  out << std::flush;
}

}  // namespace worklog
