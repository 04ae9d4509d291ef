// The reference of gradients against PyTorch's autograd in double precision, as recorded in
// common/verify/data/pytorch_gradients.json.
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/reference/cross_entropy_row.h"
#include "common/reference/softmax_gradient.h"
#include "common/verify/real_data.h"

namespace {

using namespace worklog;
using nlohmann::json;
using Numbers = std::vector<double>;

// Both add up in double, each in its own order: at most 100 terms.
constexpr double kTolerance = 1e-13;

json recorded_rows() {
  std::ifstream file(data_directory() / "pytorch_gradients.json");
  return json::parse(file)["rows"];
}

void check_near(double got, double recorded, double magnitude) {
  CHECK_MESSAGE(std::abs(got - recorded) <= kTolerance * magnitude, got, " for ", recorded);
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("PyTorch's gradients in fp64: of softmax") {
  for (const json& row : recorded_rows()) {
    const Numbers y = row["probabilities"];
    const Numbers dy = row["upstream"];
    const Numbers recorded = row["softmax_gradients"];
    const GradientSum sum = softmax_gradient_sum(y, dy);
    for (std::size_t col = 0; col < y.size(); ++col) {
      const double magnitude = y[col] * (std::abs(dy[col]) + sum.magnitude);
      check_near(softmax_gradient(y[col], dy[col], sum), recorded[col], magnitude);
    }
  }
}

TEST_CASE("PyTorch's gradients in fp64: of log-softmax") {
  for (const json& row : recorded_rows()) {
    const Numbers y = row["log_probabilities"];
    const Numbers dy = row["upstream"];
    const Numbers recorded = row["log_softmax_gradients"];
    const GradientSum sum = log_softmax_gradient_sum(dy);
    for (std::size_t col = 0; col < y.size(); ++col) {
      const double magnitude = std::abs(dy[col]) + std::exp(y[col]) * sum.magnitude;
      check_near(log_softmax_gradient(y[col], dy[col], sum), recorded[col], magnitude);
    }
  }
}

TEST_CASE("PyTorch's losses and gradients in fp64: of cross-entropy, with smoothing and z-loss") {
  for (const json& recorded : recorded_rows()) {
    const Numbers x = recorded["logits"];
    const auto label = recorded["label"].get<std::int64_t>();
    const Numbers gradients = recorded["cross_entropy_gradients"];
    Numbers exponentials(x.size());
    const CrossEntropyRow row =
        cross_entropy_row(x, label, recorded["label_smoothing"], recorded["z_loss"], exponentials);
    const double lse = recorded["log_sum_exp"];
    check_near(row.log_sum_exp, lse, 1.0 + std::abs(lse));
    const double terms = std::abs(lse) + std::abs(x[label]) + std::abs(row.mean);
    check_near(row.loss, recorded["loss"],
               1.0 + terms + recorded["z_loss"].get<double>() * lse * lse);
    for (std::size_t col = 0; col < x.size(); ++col) {
      const bool is_label = static_cast<std::int64_t>(col) == label;
      const double got = cross_entropy_gradient(row, exponentials[col], is_label,
                                                static_cast<std::int64_t>(x.size()));
      check_near(got, gradients[col], 1.0 + 2.0 * row.z_loss * std::abs(lse));
    }
  }
}

TEST_CASE("the recorded rows are of all kinds") {
  const json rows = recorded_rows();
  CHECK(rows.size() == 16);
  for (const char* option : {"label_smoothing", "z_loss"}) {
    int with = 0;
    for (const json& row : rows)
      with += row[option].get<double>() > 0.0 ? 1 : 0;
    CHECK(with == 8);
  }
}

TEST_SUITE_END();
