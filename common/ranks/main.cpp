/// \file
/// The program of a step whose columns are split among ranks: verifies it, and on GPUs times it.
/// Ranks are threads of one process, or the processes that mpirun starts.

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "common/cuda/check.h"
#include "common/cuda/device.h"
#include "common/program/table.h"
#include "common/ranks/communicator.h"
#include "common/ranks/crossing.h"
#include "common/ranks/group.h"
#include "common/ranks/rank_options.h"
#include "common/ranks/run_case.h"
#include "common/ranks/times.h"

namespace {

using namespace worklog;

constexpr int kOk = 0;
constexpr int kWrong = 1;
constexpr int kWrongUsage = 2;

std::string kernel_of(const RankCase& a_case) {
  return a_case.step->variant.empty() ? "the step itself" : a_case.step->variant;
}

std::string machine() {
#ifdef SIMT_EXECUTOR
  return "the CPU executor";
#else
  return current_device().name;
#endif
}

std::string shape_of(const RankCase& a_case) {
  return std::to_string(a_case.rows) + " x " + std::to_string(a_case.cols);
}

// As wide as what comes.
std::vector<Table::Column> columns(const std::vector<RankCase>& cases) {
  Table::Column kernel{"kernel", 6};
  Table::Column shape{"shape", 5};
  for (const RankCase& a_case : cases) {
    kernel.width = std::max(kernel.width, static_cast<int>(kernel_of(a_case).size()));
    shape.width = std::max(shape.width, static_cast<int>(shape_of(a_case).size()));
  }
  return {kernel,
          {"result", 13},
          {"type", 4},
          shape,
          {"split", 6},
          {"input", 9},
          {"verdict", 16},
          {"ulp", 6, true},
          {"of bound", 8, true},
          {"bytes", 5, true},
          {"calls", 5, true}};
}

std::string verdict_of(const RankCase& a_case, const Comparison& found) {
  if (found.wrong > 0) return "WRONG";
  return a_case.step->info.expected_failure.empty() ? "verified" : "fails as stated";
}

void print_legend(int ranks) {
  std::cout << "\n"
            << ranks
            << " ranks share the columns of each row: even, uneven, or with one column, none or "
               "all in one of them\n"
               "ulp: the worst error of a result, in units in the last place of the type\n"
               "of bound: the error divided by the error that is allowed for that result; the "
               "largest over all results\n"
               "bytes: what a rank tells of a row; calls: of NCCL in a launch\n";
}

void print_stated_failures(const std::vector<RankCase>& cases) {
  const RankStep* last = nullptr;
  for (const RankCase& a_case : cases) {
    if (a_case.step == last || a_case.step->info.expected_failure.empty()) continue;
    last = a_case.step;
    std::cout << "\n"
              << last->name << "/" << last->variant
              << " fails by design: " << last->info.expected_failure
              << "\nIt was given finite logits from " << -last->info.largest_logit << " to "
              << last->info.largest_logit << ".\n";
  }
}

// A kernel that needs its ranks in one process has no case elsewhere.
std::vector<RankCase> possible_cases(const RankOptions& options, bool in_one_process) {
  std::vector<RankCase> cases = chosen_cases(options);
  if (in_one_process) return cases;
  const auto needs_one = [](const RankCase& a_case) {
    return a_case.step->info.mailbox_words != nullptr;
  };
  cases.erase(std::remove_if(cases.begin(), cases.end(), needs_one), cases.end());
  if (cases.empty()) throw UsageError("this kernel needs its ranks in one process");
  return cases;
}

// Between processes, results go to rank 0 in one message of MPI, which counts bytes by an int.
void check_sizes(const std::vector<RankCase>& cases, int ranks) {
  for (const RankCase& a_case : cases) {
    const SliceShape shape = a_case.shape(ranks);
    const std::int64_t row = shape.widest * static_cast<std::int64_t>(shape.element_bytes) + 8;
    if (row < std::numeric_limits<int>::max() / shape.rows) continue;
    throw UsageError(shape_of(a_case) +
                     ": a slice's results are 2 GiB or more, which MPI does not " + "take at once");
  }
}

void print_refused(const Table& table, const RankCase& a_case, const std::string& why) {
  table.print_row({kernel_of(a_case), std::string(name_of(a_case.result)),
                   std::string(name_of(a_case.dtype)), shape_of(a_case),
                   std::string(name_of(a_case.split)), std::string(name_of(a_case.input)),
                   "refused", "", "", "", ""});
  std::cout << "    refused: " << why << "\n";
}

// What a rank does from the beginning to the end. A kernel that refuses a shape has failed only
// where it was asked for by name. Only rank 0 prints, and knows what is wrong.
int verify(Group& group, Communicator& communicator, const RankOptions& options,
           const std::vector<RankCase>& cases) {
  const bool prints = group.rank() == 0;
  const Table table(std::cout, columns(cases));
  if (prints) {
    std::cout << cases.front().step->name << ", " << group.size() << " ranks on " << machine()
              << "\n\n";
    table.print_header();
  }
  std::size_t wrong = 0;
  std::size_t refused = 0;
  std::size_t shown = 0;
  const RankCase* last = nullptr;
  for (const RankCase& a_case : cases) {
    Comparison found;
    try {
      found = run_case(group, communicator, a_case, options.run);
    } catch (const RefusedError& error) {
      ++refused;
      if (prints) print_refused(table, a_case, error.what());
      continue;
    }
    if (!prints) continue;
    const bool is_first = last == nullptr || last->step != a_case.step ||
                          last->result != a_case.result || last->dtype != a_case.dtype;
    last = &a_case;
    if (found.wrong > 0) ++wrong;
    if (found.wrong == 0 && !is_first && !options.all) continue;
    ++shown;
    const SliceShape shape = a_case.shape(group.size());
    const RankStepInfo& info = a_case.step->info;
    table.print_row({kernel_of(a_case), std::string(name_of(a_case.result)),
                     std::string(name_of(a_case.dtype)), shape_of(a_case),
                     std::string(name_of(a_case.split)), std::string(name_of(a_case.input)),
                     verdict_of(a_case, found), fmt::format("{:.2f}", found.max_ulp),
                     fmt::format("{:.0f} %", 100.0 * found.max_share_of_bound),
                     std::to_string(info.bytes_a_row(shape)),
                     std::to_string(info.collectives != nullptr ? info.collectives(shape) : 0)});
    if (found.wrong > 0) std::cout << "    " << found.failure << "\n";
  }
  if (!prints) return kOk;
  print_legend(group.size());
  if (shown < cases.size()) {
    std::cout << cases.size() - wrong - refused << " of " << cases.size()
              << " cases that were run are as they should be; --all shows every one\n";
  }
  print_stated_failures(cases);
  const bool is_named = options.variant.has_value();
  return wrong == 0 && (refused == 0 || !is_named) ? kOk : kWrong;
}

// What the executor counts of a case in all ranks, which are threads of this process.
int print_counters(Group& group, Communicator& communicator, const RankOptions& options,
                   const RankCase& a_case) {
  const Comparison found = run_case(group, communicator, a_case, options.run);
  if (group.rank() != 0) return kOk;
  std::cout << "ranks\t" << group.size() << "\n";
  for (const auto& [name, value] : all_counted())
    std::cout << name << "\t" << value << "\n";
  if (found.wrong > 0) std::cerr << found.failure << "\n";
  return found.wrong > 0 ? kWrong : kOk;
}

int run_rank(Group& group, const RankOptions& options, bool in_one_process) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "counting devices");
  check(cudaSetDevice(group.device() % devices), "choosing a device");
  if (options.run.fault == Fault::kAbsent && options.run.faulty_rank == group.rank()) {
    stay_away(options.run);
  }
  const std::vector<RankCase> cases = possible_cases(options, in_one_process);
  if (!in_one_process) check_sizes(cases, group.size());
  Communicator communicator(group, options.run.limit);
  if (options.counters) return print_counters(group, communicator, options, cases.front());
  if (!options.times) return verify(group, communicator, options, cases);
  write_times(group, communicator, {*options.times, options.block_size});
  return kOk;
}

