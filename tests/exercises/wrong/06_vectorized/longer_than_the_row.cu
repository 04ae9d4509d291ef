// A head that is wider than the row.
// says: the first that is wrong is 9 x 1, random:
// says: Not right yet.

__device__ Cut cut_row(const float* x, std::int64_t cols) {
  const std::int64_t past = reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % kPerVector;
  const std::int64_t head = (kPerVector - past) % kPerVector;
  const std::int64_t vectors = (cols - head) / kPerVector;
  return {head, vectors, cols - head - vectors * kPerVector};
}
