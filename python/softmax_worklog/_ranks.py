"""The processes of a group of torch.distributed: what they tell each other, and whether their calls
fit together."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch as _torch  # type: ignore[import-not-found, unused-ignore]

from . import _core
from ._libraries import CODES

# Its types are checked neither where it is installed nor where it is not.
torch: Any = _torch
dist: Any = torch.distributed

if not dist.is_available():
    raise ImportError("PyTorch was built without torch.distributed")

Tensor = Any
FUNCTIONS = ("softmax", "log_softmax", "cross_entropy")
REDUCTIONS = ("none", "sum", "mean")
DTYPES = tuple(CODES)


class Call(NamedTuple):
    """What a rank tells the others of a call, each as a number, in the order of comparison."""

    refused: int = 0
    """1 where the rank's own arguments are wrong: then the rest says nothing"""
    function: int = 0
    """which of FUNCTIONS"""
    dtype: int = 0
    """which of DTYPES"""
    rows: int = 0
    gradient: int = 0
    """1 where the backward pass will be another meeting of all ranks"""
    reduction: int = 0
    """which of REDUCTIONS"""
    ignore_index: int = 0
    labels: int = 0
    """their checksum: all ranks have the same"""
    columns: int = 0
    """of the rank's own slice"""
    first_column: int = -1
    """of the slice in the joined row; -1 where the rank was not told"""


# What must be the same on all ranks, and how to say that a rank has it.
_SAME: dict[str, Callable[[int], str]] = {
    "function": lambda which: f"calls {FUNCTIONS[which]}",
    "dtype": lambda which: f"has elements of {DTYPES[which]}",
    "rows": lambda rows: f"has {rows} rows",
    "gradient": lambda wants: f"wants {'a' if wants else 'no'} gradient",
    "reduction": lambda which: f"has reduction = {REDUCTIONS[which]!r}",
    "ignore_index": lambda index: f"has ignore_index = {index}",
    "labels": lambda checksum: f"has a target of checksum {checksum % (1 << 64):016x}",
}


class Ranks:
    """The processes of a group, and which of them this one is: its rank."""

    def __init__(self, group: Any) -> None:
        if not dist.is_initialized():
            raise RuntimeError(
                "torch.distributed has no process group: torch.distributed.init_process_group "
                "must be called first"
            )
        self.group = group
        self.rank = int(dist.get_rank(group))
        if self.rank < 0:
            raise ValueError(
                f"group is one in which this process has no part (it is rank {dist.get_rank()} of "
                "all): must be one of its own"
            )
        self.size = int(dist.get_world_size(group))
        backends = dist.get_backend_config(group)
        if _core.DEVICE not in [pair.partition(":")[0] for pair in backends.split(",")]:
            raise ValueError(
                f"group has the backends '{backends}', none for tensors on '{_core.DEVICE}', for "
                "which this softmax_worklog was built: must have one, as 'cpu:gloo,cuda:nccl' has"
            )

    def gather(self, mine: Tensor) -> Tensor:
        """What all ranks tell, in front of the other dimensions. They must bring equally much."""
        told = mine.new_empty((self.size, *mine.shape))
        dist.all_gather_into_tensor(told.view(-1), mine.reshape(-1), group=self.group)
        return told

    def add_up(self, mine: Tensor) -> Tensor:
        """The sum of what all ranks bring, in its place."""
        dist.all_reduce(mine, group=self.group)
        return mine

    @contextlib.contextmanager
    def told_of_refusals(self, check: bool) -> Iterator[None]:
        """Whoever refuses its arguments still comes to where the others agree: they would wait."""
        try:
            yield
        except Exception:
            if check:
                self._told(Call(refused=1))
            raise

    def agree(self, mine: Call) -> int:
        """Where this rank's slice begins. Raises on every rank, naming the one that differs from
        most, where calls do not fit together."""
        told = self._told(mine)
        for rank, call in enumerate(told):
            if call.refused:
                raise RuntimeError(f"rank {rank} has refused its arguments: its own error says why")
        for name, text in _SAME.items():
            _require_same([getattr(call, name) for call in told], text)
        return _begins(told)[self.rank]

    def _told(self, mine: Call) -> list[Call]:
        message = torch.tensor(mine, dtype=torch.int64, device=_core.DEVICE)
        return [Call(*numbers) for numbers in self.gather(message).tolist()]


def _require_same(values: list[int], text: Callable[[int], str]) -> None:
    # Of values that are equally common the first: that of the lowest rank.
    usual = Counter(values).most_common(1)[0][0]
    odd = [f"rank {r} {text(value)}" for r, value in enumerate(values) if value != usual]
    if odd:
        raise ValueError(
            f"{', '.join(odd)}, rank {values.index(usual)} {text(usual)}: must be the same on all "
            "ranks of the group"
        )


def _begins(told: list[Call]) -> list[int]:
    """The first columns of all slices, which lie side by side in the order of the ranks."""
    begins = [0]
    for rank, call in enumerate(told):
        if call.first_column not in (-1, begins[-1]):
            raise ValueError(
                f"rank {rank} has first_column = {call.first_column}: must be {begins[-1]}, where "
                "the slices of the ranks before it end"
            )
        begins.append(begins[-1] + call.columns)
    return begins
