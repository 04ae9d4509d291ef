/// \file
/// Which launches a piece of work makes. Two implementations: one for a GPU, whose profiler counts,
/// and one for the CPU executor, which counts itself.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace worklog::bench {

/// What one or more warps of a launch did, all of them the same: how often each came to a line, for
/// every instruction there that accesses memory, by names such as "softmax.cu:42 shared load".
struct WarpsAlike {
  std::uint64_t warps = 0;
  std::map<std::string, std::vector<std::uint64_t>> requests;
};

struct ProfiledLaunch {
  std::array<unsigned, 3> grid = {};
  std::array<unsigned, 3> block = {};
  std::size_t dynamic_shared_bytes = 0;
  bool on_stream = true;  ///< on the one that the work was given
  /// From the executor only: the kernel's name without template arguments, and all counters.
  std::string kernel;
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  /// Likewise, if lines are asked for: the counters of each that are not 0, by names such as
  /// "softmax.cu:42", and what its warps did.
  std::map<std::string, std::map<std::string, std::uint64_t>> by_line;
  std::vector<WarpsAlike> by_warp;
};

/// Runs `work` once, to its end, on a stream of its own, and returns its launches in order. On a
/// GPU one on another stream is an error; on the executor the launch says so.
std::vector<ProfiledLaunch> run_and_list(const std::function<void(cudaStream_t)>& work,
                                         bool with_lines = false);

}  // namespace worklog::bench
