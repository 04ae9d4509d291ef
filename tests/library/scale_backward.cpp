// Backward passes of logits that were scaled, of rows that lie apart, into gradients of any type,
// against double precision, and their refusals.

#include <cmath>
#include <string>
#include <vector>

#include "library/include/softmax_worklog/softmax_worklog.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

// A sum has at most 25 terms of a thread, and 5 additions among lanes and 5 among warps, each
// rounded by 2^-24.
constexpr double kOfSum = 40 * 0x1p-24;
// A product, a difference, the scale, and an exponential of 2 units in the last place.
constexpr double kOfColumn = 8 * 0x1p-24;

struct Arrays {
  std::vector<double> y;
  std::vector<double> dy;
};

struct Right {
  double value;
  double bound;
};

std::vector<Right> right_gradients(const Arrays& row, double scale, bool logarithm) {
  double sum = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < row.y.size(); ++i) {
    const double share = logarithm ? row.dy[i] : row.y[i] * row.dy[i];
    sum += share;
    size += std::abs(share);
  }
  std::vector<Right> made;
  for (std::size_t i = 0; i < row.y.size(); ++i) {
    const double dy = row.dy[i];
    const double of_sum = logarithm ? std::exp(row.y[i]) : row.y[i];
    const double of_dy = logarithm ? 1.0 : row.y[i];
    const double off = std::abs(of_sum) * size * kOfSum +
                       (std::abs(of_dy * dy) + std::abs(of_sum * sum)) * kOfColumn;
    made.push_back({scale * (of_dy * dy - of_sum * sum), std::abs(scale) * off});
  }
  return made;
}

// What a softmax or a log-softmax gives of random logits, rounded to T.
template <typename T>
std::vector<T> random_results(const Size& size, std::int64_t stride, bool logarithm) {
  auto made = random_array<T>(size.rows * stride, 3);
  for (std::int64_t row = 0; row < size.rows; ++row) {
    double sum = 0.0;
    for (std::int64_t col = 0; col < size.cols; ++col)
      sum += std::exp(static_cast<float>(made[at(row * stride + col)]));
    for (std::int64_t col = 0; col < size.cols; ++col) {
      T& y = made[at(row * stride + col)];
      const double logit = static_cast<float>(y);
      y = static_cast<T>(
          static_cast<float>(logarithm ? logit - std::log(sum) : std::exp(logit) / sum));
    }
  }
  return made;
}

std::int64_t or_cols(std::int64_t stride, const Size& size) {
  return stride == 0 ? size.cols : stride;
}

// How many gradients are wrong.
template <typename T, typename Logit>
int wrong_of(const Size& size, const sw::ScaleBackwardOptions& options, bool logarithm) {
  const std::int64_t y_stride = or_cols(options.results_stride, size);
  const std::int64_t dy_stride = or_cols(options.gradients_stride, size);
  const std::int64_t dx_stride = or_cols(options.logit_gradients_stride, size);
  const auto y = random_results<T>(size, y_stride, logarithm);
  const auto dy = random_array<T>(size.rows * dy_stride, 4);
  const auto y_array = on_device(y);
  const auto dy_array = on_device(dy);
  auto array = on_device(
      std::vector<Logit>(at(size.rows * dx_stride), static_cast<Logit>(7.0f)));  // untouched
  const sw::Status status =
      logarithm ? sw::scale_log_softmax_backward(y_array.data(), dy_array.data(), array.data(),
                                                 size.rows, size.cols, options)
                : sw::scale_softmax_backward(y_array.data(), dy_array.data(), array.data(),
                                             size.rows, size.cols, options);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto results = array.download();
  int wrong = 0;
  for (std::int64_t row = 0; row < size.rows; ++row) {
    Arrays of_row;
    for (std::int64_t col = 0; col < size.cols; ++col) {
      of_row.y.push_back(static_cast<float>(y[at(row * y_stride + col)]));
      of_row.dy.push_back(static_cast<float>(dy[at(row * dy_stride + col)]));
    }
    const auto right = right_gradients(of_row, options.scale, logarithm);
    for (std::int64_t col = 0; col < dx_stride; ++col) {
      const float got = static_cast<float>(results[at(row * dx_stride + col)]);
      if (col >= size.cols) {
        wrong += got == 7.0f ? 0 : 1;  // between rows nothing is written
        continue;
      }
      const auto [exact, bound] = right[at(col)];
      const double allowed =
          bound + std::abs(exact) * kRounding<Logit>.relative + kRounding<Logit>.smallest;
      if (!(std::abs(got - exact) <= allowed) && wrong++ == 0) {
        MESSAGE("row " << row << ", column " << col << ": " << got << ", but must be " << exact);
      }
    }
  }
  return wrong;
}

