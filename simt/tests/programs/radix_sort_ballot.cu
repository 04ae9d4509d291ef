// Radix sort of a warp's keys, a bit at a time, with ballots; and other integer intrinsics.

#include <cstdio>
#include <vector>
#include <algorithm>

#define FULL 0xffffffffu

__global__ void sort_warps(unsigned *keys) {
  const int lane = threadIdx.x & 31;
  unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  for (int bit = 0; bit < 32; ++bit) {
    const unsigned ones = __ballot_sync(FULL, key >> bit & 1);
    const unsigned before = (1u << lane) - 1;
    const int zeros = 32 - __popc(ones);
    const int to = (key >> bit & 1) ? zeros + __popc(ones & before) : lane - __popc(ones & before);
    // The lane that sends to this one: invert the permutation through shared memory.
    __shared__ int from[1024];
    from[(threadIdx.x & ~31) + to] = lane;
    __syncwarp();
    const int source = from[threadIdx.x];
    __syncwarp();
    key = __shfl_sync(FULL, key, source);
  }
  keys[blockIdx.x * blockDim.x + threadIdx.x] = key;
}

__global__ void intrinsics(const unsigned *in, unsigned *out) {
  const unsigned x = in[threadIdx.x];
  unsigned h = __brev(x) ^ __byte_perm(x, ~x, 0x5140);
  h += __clz(x) * 31 + __ffs(x) * 7 + __popc(x);
  h ^= __umulhi(x, 2654435769u) + __funnelshift_l(x, h, 7) + __funnelshift_r(h, x, 11);
  h += __umul24(x & 0xffff, 77) + static_cast<unsigned>(__mul24(static_cast<int>(x & 0xfff), -3));
  h += static_cast<unsigned>(__dp4a(static_cast<int>(x), 0x01020304, 5)) + __usad(x, h, 9);
  h ^= __float_as_uint(__uint2float_rn(x)) + static_cast<unsigned>(__float2int_rn(2.5f));
  out[threadIdx.x] = h;
}

static unsigned rotate_pair(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned>(both >> shift);
}

static unsigned expected_of(unsigned x) {
  unsigned reversed = 0, bytes = 0;
  for (int i = 0; i < 32; ++i) reversed |= ((x >> i) & 1u) << (31 - i);
  const unsigned char pool[8] = {
      static_cast<unsigned char>(x),          static_cast<unsigned char>(x >> 8),
      static_cast<unsigned char>(x >> 16),    static_cast<unsigned char>(x >> 24),
      static_cast<unsigned char>(~x),         static_cast<unsigned char>(~x >> 8),
      static_cast<unsigned char>(~x >> 16),   static_cast<unsigned char>(~x >> 24)};
  const int selectors[4] = {0, 4, 1, 5};
  for (int i = 0; i < 4; ++i) bytes |= static_cast<unsigned>(pool[selectors[i]]) << (8 * i);
  unsigned h = reversed ^ bytes;
  int leading = 32, first = 0, set = 0;
  for (int i = 0; i < 32; ++i) {
    if (!(x >> i & 1)) continue;
    leading = 31 - i;
    if (first == 0) first = i + 1;
    ++set;
  }
  h += static_cast<unsigned>(leading * 31 + first * 7 + set);
  h ^= static_cast<unsigned>(static_cast<unsigned long long>(x) * 2654435769u >> 32) +
       rotate_pair(x, h, 32 - 7) + rotate_pair(h, x, 11);
  h += (x & 0xffff) * 77 + static_cast<unsigned>(static_cast<int>(x & 0xfff) * -3);
  int dot = 5;
  for (int i = 0; i < 4; ++i) dot += static_cast<signed char>(x >> (8 * i)) * (4 - i);
  h += static_cast<unsigned>(dot) + (x > h ? x - h : h - x) + 9;
  const float f = static_cast<float>(x);
  unsigned bits;
  static_assert(sizeof(bits) == sizeof(f), "");
  __builtin_memcpy(&bits, &f, 4);
  return h ^ (bits + 2);
}

int main() {
  const int n = 128;
  std::vector<unsigned> keys(n), sorted(n), hashed(n);
  unsigned seed = 12345;
  for (auto &key : keys) key = seed = seed * 1664525u + 1013904223u;
  keys[0] = 0;
  unsigned *d_keys, *d_out;
  cudaMalloc(&d_keys, n * sizeof(unsigned));
  cudaMalloc(&d_out, n * sizeof(unsigned));
  cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  intrinsics<<<1, n>>>(d_keys, d_out);
  cudaMemcpy(hashed.data(), d_out, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  sort_warps<<<2, n / 2>>>(d_keys);
  cudaMemcpy(sorted.data(), d_keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(d_keys);
  cudaFree(d_out);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += hashed[i] != expected_of(keys[i]);
  for (int warp = 0; warp < n; warp += 32) {
    std::vector<unsigned> expected(keys.begin() + warp, keys.begin() + warp + 32);
    std::sort(expected.begin(), expected.end());
    wrong += !std::equal(expected.begin(), expected.end(), sorted.begin() + warp);
  }
  printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
