"""PyTorch's attention of one head: its own function, and the three calls that the definition is."""

import torch
from sampling import Work


def work(baseline: str, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> Work:
    """The work of "pytorch/attention", whichever kernel PyTorch chooses for it, or of
    "pytorch/attention_of_three_calls". By PyTorch's default, fp32 is not rounded to TF32."""
    if baseline == "pytorch/attention":
        # A batch of one, of one head.
        heads = [given.unsqueeze(0).unsqueeze(0) for given in (queries, keys, values)]
        return lambda: torch.nn.functional.scaled_dot_product_attention(*heads)
    scaled = queries * queries.shape[1] ** -0.5  # once: the definition divides each score
    return lambda: torch.softmax(scaled @ keys.T, -1) @ values
