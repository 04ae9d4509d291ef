// The host's code never comes to an end.
// limit: 0.1
// says: still running the case 1 x 1, random; it is stopped at
// says: the program ended in the case 1 x 1, random:
// says: it took longer than 5 s, although no kernel did:
// says: Not right yet.

extern "C" int pause();  // until a signal comes

std::int64_t reducing_blocks(std::int64_t count, int block_size) {
  pause();
  return blocks_for(count, block_size);
}

template <typename Operation>
__global__ void reduce(const float* values, float* of_blocks, std::int64_t count) {
  const std::int64_t i = this_column();
  const float mine = i < count ? values[i] : Operation::kIdentity;
  const float of_block = block_reduce(mine, Operation());
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
}
