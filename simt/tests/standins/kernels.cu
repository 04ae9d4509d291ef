#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <math_constants.h>
#include <stdexcept>

#include "simt/tests/standins/device_buffer.h"
#include "simt/tests/standins/kernels.h"

namespace cg = cooperative_groups;

namespace {

constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kWarpSize = 32;

void finish(const std::string& kernel) {
  check(cudaGetLastError(), kernel);
  check(cudaDeviceSynchronize(), kernel);
}

// ---- shuffles ---------------------------------------------------------------------------------

template <typename T>
__global__ void shuffle_kernel(const T* in, T* out) {
  const T mine = in[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(kAllLanes, mine, 3);
  out[32 + threadIdx.x] = __shfl_up_sync(kAllLanes, mine, 1);
  out[64 + threadIdx.x] = __shfl_down_sync(kAllLanes, mine, 2);
  out[96 + threadIdx.x] = __shfl_xor_sync(kAllLanes, mine, 5);
  out[128 + threadIdx.x] = __shfl_sync(kAllLanes, mine, 1, 8);
}

template <typename T>
Lanes<T> part(const std::vector<T>& all, int index) {
  return {all.begin() + index * kWarpSize, all.begin() + (index + 1) * kWarpSize};
}

/// Shuffles values of the device's type Device, which has the bytes of Host.
template <typename Device, typename Host>
Shuffled<Host> shuffle_as(const Lanes<Host>& values) {
  static_assert(sizeof(Device) == sizeof(Host), "bytes are copied");
  const DeviceBuffer<Host> in(values);
  DeviceBuffer<Host> out(5 * kWarpSize);
  shuffle_kernel<Device><<<1, kWarpSize>>>(reinterpret_cast<const Device*>(in.data()),
                                           reinterpret_cast<Device*>(out.data()));
  finish("shuffle_kernel");
  const std::vector<Host> all = out.download();
  return {part(all, 0), part(all, 1), part(all, 2), part(all, 3), part(all, 4)};
}

}  // namespace

template <typename T>
Shuffled<T> shuffle(const Lanes<T>& values) {
  return shuffle_as<T>(values);
}
template Shuffled<float> shuffle(const Lanes<float>&);
template Shuffled<double> shuffle(const Lanes<double>&);
template Shuffled<int> shuffle(const Lanes<int>&);
template Shuffled<unsigned> shuffle(const Lanes<unsigned>&);
template Shuffled<long long> shuffle(const Lanes<long long>&);
template Shuffled<unsigned long long> shuffle(const Lanes<unsigned long long>&);

Shuffled<std::uint16_t> shuffle_float16(const Lanes<std::uint16_t>& bits) {
  return shuffle_as<__half>(bits);
}
Shuffled<std::uint16_t> shuffle_bfloat16(const Lanes<std::uint16_t>& bits) {
  return shuffle_as<__nv_bfloat16>(bits);
}

// ---- votes, matches, reductions of a warp -----------------------------------------------------

namespace {

struct VoteResult {
  unsigned ballot, any, all, match;
  int sum, least, largest;
  unsigned common_bits;
};

__global__ void vote_kernel(const int* in, VoteResult* out) {
  const int value = in[threadIdx.x];
  VoteResult result;
  result.ballot = __ballot_sync(kAllLanes, value % 2);
  result.any = static_cast<unsigned>(__any_sync(kAllLanes, value == 7) != 0);
  result.all = static_cast<unsigned>(__all_sync(kAllLanes, value < 100) != 0);
  result.match = __match_any_sync(kAllLanes, value);
  result.sum = __reduce_add_sync(kAllLanes, value);
  result.least = __reduce_min_sync(kAllLanes, value);
  result.largest = __reduce_max_sync(kAllLanes, value);
  result.common_bits = __reduce_and_sync(kAllLanes, static_cast<unsigned>(value));
  __syncwarp();
  out[threadIdx.x] = result;
}

__global__ void block_vote_kernel(const int* in, int* out) {
  const int value = in[threadIdx.x];
  const int odd = __syncthreads_count(value % 2);
  const int any = __syncthreads_or(value > 1000);
  const int all = __syncthreads_and(value < 1000);
  if (threadIdx.x == 0) {
    out[0] = odd;
    out[1] = any != 0;
    out[2] = all != 0;
  }
}

}  // namespace

Votes vote(const Lanes<int>& values) {
  const DeviceBuffer<int> in(values);
  DeviceBuffer<VoteResult> out(kWarpSize);
  vote_kernel<<<1, kWarpSize>>>(in.data(), out.data());
  finish("vote_kernel");
  Votes votes;
  for (const VoteResult& lane : out.download()) {
    votes.ballot.push_back(lane.ballot);
    votes.any.push_back(lane.any);
    votes.all.push_back(lane.all);
    votes.match.push_back(lane.match);
    votes.sum.push_back(lane.sum);
    votes.least.push_back(lane.least);
    votes.largest.push_back(lane.largest);
    votes.common_bits.push_back(lane.common_bits);
  }
  return votes;
}

BlockVotes vote_in_block(const std::vector<int>& values) {
  const DeviceBuffer<int> in(values);
  DeviceBuffer<int> out(3);
  block_vote_kernel<<<1, static_cast<unsigned>(values.size())>>>(in.data(), out.data());
  finish("block_vote_kernel");
  const std::vector<int> results = out.download();
  return {results[0], results[1], results[2]};
}

// ---- atomics ----------------------------------------------------------------------------------

namespace {

struct AtomicCounters {
  int add, sub, least, largest, all_bits, any_bits, odd_bits, swapped;
  unsigned up, down;
  unsigned long long wide_sum, exchanged;
};

__global__ void atomic_kernel(AtomicCounters* counters) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&counters->add, thread);
  atomicSub(&counters->sub, thread);
  atomicMin(&counters->least, -thread);
  atomicMax(&counters->largest, thread);
  atomicAnd(&counters->all_bits, ~(thread & 6));
  atomicOr(&counters->any_bits, thread);
  atomicXor(&counters->odd_bits, thread);
  atomicCAS(&counters->swapped, thread, thread + 1);
  atomicInc(&counters->up, 9u);
  atomicDec(&counters->down, 9u);
  atomicAdd(&counters->wide_sum, 1ull << 32);
  atomicExch(&counters->exchanged, 5ull);
}

