/// \file
/// The program of a single step: verifies it, counts its accesses on the CPU executor, times it on
/// a GPU. See options.cpp for what it can be asked.

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/cuda/check.h"
#include "common/measure/cases.h"
#include "common/measure/measure.h"
#include "common/measure/step_times.h"
#include "common/program/options.h"
#include "common/program/records.h"
#include "common/program/search.h"
#include "common/program/table.h"
#include "common/program/write_whole.h"
#include "common/step/validate.h"

#ifdef SIMT_EXECUTOR
#include <nlohmann/json.hpp>

#include "common/program/access_rows.h"
#include "common/program/annotations.h"
#include "common/program/line_table.h"
#include "common/program/player.h"
#endif

namespace {

using namespace worklog;

constexpr int kOk = 0;
constexpr int kWrong = 1;
constexpr int kWrongUsage = 2;

std::string fixed(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

std::string size_of(const Case& a_case) {
  std::string text = std::to_string(a_case.rows) + " x " + std::to_string(a_case.cols);
  if (a_case.k > 0) text += ", k " + std::to_string(a_case.k);
  return text;
}

std::string result_of(const Record& record) {
  if (!record.verdict.ok) return "WRONG";
  if (!record.ok()) return "MISCOUNTED";
  if (record.step->info.expected_failure.empty()) return "verified";
  // Without an element nothing can fail.
  return record.a_case.rows * record.a_case.cols == 0 ? "nothing to do" : "fails as stated";
}

void print_list() {
  for (const Step& step : all_steps()) {
    std::cout << step.label() << "  (" << name_of(step.operation()) << ")\n";
  }
}

struct Planned {
  const Step* step;
  Case a_case;
};

std::string variant_of(const Step& step) {
  return step.variant.empty() ? "the step itself" : step.variant;
}

// As wide as what comes, which is known before it is measured.
std::vector<Table::Column> columns(const std::vector<Planned>& planned) {
  Table::Column variant{"kernel", 6};
  Table::Column shape{"shape", 5};
  for (const auto& [step, a_case] : planned) {
    variant.width = std::max(variant.width, static_cast<int>(variant_of(*step).size()));
    shape.width = std::max(shape.width, static_cast<int>(size_of(a_case).size()));
  }
  std::vector<Table::Column> columns = {variant,
                                        {"type", 4},
                                        shape,
                                        {"input", 9},
                                        {"result", 15},
                                        {"ulp", 6, true},
                                        {"of bound", 8, true},
                                        {"loads", 6, true},
                                        {"stores", 6, true}};
#ifdef SIMT_EXECUTOR
  columns.push_back({"sectors/request", 15, true});
  columns.push_back({"launches", 8, true});
#else
  columns.push_back({"us", 9, true});
  columns.push_back({"GB/s", 6, true});
#endif
  return columns;
}

// Loads and stores are per element, counted where there are counts, else as predicted.
std::vector<std::string> cells_of(const Record& record, const Options& options) {
  const Step& step = *record.step;
  const Case& a_case = record.a_case;
  std::vector<std::string> cells = {variant_of(step),
                                    std::string(name_of(a_case.dtype)),
                                    size_of(a_case),
                                    std::string(name_of(a_case.input)),
                                    result_of(record),
                                    fixed(record.verdict.max_ulp, 2),
                                    fixed(100.0 * record.verdict.max_share_of_bound, 0) + " %"};
  if (record.counts) {
    cells.push_back(fixed(record.counts->loads_per_element, 4));
    cells.push_back(fixed(record.counts->stores_per_element, 4));
    cells.push_back(fixed(record.counts->sectors_per_load_request, 2));
    cells.push_back(std::to_string(record.counts->launches));
    return cells;
  }
  const auto elements = static_cast<double>(a_case.rows * a_case.cols);
  for (const Accesses& accesses : {step.info.loads, step.info.stores}) {
    const auto total = static_cast<double>(step.info.total(
        accesses, a_case.rows, a_case.cols, a_case.k, size_of(a_case.dtype), options.block_size));
    cells.push_back(elements == 0.0 ? "0" : fixed(total / elements, 4));
  }
  const bool timed = record.verdict.ok && !options.no_times;
  const StepTime time = timed ? time_step(step, a_case, options.block_size) : StepTime{};
  cells.push_back(time.median_us > 0.0 ? fixed(time.median_us, 2) : "-");
  cells.push_back(time.gbps > 0.0 ? fixed(time.gbps, 0) : "-");
  return cells;
}

void explain(const Record& record) {
  if (!record.verdict.ok) std::cout << "    " << record.verdict.failure << "\n";
  if (record.counts && record.counts->launches > 0 && !record.counts->as_predicted()) {
    std::cout << "    predicted: " << record.counts->predicted_loads << " loads and "
              << record.counts->predicted_stores
              << " stores per element; counted: " << record.counts->loads_per_element << " and "
              << record.counts->stores_per_element << "\n";
  }
}

void print_stated_failures(const std::vector<const Step*>& steps) {
  for (const Step* step : steps) {
    if (step->info.expected_failure.empty()) continue;
    std::cout << "\n"
              << step->label() << " fails by design: " << step->info.expected_failure
              << "\nIt was given finite logits from " << -step->info.largest_logit << " to "
              << step->info.largest_logit << ".\n";
  }
}

// What the table's words mean, for who meets them here first.
void print_legend() {
  std::cout
      << "\nf32, f16, bf16: what the pages call fp32, fp16 and bf16\n"
         "ulp: the worst error of a result, in units in the last place of the type\n"
         "of bound: the error divided by the error that is allowed for that result; the "
         "largest over all results.\n"
         "  100 % still passes, and in f16 and bf16 the rounding to the type alone comes close "
         "to it\n"
         "loads, stores: accesses of global memory per element";
#ifdef SIMT_EXECUTOR
  std::cout << "; sectors/request: 32-byte sectors that a warp's load touches\n";
#else
  std::cout << ", as predicted; us: microseconds, with a cold L2 cache\n";
#endif
}

std::string describe(const Planned& planned) {
  return planned.step->label() + ", " + std::string(name_of(planned.a_case.dtype)) + ", " +
         size_of(planned.a_case) + ", " + std::string(name_of(planned.a_case.input));
}

#ifdef SIMT_EXECUTOR
int block_size_of(const Planned& planned, const Options& options) {
  if (options.block_size > 0) return options.block_size;
  const Case& a_case = planned.a_case;
  return planned.step->info.block_size_for(a_case.rows, a_case.cols, size_of(a_case.dtype));
}
#endif

// Refuses a case before anything is printed or run.
void check_possible(const Step& step, const Case& a_case) {
  const std::size_t element = size_of(a_case.dtype);
  validate_shape(a_case.rows, a_case.cols, element);
  if (step.takes<Attention>()) return;  // its arrays are small, and there are no logits
  const auto bytes = static_cast<std::size_t>(a_case.rows * a_case.cols) * element;
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (bytes > free) {
    throw std::runtime_error(size_of(a_case) + ", " + std::string(name_of(a_case.dtype)) +
                             ": the logits alone take " + std::to_string(bytes) +
                             " bytes, and the device has " + std::to_string(free) + " free");
  }
}

bool shows_all(const Options& options) {
  return options.all || options.names_a_case() || options.in_place;
}

std::vector<Case> cases_of(const Options& options, const Step& step, DType dtype) {
  if (!options.names_a_case() && !options.in_place) return quick_cases(step, dtype);
  return {chosen_case(options, step, dtype)};
}

// Measures all cases. Of the cases of a kernel and type the table shows the first, and those that
// went wrong, unless all were asked for.
int print_table(const Options& options) {
  const VerifyOptions verify_options{
      .in_place = options.in_place, .block_size = options.block_size, .seed = options.seed};
  const std::vector<const Step*> steps = chosen_steps(options);
  std::vector<Planned> planned;
  for (const Step* step : steps) {
    for (const DType dtype : chosen_types(options)) {
      for (const Case& a_case : cases_of(options, *step, dtype)) {
        check_possible(*step, a_case);
        planned.push_back({step, a_case});
      }
    }
  }

  std::cout << steps.front()->name << " on "
            << (machine_name() == "cpu" ? "the CPU executor" : machine_name()) << "\n\n";
  const Table table(std::cout, columns(planned));
  table.print_header();
  std::size_t shown = 0;
  std::size_t wrong = 0;
#ifdef SIMT_EXECUTOR
  std::vector<simt::LineCounters> lines;  // of the first
#endif
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const auto& [step, a_case] = planned[i];
    const bool is_first =
        i == 0 || planned[i - 1].step != step || planned[i - 1].a_case.dtype != a_case.dtype;
    const Record record = measure(*step, a_case, verify_options);
#ifdef SIMT_EXECUTOR
    if (i == 0) lines = simt::counters_by_line();
#endif
    if (!record.ok()) ++wrong;
    if (record.ok() && !is_first && !shows_all(options)) continue;
    ++shown;
    table.print_row(cells_of(record, options));
    explain(record);
  }
  print_legend();
  if (shown < planned.size()) {
    std::cout
        << planned.size() - wrong << " of " << planned.size()
        << " cases that were run are as they should be, each a kernel with a type, a shape "
           "and an input;\n--all shows every one, not only the first of each kernel and type\n";
  }
  print_stated_failures(steps);
#ifdef SIMT_EXECUTOR
  const Planned& first_case = planned.front();
  std::cout << "\nBy line: " << describe(first_case) << ", blocks of "
            << block_size_of(first_case, options) << " threads\n\n";
  print_line_table(std::cout, lines, SourceText(*planned.front().step));
#endif
  const Step& first = *steps.front();
  if (options.input == Input::kSearch && first.is_top_k()) {
    const DType dtype = options.dtype.value_or(DType::kFloat16);
    print_search_results(std::cout, first, dtype, chosen_case(options, first, dtype).k);
  }
  return wrong == 0 ? kOk : kWrong;
}

int print_counters(Options options) {
  if (!options.variant) options.variant = "";
  const Step& step = *chosen_steps(options).front();
  const Case a_case = chosen_case(options, step, options.dtype.value_or(DType::kFloat32));
  check_possible(step, a_case);
  const Record record = measure(
      step, a_case,
      {.in_place = options.in_place, .block_size = options.block_size, .seed = options.seed});
  if (!record.counts) throw UsageError("--counters: only the CPU executor counts");
  std::cout << "loads_per_element\t" << record.counts->loads_per_element << "\n"
            << "stores_per_element\t" << record.counts->stores_per_element << "\n"
            << "sectors_per_load_request\t" << record.counts->sectors_per_load_request << "\n";
  for (const auto& [name, value] : record.counts->all)
    std::cout << name << "\t" << value << "\n";
  std::cout << "max_error_ulp\t" << record.verdict.max_ulp << "\n";
  if (!record.ok()) std::cerr << step.label() << ": " << record.verdict.failure << "\n";
  return record.ok() ? kOk : kWrong;
}

// Refuses a file that cannot be written before minutes are spent on what it is to hold.
void check_folder_of(const std::string& option, const std::filesystem::path& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw UsageError(option + " " + file.string() + ": there is no folder " + folder.string());
  }
}

