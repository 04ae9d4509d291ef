/// \file
/// Kernels that use what the stand-in headers offer, behind functions of plain C++. The same file
/// is compiled for a GPU, so that the tests state what CUDA does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// One value per lane of a warp.
template <typename T>
using Lanes = std::vector<T>;

template <typename T>
struct Shuffled {
  Lanes<T> from_lane_3, up_1, down_2, exchanged_5, within_8;
};
/// For float, double, int, unsigned, long long and unsigned long long.
template <typename T>
Shuffled<T> shuffle(const Lanes<T>& values);

/// float16 and bfloat16 and their pairs, by their bits.
Shuffled<std::uint16_t> shuffle_float16(const Lanes<std::uint16_t>& bits);
Shuffled<std::uint16_t> shuffle_bfloat16(const Lanes<std::uint16_t>& bits);

struct Votes {
  std::vector<unsigned> ballot, any, all, match;
  std::vector<int> sum, least, largest;
  std::vector<unsigned> common_bits;
};
/// Of one warp: the predicate is "value is odd".
Votes vote(const Lanes<int>& values);

struct BlockVotes {
  int odd, any_above_1000, all_below_1000;
};
BlockVotes vote_in_block(const std::vector<int>& values);

/// Each thread applies every atomic operation once to its own counter of all.
std::vector<long long> atomics(int threads);
float atomic_sum(const std::vector<float>& values);
double atomic_sum(const std::vector<double>& values);

/// Sums by tiles of a block: the sum of the tile is stored by each of its threads.
std::vector<int> tile_sums(const std::vector<int>& values, int tile);
/// Each block of a cluster of two adds what the other stored in its shared memory.
std::vector<float> cluster_exchange(int blocks);
/// The same by a kernel that is declared with its cluster's shape.
std::vector<float> fixed_cluster_exchange(int blocks);

/// The sum of 0 .. threads - 1, through static, dynamic and template-dependent shared memory.
std::vector<int> shared_memory(int threads);

/// One result of each device function that has no name in C++, in a fixed order.
std::vector<double> device_functions(float x, float y, int i);

/// What inline PTX makes of x and y, in an order of its own.
std::vector<double> ptx_instructions(float x, float y);

/// Values go through __constant__ and __device__ variables.
std::vector<float> symbols(const std::vector<float>& values);

/// Copies 32 elements with one warp, one element a thread. `type` names the element: "float",
/// "float2", "float4", ...
void copy_one_warp(const std::string& type);

/// A copy of `values` (a multiple of 4 of them) by cached 16-byte loads and stores, with fences.
std::vector<float> cached_copy(const std::vector<float>& values);
