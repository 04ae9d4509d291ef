"""PyTorch's cross-entropy, what torch.compile makes of it, and Liger's, whose gradients take the
logits' place.
"""

import importlib.metadata
from collections.abc import Callable

import torch
from sampling import Work

try:
    from liger_kernel.transformers.functional import liger_cross_entropy

    LIGER = importlib.metadata.version("liger-kernel")
except ImportError as error:
    liger_cross_entropy = None
    LIGER = f"cannot be imported: {error}"

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def work(library: str, logits: torch.Tensor, labels: torch.Tensor, has_gradients: bool) -> Work:
    """The mean loss of "pytorch", "torch_compile" or "liger", with the gradients of the logits or
    without. The first call of torch.compile's compiles."""
    loss = _loss(library)
    if not has_gradients:
        return lambda: loss(logits, labels)
    logits.requires_grad_()
    return lambda: torch.autograd.grad(loss(logits, labels), logits)


def work_of_rows(logits: torch.Tensor, labels: torch.Tensor) -> Work:
    """PyTorch's loss of each row, with the gradients of the logits by these."""
    logits.requires_grad_()
    loss = torch.nn.functional.cross_entropy
    ones = torch.ones(logits.shape[0], device="cuda", dtype=logits.dtype)  # as the losses
    return lambda: torch.autograd.grad(
        loss(logits, labels, reduction="none"), logits, grad_outputs=ones
    )


def _loss(library: str) -> Loss:
    if library == "liger":
        return liger_cross_entropy
    if library == "pytorch":
        return torch.nn.functional.cross_entropy
    torch.compiler.reset()
    return torch.compile(torch.nn.functional.cross_entropy, dynamic=False)
