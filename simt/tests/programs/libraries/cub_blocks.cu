// CUB's primitives for a warp and for a block, and what they ask of memory.
#include <cstdio>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int kThreads = 128;
constexpr int kItems = 8;
constexpr int kCount = kThreads * kItems;

struct Largest {
  __device__ double operator()(double a, double b) const { return a > b ? a : b; }
};

__global__ void warp_sums(const int* x, int* sums) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage storage[kThreads / 32];
  const int warp = threadIdx.x / 32;
  const int sum = Reduce(storage[warp]).Sum(x[threadIdx.x]);
  if (threadIdx.x % 32 == 0) sums[warp] = sum;
}

// In halves of a warp, with as many items as are valid.
__global__ void warp_scans(const int* x, int* scans) {
  using Scan = cub::WarpScan<int, 16>;
  __shared__ typename Scan::TempStorage storage[kThreads / 16];
  int scan;
  Scan(storage[threadIdx.x / 16]).ExclusiveSum(x[threadIdx.x], scan);
  scans[threadIdx.x] = scan;
}

// Two reductions that share their memory.
__global__ void block_reductions(const double* x, double* results) {
  using Reduce = cub::BlockReduce<double, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  const double largest = Reduce(storage).Reduce(x[threadIdx.x], Largest(), 100);
#ifndef FORGET_BARRIER
  __syncthreads();
#endif
  const double sum = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) {
    results[0] = largest;
    results[1] = sum;
  }
}

__global__ void block_sort(int* x) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } storage;
  int items[kItems];
  Load(storage.load).Load(x, items);
  __syncthreads();
  Sort(storage.sort).Sort(items, 0, 10);
  __syncthreads();
  Store(storage.store).Store(x, items);
}

__global__ void block_scan(const int* x, int* scans) {
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  int total;
  int scan;
  Scan(storage).InclusiveSum(x[threadIdx.x], scan, total);
  scans[threadIdx.x] = scan + (scan == total ? 1 : 0);
}

__global__ void block_histogram(const unsigned char* x, unsigned* bins) {
  using Histogram = cub::BlockHistogram<unsigned char, kThreads, kItems, 16,
                                        cub::BLOCK_HISTO_ATOMIC>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ unsigned counts[16];
  unsigned char items[kItems];
  cub::LoadDirectStriped<kThreads>(threadIdx.x, x, items);
  Histogram(storage).Histogram(items, counts);
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = counts[threadIdx.x];
}

int failures = 0;

void expect(bool holds, int line) {
  if (holds) return;
  std::printf("line %d\n", line);
  ++failures;
}
#define EXPECT(condition) expect(condition, __LINE__)

template <typename Value>
Value* managed(int count) {
  Value* values = nullptr;
  cudaMallocManaged(&values, count * sizeof(Value));
  return values;
}

int main() {
  int* x = managed<int>(kCount);
  int* y = managed<int>(kThreads);
  double* numbers = managed<double>(kThreads);
  double* results = managed<double>(2);
  unsigned char* letters = managed<unsigned char>(kCount);
  unsigned* bins = managed<unsigned>(16);
  for (int i = 0; i < kCount; ++i) {
    x[i] = i;
    letters[i] = static_cast<unsigned char>(i % 3);
  }
  for (int i = 0; i < kThreads; ++i)
    numbers[i] = i;

  warp_sums<<<1, kThreads>>>(x, y);
  cudaDeviceSynchronize();
  EXPECT(y[0] == 496 && y[3] == 3568);
  warp_scans<<<1, kThreads>>>(x, y);
  cudaDeviceSynchronize();
  EXPECT(y[15] == 105 && y[16] == 0 && y[31] == 345);
  block_reductions<<<1, kThreads>>>(numbers, results);
  cudaDeviceSynchronize();
  EXPECT(results[0] == 99 && results[1] == 8128);
  block_scan<<<1, kThreads>>>(x, y);
  cudaDeviceSynchronize();
  EXPECT(y[126] == 8001 && y[127] == 8129);
  block_histogram<<<1, kThreads>>>(letters, bins);
  cudaDeviceSynchronize();
  EXPECT(bins[0] == 342 && bins[2] == 341 && bins[3] == 0);
  for (int i = 0; i < kCount; ++i)
    x[i] = i * 719 % kCount;
  block_sort<<<1, kThreads>>>(x);
  cudaDeviceSynchronize();
  for (int i = 0; i < kCount; ++i)
    EXPECT(x[i] == i);
  for (void* each : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(numbers),
                     static_cast<void*>(results), static_cast<void*>(letters),
                     static_cast<void*>(bins)})
    cudaFree(each);
  std::printf("cub_blocks: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
