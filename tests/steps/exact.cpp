// Results that are exact, whatever the order of the sum: the bounds of the other tests would let a
// last place pass.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/step/run.h"
#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Results {
  std::vector<float> columns;         // softmax and its logarithm
  std::vector<float> values;          // top-k, with `indices`; losses
  std::vector<std::int64_t> indices;  // top-k
};

template <typename T>
std::vector<float> to_float(const std::vector<T>& values) {
  std::vector<float> result;
  for (const T value : values)
    result.push_back(static_cast<float>(value));
  return result;
}

// What the step makes of one row, of which column `label` is labelled, and of which a top-k lists
// as many columns as it may.
template <typename T>
Results run_row(const Step& step, const std::vector<float>& row, std::int64_t label) {
  const auto cols = static_cast<std::int64_t>(row.size());
  const int k = static_cast<int>(std::min<std::int64_t>(cols, step.info.max_k));
  std::vector<T> stored;
  for (const float logit : row)
    stored.push_back(static_cast<T>(logit));
  const DeviceBuffer<T> logits(stored);
  const DeviceBuffer<std::int64_t> labels(std::vector<std::int64_t>{label});
  DeviceBuffer<T> columns(std::vector<T>(row.size(), static_cast<T>(-7.0f)));
  DeviceBuffer<float> values(std::vector<float>(static_cast<std::size_t>(k), -7.0f));
  DeviceBuffer<std::int64_t> indices(std::vector<std::int64_t>(static_cast<std::size_t>(k), -7));
  DeviceBuffer<std::byte> scratch(scratch_bytes(step, 1, cols, dtype_of<T>()));
  run(step,
      AnyProblem<T>{.logits = logits.data(),
                    .labels = labels.data(),
                    .columns = columns.data(),
                    .values = values.data(),
                    .indices = indices.data(),
                    .rows = 1,
                    .cols = cols,
                    .k = k,
                    .scratch = Scratch(scratch.data(), scratch.size())},
      nullptr);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return {to_float(columns.download()), values.download(), indices.download()};
}

// A row of -inf but for one column, or of that column alone.
template <typename T>
void check_only(const Step& step, std::int64_t cols, std::int64_t kept, float logit) {
  CAPTURE(step.label());
  CAPTURE(cols);
  CAPTURE(logit);
  std::vector<float> row(static_cast<std::size_t>(cols), -kInfinity);
  row[static_cast<std::size_t>(kept)] = logit;
  const Results results = run_row<T>(step, row, kept);
  if (step.is_top_k()) {
    const bool of_values = step.operation() == Operation::kTopKOfValues;
    CHECK(results.indices[0] == kept);
    CHECK(results.values[0] == (of_values ? static_cast<float>(static_cast<T>(logit)) : 1.0f));
  } else if (step.takes<NegativeLogLikelihood>()) {
    CHECK(results.values[0] == 0.0f);
  } else {
    const bool logarithm = step.takes<LogSoftmax>();
    for (std::int64_t col = 0; col < cols; ++col) {
      CAPTURE(col);
      const float others = logarithm ? -kInfinity : 0.0f;
      const float only = logarithm ? 0.0f : 1.0f;
      CHECK(results.columns[static_cast<std::size_t>(col)] == (col == kept ? only : others));
    }
  }
}

}  // namespace

