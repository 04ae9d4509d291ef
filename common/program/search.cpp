#include "common/program/search.h"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "common/cuda/check.h"
#include "common/step/run.h"
#include "common/verify/case_buffers.h"
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
  const Case all_questions{dtype_of<T>(), scores.rows, scores.cols, k, Input::kSearch};
  ProblemBuffers<T> buffers = buffers_of<T>(step, all_questions);
  run(step, buffers.problem(), nullptr);
  check(cudaDeviceSynchronize(), step.label());
  return {buffers.values.download(), buffers.indices.download()};
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
      out << fmt::format("  {:8.5f}  {:<{}.{}}  {}\n", found.values[at], entry.name, kNameWidth,
                         kNameWidth, entry.line);
    }
  }
  out << std::flush;
}

}  // namespace worklog
