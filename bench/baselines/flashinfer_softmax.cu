// FlashInfer's softmax behind a function that Python calls by its address: of its header alone, as
// its own csrc/sampling.cu calls it. Compiled where the times are taken (bench/library_on_gpu.sh).

#include <cuda_runtime.h>

#include <flashinfer/sampling.cuh>

/// Of each row of `rows` x `cols` floats, divided by `temperature`, on `stream`. `workspace` is
/// device memory of `bytes` bytes: FlashInfer's own Python gives it a megabyte. Returns a
/// cudaError_t.
extern "C" int flashinfer_softmax(float* logits, float* probabilities, unsigned rows, unsigned cols,
                                  float temperature, void* workspace, std::size_t bytes,
                                  cudaStream_t stream) {
  constexpr bool kProgrammaticLaunch = true;  // what it chooses for this generation of GPUs
  return flashinfer::sampling::OnlineSoftmax<float>(logits, probabilities, rows, cols, nullptr,
                                                    temperature, workspace, bytes,
                                                    kProgrammaticLaunch, stream);
}
