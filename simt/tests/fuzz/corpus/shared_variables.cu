__global__ void kernel() {
  __shared__ float tile[8][9], partial[kWarps];
  __shared__ __align__(16) unsigned char bytes[sizeof(std::pair<int, float>)];
  extern __shared__ float4 rest[];
  static __shared__ struct { int a; } odd, *pointer;
  alignas(16) __shared__ decltype(a + b) sum;
}
