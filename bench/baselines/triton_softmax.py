"""A softmax kernel in Triton, as its users write one: a program a row.

A row that fits is read once, into a block of the next power of two. A longer one is read twice: in
blocks that carry the maximum and the normalizer (Milakov and Gimelshein, "Online normalizer
calculation for softmax", algorithm 3), and again for the result.
"""

import torch
import triton
import triton.language as tl
from sampling import Work

VERSION = triton.__version__

# Of a row that is held at once: in fp32 128 KiB, half of a multiprocessor's registers.
LARGEST_BLOCK = 32768
LOOP_BLOCK = 8192

# The number of warps is chosen per shape, the fastest: of these shares of a block for each lane.
ELEMENTS_PER_LANE = (8, 16, 32)
LANES = 32
MAX_WARPS = 32


@triton.jit
def _whole_row(logits, probabilities, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < cols
    x = tl.load(logits + row * cols + column, mask=inside, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(probabilities + row * cols + column, e / tl.sum(e, axis=0), mask=inside)


@triton.jit
def _long_row(logits, probabilities, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for first in range(0, cols, BLOCK):
        inside = first + column < cols
        x = tl.load(logits + row * cols + first + column, mask=inside, other=-float("inf"))
        x = x.to(tl.float32)
        larger = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - larger) + tl.sum(tl.exp(x - larger), axis=0)
        m = larger
    for first in range(0, cols, BLOCK):
        inside = first + column < cols
        x = tl.load(logits + row * cols + first + column, mask=inside, other=0.0).to(tl.float32)
        tl.store(probabilities + row * cols + first + column, tl.exp(x - m) / d, mask=inside)


def block_for(cols: int) -> int:
    return triton.next_power_of_2(cols) if cols <= LARGEST_BLOCK else LOOP_BLOCK


def warp_counts(cols: int) -> list[int]:
    """How many warps a program may have at this width, each number once."""
    counts = (block_for(cols) // (LANES * elements) for elements in ELEMENTS_PER_LANE)
    return sorted({max(1, min(MAX_WARPS, count)) for count in counts})


def launch(logits: torch.Tensor, probabilities: torch.Tensor, warps: int) -> torch.Tensor:
    """Softmax of each row of a contiguous matrix of finite numbers, of any width from 1."""
    rows, cols = logits.shape
    kernel = _whole_row if cols <= LARGEST_BLOCK else _long_row
    kernel[(rows,)](logits, probabilities, cols, BLOCK=block_for(cols), num_warps=warps)
    return probabilities


def all_launches(logits: torch.Tensor, probabilities: torch.Tensor) -> dict[str, Work]:
    """Work for each number of warps, by name."""
    return {
        f"{warps} warp{'s' if warps > 1 else ''}": lambda warps=warps: launch(
            logits, probabilities, warps
        )
        for warps in warp_counts(logits.shape[1])
    }


def softmax(logits: torch.Tensor) -> torch.Tensor:
    return launch(logits, torch.empty_like(logits), warp_counts(logits.shape[1])[-1])
