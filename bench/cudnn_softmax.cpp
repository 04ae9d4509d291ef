#include "bench/cudnn_softmax.h"

#include <cudnn.h>
#include <limits>
#include <stdexcept>

#include "bench/times.h"

namespace worklog::bench {

namespace {

std::string reason_of(cudnnStatus_t status) {
  char details[512] = "";
  cudnnGetLastErrorString(details, sizeof details);
  std::string reason = cudnnGetErrorString(status);
  if (details[0] != '\0') reason += std::string(": ") + details;
  return reason;
}

// What breaks the GPU for good shows in the rows after this one. A launch that CUDA refused must
// not: the next step's check would take it for its own.
void check(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string message = "cuDNN, " + what + ": " + reason_of(status);
  cudaGetLastError();
  throw Refused(message);
}

// Made once, which takes a while. Never destroyed: CUDA may end before it.
cudnnHandle_t handle() {
  static cudnnHandle_t const made = [] {
    cudnnHandle_t handle = nullptr;
    const cudnnStatus_t status = cudnnCreate(&handle);
    if (status != CUDNN_STATUS_SUCCESS) {
      throw std::runtime_error("cuDNN, cudnnCreate: " + reason_of(status));
    }
    return handle;
  }();
  return made;
}

cudnnDataType_t type_of(DType dtype) {
  if (dtype == DType::kFloat16) return CUDNN_DATA_HALF;
  return dtype == DType::kBFloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

cudnnSoftmaxAlgorithm_t algorithm_of(CudnnAlgorithm algorithm) {
  if (algorithm == CudnnAlgorithm::kFast) return CUDNN_SOFTMAX_FAST;
  return algorithm == CudnnAlgorithm::kLog ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
}

int narrow(std::int64_t size, const char* name) {
  if (size > std::numeric_limits<int>::max()) {
    throw Refused("cuDNN: " + std::string(name) + " is " + std::to_string(size) +
                  ": must be at most " + std::to_string(std::numeric_limits<int>::max()));
  }
  return static_cast<int>(size);
}

class Descriptor {
 public:
  Descriptor(DType dtype, std::int64_t rows, std::int64_t cols) {
    check(cudnnCreateTensorDescriptor(&tensor_), "cudnnCreateTensorDescriptor");
    try {
      check(cudnnSetTensor4dDescriptor(tensor_, CUDNN_TENSOR_NCHW, type_of(dtype),
                                       narrow(rows, "rows"), narrow(cols, "cols"), 1, 1),
            "cudnnSetTensor4dDescriptor");
    } catch (...) {
      cudnnDestroyTensorDescriptor(tensor_);
      throw;
    }
  }
  ~Descriptor() { cudnnDestroyTensorDescriptor(tensor_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  cudnnTensorDescriptor_t get() const { return tensor_; }

 private:
  cudnnTensorDescriptor_t tensor_ = nullptr;
};

}  // namespace

std::string cudnn_version() {
  const std::size_t version = cudnnGetVersion();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

void cudnn_softmax(CudnnAlgorithm algorithm, DType dtype, std::int64_t rows, std::int64_t cols,
                   const void* logits, void* results, cudaStream_t stream) {
  constexpr float kAll = 1.0f;
  constexpr float kNothing = 0.0f;
  check(cudnnSetStream(handle(), stream), "cudnnSetStream");
  const Descriptor tensor(dtype, rows, cols);
  check(cudnnSoftmaxForward(handle(), algorithm_of(algorithm), CUDNN_SOFTMAX_MODE_CHANNEL, &kAll,
                            tensor.get(), logits, &kNothing, tensor.get(), results),
        "cudnnSoftmaxForward of " + std::to_string(rows) + " x " + std::to_string(cols) + ", " +
            std::string(name_of(dtype)));
}

}  // namespace worklog::bench
