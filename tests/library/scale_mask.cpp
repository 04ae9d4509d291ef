// Scales, masks, strides and types of results against double precision, and their refusals.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "library/include/softmax_worklog/softmax_worklog.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

// A row of scale * x + mask, as it is rounded, in double precision.
template <typename T>
std::vector<double> masked_row(const std::vector<T>& logits, const std::vector<T>& mask,
                               const sw::ScaleMaskOptions<T>& options, const Size& size,
                               std::int64_t row) {
  const auto or_else = [](std::int64_t given, std::int64_t usual) {
    return given == 0 ? usual : given;
  };
  const std::int64_t first = row * or_else(options.logits_stride, size.cols);
  const std::int64_t matrix_rows = or_else(options.mask_matrix_rows, size.rows);
  const std::int64_t mask_rows = or_else(options.mask_rows, matrix_rows);
  const std::int64_t matrix = row / matrix_rows % or_else(options.mask_matrices, 1);
  const std::int64_t first_of_mask =
      (matrix * mask_rows + row % mask_rows) * or_else(options.mask_stride, size.cols);
  const std::int64_t last = options.is_causal
                                ? row % or_else(options.queries, size.rows) + options.causal_offset
                                : size.cols;
  std::vector<double> made(at(size.cols), -kInfinity);
  for (std::int64_t col = 0; col < std::min(size.cols, last + 1); ++col) {
    const float added = mask.empty() ? 0.0f : static_cast<float>(mask[at(first_of_mask + col)]);
    made[at(col)] = std::fma(static_cast<float>(logits[at(first + col)]), options.scale, added);
  }
  return made;
}

struct Right {
  double value;
  double bound;
};

// NaN where a row has a NaN or +inf, or nothing but -inf.
template <typename Result>
std::vector<Right> right_results(const std::vector<double>& x, bool logarithm) {
  double m = -kInfinity;
  for (const double each : x)
    m = std::isnan(each) || std::isnan(m) ? kNan : std::max(m, each);
  double d = 0.0;
  for (const double each : x)
    d += std::exp(each - m);
  std::vector<Right> made;
  for (const double each : x) {
    const double exact = logarithm ? each - m - std::log(d) : std::exp(each - m) / d;
    const double off = logarithm ? kArithmetic : kArithmetic * exact;
    made.push_back(
        {exact, off + std::abs(exact) * kRounding<Result>.relative + kRounding<Result>.smallest});
  }
  return made;
}

// How many results are wrong.
template <typename T, typename Result>
int wrong_of(const Size& size, const std::vector<T>& logits, const std::vector<T>& mask,
             sw::ScaleMaskOptions<T> options, bool logarithm) {
  const std::int64_t stride = options.results_stride == 0 ? size.cols : options.results_stride;
  const auto logit_array = on_device(logits);
  const auto mask_array = on_device(mask);
  const Result untouched = static_cast<Result>(7.0f);
  auto array = on_device(std::vector<Result>(at(size.rows * stride), untouched));
  options.mask = mask_array.data();
  const sw::Status status =
      logarithm ? sw::scale_mask_log_softmax<T, Result>(logit_array.data(), array.data(), size.rows,
                                                        size.cols, options)
                : sw::scale_mask_softmax<T, Result>(logit_array.data(), array.data(), size.rows,
                                                    size.cols, options);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto results = array.download();
  int wrong = 0;
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const auto right =
        right_results<Result>(masked_row(logits, mask, options, size, row), logarithm);
    for (std::int64_t col = 0; col < stride; ++col) {
      const float got = static_cast<float>(results[at(row * stride + col)]);
      if (col >= size.cols) {
        wrong += got == 7.0f ? 0 : 1;  // between rows nothing is written
        continue;
      }
      const auto [exact, bound] = right[at(col)];
      // Beyond the largest number of the type lies infinity.
      const auto rounded = static_cast<float>(static_cast<Result>(static_cast<float>(exact)));
      const bool is_right = got == rounded ||
                            (std::isfinite(exact) && std::abs(got - exact) <= bound) ||
                            (std::isnan(exact) && std::isnan(got));
      if (!is_right && wrong++ == 0) {
        MESSAGE("row " << row << ", column " << col << ": " << got << ", but must be " << exact);
      }
    }
  }
  return wrong;
}

template <typename T, typename Result>
void check_all(const Size& size, const std::vector<T>& logits, const std::vector<T>& mask,
               const sw::ScaleMaskOptions<T>& options) {
  CAPTURE(size.rows);
  CAPTURE(size.cols);
  CHECK(wrong_of<T, Result>(size, logits, mask, options, false) == 0);
  CHECK(wrong_of<T, Result>(size, logits, mask, options, true) == 0);
}

