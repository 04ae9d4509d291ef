"""PyTorch's own softmax, log-softmax, softmax then top-k, and the backward passes of the first two;
what torch.compile makes of them.
"""

from collections.abc import Callable

import torch
from sampling import Work


def eager(operation: str, logits: torch.Tensor, k: int) -> Work:
    """The work of "softmax", "log_softmax" or "softmax_then_topk" (of `k`)."""
    if operation == "softmax_then_topk":
        return lambda: torch.topk(torch.softmax(logits, -1), k)
    function = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}[operation]
    output = torch.empty_like(logits)
    return lambda: function(logits, -1, out=output)


def compiled(operation: str, logits: torch.Tensor) -> Work:
    """The same through torch.compile, for this shape alone; the first call compiles."""
    function = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}[operation]
    torch.compiler.reset()
    kernel = torch.compile(lambda x: function(x, -1), dynamic=False)
    return lambda: kernel(logits)


def backward(operation: str, logits: torch.Tensor, gradients: torch.Tensor) -> Work:
    """The work of "softmax_backward" or "log_softmax_backward": the gradients of the logits, given
    those of the results, which the forward pass has left."""
    function, results = _backward(operation, logits)
    return lambda: function(gradients, results)


def compiled_backward(operation: str, logits: torch.Tensor, gradients: torch.Tensor) -> Work:
    """The same through torch.compile, for this shape alone; the first call compiles."""
    function, results = _backward(operation, logits)
    torch.compiler.reset()
    kernel = torch.compile(function, dynamic=False)
    return lambda: kernel(gradients, results)


def _backward(operation: str, logits: torch.Tensor) -> tuple[Callable, torch.Tensor]:
    """The operation that PyTorch's own backward pass calls, and what it is called with."""
    forward, call = {
        "softmax_backward": (torch.softmax, torch.ops.aten._softmax_backward_data),
        "log_softmax_backward": (torch.log_softmax, torch.ops.aten._log_softmax_backward_data),
    }[operation]
    return lambda dy, y: call(dy, y, -1, y.dtype), forward(logits, -1)