template <typename T, typename Logit>
void check_all(const Size& size, const sw::ScaleBackwardOptions& options) {
  CAPTURE(size.rows);
  CAPTURE(size.cols);
  CHECK(wrong_of<T, Logit>(size, options, false) == 0);
  CHECK(wrong_of<T, Logit>(size, options, true) == 0);
}

}  // namespace

TEST_SUITE("scale_backward") {
  // On both sides of where a row takes more registers, more warps, or a second read.
  TEST_CASE_TEMPLATE("every width of a launch, with packs and without", T, float, __half,
                     __nv_bfloat16) {
    sw::ScaleBackwardOptions options;
    options.scale = 0.7f;
    for (const std::int64_t cols : {1,   2,   8,   16,   24,   40,   77,   128,   129,   136,
                                    256, 264, 777, 1024, 8192, 8193, 8200, 16384, 16385, 16392})
      check_all<T, T>({5, cols}, options);
  }

  TEST_CASE_TEMPLATE("gradients of every type", T, float, __half, __nv_bfloat16) {
    sw::ScaleBackwardOptions options;
    options.scale = -3.0f;
    for (const std::int64_t cols : {40, 333, 20480}) {
      check_all<T, float>({3, cols}, options);
      check_all<T, __half>({3, cols}, options);
      check_all<T, __nv_bfloat16>({3, cols}, options);
    }
  }

  // The rows of the three arrays begin at different places of their packs.
  TEST_CASE_TEMPLATE("rows that lie apart, with packs and without", T, float, __half) {
    for (const std::int64_t cols : {96, 200, 1000, 9001, 17000}) {
      for (const std::int64_t gap : {1, 4, 8}) {
        sw::ScaleBackwardOptions options;
        options.results_stride = cols + gap;
        options.gradients_stride = cols + 2 * gap;
        options.logit_gradients_stride = cols + 3 * gap;
        check_all<T, float>({9, cols}, options);
        check_all<T, __nv_bfloat16>({9, cols}, options);
      }
    }
  }

  // Where fp16 may hold the gradient and not its multiple before it is scaled down again.
  // The page sends them here.
  TEST_CASE("rows that are too long for log_softmax_backward") {
    check_all<float, float>({1, 262113}, {});
    check_all<__half, float>({1, 524225}, {});
  }

  TEST_CASE("rounded once, behind the scale") {
    const std::vector<__half> y = {static_cast<__half>(0.5f), static_cast<__half>(0.5f)};
    const std::vector<__half> dy = {static_cast<__half>(60000.0f), static_cast<__half>(-60000.0f)};
    const auto y_array = on_device(y);
    const auto dy_array = on_device(dy);
    DeviceBuffer<float> dx(2);
    sw::ScaleBackwardOptions options;
    options.scale = 8.0f;
    REQUIRE(
        sw::scale_softmax_backward(y_array.data(), dy_array.data(), dx.data(), 1, 2, options).ok());
    CHECK(dx.download() == std::vector<float>{240000.0f, -240000.0f});
  }

  TEST_CASE("hidden columns have no gradient, whatever theirs is") {
    const std::vector<float> y = {0.25f, 0.75f, 0.0f, 0.0f};
    const std::vector<float> logs = {std::log(0.25f), std::log(0.75f), -kInfinity, -kInfinity};
    const auto dy = on_device(std::vector<float>{1.0f, 2.0f, 3e38f, -5.0f});
    const auto y_array = on_device(y);
    DeviceBuffer<float> dx(4);
    REQUIRE(sw::scale_softmax_backward(y_array.data(), dy.data(), dx.data(), 1, 4).ok());
    CHECK(dx.download() == std::vector<float>{-0.1875f, 0.1875f, 0.0f, 0.0f});
    // Of a log-softmax they have no share but their own.
    const auto zeros = on_device(std::vector<float>{1.0f, 1.0f, 0.0f, 0.0f});
    const auto log_array = on_device(logs);
    REQUIRE(sw::scale_log_softmax_backward(log_array.data(), zeros.data(), dx.data(), 1, 4).ok());
    const auto of_logs = dx.download();
    CHECK(of_logs[0] == doctest::Approx(0.5f));
    CHECK(of_logs[1] == doctest::Approx(-0.5f));
    CHECK(of_logs[2] == 0.0f);
  }

  TEST_CASE("in the place of either array, or between its rows") {
    const Size size = {3, 32};
    const auto y = random_results<float>(size, 64, false);
    const auto dy = random_array<float>(3 * 64, 4);
    sw::ScaleBackwardOptions options;
    options.results_stride = options.gradients_stride = options.logit_gradients_stride = 64;
    const auto made_at = [&](auto place_of) {
      auto y_array = on_device(y);
      auto dy_array = on_device(dy);
      float* dx = place_of(y_array.data(), dy_array.data());
      const sw::Status status =
          sw::scale_softmax_backward(y_array.data(), dy_array.data(), dx, 3, 32, options);
      REQUIRE_MESSAGE(status.ok(), status.message());
      const auto& array = dx >= y_array.data() && dx < y_array.data() + 3 * 64 ? y_array : dy_array;
      const auto downloaded = array.download();
      std::vector<float> made;
      for (std::int64_t row = 0; row < 3; ++row) {
        const auto begin = downloaded.begin() + (dx - array.data()) + row * 64;
        made.insert(made.end(), begin, begin + 32);
      }
      return made;
    };
    const auto apart = made_at([](float* of_y, float*) { return of_y + 32; });
    CHECK(made_at([](float* of_y, float*) { return of_y; }) == apart);
    CHECK(made_at([](float*, float* of_dy) { return of_dy; }) == apart);
    CHECK(made_at([](float*, float* of_dy) { return of_dy + 32; }) == apart);
  }

  TEST_CASE("refusals") {
    DeviceBuffer<float> x(random_array<float>(1000));
    const float* y = x.data();
    const float* dy = x.data() + 100;
    float* dx = x.data() + 500;
    const auto with = [&](const sw::ScaleBackwardOptions& options) {
      return sw::scale_softmax_backward(y, dy, dx, 4, 10, options);
    };
    CHECK(with({}).ok());
    sw::ScaleBackwardOptions options;
    options.scale = kNan;
    check_invalid(with(options), "options->scale = nan: must be a finite number");
    options = {};
    options.results_stride = 9;
    check_invalid(with(options), "options->results_stride = 9: must be 0, or cols = 10 or more");
    options = {};
    options.gradients_stride = -1;
    check_invalid(with(options), "options->gradients_stride = -1: must be 0, or cols = 10 or more");
    options = {};
    options.logit_gradients_stride = std::int64_t{1} << 61;
    check_invalid(with(options), "options->logit_gradients_stride = 2305843009213693952: must be");
    check_invalid(sw::scale_softmax_backward(y, dy, x.data() + 5, 4, 10),
                  "equal to probabilities, with their type and stride, or clear of probabilities");
    check_invalid(sw::scale_log_softmax_backward(y, dy, x.data() + 105, 4, 10),
                  "equal to gradients, with their type and stride, or clear of gradients");
    check_invalid(sw::scale_softmax_backward(y, dy, reinterpret_cast<__half*>(x.data()), 4, 10),
                  "equal to probabilities");
    check_invalid(sw::scale_softmax_backward(static_cast<const float*>(nullptr), dy, dx, 4, 10),
                  "probabilities = null");
    check_invalid(sw::scale_log_softmax_backward(static_cast<const float*>(nullptr), dy, dx, 4, 10),
                  "log_probabilities = null");
    check_invalid(sw::scale_softmax_backward(y, dy, static_cast<float*>(nullptr), 4, 10),
                  "logit_gradients = null");
    check_invalid(sw::scale_softmax_backward(y, dy, dx, -1, 10), "rows = -1");
    const std::vector<float> host(100);
    CHECK(sw::scale_softmax_backward(y, host.data(), dx, 4, 10).code() ==
          SOFTMAX_WORKLOG_WRONG_DEVICE);
    CHECK(sw::scale_softmax_backward<float, float>(nullptr, nullptr, nullptr, 0, 10).ok());
    check_invalid(sw::Status(softmax_worklog_scale_softmax_backward(
                      SOFTMAX_WORKLOG_FLOAT32, y, dy, static_cast<softmax_worklog_dtype>(8), dx, 4,
                      10, nullptr, nullptr)),
                  "logits_dtype = 8");
  }
}
