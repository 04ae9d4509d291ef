// PyTorch's functions called from C++, for what a call costs the host: host_calls.py runs them, in
// a process that has loaded PyTorch. Compiled where the times are taken (bench/library_on_gpu.sh).

#include <ATen/ATen.h>

namespace {

struct Arrays {
  at::Tensor logits;
  at::Tensor labels;
  at::Tensor one;
};

// Never freed: at the program's end CUDA may be gone before it.
Arrays& arrays() {
  static auto* const all = new Arrays;
  return *all;
}

}  // namespace

extern "C" {

/// Makes the arrays that are called with.
void prepare(int rows, int cols) {
  const at::TensorOptions on_gpu = at::TensorOptions().device(at::kCUDA);
  arrays().logits = at::randn({rows, cols}, on_gpu.dtype(at::kFloat));
  arrays().labels = at::randint(cols, {rows}, on_gpu.dtype(at::kLong));
  arrays().one = at::scalar_tensor(1.0, on_gpu.dtype(at::kFloat));
}

/// So many calls each; results are allocated, and freed before the next.
void call_softmax(int calls) {
  for (int i = 0; i < calls; ++i)
    at::softmax(arrays().logits, -1);
}

void call_log_softmax(int calls) {
  for (int i = 0; i < calls; ++i)
    at::log_softmax(arrays().logits, -1);
}

/// The mean loss and the gradients of the logits: what PyTorch's graph of operations calls, without
/// that graph.
void call_cross_entropy(int calls) {
  const auto& [logits, labels, one] = arrays();
  const std::optional<at::Tensor> no_weights;
  for (int i = 0; i < calls; ++i) {
    const at::Tensor logarithms = at::log_softmax(logits, -1);
    const auto losses =
        at::nll_loss_forward(logarithms, labels, no_weights, at::Reduction::Mean, -100);
    const at::Tensor gradients = at::nll_loss_backward(
        one, logarithms, labels, no_weights, at::Reduction::Mean, -100, std::get<1>(losses));
    at::_log_softmax_backward_data(gradients, logarithms, -1, at::kFloat);
  }
}

}  // extern "C"
