"""QuACK's softmax, its gradient and its cross-entropy, whose kernels are compiled at the first call
of a width."""

import importlib.metadata

import torch
from sampling import Work

try:
    from quack.cross_entropy import cross_entropy_fwd
    from quack.softmax import softmax_bwd, softmax_fwd

    VERSION = importlib.metadata.version("quack-kernels")
except Exception as error:  # what it is made of may be missing in many ways
    softmax_fwd = None
    VERSION = f"cannot be imported: {error}"


def softmax(logits: torch.Tensor) -> Work:
    return lambda: softmax_fwd(logits)


def softmax_backward(probabilities: torch.Tensor, gradients: torch.Tensor) -> Work:
    return lambda: softmax_bwd(gradients, probabilities)


def cross_entropy(logits: torch.Tensor, labels: torch.Tensor) -> Work:
    """Each row's loss and the gradients of its logits, by one kernel: less than the two that its
    `cross_entropy` and autograd launch for the mean loss."""
    return lambda: cross_entropy_fwd(logits, labels, return_dx=True)
