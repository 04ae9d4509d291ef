#include "common/program/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "common/measure/cases.h"

namespace worklog {

namespace {

constexpr std::int64_t kDefaultRows = 64;

// What can be as large as its type is not told so where something else is wrong.
constexpr std::int64_t kLargestBound = std::numeric_limits<int>::max();

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto refuse = [=](const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (is_number && number >= least && number <= most) return std::string();
    const bool is_too_large = error == std::errc::result_out_of_range || number > most;
    if (most < kLargestBound) {
      return fmt::format("{} must be a whole number from {} to {}", text, least, most);
    }
    if (is_too_large) return fmt::format("{} is too large: at most {}", text, most);
    return fmt::format("{} must be a whole number, {} or more, in digits alone", text, least);
  };
  return CLI::Validator(refuse, "");
}

std::string title(const std::string& variant) {
  return variant.empty() ? "none" : variant;
}

// The one case that is asked for.
void add_case(CLI::App& app, Options& options) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr int kMaxBlockSize = 1024;
  static constexpr int kWarpSize = 32;
  const auto of_warps = [](const std::string& text) {
    if (std::stoi(text) % kWarpSize == 0) return std::string();
    return fmt::format("{} must be a multiple of {}", text, kWarpSize);
  };
  app.option_defaults()->group("one case");
  app.add_option("--rows", options.rows, "64; 1 for the steps that take one row")
      ->type_name("R")
      ->check(whole_number(0, kMost));
  app.add_option("--cols", options.cols, "4096; 262144 for the steps that take one row")
      ->type_name("C")
      ->check(whole_number(0, kMost));
  app.add_option_function<std::string>(
         "--input", [&](const std::string& name) { options.input = input_from_name(name); },
         "random, wide, dominant, equal, largest, masked, subnormal, ties, special, or recorded, "
         "with a shape of its own: attention, search (search on a top-k step prints what was "
         "found)")
      ->type_name("NAME");
  app.add_option("--k", options.k, "how many of the largest, for top-k steps (5)")
      ->type_name("K")
      ->check(whole_number(1, std::numeric_limits<int>::max()));
  app.add_flag("--in-place", options.in_place,
               "softmax and log-softmax steps: the output is the input");
  app.add_flag("--no-times", options.no_times,
               "verify only, also on a GPU (for compute-sanitizer)");
  app.add_option("--block-size", options.block_size, "threads per block (0: the step's own choice)")
      ->type_name("B")
      ->check(whole_number(0, kMaxBlockSize))
      ->check(CLI::Validator(of_warps, ""));
  app.add_option("--seed", options.seed, "of the input (0)")
      ->type_name("S")
      ->check(whole_number(0, kMost));
}

void add_choice_of_kernels(CLI::App& app, Options& options) {
  app.option_defaults()->group("which of the program's kernels");
  app.add_option_function<std::string>(
         "--type", [&](const std::string& name) { options.dtype = dtype_from_name(name); },
         "f32, f16 or bf16, which the pages call fp32, fp16 and bf16 (all)")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--variant",
         [&](const std::string& name) { options.variant = name == "none" ? "" : name; },
         "one of the step's variants, or 'none' for the step itself (all)")
      ->type_name("NAME");
}

void add_outputs(CLI::App& app, Options& options) {
  app.option_defaults()->group("what else it does");
  app.add_flag("--all", options.all, "show every case, not one for each kernel and type");
  app.add_flag("--counters", options.counters,
               "print a case's counters, `name<TAB>value` a line (f32, of the step itself)");
  app.add_flag("--access", options.access,
               "print which lane touches what, request by request, for the first warps of a case "
               "(32 x 128 in blocks of 32, f32, of the step itself)");
  app.add_option_function<std::string>(
         "--records", [&](const std::string& file) { options.records = file; },
         "run the report's cases and write them to FILE")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--annotations", [&](const std::string& file) { options.annotations = file; },
         "write counts by line and the first warps' requests to FILE (f32)")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--html", [&](const std::string& file) { options.html = file; },
         "write a page to FILE that plays what the first warps do (32 x 128, f32)")
      ->type_name("FILE");
  app.add_flag("--list", options.list, "print the step and its variants");
}

