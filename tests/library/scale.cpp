// Scales and strides of top-k and cross-entropy against double precision, and their refusals.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "library/include/softmax_worklog/softmax_worklog.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

// ---- where rows lie ----

struct Layout {
  std::int64_t stride;
  std::int64_t matrix_stride;
  std::int64_t matrix_rows;

  std::int64_t begin_of(std::int64_t row) const {
    return row / matrix_rows * matrix_stride + row % matrix_rows * stride;
  }
  std::int64_t elements(const Size& size) const { return begin_of(size.rows - 1) + size.cols; }
};

std::int64_t or_else(std::int64_t given, std::int64_t usual) {
  return given == 0 ? usual : given;
}

Layout layout_of(const Size& size, std::int64_t stride, std::int64_t matrix_rows,
                 std::int64_t matrix_stride) {
  const std::int64_t rows = or_else(matrix_rows, size.rows);
  stride = or_else(stride, size.cols);
  return {stride, or_else(matrix_stride, rows * stride), rows};
}

Layout logits_layout(const Size& size, const sw::ScaleOptions& scaling) {
  return layout_of(size, scaling.logits_stride, scaling.matrix_rows, scaling.logits_matrix_stride);
}

Layout gradients_layout(const Size& size, const sw::ScaleOptions& scaling) {
  return layout_of(size, scaling.gradients_stride, scaling.matrix_rows,
                   scaling.gradients_matrix_stride);
}

template <typename T>
std::vector<T> random_logits(const Size& size, const sw::ScaleOptions& scaling) {
  return random_array<T>(logits_layout(size, scaling).elements(size));
}

// A row as it is given, and scaled as it is rounded.
template <typename T>
std::vector<float> row_of(const std::vector<T>& logits, const Layout& layout, const Size& size,
                          std::int64_t row) {
  std::vector<float> made;
  for (std::int64_t col = 0; col < size.cols; ++col)
    made.push_back(static_cast<float>(logits[at(layout.begin_of(row) + col)]));
  return made;
}

std::vector<double> scaled(const std::vector<float>& x, float scale) {
  std::vector<double> made;
  for (const float each : x)
    made.push_back(each * scale);
  return made;
}

// The maximum, and the logarithm of the sum of exp(x - m), which may be too small to add to m. Of a
// row with a NaN or +inf, or of -inf only, NaN.
struct Normalizer {
  double m;
  double log_d;
};

Normalizer normalizer_of(const std::vector<double>& x) {
  double m = -kInfinity;
  for (const double each : x)
    m = std::isnan(each) || std::isnan(m) ? kNan : std::max(m, each);
  double d = 0.0;
  for (const double each : x)
    d += std::exp(each - m);
  return {m, std::log(d)};
}

double log_sum_exp_of(const std::vector<double>& x) {
  const auto [m, log_d] = normalizer_of(x);
  return m + log_d;
}

bool is_near(double got, double exact, double bound) {
  if (std::isnan(exact)) return std::isnan(got);
  return got == exact || std::abs(got - exact) <= bound;
}

// ---- top-k ----

// The columns in the order of their logits, NaN first, of equal ones the lowest first.
std::vector<std::int64_t> ranked(const std::vector<float>& x) {
  std::vector<std::int64_t> columns(x.size());
  std::iota(columns.begin(), columns.end(), 0);
  std::stable_sort(columns.begin(), columns.end(), [&](std::int64_t a, std::int64_t b) {
    const float left = x[at(a)];
    const float right = x[at(b)];
    return std::isnan(left) ? !std::isnan(right) : left > right;
  });
  return columns;
}

template <typename T>
int wrong_top_k(const Size& size, int k, const std::vector<T>& logits,
                const sw::ScaleOptions& scaling) {
  const auto array = on_device(logits);
  DeviceBuffer<float> values(size.rows * k);
  DeviceBuffer<std::int64_t> indices(size.rows * k);
  const sw::Status status = sw::scale_top_k<T>(array.data(), values.data(), indices.data(),
                                               size.rows, size.cols, k, scaling);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto got_values = values.download();
  const auto got_indices = indices.download();
  int wrong = 0;
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const auto given = row_of(logits, logits_layout(size, scaling), size, row);
    const auto x = scaled(given, scaling.scale);
    const auto columns = ranked(given);
    const auto [m, log_d] = normalizer_of(x);
    for (int place = 0; place < k; ++place) {
      const std::int64_t col = columns[at(place)];
      const double exact = std::exp(x[at(col)] - m - log_d);
      const float value = got_values[at(row * k + place)];
      const std::int64_t index = got_indices[at(row * k + place)];
      const bool is_right = index == col && is_near(value, exact, kArithmetic * exact + 0x1p-126);
      if (!is_right && wrong++ == 0) {
        MESSAGE("row " << row << ", place " << place << ": " << value << " in " << index
                       << ", but must be " << exact << " in " << col);
      }
    }
  }
  return wrong;
}

