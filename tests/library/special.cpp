// What the page says of NaN and infinities ("NaN and infinities" of docs/pages/library.md).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "library/include/softmax_worklog/softmax_worklog.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

constexpr std::int64_t kCols = 8;
using Floats = std::vector<float>;

// Of one row each: what is given and what comes of it.
template <typename T>
std::vector<T> rounded(const Floats& values) {
  std::vector<T> made;
  for (const float value : values)
    made.push_back(static_cast<T>(value));
  return made;
}

template <typename T>
Floats widened(const DeviceBuffer<T>& array) {
  Floats made;
  for (const T value : array.download())
    made.push_back(static_cast<float>(value));
  return made;
}

bool all_nan(const Floats& values) {
  return std::ranges::all_of(values, [](float each) { return std::isnan(each); });
}

bool none_finite(const Floats& values) {
  return std::ranges::none_of(values, [](float each) { return std::isfinite(each); });
}

bool all_zero(const Floats& values) {
  return std::ranges::all_of(values, [](float each) { return each == 0.0f; });
}

Floats plain() {
  return {1, 2, 0, -1, 3, 1, 0, 2};
}

Floats with(Floats row, std::size_t col, float value) {
  row[col] = value;
  return row;
}

// Those of which a softmax is NaN throughout.
std::vector<Floats> hopeless() {
  return {with(plain(), 5, kNan), with(plain(), 5, kInfinity), Floats(kCols, -kInfinity)};
}

// How logits get to a softmax: as they are, or scaled.
enum class Way { kPlain, kScaled };
constexpr Way kWays[] = {Way::kPlain, Way::kScaled};

void require_ok(const sw::Status& status) {
  REQUIRE_MESSAGE(status.ok(), status.message());
}

template <typename T>
Floats softmax_of(const Floats& row, Way way, bool logarithm) {
  const auto logits = on_device(rounded<T>(row));
  DeviceBuffer<T> results(kCols);
  sw::ScaleMaskOptions<T> options;
  options.scale = 0.5f;
  if (way == Way::kScaled) {
    require_ok(
        logarithm
            ? sw::scale_mask_log_softmax<T, T>(logits.data(), results.data(), 1, kCols, options)
            : sw::scale_mask_softmax<T, T>(logits.data(), results.data(), 1, kCols, options));
  } else {
    require_ok(logarithm ? sw::log_softmax<T>(logits.data(), results.data(), 1, kCols)
                         : sw::softmax<T>(logits.data(), results.data(), 1, kCols));
  }
  return widened(results);
}

struct Largest {
  Floats values;
  std::vector<std::int64_t> columns;
};

template <typename T>
Largest top_k_of(const Floats& row, Way way, int k) {
  const auto logits = on_device(rounded<T>(row));
  DeviceBuffer<float> values(k);
  DeviceBuffer<std::int64_t> columns(k);
  sw::ScaleOptions scaling;
  if (way == Way::kScaled) scaling.scale = 0.5f;
  require_ok(
      sw::scale_top_k<T>(logits.data(), values.data(), columns.data(), 1, kCols, k, scaling));
  return {values.download(), columns.download()};
}

template <typename T>
Floats gradients_of(const Floats& results, const Floats& gradients, Way way, bool logarithm) {
  const auto y = on_device(rounded<T>(results));
  const auto dy = on_device(rounded<T>(gradients));
  DeviceBuffer<T> dx(kCols);
  if (way == Way::kScaled) {
    require_ok(
        logarithm
            ? sw::scale_log_softmax_backward<T, T>(y.data(), dy.data(), dx.data(), 1, kCols, {})
            : sw::scale_softmax_backward<T, T>(y.data(), dy.data(), dx.data(), 1, kCols, {}));
  } else {
    require_ok(logarithm ? sw::log_softmax_backward<T>(y.data(), dy.data(), dx.data(), 1, kCols)
                         : sw::softmax_backward<T>(y.data(), dy.data(), dx.data(), 1, kCols));
  }
  return widened(dx);
}

// An infinity makes a row of gradients NaN; the passes with a scale take the formula as it is.
bool is_lost(const Floats& gradients, float special, Way way) {
  if (way == Way::kPlain || std::isnan(special)) return all_nan(gradients);
  return none_finite(gradients);
}

struct Loss {
  float own;
  float reduced;
  Floats gradients;
};

// Of a row alone, as a mean and likewise without gradients.
template <typename T>
Loss loss_of(const Floats& row, std::int64_t label, Way way,
             sw::Reduction reduction = sw::Reduction::kMean) {
  const auto logits = on_device(rounded<T>(row));
  const auto labels = on_device(std::vector<std::int64_t>{label});
  DeviceBuffer<float> losses(1);
  DeviceBuffer<float> loss(1);
  DeviceBuffer<T> gradients(kCols);
  DeviceBuffer<char> memory(4096);
  sw::ScaleOptions scaling;
  if (way == Way::kScaled) scaling.scale = 0.5f;
  sw::CrossEntropyOptions options;
  options.reduction = reduction;
  require_ok(sw::scale_cross_entropy<T>(logits.data(), labels.data(),
                                        {losses.data(), loss.data(), gradients.data()}, 1, kCols,
                                        options, scaling, {memory.data(), 4096}));
  return {losses.download()[0], loss.download()[0], widened(gradients)};
}

template <typename T>
float loss_alone_of(const Floats& row, std::int64_t label, Way way) {
  const auto logits = on_device(rounded<T>(row));
  const auto labels = on_device(std::vector<std::int64_t>{label});
  DeviceBuffer<float> losses(1);
  sw::ScaleOptions scaling;
  if (way == Way::kScaled) scaling.scale = 0.5f;
  require_ok(sw::scale_cross_entropy_loss<T>(logits.data(), labels.data(), losses.data(), 1, kCols,
                                             scaling));
  return losses.download()[0];
}

}  // namespace

