"""What nvcc makes of a kernel's accesses that its source does not say: rules that tell how the
counts change, and differences that are only listed.

A rule names the kernels it is for and the SASS that shows it (cuobjdump --dump-sass of
worklog_profile, CUDA 13.0, sm_90; the numbers of executions are Nsight Compute's, which counts
every instruction). A listed difference is not the compiler's doing. Nothing else excuses one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from figures import Launch

WARP = 32


@dataclass(frozen=True)
class Kernels:
    """Where something applies: units such as "05_warp_shuffle/safe", and kernels of them, all if
    empty."""

    units: tuple[str, ...]
    kernels: tuple[str, ...] = ()

    def hold(self, launch: Launch) -> bool:
        return launch.unit in self.units and (not self.kernels or launch.kernel in self.kernels)


@dataclass(frozen=True)
class Rule:
    """`change` gives what to add to our figures, exactly, from the shape of the launch."""

    key: str
    what: str
    sass: str
    where: tuple[Kernels, ...]
    change: Callable[[Launch], dict[str, int]]


@dataclass(frozen=True)
class Listed:
    """A difference that no rule foretells, because it depends on the hardware's timing."""

    key: str
    what: str
    sass: str
    figures: tuple[str, ...]


def _requests(kind: str, count: int) -> dict[str, int]:
    """Of accesses that take one wavefront each."""
    return {f"shared_{kind}_requests": count, f"shared_{kind}_wavefronts": count}


def _sum(*changes: dict[str, int]) -> dict[str, int]:
    names = dict.fromkeys(name for change in changes for name in change)
    return {name: sum(change.get(name, 0) for change in changes) for name in names}


# ---- m and d side by side ----

_LONG_ROW = ("11_long_row_online", "11_long_row_online/backward")
_THREE_LAUNCHES = ("11_long_row_online/three_launches",)
_OF_BLOCKS = (
    Kernels((*_LONG_ROW, *_THREE_LAUNCHES), ("reduce",)),
    Kernels(_THREE_LAUNCHES, ("combine_blocks",)),
)
_PAIR_KERNELS = (
    Kernels(("05_warp_shuffle", "05_warp_shuffle/combine_every_round")),
    Kernels(("06_vectorized",)),
    Kernels(("07_topk_fusion",)),
    Kernels(("07_topk_fusion/online_then_top_k",), ("softmax",)),
    Kernels(("08_log_softmax",)),
    Kernels(
        (
            "12_bytes_in_flight",
            "12_bytes_in_flight/plain_division",
            "12_bytes_in_flight/tile_of_8",
            "12_bytes_in_flight/without_cache_hints",
        )
    ),
    *_OF_BLOCKS,
    Kernels((*_LONG_ROW, *_THREE_LAUNCHES), ("divide",)),
)


def _pair(launch: Launch) -> dict[str, int]:
    return _sum(
        _requests("load", -launch.blocks * launch.warps), _requests("store", -launch.blocks)
    )


def _pair_of_one_thread(launch: Launch) -> dict[str, int]:
    """Two loads a warp in the source, one of the whole block in the machine's code."""
    loads = launch.blocks * (2 * launch.warps - 1)
    return _sum(_requests("load", -loads), _requests("store", -launch.blocks))


def _of_first_warp(launch: Launch) -> dict[str, int]:
    return _requests("load", -launch.blocks * (launch.warps - 1))


# ---- pairs in global memory ----

_MAX_BLOCKS = 256  # of step 11
_PAIR_BYTES = 8


def _row_pair(launch: Launch) -> dict[str, int]:
    """One thread of each block loads one pair."""
    return {"global_load_requests": -launch.blocks, "global_load_sectors": -launch.blocks}


