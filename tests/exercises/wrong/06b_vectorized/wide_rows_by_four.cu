// Looks at how wide a row is, and not at where it begins.
// says: [misaligned-access]
// says: Not right yet.

__device__ Normalizer add(Normalizer a, float x) {
  return combine(a, {x, 1.0f});
}

__device__ Normalizer add(Normalizer a, float2 v) {
  return add(add(a, v.x), v.y);
}

__device__ Normalizer add(Normalizer a, float4 v) {
  return add(add(add(add(a, v.x), v.y), v.z), v.w);
}

__device__ float softmax_of(float x, Normalizer row) {
  return expf(x - row.m) / row.d;
}

__device__ float2 softmax_of(float2 v, Normalizer row) {
  return {softmax_of(v.x, row), softmax_of(v.y, row)};
}

__device__ float4 softmax_of(float4 v, Normalizer row) {
  return {softmax_of(v.x, row), softmax_of(v.y, row), softmax_of(v.z, row), softmax_of(v.w, row)};
}

// Rows that are whole vectors.
template <typename Vector>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const auto* x = reinterpret_cast<const Vector*>(logits + blockIdx.x * cols);
  auto* y = reinterpret_cast<Vector*>(probabilities + blockIdx.x * cols);
  const std::int64_t vectors = cols * sizeof(float) / sizeof(Vector);

  Normalizer mine;
  for (std::int64_t i = threadIdx.x; i < vectors; i += blockDim.x) {
    mine = add(mine, x[i]);
  }
  const Normalizer row = block_reduce(mine);
  for (std::int64_t i = threadIdx.x; i < vectors; i += blockDim.x) {
    y[i] = softmax_of(x[i], row);
  }
}

using Kernel = void (*)(const float*, float*, std::int64_t);

// A row begins where the rows before it end: if their width is a multiple of 4 columns, at a
// multiple of 16 bytes; if it is even, of 8.
Kernel kernel_for(std::int64_t cols) {
  if (cols >= 4) return softmax<float4>;
  if (cols % 2 == 0) return softmax<float2>;
  return softmax<float>;
}
