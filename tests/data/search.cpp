// Top-k over the search scores finds what a reader would look for.
#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "common/step/step.h"
#include "common/verify/real_data.h"

using namespace worklog;

namespace {

constexpr int kK = 5;

struct Question {
  std::string text;
  std::vector<std::string> answers;  // read by a person: each belongs among the first five
};

const std::vector<Question> kQuestions = {
    {"cache the results of a function", {"functools.cache"}},
    {"keep the n largest items", {"heapq.nlargest", "heapq.nsmallest"}},
    {"find the median of some numbers", {"statistics.median", "statistics.median_low"}},
    {"pick a random element from a sequence", {"random.Random.choice"}},
    {"walk through a directory tree", {"os.walk"}},
    {"delete a folder and everything in it", {"shutil.rmtree"}},
    {"create a temporary file", {"tempfile.NamedTemporaryFile"}},
    {"measure how long a snippet takes", {"timeit", "timeit.Timer"}},
    {"rational numbers", {"fractions", "fractions.Fraction"}},
    {"encode bytes as base64", {"base64.b64encode"}},
    {"a queue that several threads can use", {"queue.Queue"}},
    {"define a class with named fields", {"collections.namedtuple"}},
    {"wrap long lines of text", {"textwrap.wrap"}},
    {"close a resource when a block ends", {"contextlib.closing"}},
};

// The names of the entries that the step lists for every question, best first.
std::vector<std::vector<std::string>> search_with(const Step& step) {
  const Scores& scores = search_scores();
  auto buffers = problem_buffers<__half>(step, scores.rows, scores.cols, kK);
  buffers.logits.upload(scores.values);
  run(step, buffers.problem(), nullptr);

  const std::vector<std::int64_t> columns = buffers.indices.download();
  std::vector<std::vector<std::string>> found(static_cast<std::size_t>(scores.rows));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    found[i / kK].push_back(search_entries()[static_cast<std::size_t>(columns[i])].name);
  }
  return found;
}

}  // namespace

TEST_SUITE("search") {
  TEST_CASE("the recorded files belong together") {
    CHECK(search_scores().rows == static_cast<std::int64_t>(search_questions().size()));
    CHECK(search_scores().cols == static_cast<std::int64_t>(search_entries().size()));
  }

  TEST_CASE("every top-k step finds the entries that answer a question") {
    int top_k_steps = 0;
    for (const Step& step : all_steps()) {
      const Scores& scores = search_scores();
      if (!step.is_top_k()) continue;
      if (!step.info.takes_shape(scores.rows, scores.cols, sizeof(__half), kK)) continue;
      ++top_k_steps;
      CAPTURE(step.label());
      const std::vector<std::vector<std::string>> found = search_with(step);
      for (const Question& question : kQuestions) {
        CAPTURE(question.text);
        const auto at =
            std::find(search_questions().begin(), search_questions().end(), question.text);
        REQUIRE(at != search_questions().end());
        const auto& names = found[static_cast<std::size_t>(at - search_questions().begin())];
        for (const std::string& answer : question.answers) {
          CAPTURE(answer);
          CHECK(std::find(names.begin(), names.end(), answer) != names.end());
        }
      }
    }
    CHECK(top_k_steps > 0);
  }
}
