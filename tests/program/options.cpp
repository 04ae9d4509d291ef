// The command line of a step's program.
#include "common/program/options.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "common/measure/cases.h"

namespace {

using namespace worklog;

Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "step");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

const Step& first_step(bool top_k) {
  for (const Step& step : all_steps()) {
    if (step.is_top_k() == top_k) return step;
  }
  throw std::logic_error("no such step is linked in");
}

}  // namespace

TEST_SUITE_BEGIN("program");

TEST_CASE("options and their values") {
  const Options options = parse({"--rows", "3", "--cols=70", "--type", "bf16", "--variant", "none",
                                 "--input", "masked", "--counters", "--seed=4"});
  CHECK(options.rows == 3);
  CHECK(options.cols == 70);
  CHECK(options.dtype == DType::kBFloat16);
  CHECK(options.variant == "");
  CHECK(options.input == Input::kMasked);
  CHECK(options.counters);
  CHECK(options.seed == 4);
  CHECK_FALSE(options.k);
}

TEST_CASE("an option that is given twice has its last value, and a flag may be given twice") {
  const Options options = parse({"--rows", "3", "--all", "--rows=4", "--all"});
  CHECK(options.rows == 4);
  CHECK(options.all);
}

TEST_CASE("help wins over what else is asked for, and names every option") {
  CHECK(parse({"--rows", "3", "--help"}).help);
  CHECK(parse({"-h"}).help);
  const std::string text = usage("step");
  for (const char* option :
       {"--rows", "--cols", "--input", "--k", "--in-place", "--no-times", "--block-size", "--seed",
        "--type", "--variant", "--all", "--counters", "--access", "--records", "--annotations",
        "--html", "--list", "--help", "exit code: 0"}) {
    CAPTURE(option);
    CHECK(text.find(option) != std::string::npos);
  }
}

TEST_CASE("a program is called what the user typed") {
  CHECK(called_as("build/bin/step_01_thread_per_row_cpu") == "step_01_thread_per_row_cpu");
  setenv(kCalledAs, "./worklog step 01", 1);
  CHECK(called_as("build/bin/step_01_thread_per_row_cpu") == "./worklog step 01");
  setenv(kCalledAs, "", 1);
  CHECK(called_as("step") == "step");
  unsetenv(kCalledAs);
}

TEST_CASE("wrong usage names the option, its value and what it may be") {
  const auto refused = [](std::vector<const char*> arguments, const char* message) {
    CHECK_THROWS_WITH_AS(parse(std::move(arguments)), doctest::Contains(message), UsageError);
  };
  refused({"--width", "3"}, "unknown option '--width'");
  refused({"5"}, "unknown option '5'");
  refused({"--rows"}, "--rows: a value must follow it");
  refused({"--rows", "-1"}, "--rows: -1 must be a whole number, 0 or more, in digits alone");
  refused({"--cols", "12x"}, "--cols: 12x must be a whole number");
  refused({"--cols", "99999999999999999999"},
          "--cols: 99999999999999999999 is too large: at most 92233");
  refused({"--k", "0"}, "--k: 0 must be a whole number, 1 or more");
  refused({"--k", "1.5"}, "--k: 1.5 must be a whole number");
  refused({"--type", "f64"}, "type 'f64': must be f32, f16 or bf16");
  refused({"--input", "noise"}, "input 'noise': must be one of random");
  refused({"--counters=yes"}, "--counters: takes no value, and got 'yes'");
  refused({"--block-size", "2048"}, "--block-size: 2048 must be a whole number from 0 to 1024");
  refused({"--block-size", "33"}, "--block-size: 33 must be a multiple of 32");
}

TEST_CASE("an unknown variant names those that there are") {
  CHECK_THROWS_WITH_AS(chosen_steps(parse({"--variant", "nonesuch"})),
                       doctest::Contains("--variant nonesuch: must be one of none"), UsageError);
}

TEST_CASE("a case is filled in, and what does not fit the step is refused") {
  const Step& softmax = first_step(false);
  const Step& top_k = first_step(true);
  const Case filled = chosen_case(parse({"--rows", "3"}), top_k, DType::kFloat16);
  CHECK(filled.rows == 3);
  CHECK(filled.cols == 4096);
  CHECK(filled.k == 5);
  const Case recorded = chosen_case(parse({"--input", "search"}), softmax, DType::kFloat16);
  CHECK(recorded.rows == 52);
  CHECK(recorded.cols == 4584);
  CHECK_THROWS_WITH_AS(chosen_case(parse({"--k", "3"}), softmax, DType::kFloat32),
                       doctest::Contains("--k 3: "), UsageError);
  CHECK_THROWS_WITH_AS(chosen_case(parse({"--k", "11", "--cols", "10"}), top_k, DType::kFloat32),
                       doctest::Contains("--k 11: must be at most the columns, 10"), UsageError);
  const std::string too_large = std::to_string(top_k.info.max_k + 1);
  const std::string refused = "--k " + too_large + ": " + top_k.label() + " takes at most ";
  CHECK_THROWS_WITH_AS(chosen_case(parse({"--k", too_large.c_str()}), top_k, DType::kFloat32),
                       doctest::Contains(refused.c_str()), UsageError);
  CHECK_THROWS_WITH_AS(chosen_case(parse({"--in-place"}), top_k, DType::kFloat32),
                       doctest::Contains("--in-place: "), UsageError);
}

TEST_CASE("a step for one row is given one, and refuses more") {
  const auto is_one = [](const Step& step) { return step.takes_one_row(); };
  const auto step = std::find_if(all_steps().begin(), all_steps().end(), is_one);
  REQUIRE(step != all_steps().end());
  const Case filled = chosen_case(parse({"--type", "f32"}), *step, DType::kFloat32);
  CHECK(filled.rows == 1);
  CHECK(filled.cols == 262144);
  CHECK(chosen_case(parse({"--input", "search"}), *step, DType::kFloat16).rows == 1);
  CHECK_THROWS_WITH_AS(
      chosen_case(parse({"--rows", "2"}), *step, DType::kFloat32),
      doctest::Contains(("--rows 2: " + step->label() + " takes at most 1").c_str()), UsageError);
  for (const Case& a_case : report_cases(*step, DType::kFloat32))
    CHECK(a_case.rows == 1);
}

TEST_CASE("the report's cases of half types: all of a step's, and of a variant few, none in bf16") {
  for (const Step& step : all_steps()) {
    CAPTURE(step.label());
    const std::size_t of_half = report_cases(step, DType::kFloat16).size();
    const std::size_t of_bf16 = report_cases(step, DType::kBFloat16).size();
    if (step.variant.empty()) {
      CHECK(of_half >= report_cases(step, DType::kFloat32).size());
      CHECK(of_bf16 == of_half);
    } else {
      CHECK(of_half == quick_cases(step, DType::kFloat16).size());
      CHECK(of_bf16 == 0);
    }
  }
}

TEST_CASE(
    "the report's cases: at most 64 rows but for the recorded inputs, k at most the columns") {
  for (const Step& step : all_steps()) {
    for (const Case& a_case : report_cases(step, DType::kFloat32)) {
      if (!is_real(a_case.input)) CHECK(a_case.rows <= 64);
      CHECK(a_case.k <= a_case.cols);
      CHECK((a_case.k > 0) == step.is_top_k());
    }
  }
}

TEST_SUITE_END();
