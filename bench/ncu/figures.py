"""The figures that the CPU executor and Nsight Compute both have, and how each names them."""

from collections.abc import Callable
from dataclasses import dataclass

import hardware
from lines import Lines

OPCODES = "sass__inst_executed_per_opcode"  # its instances: executed instructions by opcode


@dataclass(frozen=True)
class Launch:
    """The shape of one launch, which some figures and rules need."""

    step: str
    variant: str
    dtype: str
    rows: int
    cols: int
    k: int
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lines: Lines | None = None  # of the executor's profile, if that tells

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def warps(self) -> int:
        """Of a block."""
        return -(-self.block[0] * self.block[1] * self.block[2] // 32)

    @property
    def unit(self) -> str:
        return f"{self.step}/{self.variant}" if self.variant else self.step


@dataclass(frozen=True)
class Figure:
    """`metrics` are added up; a name in capitals is an opcode among the instances of OPCODES."""

    name: str
    metrics: tuple[str, ...]
    ours: Callable[[dict, Launch], int]


def _counter(name: str) -> Callable[[dict, Launch], int]:
    return lambda counters, launch: counters[name]


def _same(name: str, *metrics: str) -> Figure:
    return Figure(name, metrics, _counter(name))


_L1 = "l1tex__{}_pipe_lsu_mem_{}_op_{}.sum"
_GLOBAL = [
    _same(f"global_{kind}_{what}", _L1.format(f"t_{what}", "global", op))
    for kind, op in (("load", "ld"), ("store", "st"))
    for what in ("requests", "sectors")
]
_ATOMIC = [
    _same(
        f"global_atomic_{what}", *(_L1.format(f"t_{what}", "global", op) for op in ("atom", "red"))
    )
    for what in ("requests", "sectors")
]
_GLOBAL_BYTES = "smsp__sass_data_bytes_mem_global_op_{}.sum"
_BYTES = [
    # Nsight Compute does not count the bytes of asynchronous copies to shared memory here.
    Figure(
        "global_load_bytes",
        (_GLOBAL_BYTES.format("ld"),),
        lambda counters, _: counters["global_load_bytes"] - counters["async_copy_bytes"],
    ),
    _same("global_store_bytes", _GLOBAL_BYTES.format("st")),
]
_SHARED_LOADS_OF_A_COPY = 3  # as Nsight Compute counts a request that copies asynchronously
_SHARED_REQUESTS = "smsp__inst_executed_op_shared_{}.sum"
_SHARED = [
    Figure(
        "shared_load_requests",
        (_SHARED_REQUESTS.format("ld"),),
        lambda counters, _: (
            counters["shared_load_requests"]
            + _SHARED_LOADS_OF_A_COPY * counters["async_copy_requests"]
        ),
    ),
    _same("shared_store_requests", _SHARED_REQUESTS.format("st")),
] + [
    figure
    for kind, op in (("load", "ld"), ("store", "st"))
    for figure in (
        _same(
            f"shared_{kind}_wavefronts", f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
        ),
        _same(
            f"shared_{kind}_bank_conflicts",
            f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum",
        ),
    )
]
# Nothing of ours lies in local memory: what ptxas puts there, registers that it spills above all,
# is a difference that must be listed.
_LOCAL = [
    Figure(f"local_{kind}_requests", (_L1.format("t_requests", "local", op),), lambda *_: 0)
    for kind, op in (("load", "ld"), ("store", "st"))
]
_INSTRUCTIONS = [
    _same("shuffles", "SHFL"),
    _same("votes", "VOTE"),
    # An instruction of each warp; the executor counts a barrier once a block.
    Figure(
        "block_barriers",
        ("BAR",),
        lambda counters, launch: counters["block_barriers"] * launch.warps,
    ),
]

# Blocks and threads are not among them: a launch of another shape is not compared at all.
FIGURES = [*_GLOBAL, *_ATOMIC, *_BYTES, *_SHARED, *_LOCAL, *_INSTRUCTIONS]

# What both count, and is not compared, with the reason.
NOT_COMPARED = {
    "divergences": "The executor counts where lanes part in the source. ptxas turns short branches "
    "into predicates and makes branches of its own, so the hardware's are others.",
    "shared_load_bytes, shared_store_bytes": "The executor counts what lanes ask for; Nsight "
    "Compute counts a word once that all lanes of a warp read.",
    "warp_syncs": "The compiler makes WARPSYNC instructions of its own, and leaves out those that "
    "it finds needless.",
}


def metrics(part: str) -> list[str]:
    """What ncu is asked for."""
    if part == "hardware":
        return hardware.METRICS
    names = [name for figure in FIGURES for name in figure.metrics if "." in name]  # no opcodes
    return [*names, OPCODES]