template <typename T>
void check_all(const Size& size, const std::vector<T>& logits, const std::vector<T>& mask,
               const sw::ScaleMaskOptions<T>& options) {
  check_all<T, float>(size, logits, mask, options);
  check_all<T, __half>(size, logits, mask, options);
  check_all<T, __nv_bfloat16>(size, logits, mask, options);
}

// A mask that hides a fifth of the columns.
template <typename T>
std::vector<T> random_mask(std::int64_t rows, std::int64_t cols) {
  auto mask = random_array<T>(rows * cols, 9);
  for (std::size_t i = 0; i < mask.size(); i += 5)
    mask[i] = static_cast<T>(-kInfinity);
  return mask;
}

}  // namespace

TEST_SUITE("scale_mask") {
  // On both sides of where a row takes more registers, more warps, or a second read.
  TEST_CASE_TEMPLATE("every width of a launch, with packs and without", T, float, __half,
                     __nv_bfloat16) {
    sw::ScaleMaskOptions<T> options;
    options.scale = 0.7f;
    for (const std::int64_t cols :
         {1,   2,   8,   16,   24,   40,    77,    128,   256,   264,   384,   385,
          768, 769, 776, 8192, 8193, 12288, 12289, 24576, 24584, 60001, 120000}) {
      const Size size = {3, cols};
      check_all<T, T>(size, random_array<T>(3 * cols), {}, options);
    }
  }

  TEST_CASE_TEMPLATE("results of every type", T, float, __half, __nv_bfloat16) {
    for (const std::int64_t cols : {40, 333, 25600}) {
      const Size size = {2, cols};
      check_all<T>(size, random_array<T>(2 * cols), random_mask<T>(2, cols), {});
    }
  }

  // The rows of the three arrays begin at different places of their packs.
  TEST_CASE_TEMPLATE("rows that lie apart, with packs and without", T, float, __nv_bfloat16) {
    for (const std::int64_t cols : {96, 200, 1000, 9001, 17000}) {
      for (const std::int64_t gap : {1, 4, 8}) {
        const Size size = {5, cols};
        sw::ScaleMaskOptions<T> options;
        options.logits_stride = size.cols + gap;
        options.results_stride = size.cols + 2 * gap;
        options.mask_stride = size.cols + 3 * gap;
        check_all<T>(size, random_array<T>(5 * (size.cols + gap)),
                     random_mask<T>(5, size.cols + 3 * gap), options);
      }
    }
  }

  TEST_CASE("a mask of few rows is each matrix's") {
    const Size size = {12, 50};
    sw::ScaleMaskOptions<float> options;
    options.scale = -1.5f;
    options.mask_rows = 4;
    check_all<float>(size, random_array<float>(600), random_mask<float>(4, 50), options);
  }

  // Of 2 sequences, 3 heads and 4 queries: what is hidden of a sequence from all its heads, for
  // each query or for all, and what is added for a head in all sequences.
  TEST_CASE("a mask of several matrices") {
    const Size size = {24, 50};
    sw::ScaleMaskOptions<float> options;
    options.mask_matrices = 2;
    options.mask_matrix_rows = 12;
    options.mask_rows = 4;
    check_all<float>(size, random_array<float>(1200), random_mask<float>(8, 50), options);
    options.mask_rows = 0;
    check_all<float>(size, random_array<float>(1200), random_mask<float>(24, 50), options);
    options.mask_rows = 1;
    options.mask_stride = 60;
    check_all<float>(size, random_array<float>(1200), random_mask<float>(2, 60), options);
    options.mask_matrices = 3;
    options.mask_matrix_rows = 4;
    check_all<float>(size, random_array<float>(1200), random_mask<float>(3, 60), options);
    options.mask_matrices = 100;
    check_all<float>(size, random_array<float>(1200), random_mask<float>(6, 60), options);
  }

  // With an offset of -2 the first two queries see nothing: their rows are NaN.
  TEST_CASE_TEMPLATE("causal masks, beside another mask and alone", T, float, __nv_bfloat16) {
    for (const std::int64_t cols : {10, 33, 400, 9000, 9001, 25000, 25001}) {
      for (const std::int64_t offset : {std::int64_t{0}, cols - 4, std::int64_t{-2}, 2 * cols}) {
        const Size size = {8, cols};
        sw::ScaleMaskOptions<T> options;
        options.scale = 0.125f;
        options.is_causal = true;
        options.queries = 4;
        options.causal_offset = offset;
        check_all<T, T>(size, random_array<T>(8 * cols), {}, options);
        if (cols < 1000)
          check_all<T>(size, random_array<T>(8 * cols), random_mask<T>(8, cols), options);
      }
    }
  }

  TEST_CASE("a causal mask that is far away hides nothing or all") {
    const auto logits = on_device(random_array<float>(40));
    DeviceBuffer<float> results(40);
    DeviceBuffer<float> unmasked(40);
    sw::ScaleMaskOptions<float> options;
    REQUIRE(sw::scale_mask_softmax<float, float>(logits.data(), unmasked.data(), 4, 10, {}).ok());
    options.is_causal = true;
    options.causal_offset = std::numeric_limits<std::int64_t>::max();
    const auto run = [&] {
      REQUIRE(
          sw::scale_mask_softmax<float, float>(logits.data(), results.data(), 4, 10, options).ok());
      return results.download();
    };
    CHECK(run() == unmasked.download());
    options.causal_offset = std::numeric_limits<std::int64_t>::min();
    for (const float each : run())
      CHECK(std::isnan(each));
  }

  TEST_CASE("what a causal mask hides is not looked at") {
    const Size size = {2, 16};
    auto logits = random_array<float>(32);
    std::fill(logits.begin() + 1, logits.begin() + 16, kNan);
    sw::ScaleMaskOptions<float> options;
    options.is_causal = true;
    options.queries = 1;
    logits[17] = kInfinity;
    check_all<float, float>(size, logits, {}, options);
  }

  TEST_CASE("rows with NaN and infinities, of one warp, several and many") {
    for (const std::int64_t cols : {20, 2000, 26000}) {
      const Size size = {5, cols};
      auto logits = random_array<float>(5 * cols);
      logits[at(cols - 1)] = kNan;
      logits[at(cols + cols / 2)] = kInfinity;
      for (std::int64_t col = 0; col < cols; ++col)
        logits[at(2 * cols + col)] = -kInfinity;
      for (std::int64_t col = 1; col < cols; ++col)
        logits[at(3 * cols + col)] = -kInfinity;  // one that counts
      for (std::int64_t col = 0; col < cols; ++col)
        logits[at(4 * cols + col)] = col % 2 == 0 ? 3e38f : -3e38f;
      check_all<float, float>(size, logits, {}, {});
    }
  }

  TEST_CASE("in place, and halves of one array") {
    for (const std::int64_t cols : {32, 1003, 17001}) {
      const Size size = {3, cols};
      const auto logits = random_array<float>(6 * cols);
      sw::ScaleMaskOptions<float> options;
      options.logits_stride = options.results_stride = 2 * cols;
      auto array = on_device(logits);
      float* const other_half = array.data() + cols;
      REQUIRE(
          sw::scale_mask_softmax<float, float>(array.data(), other_half, 3, cols, options).ok());
      REQUIRE(
          sw::scale_mask_softmax<float, float>(array.data(), array.data(), 3, cols, options).ok());
      const auto results = array.download();
      int wrong = 0;
      for (std::int64_t row = 0; row < 3; ++row) {
        const auto right = right_results<float>(masked_row(logits, {}, options, size, row), false);
        for (std::int64_t col = 0; col < cols; ++col) {
          const float in_place = results[at(row * 2 * cols + col)];
          const auto [exact, bound] = right[at(col)];
          wrong += std::abs(in_place - exact) <= bound ? 0 : 1;
          wrong += results[at((row * 2 + 1) * cols + col)] == in_place ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("what belongs to a mask is refused without one") {
    DeviceBuffer<float> x(random_array<float>(40));
    const auto of_rows = [&](std::int64_t rows, const sw::ScaleMaskOptions<float>& options) {
      return sw::scale_mask_softmax<float, float>(x.data(), x.data(), rows, 10, options);
    };
    const auto check = [&](const sw::ScaleMaskOptions<float>& options, const std::string& given) {
      check_invalid(of_rows(4, options), given + ": must be 0 where options->mask is null");
      CHECK(of_rows(0, options).ok());  // without rows a mask has no memory either
    };
    sw::ScaleMaskOptions<float> options;
    options.mask_rows = 4;
    check(options, "options->mask_rows = 4");
    options = {};
    options.mask_stride = 10;
    check(options, "options->mask_stride = 10");
    options = {};
    options.mask_matrices = 1;
    check(options, "options->mask_matrices = 1");
    options = {};
    options.mask_matrix_rows = 4;
    check(options, "options->mask_matrix_rows = 4");
  }

  TEST_CASE("what belongs to a causal mask is refused without one") {
    DeviceBuffer<float> x(random_array<float>(40));
    const auto check = [&](sw::ScaleMaskOptions<float> options, const std::string& given) {
      const auto status = [&] {
        return sw::scale_mask_softmax<float, float>(x.data(), x.data(), 4, 10, options);
      };
      check_invalid(status(), given + ": must be 0 where options->is_causal is 0");
      options.is_causal = true;
      CHECK(status().ok());
    };
    sw::ScaleMaskOptions<float> options;
    options.queries = 2;
    check(options, "options->queries = 2");
    options = {};
    options.causal_offset = -1;
    check(options, "options->causal_offset = -1");
  }

  TEST_CASE("refusals") {
    DeviceBuffer<float> x(random_array<float>(1000));
    float* y = x.data() + 500;
    const auto with = [&](const sw::ScaleMaskOptions<float>& options) {
      return sw::scale_mask_softmax<float, float>(x.data(), y, 4, 10, options);
    };
    CHECK(with({}).ok());
    sw::ScaleMaskOptions<float> options;
    options.scale = kInfinity;
    check_invalid(with(options), "options->scale = inf: must be a finite number");
    options = {};
    options.logits_stride = 9;
    check_invalid(with(options), "options->logits_stride = 9: must be 0, or cols = 10 or more");
    options = {};
    options.results_stride = std::int64_t{1} << 61;
    check_invalid(with(options), "options->results_stride = 2305843009213693952: must be at most");
    options = {};
    options.mask_rows = -1;
    check_invalid(with(options), "options->mask_rows = -1: must be 0, which stands for all rows");
    options = {};
    options.mask_rows = std::int64_t{1} << 31;
    check_invalid(with(options), "options->mask_rows = 2147483648: must be at most 2147483647");
    options = {};
    options.mask_matrices = -1;
    check_invalid(with(options), "options->mask_matrices = -1: must be 0, which stands for 1");
    options = {};
    options.mask_matrix_rows = -1;
    check_invalid(with(options), "options->mask_matrix_rows = -1: must be 0, which stands for all");
    options = {};
    options.queries = -3;
    check_invalid(with(options), "options->queries = -3: must be 0 where options->is_causal is 0");
    options.is_causal = true;
    check_invalid(with(options), "options->queries = -3: must be 0, which stands for all rows");
    options = {};
    options.mask = y;
    check_invalid(with(options), "must be clear of options->mask");
    options.mask = x.data() + 480;  // its third row would be the results' first
    options.mask_rows = 1;
    CHECK(with(options).ok());
    options.mask_matrices = 3;
    options.mask_matrix_rows = 1;
    check_invalid(with(options), "must be clear of options->mask");
    options.mask_matrix_rows = 2;  // of which the rows reach two
    CHECK(with(options).ok());
    options = {};
    options.mask = x.data() + 460;
    options.mask_rows = 100;  // of which there are rows for four
    CHECK(with(options).ok());
    options = {};
    options.mask = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x.data()) + 2);
    check_invalid(with(options), "must be a multiple of 4");
    const std::vector<float> host(100);
    options.mask = host.data();
    CHECK(with(options).code() == SOFTMAX_WORKLOG_WRONG_DEVICE);
    std::vector<float> results(40);
    check_refused(sw::scale_mask_softmax<float, float>(x.data(), results.data(), 4, 10),
                  SOFTMAX_WORKLOG_WRONG_DEVICE, "results = ");
    check_invalid(sw::scale_mask_softmax<float, float>(x.data(), x.data() + 5, 4, 10),
                  "must be equal to logits, with their type and stride, or clear of logits");
    check_invalid(
        sw::scale_mask_softmax<float, __half>(x.data(), reinterpret_cast<__half*>(x.data()), 4, 10),
        "must be equal to logits");
    check_invalid(sw::scale_mask_softmax<float, float>(nullptr, y, 4, 10), "logits = null");
    check_invalid(sw::scale_mask_log_softmax<float, float>(x.data(), nullptr, 4, 10),
                  "results = null");
    CHECK(sw::scale_mask_softmax<float, float>(nullptr, nullptr, 0, 10).ok());
    check_invalid(sw::Status(softmax_worklog_scale_mask_softmax(
                      SOFTMAX_WORKLOG_FLOAT32, x.data(), static_cast<softmax_worklog_dtype>(8), y,
                      4, 10, nullptr, nullptr)),
                  "results_dtype = 8");
  }
}