void add_all(CLI::App& app, Options& options) {
  app.set_help_flag("-h,--help", "print this text")->group("what else it does");
  add_case(app, options);
  add_choice_of_kernels(app, options);
  add_outputs(app, options);
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app;
  add_all(app, options);
  try {
    options.help = wants_help(app, argc, argv);
  } catch (const UsageError&) {
    throw;
  } catch (const std::invalid_argument& error) {  // from the names of types and inputs
    throw UsageError(error.what());
  }
  return options;
}

std::string usage(const std::string& program) {
  Options unused;
  CLI::App app(
      "Verifies the step and its variants and counts their accesses on the CPU executor, in all "
      "and, for\nthe first of them, by line; on a GPU it times them instead. Without a case it "
      "runs "
      "a few, on random,\nmasked, special and recorded logits.",
      program);
  add_all(app, unused);
  app.footer(
      "exit code: 0 all verified and as predicted, or failing as stated; 1 not; 2 wrong usage");
  return app.help();
}

std::vector<const Step*> chosen_steps(const Options& options) {
  std::vector<const Step*> chosen;
  std::string names;
  for (const Step& step : all_steps()) {
    names += (names.empty() ? "" : ", ") + title(step.variant);
    if (!options.variant || *options.variant == step.variant) chosen.push_back(&step);
  }
  if (chosen.empty()) {
    throw UsageError("--variant " + title(options.variant.value_or("")) + ": must be one of " +
                     names);
  }
  return chosen;
}

std::vector<DType> chosen_types(const Options& options) {
  if (options.dtype) return {*options.dtype};
  return {std::begin(kAllDTypes), std::end(kAllDTypes)};
}

Case chosen_case(const Options& options, const Step& step, DType dtype) {
  if (options.k && !step.is_top_k()) {
    throw UsageError("--k " + std::to_string(*options.k) + ": " + step.label() +
                     " is no top-k: it has no k");
  }
  if (options.in_place && !step.keeps_columns()) {
    throw UsageError("--in-place: " + step.label() +
                     " cannot work in place: its results are not as many as the logits");
  }
  const Input input = options.input.value_or(Input::kRandom);
  Case a_case{.dtype = dtype, .rows = kDefaultRows, .cols = kDefaultCols, .k = 0, .input = input};
  a_case.cols = default_cols(step);
  a_case.rows = std::min(a_case.rows, step.info.max_rows);
  if (is_real(input)) {
    a_case = real_case(step, dtype, input, std::numeric_limits<std::int64_t>::max());
  }
  a_case.rows = options.rows.value_or(a_case.rows);
  if (a_case.rows > step.info.max_rows) {
    throw UsageError("--rows " + std::to_string(a_case.rows) + ": " + step.label() +
                     " takes at most " + std::to_string(step.info.max_rows) +
                     (step.takes_one_row() ? " row" : " rows"));
  }
  a_case.cols = options.cols.value_or(a_case.cols);
  if (a_case.cols > step.info.most_cols(size_of(dtype), 0)) {
    throw UsageError((is_real(input) && !options.cols ? "--input " + std::string(name_of(input))
                                                      : "--cols " + std::to_string(a_case.cols)) +
                     ": " + step.label() + " takes at most " +
                     std::to_string(step.info.most_cols(size_of(dtype), 0)) + " columns; " +
                     step.info.longer_rows + " takes longer rows");
  }
  a_case.k = options.k.value_or(default_k(step, a_case.cols));
  if (a_case.k > step.info.max_k) {
    throw UsageError(
        "--k " + std::to_string(a_case.k) + ": " + step.label() + " takes at most " +
        std::to_string(step.info.max_k) +
        (step.info.larger_k.empty() ? "" : "; " + step.info.larger_k + " takes a larger one"));
  }
  if (a_case.k > a_case.cols) {
    throw UsageError("--k " + std::to_string(a_case.k) + ": must be at most the columns, " +
                     std::to_string(a_case.cols));
  }
  return a_case;
}

}  // namespace worklog