template <typename T>
__global__ void atomic_sum_kernel(const T* in, T* sum) {
  atomicAdd(sum, in[threadIdx.x]);
}

template <typename T>
T atomic_sum_of(const std::vector<T>& values) {
  const DeviceBuffer<T> in(values);
  DeviceBuffer<T> sum(std::vector<T>{T(0)});
  atomic_sum_kernel<<<1, static_cast<unsigned>(values.size())>>>(in.data(), sum.data());
  finish("atomic_sum_kernel");
  return sum.download()[0];
}

}  // namespace

std::vector<long long> atomics(int threads) {
  DeviceBuffer<AtomicCounters> buffer(
      std::vector<AtomicCounters>{{0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0}});
  atomic_kernel<<<static_cast<unsigned>(threads) / 32, 32>>>(buffer.data());
  finish("atomic_kernel");
  const AtomicCounters c = buffer.download()[0];
  return {c.add,
          c.sub,
          c.least,
          c.largest,
          c.all_bits,
          c.any_bits,
          c.odd_bits,
          c.swapped > 0,
          c.up,
          c.down,
          static_cast<long long>(c.wide_sum),
          static_cast<long long>(c.exchanged)};
}

float atomic_sum(const std::vector<float>& values) {
  return atomic_sum_of(values);
}
double atomic_sum(const std::vector<double>& values) {
  return atomic_sum_of(values);
}

// ---- cooperative groups -----------------------------------------------------------------------

namespace {

template <int tile_size>
__global__ void tile_kernel(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<tile_size>(block);
  const unsigned rank = block.thread_rank();
  const int sum = cg::reduce(tile, in[rank], cg::plus<int>());
  const bool consistent =
      tile.thread_rank() == rank % tile_size && tile.meta_group_rank() == rank / tile_size &&
      tile.meta_group_size() * tile_size == block.size() &&
      tile.shfl(static_cast<int>(rank), 0) == static_cast<int>(rank / tile_size * tile_size);
  block.sync();
  out[rank] = consistent ? sum : -1;
}

/// The next block of the cluster reads what this one stored.
__device__ void exchange_in_cluster(float* out) {
  __shared__ float mine;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = static_cast<float>(blockIdx.x) + 0.5f;
  cluster.sync();
  const unsigned other = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, static_cast<int>(other));
  cluster.sync();
}

__global__ void cluster_kernel(float* out) {
  exchange_in_cluster(out);
}

__global__ void __cluster_dims__(2, 1, 1) fixed_cluster_kernel(float* out) {
  exchange_in_cluster(out);
}

}  // namespace

std::vector<int> tile_sums(const std::vector<int>& values, int tile) {
  const DeviceBuffer<int> in(values);
  DeviceBuffer<int> out(static_cast<std::int64_t>(values.size()));
  const auto threads = static_cast<unsigned>(values.size());
  if (tile == 32) tile_kernel<32><<<1, threads>>>(in.data(), out.data());
  if (tile == 8) tile_kernel<8><<<1, threads>>>(in.data(), out.data());
  if (tile == 1) tile_kernel<1><<<1, threads>>>(in.data(), out.data());
  finish("tile_kernel");
  return out.download();
}

