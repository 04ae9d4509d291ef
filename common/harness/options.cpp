#include "common/harness/options.h"

#include <charconv>
#include <limits>
#include <string_view>

#include "common/harness/report_cases.h"

namespace worklog {

namespace {

constexpr std::int64_t kDefaultRows = 64;
constexpr std::int64_t kDefaultCols = 4096;

// Walks over the arguments: an option, and its value if it has one, as "--rows 64" or "--rows=64".
class Arguments {
 public:
  Arguments(int argc, const char* const* argv) : arguments_(argv + 1, argv + argc) {}

  bool next() {
    if (at_ == arguments_.size()) return false;
    option_ = arguments_[at_++];
    value_.reset();
    const std::size_t equals = option_.find('=');
    if (option_.starts_with("--") && equals != std::string::npos) {
      value_ = option_.substr(equals + 1);
      option_.erase(equals);
    }
    return true;
  }

  const std::string& option() const { return option_; }

  void refuse_value() const {
    if (value_) throw UsageError(option_ + ": takes no value, and got '" + *value_ + "'");
  }

  std::string value() {
    if (value_) return *value_;
    if (at_ == arguments_.size()) throw UsageError(option_ + ": needs a value");
    return arguments_[at_++];
  }

  std::int64_t number(std::int64_t least, std::int64_t most) {
    const std::string text = value();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least ||
        number > most) {
      throw UsageError(option_ + " " + text + ": must be a whole number from " +
                       std::to_string(least) + " to " + std::to_string(most));
    }
    return number;
  }

 private:
  std::vector<std::string> arguments_;
  std::size_t at_ = 0;
  std::string option_;
  std::optional<std::string> value_;
};

std::string title(const std::string& variant) {
  return variant.empty() ? "none" : variant;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr int kMaxBlockSize = 1024;
  constexpr int kWarpSize = 32;
  Options options;
  Arguments arguments(argc, argv);
  const auto flag = [&](bool& set) {
    arguments.refuse_value();
    set = true;
  };
  try {
    while (arguments.next()) {
      const std::string& option = arguments.option();
      if (option == "--help" || option == "-h") {
        flag(options.help);
      } else if (option == "--list") {
        flag(options.list);
      } else if (option == "--all") {
        flag(options.all);
      } else if (option == "--counters") {
        flag(options.counters);
      } else if (option == "--access") {
        flag(options.access);
      } else if (option == "--in-place") {
        flag(options.in_place);
      } else if (option == "--no-times") {
        flag(options.no_times);
      } else if (option == "--records") {
        options.records = arguments.value();
      } else if (option == "--annotations") {
        options.annotations = arguments.value();
      } else if (option == "--variant") {
        const std::string name = arguments.value();
        options.variant = name == "none" ? "" : name;
      } else if (option == "--type") {
        options.dtype = dtype_from_name(arguments.value());
      } else if (option == "--input") {
        options.input = input_from_name(arguments.value());
      } else if (option == "--rows") {
        options.rows = arguments.number(0, kMost);
      } else if (option == "--cols") {
        options.cols = arguments.number(0, kMost);
      } else if (option == "--k") {
        options.k = static_cast<int>(arguments.number(1, kMaxK));
      } else if (option == "--block-size") {
        options.block_size = static_cast<int>(arguments.number(0, kMaxBlockSize));
        if (options.block_size % kWarpSize != 0) {
          throw UsageError("--block-size " + std::to_string(options.block_size) +
                           ": must be a multiple of " + std::to_string(kWarpSize));
        }
      } else if (option == "--seed") {
        options.seed = static_cast<std::uint64_t>(arguments.number(0, kMost));
      } else {
        throw UsageError("unknown option '" + option + "'");
      }
    }
  } catch (const UsageError&) {
    throw;
  } catch (const std::invalid_argument& error) {  // from the names of types and inputs
    throw UsageError(error.what());
  }
  return options;
}

std::string usage(const std::string& program) {
  return "usage: " + program + R"( [OPTION..]
Verifies the step and its variants and counts their accesses on the CPU executor, in all and, for
the first of them, by line; on a GPU it times them instead. Without a case it runs a few, on random,
masked, special and recorded logits.

one case:
  --rows R --cols C    its shape (64 x 4096; 1 x 262144 for the steps that take one row)
  --input NAME         random, wide, dominant, equal, largest, masked, subnormal, ties, special,
                       or recorded, with a shape of its own: attention, search
                       (search on a top-k step prints what was found)
  --k K                how many of the largest, for top-k steps (5)
  --in-place           softmax and log-softmax steps: the output is the input
  --no-times           verify only, also on a GPU (for compute-sanitizer)
  --block-size B       threads a block (0: the step's own choice)
  --seed S             of the input (0)
which of the program's kernels:
  --type NAME          f32, f16 or bf16 (all)
  --variant NAME       'none' is the ladder's own kernel (all)
what else it does:
  --all                shows every case, not one for each kernel and type
  --counters           prints a case's counters, `name<TAB>value` a line (f32, no variant)
  --access             prints which lane touches what, request by request, for the first warps of
                       a case (32 x 128 in blocks of 32, f32, no variant)
  --records FILE       runs the report's cases and writes them to FILE
  --annotations FILE   writes counts by line and the first warps' requests to FILE (f32)
  --list               prints the step and its variants
  --help               prints this text

exit code: 0 all verified and as predicted, or failing as stated; 1 not; 2 wrong usage
)";
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
  if (step.takes_one_row()) {
    a_case.rows = 1;
    a_case.cols = kDefaultLongCols;
  }
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
  a_case.k = options.k.value_or(default_k(step, a_case.cols));
  if (a_case.k > a_case.cols) {
    throw UsageError("--k " + std::to_string(a_case.k) + ": must be at most the columns, " +
                     std::to_string(a_case.cols));
  }
  return a_case;
}

}  // namespace worklog
