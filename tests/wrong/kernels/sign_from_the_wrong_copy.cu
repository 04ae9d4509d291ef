// Floats sort as integers once their bits are flipped by sign. Here the sign is asked of the copy
// that is flipped already.
#include "top_k_parts.cuh"

namespace {

// Integers in the order of the floats: the largest NaN last, -inf first.
template <bool kMistake>
__device__ unsigned key_of(float logit) {
  constexpr unsigned kSign = 0x80000000;
  const unsigned bits = __float_as_uint(logit);
  const unsigned flipped = ~bits;
  const unsigned sign = (kMistake ? flipped : bits) & kSign;
  return sign != 0 ? flipped : bits | kSign;
}

template <bool kMistake>
struct Order {
  static __device__ bool enters_before(float logit, float listed) {
    if (isnan(listed) || isnan(logit)) return comes_before(logit, listed);
    return key_of<kMistake>(logit + 0.0f) > key_of<kMistake>(listed + 0.0f);  // -0 + 0 is 0
  }
  static __device__ Candidate nothing() { return {}; }
};

template <bool kMistake>
void launch(const worklog::TopK<float>& problem, cudaStream_t stream) {
  launch_top_k<Order<kMistake>>(problem, stream);
}

}  // namespace

WRONG_KERNEL(launch, {.loads = {1},
                      .stores = {.per_k = 2},
                      .block_sizes = 32,
                      .summation = worklog::Summation::kSerial});