std::vector<float> cluster_exchange(int blocks) {
  DeviceBuffer<float> out(blocks);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(64);
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, cluster_kernel, out.data()), "cluster_kernel");
  finish("cluster_kernel");
  return out.download();
}

std::vector<float> fixed_cluster_exchange(int blocks) {
  DeviceBuffer<float> out(blocks);
  fixed_cluster_kernel<<<static_cast<unsigned>(blocks), 64>>>(out.data());
  finish("fixed_cluster_kernel");
  return out.download();
}

// ---- shared memory ----------------------------------------------------------------------------

namespace {

template <typename A, typename B>
struct Pair {
  A first;
  B second;
};

template <int rows>
__device__ int through_static(int value) {
  __shared__ alignas(16) int column[rows], table[rows][2];
  __shared__ Pair<int, float> last;
  const int mine = static_cast<int>(threadIdx.x);
  column[mine] = value;
  table[mine][1] = value;
  if (mine == rows - 1) last = {value, 0.5f};
  __syncthreads();
  int sum = 0;
  for (int row = 0; row < rows; ++row)
    sum += column[row] + table[row][1];
  sum += last.first + static_cast<int>(2.0f * last.second);
  __syncthreads();
  return sum;
}

template <int rows>
__global__ void shared_kernel(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int reversed = dynamic[rows - 1 - threadIdx.x];
  out[threadIdx.x] = through_static<rows>(reversed) + through_static<rows>(0) * 1000;
}

}  // namespace

std::vector<int> shared_memory(int threads) {
  DeviceBuffer<int> out(threads);
  const std::size_t bytes = static_cast<std::size_t>(threads) * sizeof(int);
  if (threads == 32) shared_kernel<32><<<1, 32, bytes>>>(out.data());
  if (threads == 96) shared_kernel<96><<<dim3(1), dim3(96, 1, 1), bytes, nullptr>>>(out.data());
  finish("shared_kernel");
  return out.download();
}

// ---- device functions -------------------------------------------------------------------------

namespace {

constexpr int kFunctions = 40;

__global__ void function_kernel(float x, float y, int i, double* out) {
  int at = 0;
  const auto put = [&](double value) { out[at++] = value; };
  put(max(i, 3));
  put(min(i, 3));
  put(max(i, 3u));
  put(static_cast<double>(max(5ll, 7ll)));
  put(max(x, y));
  put(min(x, CUDART_NAN_F));
  put(max(x, 2.0));
  put(fmaxf(x, y));
  put(__saturatef(y));
  put(__fadd_rn(x, y));
  put(__fmul_rn(x, y));
  put(__fmaf_rn(x, y, 1.0f));
  put(__fdiv_rn(x, y));
  put(__frcp_rn(y));
  put(__fsqrt_rn(y));
  put(__dadd_rn(x, y));
  put(__float_as_int(x));
  put(__uint_as_float(__float_as_uint(y)));
  put(__int_as_float(0x3f800000));
  put(static_cast<double>(__double_as_longlong(1.0) >> 52));
  put(__longlong_as_double(0x4000000000000000ll));
  put(__popc(0xf0f0u));
  put(__popcll(~0ull));
  put(__ffs(8));
  put(__ffs(0));
  put(__ffsll(1ll << 40));
  put(__clz(1));
  put(__clz(0));
  put(__clzll(1));
  put(__brev(1u));
  put(__umulhi(0x80000000u, 6u));
  put(__mulhi(-2147483647 - 1, 2));
  put(isnan(CUDART_NAN_F));
  put(isinf(-CUDART_INF_F));
  put(isinf(INFINITY));
  put(warpSize);
  put(__int2float_rn(16777217));
  put(__double2float_rn(0.1) == 0.1f);
  put(gridDim.x * blockDim.x + blockIdx.x + threadIdx.x);
  put(clock64() <= clock64());
}

}  // namespace

