#include "common/ranks/rank_options.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace worklog {

namespace {

constexpr int kMostRanks = 64;

Fault fault_from_name(const std::string& text) {
  std::string choices;
  for (const Fault fault : kAllFaults) {
    if (text == name_of(fault)) return fault;
    choices += (choices.empty() ? "" : ", ") + std::string(name_of(fault));
  }
  throw std::invalid_argument("fault '" + text + "': must be one of " + choices);
}

// An option whose text `read` makes into a value; what it throws is an error of usage.
template <typename Read, typename Value>
void add_named(CLI::App& app, const std::string& name, Value& value, Read read,
               const std::string& description) {
  app.add_option_function<std::string>(
         name,
         [&value, read](const std::string& text) {
           try {
             value = read(text);
           } catch (const std::invalid_argument& error) {
             throw UsageError(error.what());
           }
         },
         description)
      ->type_name("NAME");
}

std::unique_ptr<CLI::App> make_app(RankOptions& options) {
  auto app = std::make_unique<CLI::App>("Verifies a step whose columns are split among ranks.");
  app->add_flag("--beyond", options.beyond,
                "the input as it is, also where a variant says that it fails");
  app->add_option("--ranks", options.ranks,
                  "threads of this process, a device each (4 on the CPU executor, else all GPUs); "
                  "under mpirun each process is a rank")
      ->type_name("N")
      ->check(CLI::Range(1, kMostRanks));
  app->add_flag("--all", options.all, "every case, not the first of each kernel, result and type");
  app->add_flag("--counters", options.counters,
                "print what all ranks of a case count together, `name<TAB>value` a line (a softmax "
                "of f32, by the step itself)");
  add_named(
      *app, "--variant", options.variant,
      [](const std::string& text) { return text == "none" ? std::string() : text; },
      "one kernel alone; none is the step itself");
  add_named(*app, "--result", options.result, result_from_name,
            "softmax, log_softmax or cross_entropy");
  add_named(*app, "--type", options.dtype, dtype_from_name, "f32, f16 or bf16");
  app->add_option("--rows", options.rows, "of one case (16)")->check(CLI::Range(1, 1 << 30));
  app->add_option("--cols", options.cols, "of one case, all slices together (4000)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  add_named(*app, "--split", options.split, split_from_name,
            "even, uneven, one (the last slice has one column), none (the first has none) or all "
            "(the last has all)");
  add_named(*app, "--input", options.input, input_from_name, "random, wide, special and so on");
  app->add_option("--block-size", options.block_size, "threads per block (0: each kernel's choice)")
      ->check(CLI::Range(0, 1024));
  app->add_option("--times", options.times, "write times into this file; GPUs only")
      ->type_name("FILE");
  app->add_option_function<double>(
         "--limit",
         [&options](double seconds) {
           options.run.limit = std::chrono::milliseconds(static_cast<long>(1000.0 * seconds));
         },
         "seconds that a rank waits for the others (20)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 3600.0));
  app->add_option("--patience", options.run.patience,
                  "how often a thread looks for a word of another rank's")
      ->check(CLI::Range(1LL, 1LL << 40));
  add_named(
      *app, "--fault", options.run.fault, fault_from_name,
      "what goes wrong in one rank: none, absent, leaves, killed, rows, type, widest, blocks, "
      "aborts or prepares");
  app->add_option("--fault-rank", options.run.faulty_rank, "in which one (0)")
      ->check(CLI::Range(0, kMostRanks - 1));
  return app;
}

// Shapes and splits that are tried unless one is named, the first of which the table shows.
std::vector<RankCase> usual_cases() {
  const auto of = [](std::int64_t rows, std::int64_t cols, Split split, Input input) {
    RankCase a_case;
    a_case.rows = rows;
    a_case.cols = cols;
    a_case.split = split;
    a_case.input = input;
    return a_case;
  };
  return {of(16, 4000, Split::kEven, Input::kRandom),   of(9, 1003, Split::kUneven, Input::kWide),
          of(5, 777, Split::kOne, Input::kDominant),    of(5, 640, Split::kNone, Input::kMasked),
          of(5, 333, Split::kAll, Input::kTies),        of(12, 96, Split::kEven, Input::kSpecial),
          of(7, 3, Split::kEven, Input::kRandom),       of(5, 250, Split::kUneven, Input::kLargest),
          of(4, 130, Split::kEven, Input::kSubnormal),  of(3, 9001, Split::kEven, Input::kWide),
          of(1, 20003, Split::kUneven, Input::kRandom), of(3, 1, Split::kEven, Input::kRandom)};
}

std::vector<RankCase> named_case(const RankOptions& options) {
  RankCase a_case;
  a_case.rows = options.rows.value_or(16);
  a_case.cols = options.cols.value_or(4000);
  a_case.split = options.split.value_or(Split::kEven);
  a_case.input = options.input.value_or(Input::kRandom);
  return {a_case};
}

}  // namespace

RankOptions parse_rank_options(int argc, const char* const* argv) {
  RankOptions options;
  const auto app = make_app(options);
  options.help = wants_help(*app, argc, argv);
  return options;
}

std::string rank_usage(const std::string& program) {
  RankOptions options;
  const auto app = make_app(options);
  app->name(program);
  return app->help();
}

std::vector<RankCase> chosen_cases(const RankOptions& options) {
  const std::vector<RankCase> shapes = options.names_a_case() ? named_case(options) : usual_cases();
  std::vector<RankCase> cases;
  std::string known;
  for (const RankStep& step : all_rank_steps()) {
    known += (known.empty() ? "" : ", ") + (step.variant.empty() ? "none" : step.variant);
    if (options.variant && step.variant != *options.variant) continue;
    for (const SliceResult result : step.info.results) {
      if (options.result && result != *options.result) continue;
      for (const DType dtype : kAllDTypes) {
        if (options.dtype && dtype != *options.dtype) continue;
        for (RankCase a_case : shapes) {
          if (a_case.rows > step.info.max_rows) continue;
          a_case.step = &step;
          a_case.result = result;
          a_case.dtype = dtype;
          a_case.block_size = options.block_size;
          a_case.in_domain = !options.beyond;
          cases.push_back(a_case);
        }
      }
    }
  }
  if (cases.empty()) throw UsageError("no kernel here does that; there are " + known);
  return cases;
}

}  // namespace worklog
