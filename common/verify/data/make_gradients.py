"""Makes pytorch_gradients.json: what PyTorch's autograd says in fp64, for the reference to equal.

    python make_gradients.py pytorch_gradients.json

Needs PyTorch, on any processor. The numbers that are given are multiples of 1/64, exact in fp32.
"""

import json
import pathlib
import sys

import torch

COLS = (1, 7, 33, 100)
# Standard deviation of the logits, label smoothing, z-loss.
CASES = ((3.0, 0.0, 0.0), (3.0, 0.125, 0.0), (20.0, 0.0, 0.015625), (3.0, 0.25, 0.03125))


def given(generator, cols, deviation):
    """Random multiples of 1/64, as fp64."""
    numbers = deviation * torch.randn(cols, generator=generator, dtype=torch.float64)
    return (numbers * 64).round() / 64


def gradient(output, by, upstream):
    return torch.autograd.grad(output, by, upstream)[0]


def row_of(generator, cols, deviation, label_smoothing, z_loss):
    x = given(generator, cols, deviation).requires_grad_()
    upstream = given(generator, cols, 1.0)
    label = int(torch.randint(cols, (), generator=generator))
    probabilities = torch.softmax(x, -1)
    logarithms = torch.log_softmax(x, -1)
    log_sum_exp = torch.logsumexp(x, -1)
    loss = torch.nn.functional.cross_entropy(
        x[None], torch.tensor([label]), label_smoothing=label_smoothing
    )
    loss = loss + z_loss * log_sum_exp**2
    return {
        "logits": x.tolist(),
        "upstream": upstream.tolist(),
        "label": label,
        "label_smoothing": label_smoothing,
        "z_loss": z_loss,
        "probabilities": probabilities.tolist(),
        "log_probabilities": logarithms.tolist(),
        "softmax_gradients": gradient(probabilities, x, upstream).tolist(),
        "log_softmax_gradients": gradient(logarithms, x, upstream).tolist(),
        "loss": loss.item(),
        "log_sum_exp": log_sum_exp.item(),
        "cross_entropy_gradients": gradient(loss, x, torch.ones_like(loss)).tolist(),
    }


def main():
    generator = torch.Generator().manual_seed(0)
    rows = [row_of(generator, cols, *case) for cols in COLS for case in CASES]
    lines = ",\n".join(json.dumps(row) for row in rows)
    text = f'{{"pytorch": "{torch.__version__}", "rows": [\n{lines}\n]}}\n'
    pathlib.Path(sys.argv[1]).write_text(text)


if __name__ == "__main__":
    main()
