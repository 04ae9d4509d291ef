// Blocks leave their row's maximum and sum in the scratch, but those of odd rows forget the sum.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void normalizers(const float* logits, float* m, float* d, std::int64_t cols) {
  const Normalizer row = block_reduce(thread_normalizer(logits + blockIdx.x * cols, cols));
  if (threadIdx.x != 0) return;
  m[blockIdx.x] = row.m;
  if (!kMistake || blockIdx.x % 2 == 0) d[blockIdx.x] = row.d;
}

__global__ void divide(const float* logits, const float* m, const float* d, float* probabilities,
                       std::int64_t cols) {
  const std::int64_t row = blockIdx.x * cols;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    probabilities[row + col] = expf(logits[row + col] - m[blockIdx.x]) / d[blockIdx.x];
  }
}

template <bool kMistake>
void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  float* m = problem.scratch.take<float>(problem.rows);
  float* d = problem.scratch.take<float>(problem.rows);
  normalizers<kMistake><<<grid, block, 0, stream>>>(problem.logits, m, d, problem.cols);
  worklog::check_launch("normalizers", grid, block);
  divide<<<grid, block, 0, stream>>>(problem.logits, m, d, problem.probabilities, problem.cols);
  worklog::check_launch("divide", grid, block);
}

}  // namespace

// Each column is read twice, and m and d once with it.
WRONG_KERNEL(launch, {.loads = {4},
                      .stores = {.per_column = 1, .per_row = 2},
                      .scratch_bytes = [](std::int64_t rows, std::int64_t, std::size_t bytes) {
                        return 2 * worklog::Scratch::bytes_for(rows, bytes);
                      }});