template <typename T>
void check_top_k(const Size& size, int k, const std::vector<T>& logits,
                 const sw::ScaleOptions& scaling) {
  CAPTURE(size.rows);
  CAPTURE(size.cols);
  CAPTURE(k);
  CHECK(wrong_top_k<T>(size, k, logits, scaling) == 0);
}

// On both sides of where a list takes more registers, and of where it is the block's.
constexpr int kSizesOfList[] = {1, 5, 32, 33, 128, 129, 1000, 2048};

// ---- cross-entropy ----

struct Answer {
  std::vector<float> losses;
  float loss = 0.0f;
};

// One row in four has a label that is ignored, or none.
std::vector<std::int64_t> labels_of(const Size& size, bool all_are_right = false) {
  std::vector<std::int64_t> labels;
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const std::int64_t label = (7 * row + size.cols - 1) % size.cols;
    const bool is_odd = !all_are_right && row % 4 == 3;
    labels.push_back(!is_odd ? label : row % 8 == 3 ? -100 : size.cols);
  }
  return labels;
}

// Of scaled logits; and by how much fp32 may be off.
struct RightRow {
  double loss;
  double loss_bound;
  std::vector<double> gradients;
  std::vector<double> gradient_bounds;
};

RightRow right_row(const std::vector<double>& x, std::int64_t label,
                   const sw::CrossEntropyOptions& options, double weight) {
  const auto cols = static_cast<std::int64_t>(x.size());
  if (label == options.ignore_index) {
    return {0.0, 0.0, std::vector<double>(x.size()), std::vector<double>(x.size())};
  }
  const bool is_column = 0 <= label && label < cols;
  const double s = options.label_smoothing;
  const double lse = log_sum_exp_of(x);
  const double of_label = is_column ? x[at(label)] : kNan;
  double largest = std::abs(lse);
  for (const double each : x) {
    if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
  }
  RightRow made = {options.z_loss * lse * lse, 0.0, {}, {}};
  if (s < 1.0) made.loss += (1.0 - s) * (lse - of_label);
  if (s > 0.0) {
    made.loss += s * (lse - std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(cols));
  }
  made.loss_bound = kArithmetic * (1.0 + largest + options.z_loss * lse * lse);
  for (std::int64_t col = 0; col < cols; ++col) {
    const double of_lse = std::exp(x[at(col)] - lse) * (1.0 + 2.0 * options.z_loss * lse);
    const double target = (col == label ? 1.0 - s : 0.0) + s / static_cast<double>(cols);
    made.gradients.push_back(is_column ? weight * (of_lse - target) : kNan);
    made.gradient_bounds.push_back(kArithmetic * weight * (std::abs(of_lse) + target));
  }
  return made;
}

// The logits, of which gradients may take the place.
template <typename T>
struct Given {
  std::vector<T> logits;
  std::vector<std::int64_t> labels;
  sw::CrossEntropyOptions options;
  sw::ScaleOptions scaling;
  bool in_place = false;
  bool are_labels_short = false;
};

template <typename T>
struct Memory {
  explicit Memory(const Size& size) {
    std::size_t bytes = 0;
    REQUIRE(
        sw::workspace_bytes<T>(sw::Operation::kCrossEntropy, size.rows, size.cols, &bytes).ok());
    buffer = DeviceBuffer<std::uint64_t>(static_cast<std::int64_t>(bytes / 8));
    workspace = {buffer.data(), bytes};
  }
  DeviceBuffer<std::uint64_t> buffer;
  sw::Workspace workspace;
};

