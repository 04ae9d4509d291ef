// Products of matrices of 64 x 64 on tensor cores, a warp for each 16 x 16 of them: by wmma from
// global and from shared memory, of halves, bfloat16, bytes, tf32 and doubles, and by ldmatrix and
// mma.sync as inline PTX.

#include <mma.h>

#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <vector>

using namespace nvcuda;

constexpr int kSize = 64;

// A is stored by row, B by column, and C by row.
template <typename T, typename Element, typename Sum, int kTile, int kDepth>
__device__ void multiply(const Element *a, const Element *b, Sum *c) {
  const int row = blockIdx.y * kTile;
  const int col = blockIdx.x * kTile;
  wmma::fragment<wmma::matrix_a, kTile, kTile, kDepth, T, wmma::row_major> fragment_a;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kDepth, T, wmma::col_major> fragment_b;
  wmma::fragment<wmma::accumulator, kTile, kTile, kDepth, Sum> sum;
  wmma::fill_fragment(sum, Sum(0));
  for (int k = 0; k < kSize; k += kDepth) {
    wmma::load_matrix_sync(fragment_a, a + row * kSize + k, kSize);
    wmma::load_matrix_sync(fragment_b, b + col * kSize + k, kSize);
    if constexpr (std::is_same_v<T, wmma::precision::tf32>) {
      for (auto &element : fragment_a.x) element = wmma::__float_to_tf32(element);
      for (auto &element : fragment_b.x) element = wmma::__float_to_tf32(element);
    }
    wmma::mma_sync(sum, fragment_a, fragment_b, sum);
  }
  wmma::store_matrix_sync(c + row * kSize + col, sum, kSize, wmma::mem_row_major);
}

__global__ void halves(const __half *a, const __half *b, float *c) {
  multiply<__half, __half, float, 16, 16>(a, b, c);
}
__global__ void bfloats(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
  multiply<__nv_bfloat16, __nv_bfloat16, float, 16, 16>(a, b, c);
}
__global__ void bytes(const signed char *a, const signed char *b, int *c) {
  multiply<signed char, signed char, int, 16, 16>(a, b, c);
}
__global__ void tf32(const float *a, const float *b, float *c) {
  multiply<wmma::precision::tf32, float, float, 16, 8>(a, b, c);
}
__global__ void doubles(const double *a, const double *b, double *c) {
  multiply<double, double, double, 8, 4>(a, b, c);
}

// Tiles of A and B with a stride of 24 halves, so that 8 rows of 16 bytes lie in different banks.
constexpr int kStride = 24;

__device__ void copy_tile(const __half *from, __half *tile) {
  const int row = threadIdx.x / 2;
  const int half = threadIdx.x % 2 * 8;
  *reinterpret_cast<uint4 *>(tile + row * kStride + half) =
      *reinterpret_cast<const uint4 *>(from + row * kSize + half);
}

__global__ void from_shared(const __half *a, const __half *b, float *c) {
  __shared__ __align__(32) __half tile_a[16 * kStride];
  __shared__ __align__(32) __half tile_b[16 * kStride];
  const int row = blockIdx.y * 16;
  const int col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fragment_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fragment_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < kSize; k += 16) {
    copy_tile(a + row * kSize + k, tile_a);
    copy_tile(b + col * kSize + k, tile_b);
    __syncwarp();
    wmma::load_matrix_sync(fragment_a, tile_a, kStride);
    wmma::load_matrix_sync(fragment_b, tile_b, kStride);
    wmma::mma_sync(sum, fragment_a, fragment_b, sum);
    __syncwarp();
  }
  wmma::store_matrix_sync(c + row * kSize + col, sum, kSize, wmma::mem_row_major);
}

// The same with the instructions themselves.
__device__ void load_tile(const __half *tile, unsigned *words) {
  const __half *row = tile + threadIdx.x % 16 * kStride + threadIdx.x / 16 * 8;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address));
}

__device__ void multiply_tile(float *d, const unsigned *a, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void instructions(const __half *a, const __half *b, float *c) {
  __shared__ __align__(32) __half tile_a[16 * kStride];
  __shared__ __align__(32) __half tile_b[16 * kStride];
  const int row = blockIdx.y * 16;
  const int col = blockIdx.x * 16;
  float sums[2][4] = {};
  for (int k = 0; k < kSize; k += 16) {
    copy_tile(a + row * kSize + k, tile_a);
    copy_tile(b + col * kSize + k, tile_b);
    __syncwarp();
    unsigned words_a[4];
    unsigned words_b[4];
    load_tile(tile_a, words_a);
    load_tile(tile_b, words_b);
    multiply_tile(sums[0], words_a, words_b[0], words_b[2]);
    multiply_tile(sums[1], words_a, words_b[1], words_b[3]);
    __syncwarp();
  }
  for (int i = 0; i < 8; ++i) {
    const int down = threadIdx.x / 4 + (i % 4 < 2 ? 0 : 8);
    const int across = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
    c[(row + down) * kSize + col + across] = sums[i / 4][i % 4];
  }
}

template <typename T>
T *on_device(const std::vector<T> &values) {
  T *device;
  cudaMalloc(&device, values.size() * sizeof(T));
  cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

// Small integers, so that every type holds every sum.
template <typename T, typename Sum, typename Launch>
bool is_right(Launch launch) {
  std::vector<T> a, b;
  for (int i = 0; i < kSize * kSize; ++i) {
    a.push_back(T(static_cast<float>(i * 5 % 7 - 3)));
    b.push_back(T(static_cast<float>(i * 3 % 11 - 5)));
  }
  std::vector<Sum> c(kSize * kSize);
  T *device_a = on_device(a);
  T *device_b = on_device(b);
  Sum *device_c = on_device(c);
  launch(device_a, device_b, device_c);
  cudaMemcpy(c.data(), device_c, c.size() * sizeof(Sum), cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  for (int row = 0; row < kSize; ++row) {
    for (int col = 0; col < kSize; ++col) {
      float sum = 0;
      for (int k = 0; k < kSize; ++k)
        sum += static_cast<float>(a[row * kSize + k]) * static_cast<float>(b[col * kSize + k]);
      if (static_cast<float>(c[row * kSize + col]) != sum) return false;
    }
  }
  return true;
}

int main() {
  const dim3 grid(kSize / 16, kSize / 16);
  const dim3 grid_of_doubles(kSize / 8, kSize / 8);
  bool passed = true;
  passed &= is_right<__half, float>([=](auto... of) { halves<<<grid, 32>>>(of...); });
  passed &= is_right<__nv_bfloat16, float>([=](auto... of) { bfloats<<<grid, 32>>>(of...); });
  passed &= is_right<signed char, int>([=](auto... of) { bytes<<<grid, 32>>>(of...); });
  passed &= is_right<float, float>([=](auto... of) { tf32<<<grid, 32>>>(of...); });
  passed &= is_right<double, double>([=](auto... of) { doubles<<<grid_of_doubles, 32>>>(of...); });
  passed &= is_right<__half, float>([=](auto... of) { from_shared<<<grid, 32>>>(of...); });
  passed &= is_right<__half, float>([=](auto... of) { instructions<<<grid, 32>>>(of...); });
  std::printf("tensor_cores: %s\n", passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