TEST_SUITE("special") {
  TEST_CASE_TEMPLATE("softmax and log-softmax", T, float, __half, __nv_bfloat16) {
    for (const Way way : kWays) {
      CAPTURE(way);
      for (const Floats& row : hopeless()) {
        CHECK(all_nan(softmax_of<T>(row, way, false)));
        CHECK(all_nan(softmax_of<T>(row, way, true)));
      }
      const Floats hidden = with(plain(), 4, -kInfinity);
      const Floats probabilities = softmax_of<T>(hidden, way, false);
      CHECK(probabilities[4] == 0.0f);
      CHECK(probabilities[0] > 0.0f);
      CHECK(softmax_of<T>(hidden, way, true)[4] == -kInfinity);
    }
  }

  TEST_CASE_TEMPLATE("top-k: the columns are those of the largest logits", T, float, __half,
                     __nv_bfloat16) {
    using Columns = std::vector<std::int64_t>;
    const std::vector<Columns> right = {{5, 4, 1}, {5, 4, 1}, {0, 1, 2}};
    for (const Way way : kWays) {
      CAPTURE(way);
      for (std::size_t i = 0; i < hopeless().size(); ++i) {
        const Largest found = top_k_of<T>(hopeless()[i], way, 3);
        CHECK(all_nan(found.values));
        CHECK(found.columns == right[i]);
      }
      const Floats both = with(with(plain(), 2, kInfinity), 6, kNan);
      CHECK(top_k_of<T>(both, way, 2).columns == Columns{6, 2});
      const Largest with_hidden = top_k_of<T>(with(plain(), 4, -kInfinity), way, kCols);
      CHECK(with_hidden.columns.back() == 4);
      CHECK(with_hidden.values.back() == 0.0f);
    }
  }

  TEST_CASE_TEMPLATE("softmax's backward pass", T, float, __half, __nv_bfloat16) {
    const Floats y = Floats(kCols, 0.125f);
    for (const Way way : kWays) {
      CAPTURE(way);
      for (const float special : {kNan, kInfinity, -kInfinity}) {
        CAPTURE(special);
        CHECK(is_lost(gradients_of<T>(with(y, 3, special), plain(), way, false), special, way));
        CHECK(is_lost(gradients_of<T>(y, with(plain(), 3, special), way, false), special, way));
      }
    }
  }

  TEST_CASE("softmax's backward pass, of a sum that fp32 does not hold") {
    for (const Way way : kWays) {
      CAPTURE(way);
      const Floats gradients =
          gradients_of<float>(Floats(kCols, 1.0f), Floats(kCols, 3e38f), way, false);
      CHECK(is_lost(gradients, kInfinity, way));
    }
  }

  TEST_CASE_TEMPLATE("log-softmax's backward pass", T, float, __half, __nv_bfloat16) {
    const Floats y = Floats(kCols, -2.0f);
    for (const Way way : kWays) {
      CAPTURE(way);
      for (const float special : {kNan, kInfinity, -kInfinity}) {
        CAPTURE(special);
        CHECK(is_lost(gradients_of<T>(y, with(plain(), 3, special), way, true), special, way));
      }
      const Floats right = gradients_of<T>(y, plain(), way, true);
      Floats of_nan = gradients_of<T>(with(y, 3, kNan), plain(), way, true);
      CHECK(std::isnan(of_nan[3]));
      of_nan[3] = right[3];
      CHECK(of_nan == right);
      CHECK(gradients_of<T>(with(y, 4, -kInfinity), plain(), way, true)[4] == plain()[4]);
    }
  }

  TEST_CASE_TEMPLATE("cross-entropy", T, float, __half, __nv_bfloat16) {
    for (const Way way : kWays) {
      CAPTURE(way);
      for (const sw::Reduction reduction : {sw::Reduction::kSum, sw::Reduction::kMean}) {
        for (const Floats& row : hopeless()) {
          const Loss found = loss_of<T>(row, 0, way, reduction);
          CHECK(all_nan({found.own, found.reduced}));
          CHECK(all_nan(found.gradients));
        }
        for (const std::int64_t label : {std::int64_t{-1}, kCols}) {
          const Loss found = loss_of<T>(plain(), label, way, reduction);
          CHECK(all_nan({found.own, found.reduced}));
          CHECK(all_nan(found.gradients));
        }
        const Loss hidden = loss_of<T>(with(plain(), 4, -kInfinity), 4, way, reduction);
        CHECK(hidden.own == kInfinity);
        CHECK(hidden.reduced == kInfinity);
        CHECK(!std::isnan(hidden.gradients[4]));
        // What is ignored is not looked at.
        const Loss ignored = loss_of<T>(hopeless()[0], -100, way, reduction);
        CHECK(ignored.own == 0.0f);
        CHECK(all_zero(ignored.gradients));
        CHECK(std::isnan(ignored.reduced) == (reduction == sw::Reduction::kMean));
      }
    }
  }

  TEST_CASE_TEMPLATE("the loss alone", T, float, __half, __nv_bfloat16) {
    for (const Way way : kWays) {
      CAPTURE(way);
      for (const Floats& row : hopeless())
        CHECK(std::isnan(loss_alone_of<T>(row, 0, way)));
      for (const std::int64_t label : {std::int64_t{-1}, kCols})
        CHECK(std::isnan(loss_alone_of<T>(plain(), label, way)));
      CHECK(loss_alone_of<T>(with(plain(), 4, -kInfinity), 4, way) == kInfinity);
    }
  }
}