template <typename T>
void check_cross_entropy(const Size& size, const Given<T>& given) {
  CAPTURE(size.rows);
  CAPTURE(size.cols);
  const Layout logits_lie = logits_layout(size, given.scaling);
  const Layout gradients_lie = gradients_layout(size, given.scaling);
  const bool reduces = given.options.reduction != sw::Reduction::kNone;
  auto logits = on_device(given.logits);
  const std::vector<T> untouched(at(gradients_lie.elements(size)), static_cast<T>(7.0f));
  auto apart = on_device(untouched);
  auto& gradients = given.in_place ? logits : apart;
  const auto labels = on_device(given.labels);
  const auto short_labels =
      on_device(std::vector<std::int32_t>(given.labels.begin(), given.labels.end()));
  DeviceBuffer<float> losses(size.rows);
  DeviceBuffer<float> loss(1);
  const Memory<T> memory(size);
  const sw::CrossEntropyResults<T> results = {losses.data(), reduces ? loss.data() : nullptr,
                                              gradients.data()};
  const sw::Status status =
      given.are_labels_short
          ? sw::scale_cross_entropy<T>(logits.data(), short_labels.data(), results, size.rows,
                                       size.cols, given.options, given.scaling, memory.workspace)
          : sw::scale_cross_entropy<T>(logits.data(), labels.data(), results, size.rows, size.cols,
                                       given.options, given.scaling, memory.workspace);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto got_losses = losses.download();
  const auto got = gradients.download();

  const auto ignored =
      std::count(given.labels.begin(), given.labels.end(), given.options.ignore_index);
  const bool is_mean = given.options.reduction == sw::Reduction::kMean;
  const double share = is_mean ? 1.0 / static_cast<double>(size.rows - ignored) : 1.0;
  double total = 0.0;
  double bound_of_total = 0.0;
  int wrong = 0;
  auto between_rows = given.in_place ? given.logits : untouched;
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const auto x = scaled(row_of(given.logits, logits_lie, size, row), given.scaling.scale);
    const RightRow right =
        right_row(x, given.labels[at(row)], given.options, given.scaling.scale * share);
    CHECK_MESSAGE(is_near(got_losses[at(row)], right.loss, right.loss_bound),
                  "row " << row << ": " << got_losses[at(row)] << ", but must be " << right.loss);
    total += right.loss;
    bound_of_total += right.loss_bound + kArithmetic * std::abs(right.loss);
    for (std::int64_t col = 0; col < size.cols; ++col) {
      const std::int64_t place = gradients_lie.begin_of(row) + col;
      const double exact = right.gradients[at(col)];
      const auto [relative, smallest] = kRounding<T>;
      const double bound = right.gradient_bounds[at(col)] + std::abs(exact) * relative + smallest;
      const float gradient = static_cast<float>(got[at(place)]);
      if (!is_near(gradient, exact, bound) && wrong++ == 0) {
        MESSAGE("row " << row << ", column " << col << ": " << gradient << ", but must be "
                       << exact);
      }
      between_rows[at(place)] = got[at(place)];
    }
  }
  CHECK(wrong == 0);
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += std::memcmp(&got[i], &between_rows[i], sizeof(T)) == 0 ? 0 : 1;
  CHECK_MESSAGE(wrong == 0, "something was written between rows");
  if (reduces) {
    CHECK(is_near(loss.download()[0], total * share, bound_of_total * share));
  }
}

template <typename T>
void check_loss_alone(const Size& size, const Given<T>& given) {
  const auto logits = on_device(given.logits);
  const auto labels = on_device(given.labels);
  DeviceBuffer<float> losses(size.rows);
  const sw::Status status = sw::scale_cross_entropy_loss<T>(
      logits.data(), labels.data(), losses.data(), size.rows, size.cols, given.scaling);
  CHECK_MESSAGE(status.ok(), status.message());
  const auto got = losses.download();
  for (std::int64_t row = 0; row < size.rows; ++row) {
    const auto x = scaled(row_of(given.logits, logits_layout(size, given.scaling), size, row),
                          given.scaling.scale);
    const std::int64_t label = given.labels[at(row)];
    // No label is ignored: one that is no column is an error.
    const RightRow right = right_row(x, label == -100 ? size.cols : label, {}, given.scaling.scale);
    CHECK(is_near(got[at(row)], right.loss, right.loss_bound));
  }
}

