// Step 07, variant: top-k alone
//
// The K largest of the given values, with no softmax: what is left of the fused kernel's time when
// nothing is exponentiated. One read of the input is the least that any top-k can do.

#include <cuda_runtime.h>

#include "common/step/step.h"
#include "top_k_of_values.cuh"

namespace {

template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  topk::launch_top_k(problem.logits, problem, problem.block_size, stream);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "07_topk_fusion",
                      .loads = {1},
                      .stores = {.per_k = 2},
                      .block_sizes = topk::kTopKBlockSizes,
                      .few_rows_block_sizes = topk::kFewRowsTopKBlockSizes,
                      .top_k_operation = worklog::Operation::kTopKOfValues});
