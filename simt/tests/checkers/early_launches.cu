// Kernels that a device may start before the one ahead of them in their stream has ended: one of
// which no thread waits for that is found.

#include "simt/tests/checkers/mistakes.h"

namespace {

__global__ void fill(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}

template <Version version>
__global__ void add_one(const float* x, float* y) {
  if (version == kCorrect) cudaGridDependencySynchronize();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 1.0f;
}

// The barrier keeps the others of the block until that thread has waited.
__global__ void first_thread_waits(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) cudaGridDependencySynchronize();
  __syncthreads();
  y[i] = x[i] + 1.0f;
}

__global__ void trap_before_wait() {
  __trap();
  cudaGridDependencySynchronize();
}

// How a kernel over the 256 elements of x is launched early.
struct EarlyLaunch {
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};

  explicit EarlyLaunch(cudaStream_t stream = nullptr) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 4;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  EarlyLaunch(const EarlyLaunch&) = delete;
  EarlyLaunch& operator=(const EarlyLaunch&) = delete;
};

}  // namespace

TEST_SUITE_BEGIN("early_launches");

TEST_CASE_FIXTURE(Mistakes, "a kernel that is launched early never waits for the one ahead") {
  const EarlyLaunch early;
  fill<<<4, 64>>>(x.get());
  CHECK(cudaLaunchKernelEx(&early.config, add_one<kMistaken>, x.get(), y.get()) == cudaSuccess);
  CHECK(mentions("early_launches.cu:"));
  CHECK(
      mentions("kernel add_one<kMistaken> is launched before the kernel ahead of it in its stream "
               "has ended, and never waits for it (cudaGridDependencySynchronize())"));
  CHECK(take_kinds() == "early-launch ");
  CHECK(y.host()[255] == 2.0f);  // the launch has gone on

  CHECK(cudaLaunchKernelEx(&early.config, add_one<kCorrect>, x.get(), y.get()) == cudaSuccess);
  CHECK(cudaLaunchKernelEx(&early.config, first_thread_waits, x.get(), y.get()) == cudaSuccess);
  CHECK(take_kinds().empty());
  // What one launch has waited for says nothing of the next.
  CHECK(cudaLaunchKernelEx(&early.config, add_one<kMistaken>, x.get(), y.get()) == cudaSuccess);
  CHECK(take_kinds() == "early-launch ");
}

TEST_CASE_FIXTURE(Mistakes, "a kernel that is launched in turn need not wait") {
  EarlyLaunch in_turn;
  in_turn.attribute.val.programmaticStreamSerializationAllowed = 0;
  CHECK(cudaLaunchKernelEx(&in_turn.config, add_one<kMistaken>, x.get(), y.get()) == cudaSuccess);
  add_one<kMistaken><<<4, 64>>>(x.get(), y.get());
  add_one<kCorrect><<<4, 64>>>(x.get(), y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "of a launch that ends before it waits, only why it ends is found") {
  const EarlyLaunch early;
  CHECK(cudaLaunchKernelEx(&early.config, trap_before_wait) == cudaErrorLaunchFailure);
  CHECK(take_kinds() == "trap ");
}

TEST_CASE_FIXTURE(Mistakes, "nothing is said of early launches while checking is off") {
  const EarlyLaunch early;
  simt::set_checking(false);
  CHECK(cudaLaunchKernelEx(&early.config, add_one<kMistaken>, x.get(), y.get()) == cudaSuccess);
  simt::set_checking(true);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "a graph launches as early as the stream that was captured") {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  const EarlyLaunch early(stream);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  fill<<<4, 64, 0, stream>>>(x.get());
  CHECK(cudaLaunchKernelEx(&early.config, add_one<kCorrect>, x.get(), y.get()) == cudaSuccess);
  CHECK(cudaLaunchKernelEx(&early.config, add_one<kMistaken>, x.get(), y.get()) == cudaSuccess);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(take_kinds().empty());
  CHECK(cudaGraphInstantiate(&executable, graph) == cudaSuccess);
  for (int launch = 0; launch < 2; ++launch) {
    CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
    CHECK(mentions("early_launches.cu:"));
    CHECK(mentions("kernel add_one<kMistaken> is launched before"));
    CHECK(take_kinds() == "early-launch ");
  }
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_SUITE_END();