// Matrices of 3 rows, the last of which is not whole; a gap behind each row and each matrix.
sw::ScaleOptions in_matrices(const Size& size, std::int64_t gap) {
  sw::ScaleOptions scaling;
  scaling.scale = 0.7f;
  scaling.logits_stride = size.cols + gap;
  scaling.gradients_stride = size.cols + 2 * gap;
  scaling.matrix_rows = 3;
  scaling.logits_matrix_stride = 4 * scaling.logits_stride;
  scaling.gradients_matrix_stride = 3 * scaling.gradients_stride + gap;
  return scaling;
}

}  // namespace

TEST_SUITE("scale") {
  TEST_CASE_TEMPLATE("top-k of every width and K, with packs and without", T, float, __half,
                     __nv_bfloat16) {
    for (const std::int64_t cols : {1, 8, 77, 128, 520, 1025, 4096, 9001, 20000}) {
      for (const int k : kSizesOfList) {
        if (k > cols) continue;
        const Size size = {2, cols};
        sw::ScaleOptions scaling;
        scaling.scale = 0.7f;
        check_top_k<T>(size, k, random_logits<T>(size, scaling), scaling);
      }
    }
  }

  TEST_CASE_TEMPLATE("top-k of rows and matrices that lie apart", T, float, __nv_bfloat16) {
    for (const std::int64_t gap : {1, 8, 24}) {
      for (const auto& [cols, k] : {std::pair{192, 3}, {192, 40}, {192, 150}, {5000, 50}}) {
        const Size size = {8, cols};
        sw::ScaleOptions scaling = in_matrices(size, gap);
        check_top_k<T>(size, k, random_logits<T>(size, scaling), scaling);
        scaling.scale = 1.0f;
        scaling.matrix_rows = scaling.logits_matrix_stride = 0;
        check_top_k<T>(size, k, random_logits<T>(size, scaling), scaling);
      }
    }
  }

  TEST_CASE("top-k of equal logits, and of such as scaling makes equal") {
    for (const std::int64_t cols : {40, 1000, 6000}) {
      const Size size = {3, cols};
      sw::ScaleOptions scaling;
      scaling.scale = 3.0f;
      auto logits = random_logits<float>(size, scaling);
      for (std::int64_t col = 0; col < cols; ++col) {
        logits[at(col)] = 2.5f;
        logits[at(cols + col)] = static_cast<float>(col % 3);
        logits[at(2 * cols + col)] = col % 2 == 0 ? 0.0f : -0.0f;
      }
      for (const int k : {1, 32, 40, 128, 900, 2048}) {
        if (k > cols) continue;
        check_top_k<float>(size, k, logits, scaling);
      }
      // Products below the smallest number, of different logits.
      scaling.scale = 1e-40f;
      check_top_k<float>(size, 20, random_logits<float>(size, scaling), scaling);
    }
  }

  TEST_CASE("top-k of logits that scaling makes infinite") {
    const auto logits = on_device(std::vector<float>{3e38f, 2e38f, -3e38f, -3e38f});
    DeviceBuffer<float> values(2);
    DeviceBuffer<std::int64_t> indices(2);
    sw::ScaleOptions scaling;
    scaling.scale = 10.0f;
    const sw::Status status =
        sw::scale_top_k(logits.data(), values.data(), indices.data(), 2, 2, 1, scaling);
    REQUIRE_MESSAGE(status.ok(), status.message());
    for (const float value : values.download())  // of +inf, and of -inf alone
      CHECK(std::isnan(value));
    CHECK(indices.download() == std::vector<std::int64_t>{0, 0});
  }

  TEST_CASE_TEMPLATE("top-k of rows that rise, which fill every list again and again", T, float,
                     __half) {
    const Size size = {2, 8201};  // the second row begins within a pack
    sw::ScaleOptions scaling;
    scaling.scale = 0.001f;
    auto logits = random_logits<T>(size, scaling);
    for (std::int64_t col = 0; col < size.cols; ++col) {
      logits[at(col)] = static_cast<T>(static_cast<float>(col));
      logits[at(size.cols + col)] = static_cast<T>(static_cast<float>(-col));
    }
    for (const int k : {5, 100, 700, 2048})
      check_top_k<T>(size, k, logits, scaling);
  }

  TEST_CASE("top-k of rows with NaN and infinities") {
    for (const std::int64_t cols : {20, 2000, 9001}) {
      const Size size = {5, cols};
      sw::ScaleOptions scaling;
      scaling.scale = 2.0f;
      auto logits = random_logits<float>(size, scaling);
      logits[at(cols - 1)] = kNan;
      logits[at(cols + cols / 2)] = kInfinity;
      for (std::int64_t col = 0; col < cols; ++col) {
        logits[at(2 * cols + col)] = -kInfinity;
        if (col > 3) logits[at(3 * cols + col)] = -kInfinity;
        logits[at(4 * cols + col)] = col % 2 == 0 ? 1.6e38f : -3e38f;  // scaled they are -inf
      }
      for (const int k : {1, 10, 100, 200}) {
        if (k <= cols) check_top_k<float>(size, k, logits, scaling);
      }
    }
  }

  TEST_CASE("without scaling steps serve") {
    const Size size = {4, 3000};
    const auto logits = random_array<float>(12000);
    const auto array = on_device(logits);
    DeviceBuffer<float> values(20);
    DeviceBuffer<float> same_values(20);
    DeviceBuffer<std::int64_t> indices(20);
    REQUIRE(sw::top_k<float>(array.data(), values.data(), indices.data(), 4, 3000, 5).ok());
    sw::ScaleOptions scaling;
    scaling.logits_stride = 3000;
    scaling.matrix_rows = 2;
    scaling.logits_matrix_stride = 6000;
    REQUIRE(sw::scale_top_k<float>(array.data(), same_values.data(), indices.data(), 4, 3000, 5,
                                   scaling)
                .ok());
    CHECK(values.download() == same_values.download());
    check_cross_entropy<float>(size, {logits, labels_of(size), {}, scaling});
    check_loss_alone<float>(size, {logits, labels_of(size), {}, scaling});
  }

  TEST_CASE_TEMPLATE("cross-entropy of every width, with packs and without", T, float, __half,
                     __nv_bfloat16) {
    for (const std::int64_t cols :
         {1,    2,    8,    16,   40,    77,    128,   129,   264,   385,  776,
          8185, 8186, 8192, 8193, 12288, 12289, 16377, 16378, 24576, 24584}) {
      const Size size = {3, cols};
      sw::ScaleOptions scaling;
      scaling.scale = 0.7f;
      const Given<T> given = {random_logits<T>(size, scaling), labels_of(size), {}, scaling};
      check_cross_entropy<T>(size, given);
      check_loss_alone<T>(size, given);
    }
  }

  TEST_CASE_TEMPLATE("cross-entropy with all options", T, float, __nv_bfloat16) {
    for (const sw::Reduction reduction :
         {sw::Reduction::kNone, sw::Reduction::kSum, sw::Reduction::kMean}) {
      for (const std::int64_t cols : {5, 96, 2000, 13001}) {
        const Size size = {6, cols};
        sw::ScaleOptions scaling;
        scaling.scale = 1.75f;
        sw::CrossEntropyOptions options;
        options.label_smoothing = 0.125f;
        options.z_loss = 0.01f;
        options.reduction = reduction;
        options.ignore_index = 2;
        auto labels = labels_of(size, true);
        labels[1] = labels[4] = 2;
        Given<T> given = {random_logits<T>(size, scaling), labels, options, scaling};
        check_cross_entropy<T>(size, given);
        given.are_labels_short = true;
        given.options.label_smoothing = 1.0f;
        check_cross_entropy<T>(size, given);
      }
    }
  }

  TEST_CASE_TEMPLATE("cross-entropy of rows and matrices that lie apart", T, float, __half) {
    for (const std::int64_t cols : {24, 192, 2048, 24600}) {
      for (const std::int64_t gap : {1, 8}) {
        const Size size = {8, cols};
        sw::ScaleOptions scaling = in_matrices(size, gap);
        Given<T> given = {random_logits<T>(size, scaling), labels_of(size), {}, scaling};
        check_cross_entropy<T>(size, given);
        check_loss_alone<T>(size, given);
        given.scaling = {};  // the stride alone
        given.scaling.logits_stride = cols + gap;
        check_cross_entropy<T>(size, given);
        check_loss_alone<T>(size, given);
      }
    }
  }

  TEST_CASE_TEMPLATE("gradients in the logits' place", T, float, __half) {
    for (const std::int64_t cols : {20, 64, 136, 137, 1000, 1003, 24600, 24601}) {
      const Size size = {7, cols};
      sw::ScaleOptions scaling = in_matrices(size, 8);
      scaling.gradients_stride = scaling.logits_stride;
      scaling.gradients_matrix_stride = scaling.logits_matrix_stride;
      check_cross_entropy<T>(size,
                             {random_logits<T>(size, scaling), labels_of(size), {}, scaling, true});
    }
  }

  // There is no next row that a stride would lead to: so gradients without one lie where the logits
  // do.
  TEST_CASE("strides of a single row make no difference") {
    const auto logits = random_array<float>(10);
    const auto labels = on_device(std::vector<std::int64_t>{3});
    const Memory<float> memory({1, 10});
    const auto results_of = [&](const sw::ScaleOptions& scaling) {
      auto array = on_device(logits);
      DeviceBuffer<float> losses(1);
      const sw::Status status = sw::scale_cross_entropy<float>(
          array.data(), labels.data(), {losses.data(), nullptr, array.data()}, 1, 10, {}, scaling,
          memory.workspace);
      CHECK_MESSAGE(status.ok(), status.message());
      return std::pair(losses.download(), array.download());
    };
    for (const float scale : {1.0f, 0.5f}) {
      CAPTURE(scale);
      sw::ScaleOptions scaling;
      scaling.scale = scale;
      const auto plain = results_of(scaling);
      scaling.logits_stride = 20;
      CHECK(results_of(scaling) == plain);
      scaling.matrix_rows = 1;
      scaling.logits_matrix_stride = 40;
      CHECK(results_of(scaling) == plain);
    }
  }

  TEST_CASE("cross-entropy of rows with NaN and infinities") {
    for (const std::int64_t cols : {20, 2000, 26000}) {
      const Size size = {5, cols};
      sw::ScaleOptions scaling;
      scaling.scale = 2.0f;
      auto logits = random_logits<float>(size, scaling);
      auto labels = labels_of(size, true);
      logits[at(cols - 1)] = kNan;
      logits[at(cols + cols / 2)] = kInfinity;
      for (std::int64_t col = 0; col < cols; ++col) {
        logits[at(2 * cols + col)] = -kInfinity;
        if (col > 3) logits[at(3 * cols + col)] = -kInfinity;
      }
      labels[3] = cols - 1;              // whose logit is -inf
      logits[at(5 * cols - 2)] = 3e38f;  // which becomes +inf
      check_cross_entropy<float>(size, {logits, labels, {}, scaling});
      check_loss_alone<float>(size, {logits, labels, {}, scaling});
    }
  }

  TEST_CASE("cross-entropy of logits that scaling makes infinite") {
    for (const std::int64_t cols : {20, 2000, 26000}) {
      const Size size = {2, cols};
      sw::ScaleOptions scaling;
      scaling.scale = 10.0f;
      std::vector<float> logits(at(2 * cols));
      for (std::int64_t col = 0; col < cols; ++col) {
        logits[at(col)] = col % 2 == 0 ? 3e38f : 2e38f;
        logits[at(cols + col)] = -3e38f;
      }
      check_cross_entropy<float>(size, {logits, labels_of(size), {}, scaling});
      check_loss_alone<float>(size, {logits, labels_of(size), {}, scaling});
    }
  }

  TEST_CASE("the losses of all rows may go to the workspace") {
    const Size size = {3, 50};
    sw::ScaleOptions scaling;
    scaling.scale = 0.5f;
    const auto logits = on_device(random_array<float>(150));
    const auto labels = on_device(labels_of(size));
    DeviceBuffer<float> gradients(150);
    DeviceBuffer<float> losses(3);
    DeviceBuffer<float> loss(2);
    const Memory<float> memory(size);
    sw::CrossEntropyOptions options;
    options.reduction = sw::Reduction::kMean;
    for (float* all : {losses.data(), static_cast<float*>(nullptr)}) {
      float* one = loss.data() + (all == nullptr ? 1 : 0);
      REQUIRE(sw::scale_cross_entropy<float>(logits.data(), labels.data(),
                                             {all, one, gradients.data()}, 3, 50, options, scaling,
                                             memory.workspace)
                  .ok());
    }
    CHECK(loss.download()[0] == loss.download()[1]);
  }

#ifndef SIMT_EXECUTOR
  // 4 GB of bf16, of which two rows are looked at.
  TEST_CASE("rows that lie more than 2^31 elements apart") {
    using T = __nv_bfloat16;
    constexpr std::int64_t kStride = (std::int64_t{1} << 31) + 8;
    const Size size = {2, 1000};
    DeviceBuffer<T> logits(kStride + size.cols);
    const auto rows = random_array<T>(2 * size.cols);
    for (std::int64_t row = 0; row < 2; ++row) {
      REQUIRE(cudaMemcpy(logits.data() + row * kStride, rows.data() + row * size.cols,
                         at(size.cols) * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
    }
    DeviceBuffer<float> values(10);
    DeviceBuffer<std::int64_t> indices(10);
    DeviceBuffer<float> losses(2);
    const auto labels = on_device(std::vector<std::int64_t>{3, 5});
    sw::ScaleOptions scaling;
    scaling.logits_stride = kStride;
    REQUIRE(
        sw::scale_top_k<T>(logits.data(), values.data(), indices.data(), 2, 1000, 5, scaling).ok());
    REQUIRE(sw::scale_cross_entropy_loss<T>(logits.data(), labels.data(), losses.data(), 2, 1000,
                                            scaling)
                .ok());
    for (std::int64_t row = 0; row < 2; ++row) {
      const auto given = row_of(rows, {1000, 2000, 2}, size, row);
      for (int place = 0; place < 5; ++place)
        CHECK(indices.download()[at(5 * row + place)] == ranked(given)[at(place)]);
      const RightRow right = right_row(scaled(given, 1.0f), labels.download()[at(row)], {}, 1.0);
      CHECK(is_near(losses.download()[at(row)], right.loss, right.loss_bound));
    }
  }
#endif

  TEST_CASE("refusals of scaling") {
    DeviceBuffer<float> x(random_array<float>(1000));
    float* values = x.data() + 500;
    DeviceBuffer<std::int64_t> indices(100);
    const auto with = [&](const sw::ScaleOptions& scaling) {
      return sw::scale_top_k<float>(x.data(), values, indices.data(), 4, 10, 3, scaling);
    };
    for (const float scale : {0.0f, -1.0f, kInfinity, kNan}) {
      sw::ScaleOptions scaling;
      scaling.scale = scale;
      check_invalid(with(scaling), "scaling->scale = ");
      check_invalid(with(scaling), ": must be a finite number above 0");
    }
    sw::ScaleOptions scaling;
    scaling.logits_stride = 9;
    check_invalid(with(scaling), "scaling->logits_stride = 9: must be 0, or cols = 10 or more");
    scaling.logits_stride = std::int64_t{1} << 61;
    check_invalid(with(scaling), "scaling->logits_stride = 2305843009213693952: must be at most");
    scaling = {};
    scaling.matrix_rows = -1;
    check_invalid(with(scaling), "scaling->matrix_rows = -1: must be 0, which stands for all rows");
    scaling.matrix_rows = 2;
    scaling.logits_stride = 12;
    scaling.logits_matrix_stride = 21;
    check_invalid(with(scaling), "scaling->logits_matrix_stride = 21: must be 0, or 22 or more");
    scaling.logits_matrix_stride = std::int64_t{1} << 60;
    check_invalid(with(scaling), "scaling->logits_matrix_stride = 1152921504606846976: must be at");
    scaling.logits_matrix_stride = 22;
    CHECK(with(scaling).ok());
    scaling.gradients_stride = -1;  // of a top-k there are none
    CHECK(with(scaling).ok());
    check_invalid(sw::scale_top_k<float>(x.data(), values, indices.data(), 4, 10, 11, scaling),
                  "k = 11: must be from 1 to 2048, and at most cols = 10");
  }

  TEST_CASE("refusals of a scaled top-k's arrays") {
    DeviceBuffer<float> x(random_array<float>(1000));
    DeviceBuffer<std::int64_t> indices(100);
    sw::ScaleOptions scaling;
    scaling.scale = 0.5f;
    const auto with = [&](const float* logits, float* values, std::int64_t* columns) {
      return sw::scale_top_k<float>(logits, values, columns, 4, 10, 3, scaling);
    };
    check_invalid(with(nullptr, x.data() + 500, indices.data()), "logits = null");
    check_invalid(with(x.data(), nullptr, indices.data()), "values = null");
    check_invalid(with(x.data(), x.data() + 500, nullptr), "indices = null");
    check_invalid(with(x.data(), x.data() + 39, indices.data()), "must be clear of logits");
    auto* askew = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x.data()) + 2);
    check_invalid(with(askew, x.data() + 500, indices.data()), "must be a multiple of 4");
    const std::vector<float> host(100);
    CHECK(with(host.data(), x.data() + 500, indices.data()).code() == SOFTMAX_WORKLOG_WRONG_DEVICE);
    CHECK(sw::scale_top_k<float>(nullptr, nullptr, nullptr, 0, 10, 3, scaling).ok());
  }

  TEST_CASE("refusals of a scaled cross-entropy") {
    const Size size = {4, 10};
    DeviceBuffer<float> x(random_array<float>(1000));
    DeviceBuffer<float> losses(4);
    DeviceBuffer<std::int64_t> labels(std::vector<std::int64_t>(100));  // the first four are read
    const Memory<float> memory(size);
    sw::ScaleOptions scaling;
    scaling.logits_stride = scaling.gradients_stride = 20;
    sw::CrossEntropyOptions options;
    const auto with = [&](const sw::CrossEntropyResults<float>& results) {
      return sw::scale_cross_entropy<float>(x.data(), labels.data(), results, 4, 10, options,
                                            scaling, memory.workspace);
    };
    CHECK(with({losses.data(), nullptr, x.data() + 10}).ok());  // halves of one array
    CHECK(with({losses.data(), nullptr, x.data()}).ok());
    check_invalid(with({losses.data(), nullptr, x.data() + 5}),
                  "must be equal to logits, with their strides, or clear of logits");
    check_invalid(with({losses.data(), nullptr, nullptr}), "gradients = null");
    check_invalid(with({nullptr, nullptr, x.data()}), "losses = null");
    check_invalid(with({x.data() + 11, nullptr, x.data() + 500}), "must be clear of logits");
    // The second matrix begins within a row of what the halves would be.
    scaling.matrix_rows = 2;
    scaling.logits_matrix_stride = 50;
    check_invalid(with({losses.data(), nullptr, x.data() + 10}), "must be equal to logits, with");
    scaling.matrix_rows = scaling.logits_matrix_stride = 0;
    auto* const within_labels = reinterpret_cast<float*>(labels.data());
    check_invalid(with({losses.data(), nullptr, within_labels}), "must be clear of labels");
    scaling.gradients_stride = 21;
    check_invalid(with({losses.data(), nullptr, x.data()}), "must be equal to logits, with their");
    scaling.gradients_stride = 9;
    check_invalid(with({losses.data(), nullptr, x.data() + 500}),
                  "scaling->gradients_stride = 9: must be 0, or cols = 10 or more");
    scaling.gradients_stride = 20;
    options.label_smoothing = 1.5f;
    check_invalid(with({losses.data(), nullptr, x.data()}),
                  "options->label_smoothing = 1.5: must be from");
    options = {};
    options.reduction = sw::Reduction::kSum;
    check_invalid(with({losses.data(), nullptr, x.data()}), "loss = null");
    check_invalid(with({losses.data(), losses.data() + 3, x.data()}), "must be clear of losses");
    check_invalid(
        sw::scale_cross_entropy_loss<float>(x.data(), nullptr, losses.data(), 4, 10, scaling),
        "labels = null");
    CHECK(sw::scale_cross_entropy_loss<float>(nullptr, nullptr, nullptr, 0, 10, scaling).ok());
  }

  TEST_CASE("a cross-entropy's arrays in the host's memory") {
    DeviceBuffer<float> x(random_array<float>(100));
    DeviceBuffer<float> losses(4);
    DeviceBuffer<float> loss(1);
    DeviceBuffer<std::int64_t> labels(std::vector<std::int64_t>(4));
    const Memory<float> memory({4, 10});
    std::vector<float> host(100);
    const std::vector<std::int64_t> host_labels(4);
    const sw::CrossEntropyOptions options = {-100, 0.0f, 0.0f, sw::Reduction::kSum};
    const auto check_place = [&](const char* name, const std::int64_t* of_rows,
                                 const sw::CrossEntropyResults<float>& results) {
      check_refused(
          sw::cross_entropy<float>(x.data(), of_rows, results, 4, 10, options, memory.workspace),
          SOFTMAX_WORKLOG_WRONG_DEVICE, std::string(name) + " = ");
    };
    check_place("labels", host_labels.data(), {losses.data(), loss.data(), x.data()});
    check_place("losses", labels.data(), {host.data(), loss.data(), x.data()});
    check_place("loss", labels.data(), {losses.data(), host.data(), x.data()});
    check_place("gradients", labels.data(), {losses.data(), loss.data(), host.data()});
  }
}