// The same, but what is thrown is told. Then the others get time to tell theirs.
int run_and_tell(Group& group, const RankOptions& options, bool in_one_process) {
  try {
    return run_rank(group, options, in_one_process);
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    // In one piece: other processes write there, too.
    std::cerr << "rank " + std::to_string(group.rank()) + ": " + error.what() + "\n" << std::flush;
    group.exchange(std::string(1, kOver), options.run.limit);
    return kWrong;
  }
}

// What nobody asked for is that of the step itself.
RankOptions of_counters(RankOptions options) {
  if (!counts_crossing()) throw UsageError("--counters: only the CPU executor counts");
  if (!options.variant) options.variant = "";
  if (!options.result) options.result = SliceResult::kSoftmax;
  if (!options.dtype) options.dtype = DType::kFloat32;
  return options;
}

int run_threads(RankOptions options) {
  if (options.counters) options = of_counters(options);
#ifdef SIMT_EXECUTOR
  constexpr int kUsualRanks = 4;
  if (options.ranks == 0) options.ranks = kUsualRanks;
  setenv("SIMT_DEVICES", std::to_string(options.ranks).c_str(), 0);
#endif
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "counting devices");
  if (options.ranks == 0) options.ranks = devices;
  if (options.ranks > devices) {
    throw UsageError("--ranks " + std::to_string(options.ranks) + ": there are " +
                     std::to_string(devices) + " devices");
  }
  possible_cases(options, true);  // what is wrong with them is told once
  Board board(options.ranks);
  std::vector<int> codes(static_cast<std::size_t>(options.ranks), kOk);
  std::vector<std::jthread> ranks;
  ranks.reserve(codes.size());
  for (int rank = 0; rank < options.ranks; ++rank) {
    ranks.emplace_back([&, rank] {
      const auto group = board.group_of(rank);
      codes[static_cast<std::size_t>(rank)] = run_and_tell(*group, options, true);
    });
  }
  ranks.clear();
  return *std::max_element(codes.begin(), codes.end());
}

// A rank without the others does not end MPI in order, which would wait for them: it just ends.
int run_process(const RankOptions& options) {
  if (options.counters) throw UsageError("--counters: the ranks must be threads of one process");
  const auto group = group_of_processes();
  const int code = run_and_tell(*group, options, false);
  if (code != kOk) {
    std::cout.flush();
    std::_Exit(code);
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string program = called_as(argv[0]);
  try {
    const RankOptions options = parse_rank_options(argc, argv);
    if (options.help) {
      std::cout << rank_usage(program);
      return kOk;
    }
    return is_started_by_mpi() ? run_process(options) : run_threads(options);
  } catch (const std::invalid_argument& error) {
    std::cerr << program << ": " << error.what() << "\nsee " << program << " --help\n";
    return kWrongUsage;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << "\n";
    return kWrong;
  }
}
