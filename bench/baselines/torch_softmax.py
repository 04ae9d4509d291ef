"""PyTorch's own softmax, log-softmax, and softmax then top-k; what torch.compile makes of them."""

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
