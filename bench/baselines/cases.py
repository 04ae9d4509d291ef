"""What is timed: PyTorch at every shape of the bench, slower ones at a few.

The shapes are the bench's own (worklog_bench --measurements=FILE), so that each row here finds
the steps, the copy and the read of the same bytes beside it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
_RESULT_BYTES = 4 + 8  # of top-k: a value and its index
_BYTES_OF_A_LOSS = 8 + 4  # a label and what it costs

# The paper's batches, from tiny to large vocabularies: a power of two that holds the row is
# compiled apart, in about half a second.
_TRITON_ROWS = (4000, 10)

# torch.compile takes seconds a shape.
_COMPILED = (
    ("softmax", "f32", 4000, 1000),
    ("softmax", "f32", 4000, 4000),
    ("softmax", "f32", 4000, 25000),
    ("softmax", "f32", 10, 25000),
    ("softmax", "f32", 1, 16777216),
    ("softmax", "f16", 64, 8192),
    ("log_softmax", "f32", 256, 30000),
    ("softmax_backward", "bf16", 8192, 4096),
    ("softmax_backward", "bf16", 8192, 32768),
    ("softmax_backward", "bf16", 4096, 128256),
    ("softmax_backward", "f32", 4000, 25000),
    ("softmax_backward", "f32", 8192, 50257),
)

# Vocabularies. With gradients, and forward alone.
_CROSS_ENTROPY = (("bf16", 8192, 32000), ("bf16", 4096, 128256), ("f32", 8192, 50257))
_CROSS_ENTROPY_BY = (
    "pytorch/cross_entropy",
    "torch_compile/cross_entropy",
    "liger/cross_entropy",
    "pytorch/cross_entropy_forward",
    "torch_compile/cross_entropy_forward",
)

# Queries and keys of one head.
_ATTENTION = tuple((dtype, tokens, tokens) for dtype in _ELEMENT_BYTES for tokens in (4096, 16384))
_ATTENTION_BY = ("pytorch/attention", "pytorch/attention_of_three_calls")
HEAD_DIM = 64  # as kHeadDim of common/step/problem.h


class InputError(Exception):
    """The list of the bench's measurements is missing something; the message says what."""


@dataclass(frozen=True)
class Case:
    """One row of results: what runs, on logits of which type and shape, and k of a top-k."""

    baseline: str
    dtype: str
    rows: int
    cols: int
    k: int = 0

    @property
    def name(self) -> str:
        k = f"/k{self.k}" if self.k else ""
        return f"{self.baseline}/{self.dtype}/{self.rows}x{self.cols}{k}/cold"

    @property
    def fields(self) -> dict[str, Any]:
        """What a row of results says of itself, as worklog_bench's rows do."""
        return {
            "name": self.name,
            "baseline": self.baseline,
            "dtype": self.dtype,
            "rows": self.rows,
            "cols": self.cols,
            "k": self.k,
            "cache": "cold",
        }

    @property
    def is_backward(self) -> bool:
        return self.baseline.endswith("_backward")

    @property
    def is_cross_entropy(self) -> bool:
        return "/cross_entropy" in self.baseline

    @property
    def is_attention(self) -> bool:
        return self.baseline in _ATTENTION_BY

    @property
    def has_gradients(self) -> bool:
        return not self.baseline.endswith("_forward")

    @property
    def waits(self) -> bool:
        """For the GPU, in its midst: Liger asks it how many labels count."""
        return self.baseline.startswith("liger/")

    @property
    def moved_bytes(self) -> int:
        """All that is given read once, each result written once, as worklog_bench counts them."""
        array = self.rows * self.cols * _ELEMENT_BYTES[self.dtype]
        if self.is_attention:
            return 2 * (self.rows + self.cols) * HEAD_DIM * _ELEMENT_BYTES[self.dtype]
        if self.is_backward:
            return 3 * array
        if self.is_cross_entropy:
            return array + self.rows * _BYTES_OF_A_LOSS + (array if self.has_gradients else 0)
        return array + (self.rows * self.k * _RESULT_BYTES if self.k else array)


def read_measurements(path: Path) -> list[dict[str, Any]]:
    """What worklog_bench --measurements=FILE wrote."""
    try:
        return json.loads(path.read_text("utf-8"))["measurements"]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is not what worklog_bench --measurements=FILE writes") from None


def all_cases(measurements: list[dict[str, Any]]) -> list[Case]:
    """Cases of one baseline next to each other, the fast ones first."""
    cold = [row for row in measurements if row["cache"] == "cold"]
    softmax = _shapes(row for row in cold if row.get("baseline") == "copy")
    log_softmax = _shapes(row for row in cold if row.get("baseline") == "cudnn/log_softmax")
    top_k = _shapes(row for row in cold if row["k"])
    backward = _shapes(row for row in cold if row.get("baseline") == "combine")
    if not softmax:
        raise InputError("no copy with a cold cache among the bench's measurements")
    for operation, *shape in _COMPILED:
        shapes = backward if operation.endswith("_backward") else softmax
        if (*shape, 0) not in shapes:
            raise InputError(f"torch_compile/{operation} at {shape}: not a shape of the bench")
    for shape in _CROSS_ENTROPY:
        if (*shape, 0) not in backward:
            raise InputError(f"cross_entropy at {shape}: not a shape of the bench")
    for shape in _ATTENTION:
        if (*shape, 0) not in softmax:
            raise InputError(f"attention at {shape}: not a shape of the bench")
    triton = [shape for shape in softmax if shape[0] == "f32" and shape[1] in _TRITON_ROWS]
    return [
        *(Case("pytorch/softmax", *shape) for shape in softmax),
        *(Case("pytorch/log_softmax", *shape) for shape in log_softmax),
        *(Case("pytorch/softmax_then_topk", *shape) for shape in top_k),
        *(Case("pytorch/softmax_backward", *shape) for shape in backward),
        *(Case("pytorch/log_softmax_backward", *shape) for shape in backward),
        *(Case("triton/softmax", *shape) for shape in triton),
        *(Case(f"torch_compile/{operation}", *shape) for operation, *shape in _COMPILED),
        *(Case(by, *shape) for by in _CROSS_ENTROPY_BY for shape in _CROSS_ENTROPY),
        *(Case(by, *shape) for by in _ATTENTION_BY for shape in _ATTENTION),
    ]


def _shapes(rows) -> list[tuple]:
    """Type, rows, columns and k (0 for none), each once, in the bench's order."""
    return list(dict.fromkeys((row["dtype"], row["rows"], row["cols"], row["k"]) for row in rows))