namespace {

__global__ void use_ptx(float x, float y, double* out) {
  const auto keep = [&](float result) { *out++ = result; };
  float d;
  asm("ex2.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("lg2.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("rcp.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("sqrt.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  keep(d);
  asm volatile("max.NaN.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  keep(d);
  asm("min.NaN.f32 %0, %2, %1;" : "=f"(d) : "f"(x), "f"(y));
  keep(d);
  asm("max.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  keep(d);
  asm("min.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  keep(d);
  asm("fma.rn.ftz.f32 %0, %1, %2, %2;" : "=f"(d) : "f"(x), "f"(y));
  keep(d);
}

}  // namespace

std::vector<double> ptx_instructions(float x, float y) {
  constexpr std::size_t kInstructions = 16;
  DeviceBuffer<double> out(kInstructions);
  use_ptx<<<1, 1>>>(x, y, out.data());
  finish("use_ptx");
  return out.download();
}

std::vector<double> device_functions(float x, float y, int i) {
  DeviceBuffer<double> out(kFunctions);
  function_kernel<<<1, 1>>>(x, y, i, out.data());
  finish("function_kernel");
  return out.download();
}

// ---- variables of the device ------------------------------------------------------------------

namespace {

constexpr int kSymbolSize = 4;
__constant__ float factors[kSymbolSize];
__device__ float products[kSymbolSize];

__global__ void symbol_kernel() {
  products[threadIdx.x] = 2.0f * factors[threadIdx.x];
}

}  // namespace

std::vector<float> symbols(const std::vector<float>& values) {
  std::vector<float> result(kSymbolSize);
  check(cudaMemcpyToSymbol(factors, values.data(), kSymbolSize * sizeof(float)), "to symbol");
  symbol_kernel<<<1, kSymbolSize>>>();
  finish("symbol_kernel");
  check(cudaMemcpyFromSymbol(result.data(), products, kSymbolSize * sizeof(float)), "from symbol");
  return result;
}

// ---- wide accesses ----------------------------------------------------------------------------

namespace {

template <typename T>
__global__ void copy_kernel(const T* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

/// Through a local variable whose elements are exchanged.
template <typename T>
__global__ void change_kernel(const T* in, T* out) {
  T value = in[threadIdx.x];
  const auto first = value.x;
  value.x = value.y;
  value.y = first;
  out[threadIdx.x] = value;
}

__global__ void cached_kernel(const float4* in, float4* out) {
  const float4 a = __ldg(in + threadIdx.x);
  const float4 b = __ldcs(in + threadIdx.x);
  __threadfence_block();
  __threadfence();
  __stcs(out + threadIdx.x, make_float4(a.x, b.y, a.z, b.w));
}

template <typename T>
void copy_as() {
  DeviceBuffer<T> in(kWarpSize);
  DeviceBuffer<T> out(kWarpSize);
  check(cudaMemset(in.data(), 0, in.bytes()), "cudaMemset");
  copy_kernel<<<1, kWarpSize>>>(in.data(), out.data());
  finish("copy_kernel");
}

template <typename T>
void change_as() {
  DeviceBuffer<T> in(kWarpSize);
  DeviceBuffer<T> out(kWarpSize);
  check(cudaMemset(in.data(), 0, in.bytes()), "cudaMemset");
  change_kernel<<<1, kWarpSize>>>(in.data(), out.data());
  finish("change_kernel");
}

struct Copy {
  const char* type;
  void (*run)();
};

constexpr Copy kCopies[] = {
    {"float", copy_as<float>},
    {"double", copy_as<double>},
    {"char4", copy_as<char4>},
    {"short2", copy_as<short2>},
    {"short4", copy_as<short4>},
    {"int2", copy_as<int2>},
    {"int4", copy_as<int4>},
    {"uint2", copy_as<uint2>},
    {"uint4", copy_as<uint4>},
    {"float2", copy_as<float2>},
    {"float4", copy_as<float4>},
    {"double2", copy_as<double2>},
    {"longlong2", copy_as<longlong2>},
    {"half", copy_as<__half>},
    {"half2", copy_as<__half2>},
    {"bfloat16", copy_as<__nv_bfloat16>},
    {"bfloat162", copy_as<__nv_bfloat162>},
    {"float2 changed", change_as<float2>},
    {"float4 changed", change_as<float4>},
    {"uint4 changed", change_as<uint4>},
    {"half2 changed", change_as<__half2>},
};

}  // namespace

void copy_one_warp(const std::string& type) {
  for (const Copy& copy : kCopies) {
    if (copy.type == type) return copy.run();
  }
  throw std::invalid_argument("no copy of '" + type + "'");
}

std::vector<float> cached_copy(const std::vector<float>& values) {
  const DeviceBuffer<float> in(values);
  DeviceBuffer<float> out(static_cast<std::int64_t>(values.size()));
  cached_kernel<<<1, static_cast<unsigned>(values.size() / 4)>>>(
      reinterpret_cast<const float4*>(in.data()), reinterpret_cast<float4*>(out.data()));
  finish("cached_kernel");
  return out.download();
}
