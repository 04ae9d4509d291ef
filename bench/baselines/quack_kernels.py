"""QuACK's softmax, its gradient and its cross-entropies, whose kernels are compiled at the first
call of a width."""

import importlib.metadata

import torch
from sampling import Work

try:
    from quack.cross_entropy import cross_entropy as mean_loss
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
    """The mean loss and its gradients, as its users get them: a kernel of its own for the losses
    and one for the gradients, and PyTorch's between them."""
    logits.requires_grad_()
    return lambda: torch.autograd.grad(mean_loss(logits, labels, reduction="mean"), logits)


def cross_entropy_rows(logits: torch.Tensor, labels: torch.Tensor) -> Work:
    """Each row's loss and the gradients by it, by one kernel that its `cross_entropy` does not
    take."""
    return lambda: cross_entropy_fwd(logits, labels, return_dx=True)
