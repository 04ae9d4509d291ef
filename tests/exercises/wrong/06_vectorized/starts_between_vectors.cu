// The head has as many elements as its vector has before the row, instead of those it has left.
// says: load of 16 bytes at an address that is 8 bytes past a multiple of 16 [misaligned-access]
// says: Not right yet.

__device__ Cut cut_row(const float* x, std::int64_t cols) {
  const std::int64_t past = reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % kPerVector;
  const std::int64_t head = past < cols ? past : cols;
  const std::int64_t vectors = (cols - head) / kPerVector;
  return {head, vectors, cols - head - vectors * kPerVector};
}
