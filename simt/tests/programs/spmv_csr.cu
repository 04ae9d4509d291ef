// Sparse matrix times vector, CSR: a thread a row, then a warp a row.

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void spmv_scalar(int rows, const int *row_ptr, const int *col, const double *val,
                            const double *__restrict__ x, double *y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    double sum = 0.0;
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) sum += val[k] * __ldg(&x[col[k]]);
    y[row] = sum;
  }
}

__global__ void spmv_vector(int rows, const int *row_ptr, const int *col, const double *val,
                            const double *__restrict__ x, double *y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  const int lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0.0;
  for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += warpSize)
    sum += val[k] * __ldg(&x[col[k]]);
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) y[row] = sum;
}

template <typename T>
static T *to_device(const std::vector<T> &host) {
  T *device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  const int rows = 150;
  std::vector<int> row_ptr = {0}, col;
  std::vector<double> val, x(rows), y(rows), expected(rows, 0.0);
  for (int i = 0; i < rows; ++i) x[i] = 1.0 / (i + 1);
  for (int r = 0; r < rows; ++r) {
    for (int c = r % 7; c < rows; c += 1 + r % 13) {
      col.push_back(c);
      val.push_back(0.1 * (r + c));
      expected[r] += val.back() * x[c];
    }
    row_ptr.push_back(static_cast<int>(col.size()));
  }
  int *d_row_ptr = to_device(row_ptr), *d_col = to_device(col);
  double *d_val = to_device(val), *d_x = to_device(x), *d_y = to_device(y);
  double worst = 0.0;
  for (int version = 0; version < 2; ++version) {
    if (version == 0)
      spmv_scalar<<<(rows + 63) / 64, 64>>>(rows, d_row_ptr, d_col, d_val, d_x, d_y);
    else
      spmv_vector<<<(rows * 32 + 127) / 128, 128>>>(rows, d_row_ptr, d_col, d_val, d_x, d_y);
    cudaMemcpy(y.data(), d_y, rows * sizeof(double), cudaMemcpyDeviceToHost);
    for (int r = 0; r < rows; ++r) worst = std::fmax(worst, std::fabs(y[r] - expected[r]));
  }
  for (void *p : {(void *)d_row_ptr, (void *)d_col, (void *)d_val, (void *)d_x, (void *)d_y}) cudaFree(p);
  printf("worst error %g\n", worst);
  return worst < 1e-9 ? 0 : 1;
}