def _block_pairs(launch: Launch) -> dict[str, int]:
    """Each block loads the pairs of all blocks that reduced, a pair a thread. m and d lie in the
    same sectors."""
    threads = launch.block[0]
    pairs = min(-(-launch.cols // threads), _MAX_BLOCKS)
    return {
        "global_load_requests": -launch.blocks * -(-pairs // WARP),
        "global_load_sectors": -launch.blocks * -(-pairs * _PAIR_BYTES // 32),
    }


# ---- stores under a predicate ----


def _predicated_store(launch: Launch) -> dict[str, int]:
    """All warps execute what the first one's first thread does. Those in which nobody stores take
    no wavefront."""
    return {"shared_store_requests": launch.blocks * (launch.warps - 1)}


# ---- idle warps ----


def _idle_warps(launch: Launch) -> int:
    """Of all blocks: those whose threads have no column, so that they never enter the last loop."""
    busy = min(launch.warps, -(-launch.cols // WARP))
    return launch.blocks * (launch.warps - busy)


def _idle_warps_of_grid(launch: Launch) -> int:
    """The same where all blocks share one row."""
    warps = launch.blocks * launch.warps
    return warps - min(warps, -(-launch.cols // WARP))


def _sunk_in_grid(launch: Launch) -> dict[str, int]:
    return _requests("load", -_idle_warps_of_grid(launch))


# ---- unrolled turns ----

_UNROLLED = 4


def _turns_apart(launch: Launch) -> dict[str, int]:
    """In the warp where the row ends, some lanes have a turn more than the others. They take it
    first, alone, and stay a turn ahead: each of the common turns touches the sectors of two places
    of the row, which is one more where the two do not meet at a sector's end."""
    turns, rest = divmod(launch.cols, launch.blocks * launch.block[0])
    lanes = rest % WARP
    if turns == 0 or turns % _UNROLLED != 0 or lanes * 4 % 32 == 0:
        return {}
    loads = {"global_load_sectors": turns}
    return loads if launch.kernel == "reduce" else {**loads, "global_store_sectors": turns}


def _sunk(loads: int) -> Callable[[Launch], dict[str, int]]:
    return lambda launch: _requests("load", -loads * _idle_warps(launch))


RULES = [
    Rule(
        "merged_pair",
        "The block's m and d lie side by side in shared memory. The source stores and loads them "
        "one by one; ptxas does both at once, with 8 bytes.",
        "@!P0 STS.64 [R4+0x100], R6 (once a block); LDS.64 R6, [UR4+0x100] (once a warp)",
        _PAIR_KERNELS,
        _pair,
    ),
    Rule(
        "merged_pair_of_one_thread",
        "The same where only the first thread of the block needs the two: every warp loads them in "
        "the source, and ptxas lets all other threads exit before.",
        "@!P0 STS.64 [R0+0x100], R4; @P0 EXIT; LDS.64 R4, [UR4+0x100] (each once a block)",
        (Kernels(("08_log_softmax/negative_log_likelihood",)),),
        _pair_of_one_thread,
    ),
    Rule(
        "pair_of_first_warp",
        "Every warp loads the block's pair in the source, but only the first thread stores it, or "
        "only the first warp turns the K best into probabilities. ptxas lets all others exit "
        "before the load.",
        "ISETP.NE.AND P0, PT, R2, RZ, PT; @P0 EXIT; LDS.64 R4, [UR4+0x100]; STG.E.64 "
        "desc[UR8][R2.64], R4; step 07: BAR.SYNC; @P1 EXIT; LDS.64 R6, [UR5+0x100]",
        (*_OF_BLOCKS, Kernels(("07_topk_fusion",))),
        _of_first_warp,
    ),
    Rule(
        "merged_global_pair",
        "A pair in global memory, which the executor loads member by member, is one load of 8 "
        "bytes: a request and its sectors less.",
        "divide: LDG.E.64 R6, desc[UR8][R6.64] in the loop over the blocks' pairs; "
        "combine_blocks: LDG.E.64 R4, desc[UR8][R4.64]",
        (Kernels(_LONG_ROW, ("divide",)), Kernels(_THREE_LAUNCHES, ("combine_blocks",))),
        _block_pairs,
    ),
    Rule(
        "merged_row_pair",
        "The same for the one pair of the row, which one thread of each block loads.",
        "@!P1 LDG.E.64 R2, desc[UR6][R2.64], where P1 is threadIdx.x != 0",
        (Kernels(_THREE_LAUNCHES, ("divide",)),),
        _row_pair,
    ),
    Rule(
        "predicated_store",
        "The first thread of the block stores for all. nvcc makes no branch around that but a "
        "predicate, so that all warps execute the instruction: a request each, but a wavefront "
        "only where a lane stores.",
        "ISETP.NE.AND P1, PT, R4, RZ, PT; @!P1 STS [R5], R2 (executed 4096 times where 128 blocks "
        "have 32 warps); step 11: @!P1 STS.64 [UR4], R2",
        (
            Kernels(("10_long_row_many_launches",), ("exponentiate", "divide")),
            Kernels(_THREE_LAUNCHES, ("divide",)),
        ),
        _predicated_store,
    ),
    Rule(
        "sunk_load",
        "A warp that has no column to write needs no m and no d. The source loads them before "
        "it looks; ptxas moves the load behind the test of the last loop. (Step 09: that of d; m "
        "is loaded before the second loop's.)",
        "05: LDS.64 R6, [UR4+0x100] behind the loop's first branch: executed 40 times where 40 "
        "blocks of 32 warps have 20 columns; 08, 09: @P0 EXIT; LDS R3, [UR4+0x80] or [R8+0x104]",
        (
            Kernels(
                (
                    "05_warp_shuffle",
                    "05_warp_shuffle/combine_every_round",
                    "05_warp_shuffle/safe",
                    "05_warp_shuffle/unsafe",
                    "08_log_softmax/log_of_softmax",
                    "09_long_row_one_block",
                )
            ),
            Kernels(
                ("07_topk_fusion/online_then_top_k", "07_topk_fusion/safe_then_top_k"), ("softmax",)
            ),
        ),
        _sunk(1),
    ),
    Rule(
        "sunk_load_of_grid",
        "The same where all blocks share a row: a warp of the last block that has no column.",
        "11: @P0 EXIT; LDS.64 R12, [UR4+0x100] (three launches: [UR4])",
        (Kernels((*_LONG_ROW, *_THREE_LAUNCHES), ("divide",)),),
        _sunk_in_grid,
    ),
    Rule(
        "unrolled_turns",
        "A loop over the row takes four turns at once, after those that are left over from a "
        "multiple of four (in fp32; the loops of the half types stay as they are). Lanes that have "
        "one turn more take it before the others begin, and are then a turn ahead.",
        "11: LOP3.LUT R6, R6, 0x3 counts the turns before the loop; LDG.E R21 stands in their "
        "loop, and LDG.E four times in the next",
        (
            Kernels(("11_long_row_online", *_THREE_LAUNCHES), ("reduce", "divide")),
            Kernels(("11_long_row_online/backward",), ("divide",)),
        ),
        lambda launch: _turns_apart(launch) if launch.dtype == "f32" else {},
    ),
    Rule(
        "sunk_loads",
        "The same in step 04, where m and d lie apart: two loads.",
        "LDS R2, [UR4]; LDS R3, [UR5] behind the loop's first branch: executed 40 times each "
        "where 40 blocks of 8 warps have 20 columns",
        (Kernels(("04_shared_memory",)),),
        _sunk(2),
    ),
]


# Known by the identity that they leave: each wavefront too many is a conflict too many. The first
# figure is the wavefronts', the second the conflicts'.
def _wavefronts(key: str, kind: str, what: str) -> Listed:
    figures = (f"shared_{kind}_wavefronts", f"shared_{kind}_bank_conflicts")
    what = (
        f"Shared {kind}s take some more wavefronts than their banks need, each of which counts as "
        f"a conflict; never more than one in ten. {what}"
    )
    return Listed(f"{key}_{kind}s", what, "not the compiler's doing", figures)


MOST_WAVEFRONTS = 0.1  # too many, as a share of those that are needed; 0.08 was the most seen
KINDS = ("load", "store")
VARYING = {
    kind: _wavefronts("varying", kind, "Their number varies: two runs of a launch disagree on it.")
    for kind in KINDS
}
AGREEING = {
    kind: _wavefronts("agreeing", kind, "Here two runs agree on their number. No cause is known.")
    for kind in KINDS
}
LISTED = [*VARYING.values(), *AGREEING.values()]


def changes(launch: Launch) -> list[tuple[str, dict[str, int]]]:
    """What the rules add to our figures in this launch, by rule; only what is not 0."""
    found = []
    for rule in RULES:
        if any(where.hold(launch) for where in rule.where):
            change = {name: value for name, value in rule.change(launch).items() if value}
            if change:
                found.append((rule.key, change))
    return found