int write_report_records(const Options& options) {
  check_folder_of("--records", *options.records);
  std::vector<Planned> planned;
  for (const Step* step : chosen_steps(options)) {
    for (const DType dtype : chosen_types(options)) {
      for (const Case& a_case : report_cases(*step, dtype))
        planned.push_back({step, a_case});
    }
  }
  const std::string file = options.records->string();
  std::vector<Record> records;
  bool all_ok = true;
  for (const Planned& next : planned) {
    std::cerr << records.size() + 1 << " of " << planned.size() << ": " << describe(next)
              << std::endl;
    records.push_back(measure(*next.step, next.a_case));
    const Record& record = records.back();
    if (record.ok()) continue;
    all_ok = false;
    std::cerr << result_of(record) << ": " << record.verdict.failure << std::endl;
  }
  write_records(*options.records, records);
  std::cerr << planned.size() << " records in " << file << std::endl;
  return all_ok ? kOk : kWrong;
}

#ifdef SIMT_EXECUTOR

int print_access(Options options) {
  if (!options.variant) options.variant = "";
  const Step& step = *chosen_steps(options).front();
  const DType dtype = options.dtype.value_or(DType::kFloat32);
  const bool has_shape = options.rows || options.cols || (options.input && is_real(*options.input));
  if (!has_shape) {
    const Case small = small_case(step, dtype);
    options.rows = small.rows;
    options.cols = small.cols;
    if (options.block_size == 0) options.block_size = kSmallBlock;
  }
  const Case a_case = chosen_case(options, step, dtype);
  check_possible(step, a_case);
  print_access_rows(std::cout, traced_run(step, a_case, options.block_size));
  return kOk;
}