TEST_SUITE("exact") {
  TEST_CASE("a column that is alone in its row has probability 1, and all others 0") {
    for (const Step& step : all_steps()) {
      if (!step.info.expected_failure.empty()) continue;  // -inf may be outside of its domain
      if (step.trains() || step.takes<Attention>()) continue;
      for (const float logit :
           {0.0f, 1.0f, -3.25f, 88.5f, 1000.0f, -1000.0f, 60000.0f, -60000.0f}) {
        check_only<float>(step, 1, 0, logit);
        check_only<__half>(step, 1, 0, logit);
        check_only<__nv_bfloat16>(step, 1, 0, logit);
        check_only<float>(step, 300, 137, logit);
      }
    }
  }

  // In these columns the result is 3.1 to 3.4 units of the last place off without the correction,
  // and 1.3 to 2.3 with it.
  TEST_CASE("a quotient is corrected where the difference is exact: within 3 ulp") {
    struct Hard {
      std::vector<float> row;
      std::size_t col;
    };
    const Hard hard[] = {
        {{0x1.38ae1p+1f, -0x1.21da1cp+2f}, 1},
        {{-0x1.af1deep+1f, -0x1.f02ff8p+3f, 0x1.d8cccep+1f, -0x1.6f29fp+4f, -0x1.b494e2p+3f}, 4},
        {{0x1.f6af92p+2f, -0x1.27eddp+4f, -0x1.939f1ep+2f}, 1}};
    for (const Step& step : all_steps()) {
      if (!step.info.exact_difference) continue;
      CAPTURE(step.label());
      for (const auto& [row, col] : hard) {
        CAPTURE(row[0]);
        double d = 0.0;
        for (const float logit : row)
          d += std::exp(static_cast<double>(logit) - row[0]);
        const double expected = std::exp(static_cast<double>(row[col]) - row[0]) / d;
        const double ulp = std::ldexp(1.0, std::ilogb(expected) - 23);
#ifdef SIMT_EXECUTOR
        constexpr double kFast = 3.0;  // whose powers of two are the host's
#else
        constexpr double kFast = 6.0;
#endif
        const double bound = step.info.fast_exponential ? kFast : 3.0;
        CHECK(std::abs(run_row<float>(step, row, 0).columns[col] - expected) <= bound * ulp);
      }
    }
  }

  // In one float the large terms leave nothing of the small one between them, or the rest of a
  // product is lost.
  TEST_CASE("a row's sum keeps what rounding drops where a step says so: fp32") {
    struct Row {
      std::vector<float> y, dy;
      double sum;
    };
    const float third = 1.0f / 3.0f;
    const Row rows[] = {
        {{1.0f, 1.0f, 1.0f}, {0x1p24f, 1.0f, -0x1p24f}, 1.0},
        {{0x1p24f, 0.5f, -0x1p24f, 0.5f}, {1.0f, 1.0f, 1.0f, 3.0f}, 2.0},
        {{third, third},
         {third, -0x1.555556p-2f},
         static_cast<double>(third) * third - static_cast<double>(third) * 0x1.555556p-2}};
    for (const Step& step : all_steps()) {
      if (!step.info.exact_sum) continue;
      CAPTURE(step.label());
      for (const Row& row : rows) {
        // The sum of the gradients alone is exact in the first row only.
        const bool of_logarithms = step.takes<LogSoftmaxBackward>();
        if (of_logarithms && &row != rows) continue;
        const auto cols = static_cast<std::int64_t>(row.y.size());
        const DeviceBuffer<float> results(of_logarithms ? std::vector<float>(row.y.size(), 0.0f)
                                                        : row.y);
        const DeviceBuffer<float> gradients(row.dy);
        DeviceBuffer<float> dx(cols);
        run(step,
            AnyProblem<float>{.results = results.data(),
                              .gradients = gradients.data(),
                              .columns = dx.data(),
                              .rows = 1,
                              .cols = cols},
            nullptr);
        const std::vector<float> got = dx.download();
        for (std::size_t col = 0; col < got.size(); ++col) {
          CAPTURE(col);
          const double exact = row.y[col] * (row.dy[col] - row.sum);
          CHECK(std::abs(got[col] - exact) <= 2.5 * std::ldexp(1.0, std::ilogb(exact) - 23));
        }
      }
    }
  }

#ifdef SIMT_EXECUTOR
  // The division is rounded once: so it is in the host's arithmetic, whose exponential function the
  // executor uses. The other terms are too small to change d, all of them together.
  TEST_CASE("a probability is the quotient of its exponential and d, rounded once: fp32") {
    for (const Step& step : all_steps()) {
      const bool has_probabilities = step.takes<Softmax>() || step.is_top_k();
      if (!has_probabilities || step.operation() == Operation::kTopKOfValues) continue;
      if (step.info.storage_arithmetic) continue;  // its arithmetic has functions of its own
      if (step.info.exact_difference) continue;    // and so has this, which keeps more of d
      CAPTURE(step.label());
      for (const int leaders : {3, 5, 7, 11, 13, 49}) {
        std::vector<float> row(static_cast<std::size_t>(leaders), 0.0f);
        for (int i = 0; i < 30; ++i)
          row.push_back(-18.0f - 1.37f * static_cast<float>(i));
        const Results results = run_row<float>(step, row, 0);
        const auto d = static_cast<float>(leaders);
        for (std::size_t place = 0; place < row.size(); ++place) {
          const auto col =
              step.is_top_k() ? static_cast<std::size_t>(results.indices[place]) : place;
          CAPTURE(col);
          const float got = step.is_top_k() ? results.values[place] : results.columns[place];
          CHECK(got == std::exp(row[col]) / d);
        }
      }
    }
  }
#endif
}
