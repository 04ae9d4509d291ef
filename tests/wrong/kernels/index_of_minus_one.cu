// The list starts with the lowest float, which no masked column beats: its -1 stays in the answer.
#include "top_k_parts.cuh"

namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

template <bool kMistake>
struct Order {
  static __device__ bool enters_before(float logit, float listed) {
    return comes_before(logit, listed);
  }
  static __device__ Candidate nothing() {
    return kMistake ? Candidate{kLowest, -1, false} : Candidate{};
  }
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
