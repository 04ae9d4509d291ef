// PyTorch's functions called from C++, for what a call costs the host (host_calls.py, which runs
// them in a process that has loaded PyTorch). Compiled where the times are taken
// (bench/library_on_gpu.sh).

#include <ATen/ATen.h>

namespace {

at::Tensor logits;
at::Tensor labels;

}  // namespace

extern "C" {

/// Makes the arrays that are called with.
void prepare(int rows, int cols) {
  logits = at::randn({rows, cols}, at::device(at::kCUDA).dtype(at::kFloat));
  labels = at::randint(cols, {rows}, at::device(at::kCUDA).dtype(at::kLong));
}

/// So many calls each; results are allocated, and freed before the next.
void call_softmax(int calls) {
  const at::NoGradGuard no_gradients;
  for (int i = 0; i < calls; ++i)
    at::softmax(logits, -1);
}

void call_log_softmax(int calls) {
  const at::NoGradGuard no_gradients;
  for (int i = 0; i < calls; ++i)
    at::log_softmax(logits, -1);
}

/// The mean loss and the gradients of the logits: what PyTorch's graph of operations calls, without
/// the graph.
void call_cross_entropy(int calls) {
  const at::NoGradGuard no_gradients;
  const at::Tensor one = at::ones({}, logits.options());
  for (int i = 0; i < calls; ++i) {
    const at::Tensor logarithms = at::log_softmax(logits, -1);
    const auto [loss, weight] =
        at::nll_loss_forward(logarithms, labels, {}, at::Reduction::Mean, -100);
    const at::Tensor gradients =
        at::nll_loss_backward(one, logarithms, labels, {}, at::Reduction::Mean, -100, weight);
    at::_log_softmax_backward_data(gradients, logarithms, -1, at::kFloat);
  }
}

}  // extern "C"
