// A thread's columns lie side by side, so that the lanes of a warp read far from each other.
// says: launches 6 6 reached
// says: global_load_sectors 329792 133184 not reached: x 2.48
// says: Right, but not all counters are reached.

constexpr std::int64_t reducing_blocks(std::int64_t count, int block_size) {
  const std::int64_t blocks = blocks_for(count, block_size);
  return blocks < block_size ? blocks : block_size;
}

template <typename Operation>
__global__ void reduce(const float* values, float* of_blocks, std::int64_t count) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t share = (count + threads - 1) / threads;
  float mine = Operation::kIdentity;
  for (std::int64_t i = this_column() * share; i < (this_column() + 1) * share; ++i) {
    if (i < count) mine = Operation()(mine, values[i]);
  }
  const float of_block = block_reduce(mine, Operation());
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
}
