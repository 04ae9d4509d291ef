// A column that the row does not have counts as a logit of 0.
// says: the first that is wrong is 9 x 1, random:
// says: Not right yet.

__device__ void softmax_of_short_row(const float* x, float* y, int cols) {
  float values[kShortRow];
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    values[col] = col < cols ? x[col] : 0.0f;
  }
  float m = kNegativeInfinity;
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    m = fmaxf(m, values[col]);
  }
  float d = 0.0f;
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    values[col] = expf(values[col] - m);
    d += values[col];
  }
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    if (col < cols) y[col] = values[col] / d;
  }
}