int write_annotations(const Options& options) {
  check_folder_of("--annotations", *options.annotations);
  write_whole(*options.annotations, annotations(chosen_steps(options)).dump() + "\n");
  return kOk;
}

int write_html(const Options& options) {
  check_folder_of("--html", *options.html);
  write_whole(*options.html, player_of(chosen_steps(options), options.block_size));
  return kOk;
}

#else

int print_access(const Options&) {
  throw UsageError("--access: only the CPU executor sees single requests");
}

int write_annotations(const Options&) {
  throw UsageError("--annotations: only the CPU executor counts by line");
}

int write_html(const Options&) {
  throw UsageError("--html: only the CPU executor sees what a warp does");
}

#endif

int run_program(const Options& options, const std::string& program) {
  if (options.help) {
    std::cout << usage(program);
    return kOk;
  }
  if (options.list) {
    print_list();
    return kOk;
  }
  if (options.records) return write_report_records(options);
  if (options.counters) return print_counters(options);
  if (options.access) return print_access(options);
  if (options.annotations) return write_annotations(options);
  if (options.html) return write_html(options);
  return print_table(options);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string program = called_as(argv[0]);
  try {
    return run_program(parse_options(argc, argv), program);
  } catch (const std::invalid_argument& error) {  // of the command line, or of the problem it names
    std::cerr << program << ": " << error.what() << "\nsee " << program << " --help\n";
    return kWrongUsage;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << "\n";
    return kWrong;
  }
}
