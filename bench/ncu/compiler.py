"""What nvcc makes of a kernel's accesses that its source does not say: rules that tell how the
counts change, and differences that are only listed.

A rule names the kernels it is for and the SASS that shows it (cuobjdump --dump-sass of
worklog_profile, CUDA 13.0, sm_90; the numbers of executions are Nsight Compute's, which counts
every instruction). A listed difference is not the compiler's doing. Nothing else excuses one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cut_rows
import messages
import topk
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
    """`change` gives what to add to our figures, exactly, from the shape of the launch and, where
    that does not tell, from what the executor counted at each line."""

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
    Kernels(("06_vectorized", "06_vectorized/many_loads")),
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
    """Two loads per warp in the source, one of the whole block in the machine's code."""
    loads = launch.blocks * (2 * launch.warps - 1)
    return _sum(_requests("load", -loads), _requests("store", -launch.blocks))


def _of_first_warp(launch: Launch) -> dict[str, int]:
    return _requests("load", -launch.blocks * (launch.warps - 1))


_WITH_TWO_FLOATS = (
    "13_row_in_a_warp",
    "13_row_in_a_warp/element_loads",
    "13_row_in_a_warp/four_vectors",
    "13_row_in_a_warp/reads_twice",
    "13_row_in_a_warp/whole_warp",
    "14_row_in_registers",
    "14_row_in_registers/difference_first",
    "14_row_in_registers/element_loads",
    "14_row_in_registers/exponentials_twice",
    "14_row_in_registers/packed_exponentials",
    "14_row_in_registers/two_exchanges",
    "15_row_in_shared_memory/maximum_first",
    "15_row_in_shared_memory/shared_memory_alone",
)

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


_SECTOR_BYTES = 32
_LOOPS_OF_A_ROW = {"load": 2, "store": 1}  # of step 22's softmax of stored scores


def _rows_turns_apart(launch: Launch) -> dict[str, int]:
    """The same of a warp that has a row alone: its lanes may be in two turns at once, in all turns
    that come in fours. A row whose first score begins a sector then touches one more sector in each
    turn, and one where the two turns meet at a sector's end one less."""
    turns, lanes = divmod(launch.cols, WARP)
    apart = turns - turns % _UNROLLED
    if lanes == 0:
        return {}
    sectors = 0
    for row in range(launch.rows):
        begin = row * launch.cols * 4 % _SECTOR_BYTES
        meet = (begin + lanes * 4) % _SECTOR_BYTES
        sectors += apart * ((begin == 0) - (meet == 0))
    return {f"global_{kind}_sectors": n * sectors for kind, n in _LOOPS_OF_A_ROW.items()}


# ---- two floats of which one is 0 ----

_VECTOR_BYTES = 16
_FIRST_VECTORS = 2  # of a lane of step 13, before a row has more lanes than one
_FIRST_ELEMENTS = 4  # the same of single elements, and of vectors in the variant that has four


def _is_of_one_lane(launch: Launch) -> bool:
    """Whether step 13 has a lane a row, which needs no shuffle. See launch_narrowest there."""
    if launch.step != "13_row_in_a_warp" or launch.variant == "whole_warp":
        return False
    width = 1
    if launch.variant != "element_loads" and launch.cols * 2 % _VECTOR_BYTES == 0:
        width = _VECTOR_BYTES // 2
    has_four = width == 1 or launch.variant == "four_vectors"
    return launch.cols <= (_FIRST_ELEMENTS if has_four else _FIRST_VECTORS) * width


def _rest_of_half(launch: Launch) -> dict[str, int]:
    """One shuffle a warp."""
    if launch.dtype == "f32" or _is_of_one_lane(launch):
        return {}
    return {"shuffles": -launch.blocks * launch.warps}


def _pair_of_each_warp(exchanges: int) -> Callable[[Launch], dict[str, int]]:
    """As the source has it, two loads of a word two words apart: of more than 16 lanes, two want
    each bank. A load of 8 bytes takes a wavefront for each half of the warp."""

    def change(launch: Launch) -> dict[str, int]:
        times = exchanges * launch.blocks * launch.warps
        halves = 2 if launch.warps > WARP // 2 else 1
        return {
            "shared_store_requests": -times,
            "shared_store_wavefronts": -times,
            "shared_load_requests": -times,
            "shared_load_wavefronts": -times * halves,
            "shared_load_bank_conflicts": -2 * times * (halves - 1),
        }

    return change


_TURNS_OF_TILE = 8  # of a thread of steps 15 and 16 in fp32: vectors that its registers hold


# ---- warps that reduce ----

_SHUFFLES_OF_A_REDUCTION = 32  # on the executor


def _maximum_and_sum(launch: Launch) -> dict[str, int]:
    """A sum is two integers."""
    return {"shuffles": -3 * _SHUFFLES_OF_A_REDUCTION * launch.blocks * launch.warps}


# ---- clusters and grids ----

# The words that a block stores to each of its cluster: m and the two floats of d, or its one; of a
# sum its one or two floats; m, d, the sum and the label of a part.
_WORDS_TO_CLUSTER = {
    "16_cluster": 3,
    "16_cluster/barriers_with_fences": 3,
    "16_cluster/four_blocks": 3,
    "16_cluster/log_softmax": 2,
    "16_cluster/no_spread": 3,
    "16_cluster/one_pass": 3,
    "19_backward": 2,
    "19_backward/log_softmax": 2,
    "19_backward/plain_sum": 1,
    "19_backward/shared_memory": 2,
    "20_cross_entropy": 4,
}
_WORD_BYTES = 4
_LOADS_OF_FENCE = 4


def _is_alone(launch: Launch) -> bool:
    """Whether a block has a row for itself, and skips what a cluster would exchange."""
    return launch.step == "19_backward" and cut_rows.blocks_a_row(launch) == 1


def _fences_of_first_warp(launch: Launch) -> dict[str, int]:
    """One of each block."""
    if _is_alone(launch):
        return {}
    return {"shared_load_requests": _LOADS_OF_FENCE * launch.blocks}


def _fences_of_all_warps(launch: Launch) -> dict[str, int]:
    """At both barriers."""
    return {"shared_load_requests": 2 * _LOADS_OF_FENCE * launch.blocks * launch.warps}


def _stores_to_cluster(launch: Launch) -> dict[str, int]:
    """Each block stores to all of its cluster. The source's are stores to shared memory, of a word
    each."""
    if _is_alone(launch):
        return {}
    words = _WORDS_TO_CLUSTER[launch.unit]
    return {
        "global_store_bytes": words * _WORD_BYTES * launch.blocks * cut_rows.blocks_a_row(launch),
        "shared_store_requests": -words * launch.blocks,
    }


def _sum_of_blocks(launch: Launch) -> dict[str, int]:
    """Each warp loads what the blocks of its cluster have stored."""
    if _is_alone(launch):
        return {}
    return _requests("load", -launch.blocks * launch.warps)


_WORDS_OF_PART = 4
_LANES_OF_WAVEFRONT = 8  # of an access of 16 bytes a lane


def _parts(launch: Launch) -> dict[str, int]:
    """Each warp stores a part and loads those of all warps, and then those of all blocks of its
    cluster; each block stores one to each of these. Word by word, two lanes want a bank where more
    than eight load; at once, they take their turns."""
    more, warps = _WORDS_OF_PART - 1, launch.blocks * launch.warps
    turns = [
        -(-lanes // _LANES_OF_WAVEFRONT) for lanes in (launch.warps, cut_rows.blocks_a_row(launch))
    ]
    return {
        "shared_load_requests": -more * warps * len(turns),
        "shared_load_wavefronts": -more * warps * sum(turns),
        "shared_load_bank_conflicts": -_WORDS_OF_PART * warps * (sum(turns) - len(turns)),
        "shared_store_requests": -more * warps,
        "shared_store_wavefronts": -more * (warps + launch.blocks),
    }


def _turns_in_pairs(launch: Launch) -> dict[str, int]:
    """In the warp where a block's share ends, if the lanes that have a turn more than the others
    have an even number: the others take their odd turn alone, before all lanes go on in pairs."""
    if launch.dtype != "f32":
        return {}
    threads = launch.block[0]
    requests = wavefronts = 0
    for share in cut_rows.shares(launch):
        turns, rest = divmod(max(0, share - _TURNS_OF_TILE * threads), threads)
        if turns % 2 == 1 and rest % WARP != 0:
            requests += 1
            wavefronts += rest % _LANES_OF_WAVEFRONT != 0  # lanes of both kinds in one wavefront
    return {
        f"shared_{kind}_{what}": count
        for kind in ("load", "store")
        for what, count in (("requests", requests), ("wavefronts", wavefronts))
    }


def _grid_barrier(launch: Launch) -> dict[str, int]:
    """One atomic operation and one shuffle of each block, and two barriers of its own around them.
    The thread that waits for the others looks at least once."""
    return {
        "global_load_requests": launch.blocks,
        "global_load_sectors": launch.blocks,
        "global_load_bytes": 4 * launch.blocks,
        "global_atomic_requests": launch.blocks,
        "global_atomic_sectors": launch.blocks,
        "shuffles": launch.blocks,
        "block_barriers": 2 * launch.blocks * launch.warps,
    }


def _copies_before_a_grid_barrier(launch: Launch) -> dict[str, int]:
    return {"shared_load_requests": 4 * launch.blocks}


def _spilled(registers: int) -> Callable[[Launch], dict[str, int]]:
    """Stored by every warp, and loaded by the one that has a row's elements outside of vectors."""

    def change(launch: Launch) -> dict[str, int]:
        if launch.dtype != "f32":
            return {}
        loads = registers * launch.rows if launch.cols * 4 % _VECTOR_BYTES else 0
        stores = registers * launch.blocks * launch.warps
        return {"local_store_requests": stores, "local_load_requests": loads}

    return change


def _spilled_in_bf16(launch: Launch) -> dict[str, int]:
    """Of rows that begin anywhere, where a lane has four vectors."""
    if launch.dtype != "bf16" or launch.cols % 8 == 0 or launch.cols <= 2 * 8 * WARP:
        return {}
    registers = 3 * launch.blocks * launch.warps
    return {"local_store_requests": registers, "local_load_requests": registers}


_GRID = "17_long_row_one_launch"
_OF_GRID = (
    "",
    "/forward_again",
    "/nothing_held",
    "/one_group",
    "/plain_difference",
    "/registers_alone",
)
_COPYING_GRID = ("", "/forward_again", "/one_group", "/plain_difference")


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
        (Kernels(("08_log_softmax/negative_log_likelihood", "20_cross_entropy/loss_alone")),),
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
                    "06_vectorized/many_loads",
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
        "rows_turns_apart",
        "A loop along a row is unrolled by four, and the turns beyond a multiple of four come "
        "first. Where the row's last turn is not one of all lanes, the lanes that have it stay a "
        "turn ahead of the others.",
        "LDG in a loop of one turn, and four times in another; with STG likewise",
        (Kernels(("22_attention/three_kernels",), ("softmax_in_place",)),),
        _rows_turns_apart,
    ),
    Rule(
        "rest_of_a_half",
        "d of a row of two-byte elements is a plain sum, so that the rest of TwoFloats is 0 when "
        "the lanes begin to add theirs. ptxas knows, and does not shuffle it the first time.",
        "SHFL.BFLY once at the distance 16 behind the sum of MUFU.EX2's results, and twice at each "
        "distance below",
        (Kernels(_WITH_TWO_FLOATS),),
        _rest_of_half,
    ),
    Rule(
        "merged_two_floats",
        "Where the warps exchange nothing but a sum of two floats, the source stores and loads "
        "them one by one; ptxas does both at once, with 8 bytes.",
        "@!P0 STS.64 [R6], R4 (once a warp); @!P1 LDS.64 R6, [R0] (once a warp); step 19: @!P1 "
        "STS.64 [R42+UR9], R38; @!P4 LDS.64 R40, [R43+UR9]",
        (
            Kernels(
                (
                    "14_row_in_registers/two_exchanges",
                    "19_backward",
                    "19_backward/log_softmax",
                    "19_backward/reads_twice",
                    "19_backward/shared_memory",
                )
            ),
        ),
        _pair_of_each_warp(1),
    ),
    Rule(
        "fence_of_cluster",
        "A thread that arrives at a barrier of the cluster and releases its stores has a fence "
        "before it, and ptxas puts four loads from shared memory before the fence that no lane "
        "executes. They count as requests of the warp, and take no wavefront. The first warp of a "
        "block has one such fence.",
        "@!PT LDS RZ, [RZ] four times; MEMBAR.ALL.GPU; ERRBAR; CGAERRBAR; UCGABAR_ARV",
        (
            Kernels(
                (
                    "16_cluster",
                    "16_cluster/four_blocks",
                    "16_cluster/log_softmax",
                    "16_cluster/no_spread",
                    "16_cluster/one_pass",
                    "16_cluster/through_global_memory",
                    "19_backward/shared_memory",
                    "20_cross_entropy",
                )
            ),
        ),
        _fences_of_first_warp,
    ),
    Rule(
        "fences_of_cluster",
        "The same where every thread releases at both barriers.",
        "@!PT LDS RZ, [RZ] four times; MEMBAR.ALL.GPU; ERRBAR; CGAERRBAR; UCGABAR_ARV, twice",
        (Kernels(("16_cluster/barriers_with_fences",)),),
        _fences_of_all_warps,
    ),
    Rule(
        "stores_to_cluster",
        "A store to the shared memory of a block of the cluster counts with the bytes of global "
        "stores, to the block's own as to another's, and is no request to shared memory.",
        "ST.E three times, not STS (step 19 and log-softmax: twice; of a plain sum once; step 20: "
        "ST.E.128); not the compiler's doing otherwise",
        (Kernels(tuple(_WORDS_TO_CLUSTER)),),
        _stores_to_cluster,
    ),
    Rule(
        "merged_sum_of_blocks",
        "The two floats that each block of the cluster has left, which the source loads one by "
        "one, are loaded at once, with 8 bytes. (Their stores are not merged.)",
        "ST.E [R38.64], R47; ST.E [R38.64+0x4], R45; UCGABAR_WAIT; @!P1 LDS.64 R38, [R42+UR9]",
        (
            Kernels(
                (
                    "16_cluster/log_softmax",
                    "19_backward",
                    "19_backward/log_softmax",
                    "19_backward/shared_memory",
                )
            ),
        ),
        _sum_of_blocks,
    ),
    Rule(
        "merged_part",
        "What a warp or a block tells the others of its part of the row, four words, the executor "
        "stores and loads word by word. It is one access of 16 bytes, eight lanes of which take a "
        "wavefront.",
        "@!P0 STS.128 [R40+UR13], R52; @!P1 LDS.128 R36, [R41]; @!P0 ST.E.128 [R36.64], R40; "
        "@!P0 LDS.128 R36, [R44]",
        (Kernels(("20_cross_entropy",)),),
        _parts,
    ),
    Rule(
        "turns_in_pairs",
        "The loop over what waits in shared memory, which leaves exponentials there, takes two "
        "turns at once, after one of an odd number. (In fp32; the half types store none.)",
        "@P0 BRA; LDS.128 R36, [R44]; STS.128 [R44], R36; then in the loop LDS.128 R36, [R46]; "
        "STS.128 [R46], R36; LDS.128 R40, [R45]; STS.128 [R45], R40",
        (Kernels(("20_cross_entropy",)),),
        _turns_in_pairs,
    ),
    Rule(
        "copies_to_half_a_sector",
        "What waits in shared memory begins behind 432 bytes of other variables, in the middle of "
        "a sector. An asynchronous copy is counted by the sectors that it writes and the lines "
        "that it reads; the executor takes it that the first lane's begins one.",
        "ptxas -v: 432 bytes smem; not the compiler's doing otherwise",
        (Kernels(("16_cluster/four_blocks",)),),
        cut_rows.copies_to_half_a_sector,
    ),
    Rule(
        "copies_behind_a_head",
        "A row's first vector may be the second half of a sector, and is copied to the second half "
        "of one. The copies of a warp are counted by the sectors that they write; the executor "
        "takes it that the first lane's begins one.",
        "not the compiler's doing",
        (Kernels(("19_backward/shared_memory",)),),
        cut_rows.copies_behind_a_head,
    ),
    Rule(
        "merged_message",
        "What a warp has told by one asynchronous store, two or three floats, the source loads one "
        "by one. ptxas loads them at once, with 8 or 16 bytes, and all messages for which a lane "
        "has room, each load under a predicate.",
        "STAS.128 [R8.64], R4; @!P2 LDS.128 R8, [R59+UR14]; @!P5 LDS.128 R16, [R59+UR14+0x600] and "
        "so on, 16 in all (4 in kernels of up to 256 threads)",
        (Kernels((messages.UNIT,)),),
        messages.merged,
    ),
    Rule(
        "messages_before_what_waits",
        "What waits in shared memory begins behind the messages and their barrier of 8 bytes, in "
        "the middle of a sector, and the sectors that asynchronous copies write count. The "
        "executor takes it that the first lane's copy begins one.",
        "cuobjdump --dump-resource-usage: SHARED:9232 (fp32, 1024 threads), of which 1024 are the "
        "system's; not the compiler's doing otherwise",
        (Kernels((messages.UNIT,)),),
        messages.before_what_waits,
    ),
    Rule(
        "spilled_exponentials",
        "ptxas keeps exponentials of fp32 in local memory while a block of more than 256 threads "
        "waits for messages. Two of the stores are of 8 bytes, which takes two requests. The warp "
        "with the row's last column loads the exponential of that, too.",
        "STL [R1+0x48], R53 and 27 more before the exchange; STL.64 [R1+0x10], R20; STL [R1+0x18], "
        "R22; STL.64 [R1], R16; STL [R1+0x8], R18; LDL.LU R6, [R1+0x48] (cuobjdump "
        "--dump-resource-usage: STACK:144)",
        (Kernels((messages.UNIT,)),),
        messages.spilled_exponentials,
    ),
    Rule(
        "maxima_of_messages",
        "The maximum of a warp is one instruction, and no shuffle; the executor makes it of 32.",
        "REDUX.MAX.S32 UR10, R19 (of what the warp holds); REDUX.MAX.S32 UR9, R9 (of what waits, "
        "if anything does); REDUX.MAX.S32 UR14, R7 (of the messages)",
        (Kernels((messages.UNIT,)),),
        messages.maxima,
    ),
    Rule(
        "maximum_and_sum",
        "The same of a maximum and of a sum, which is one of two integers.",
        "REDUX.MAX.S32; REDUX.SUM twice",
        (Kernels(("13_row_in_a_warp/warp_reduce",)),),
        _maximum_and_sum,
    ),
    Rule(
        "spilled_in_bf16",
        "ptxas keeps three registers in local memory, in bf16 alone, where a lane has four vectors "
        "of a row that begins anywhere.",
        "STL [R1+0x8], R0; STL.S16 [R1+0x4], R0; LDL.LU R0, [R1+0x8]; STL.S16 [R1], R8; LDL.LU "
        "R57, [R1+0x4]; LDL.LU R53, [R1]",
        (Kernels(("19_backward/short_rows",)),),
        _spilled_in_bf16,
    ),
    Rule(
        "merged_pair_of_each_warp",
        "What a warp tells the others, m and d in one float, is stored and loaded one by one in "
        "the source; ptxas does both at once, with 8 bytes, so that no two lanes want one bank.",
        "@!P0 STS.64 [R4], R6 (once a warp); @!P1 LDS.64 R6, [R0] (once a warp)",
        (
            Kernels(
                (
                    "15_row_in_shared_memory/plain_difference",
                    "15_row_in_shared_memory/log_softmax",
                    "16_cluster/log_softmax",
                    *topk.OF_ONE_BLOCK,
                )
            ),
        ),
        _pair_of_each_warp(1),
    ),
    Rule(
        "merged_pair_of_each_warp_twice",
        "The same where the warps exchange twice.",
        "STS.64 and LDS.64, twice",
        (Kernels((f"{_GRID}/plain_difference",)),),
        _pair_of_each_warp(2),
    ),
    Rule(
        "grid_barrier",
        "The grid's barrier is code of cooperative_groups: a block barrier, an atomic addition of "
        "one thread, its wait for the others, and another block barrier.",
        "BAR.SYNC.DEFER_BLOCKING; @P1 ATOM.E.ADD.STRONG.GPU; SHFL.IDX; LD.E.STRONG.GPU in a loop; "
        "BAR.SYNC.DEFER_BLOCKING",
        (Kernels(tuple(f"{_GRID}{variant}" for variant in _OF_GRID)),),
        _grid_barrier,
    ),
    Rule(
        "copies_before_a_grid_barrier",
        "A kernel with asynchronous copies has the same four loads that no lane executes before "
        "the fence of the grid's barrier, which one warp of a block comes to.",
        "@!PT LDS RZ, [RZ] four times; MEMBAR; without asynchronous copies there is none",
        (Kernels(tuple(f"{_GRID}{variant}" for variant in _COPYING_GRID)),),
        _copies_before_a_grid_barrier,
    ),
    Rule(
        "one_spilled_register",
        "ptxas keeps a register in local memory, which the threads that have an element outside "
        "of the vectors need again.",
        "STL [R1], R5; LDL.LU R3, [R1] (ptxas -v: 4 bytes spill stores)",
        (Kernels((f"{_GRID}/one_group", f"{_GRID}/registers_alone")),),
        _spilled(1),
    ),
    Rule(
        "two_spilled_registers",
        "The same with two of them.",
        "STL [R1+0x4], R2; STL [R1], R3; LDL.LU twice (ptxas -v: 8 bytes spill stores)",
        (Kernels((f"{_GRID}/forward_again",)),),
        _spilled(2),
    ),
    Rule(
        "sunk_loads",
        "The same in step 04, where m and d lie apart: two loads.",
        "LDS R2, [UR4]; LDS R3, [UR5] behind the loop's first branch: executed 40 times each "
        "where 40 blocks of 8 warps have 20 columns",
        (Kernels(("04_shared_memory", "04_shared_memory/uncoalesced")),),
        _sunk(2),
    ),
    Rule(
        "reductions",
        "A reduction of a warp's numbers is one instruction, and no shuffle; the executor makes "
        "it of 32.",
        "REDUX.MIN UR12, R12 (top_k_only: REDUX.MAX, too)",
        (Kernels(topk.OF_ONE_BLOCK),),
        topk.reductions,
    ),
    Rule(
        "added_at_once",
        "Where lanes add 1 to a count of the block and want to know which place they got, one "
        "lane adds for all, and a shuffle tells the others. Their places are side by side, so "
        "that no two of the stores that follow want one bank.",
        "VOTEU.ANY UR13, UPT, PT; @P6 ATOMS.ADD R27, [UR9+0x410], R20; SHFL.IDX PT, R19, R27, "
        "R22, 0x1f",
        (Kernels(topk.UNITS),),
        topk.added_at_once,
    ),
    Rule(
        "added_by_scan",
        "Where lanes add different numbers, a vote tells whether all of the warp take part. If "
        "so, seven shuffles make the sums and one lane adds; if not, each adds for itself.",
        "VOTE.ANY R46, PT, PT; @!P0 ATOMS.ADD R46, [UR9+0x418], R49; @!P0 BRA; SHFL.UP five "
        "times; @P1 ATOMS.ADD; SHFL.UP; SHFL.IDX",
        (Kernels(topk.UNITS),),
        topk.added_by_scan,
    ),
    Rule(
        "cleared_at_once",
        "The first thread sets some numbers to 0, two of which lie side by side and take one "
        "store. All warps execute these stores, since they stand under a predicate.",
        "@!P3 STS [UR12+0x598], RZ; @!P3 STS.64 [UR12+0x590], RZ (cluster: two STS and one STS.64)",
        (Kernels(topk.UNITS),),
        topk.cleared_at_once,
    ),
    Rule(
        "under_predicates",
        "nvcc makes predicates, not branches, of the stores of what lies behind the last maximum, "
        "of a turn's first maximum, of the number of chosen sectors and of these numbers, and of "
        "the columns of a sector. So warps execute them of which no lane stores.",
        "@!P0 STS [R24], RZ; @!P4 STS [R58+UR7], R47; @!P3 STS [R14+0x594], R27; @!P0 STS [R13], "
        "R24; @P6 STS.64 [R49], R36, one for each column",
        (Kernels(topk.UNITS),),
        topk.under_predicates,
    ),
    Rule(
        "kept_in_registers",
        "The source loads the length of a list in each turn of a loop over it. ptxas loads it "
        "once, and the number of chosen sectors once before the turns and once in each, behind "
        "its barrier. With a cluster, only warps that have something for the first block load "
        "where it goes.",
        "LDS R4, [R41+0x594] before the loop; LDS R48, [R41+0x594] behind BAR.RED.OR; cluster: "
        "@P0 BRA; LDS R17, [UR5+0x5f8]",
        (Kernels(topk.UNITS),),
        topk.kept_in_registers,
    ),
    Rule(
        "compared_in_pairs",
        "A thread that compares its entry with all that are listed loads two of them at once, in "
        "a loop of four and for those that are left. All lanes load the same 16 bytes; that takes "
        "a wavefront for each half of the warp of which a lane takes part.",
        "LDS.128 R12, [R32]; LDS.128 R16, [R32+0x10] in the loop; LDS.128 R12, [R29]; @!P1 BRA; "
        "@P6 LDS.64 R12, [R29+0x10]",
        (Kernels(topk.UNITS),),
        topk.compared_in_pairs,
    ),
    Rule(
        "histograms",
        "The warp that looks for a bin loads eight of each lane with three instructions, two of "
        "them of 16 bytes. It stores two of the three numbers that it finds at once, and executes "
        "the stores for the lowest bin always, under a predicate. All warps load what it found "
        "with one instruction.",
        "LDS.128 R16, [R13]; LDS.128 R20, [R13+-0x10]; LDS R31, [R13+-0x14]; @!P0 LDS R16, "
        "[R19+0x58c]; @!P0 STS.64 [R19+0x180], R20; @!P0 STS [R19+0x188], R16; STS.64 "
        "[UR9+0x180], R16; LDS R18, [R19]; STS [UR9+0x188], R18; LDS.128 R16, [UR9+0x180]",
        (Kernels((topk.NO_FLOOR, topk.ROW_AGAIN, topk.CLUSTER)),),
        topk.histograms,
    ),
    Rule(
        "copied_best",
        "Of a list that is full only the K best stay. Its length is loaded once for each look at "
        "it, and again behind each addition to the histogram, for which the upper half of an "
        "entry is loaded alone. The first thread's stores stand under predicates.",
        "@!P4 STS [R12+0x594], RZ; LDS R14, [UR10+0x590]; LDS R15, [R12+0x4]; ATOMS.POPC.INC.32 "
        "RZ, [R12+URZ+0xc]; LDS R14, [UR10+0x590]; then LDS.64 R12, [R12]; @!P4 STS [R13+0x590], "
        "R34",
        (Kernels((topk.ROW_AGAIN,)),),
        topk.copied_best,
    ),
    Rule(
        "listed_in_cluster",
        "What each block tells all of its cluster, and what it lists for the first one, counts "
        "with the bytes of global stores and is no request to shared memory, as with other stores "
        "to a cluster.",
        "ST.E [R22.64], R6; ST.E [R22.64+0x4], R25; ST.E [R22.64+0x8], R29; ST.E.64 [R20.64], "
        "R18; not the compiler's doing otherwise",
        (Kernels((topk.CLUSTER,)),),
        topk.stored_to_cluster,
    ),
    Rule(
        "spilled_in_f16",
        "ptxas keeps some registers in local memory, in f16 alone. Without a floor, lanes that "
        "have left the loop over the maxima load one before the others come, so that a warp does "
        "it twice.",
        "STL [R1+0x10], R33; STL [R1+0xc], R15; STL [R1+0x8], R5; LDL R2, [R1+0xc]; in each turn "
        "over the chosen sectors LDL R17, [R1+0x8]; STL [R1+0x4], R17; STL [R1], R16",
        (Kernels((topk.STEP, topk.TOP_K_ONLY, topk.NO_FLOOR)),),
        topk.spilled,
    ),
]


# Known by the identity that they leave: each wavefront too many is a conflict too many. The first
# figure is the wavefronts', the second the conflicts'.
def _wavefronts(key: str, kind: str, what: str, most: str = "15 in a hundred") -> Listed:
    figures = (f"shared_{kind}_wavefronts", f"shared_{kind}_bank_conflicts")
    what = (
        f"Shared {kind}s take some more wavefronts than their banks need, each of which counts as "
        f"a conflict; never more than {most}. {what}"
    )
    return Listed(f"{key}_{kind}s", what, "not the compiler's doing", figures)


# Too many, as a share of those that are needed; 0.08 was the most seen, and 0.13 where
# asynchronous copies arrive meanwhile.
MOST_WAVEFRONTS = 0.15
KINDS = ("load", "store")
VARYING = {
    kind: _wavefronts("varying", kind, "Their number varies: two runs of a launch disagree on it.")
    for kind in KINDS
}
AGREEING = {
    kind: _wavefronts(
        "agreeing",
        kind,
        "Where a launch was profiled twice, both runs agree on their number. No cause is known.",
    )
    for kind in KINDS
}
# 0.34 was the most seen, in launches of three blocks.
CROWDED = _wavefronts(
    "crowded",
    "store",
    "Each warp stores once, while what others load from two arrays arrives. Their number varies: "
    "two runs of a launch disagree on it.",
    "one in two",
)
CROWDED_WHERE = Kernels(("19_backward/reads_twice",))
MOST_CROWDED = 1 / 2
POLLING = Listed(
    "polling",
    "A thread of each block waits in a loop until all blocks have come to the grid's barrier. How "
    "often it looks depends on when they come; never more than five times on average.",
    "not the compiler's doing",
    ("global_load_requests", "global_load_sectors", "global_load_bytes"),
)
ORDER_OF_LISTS = Listed(
    "order_of_lists",
    "Warps list sectors and columns in the order in which they come. Which threads have the best "
    "of a list depends on it, and so do the warps, wavefronts and sectors that storing them takes: "
    "never fewer than if as few warps as can be had all of them, nor more than if each were stored "
    "alone.",
    "not the compiler's doing",
    tuple(name for pair in topk.ORDERED for name in pair),
)
MOST_LOOKS = 5
BYTES_OF_A_LOOK = 4
LISTED = [*VARYING.values(), *AGREEING.values(), CROWDED, POLLING, ORDER_OF_LISTS]


def changes(launch: Launch) -> list[tuple[str, dict[str, int]]]:
    """What the rules add to our figures in this launch, by rule; only what is not 0."""
    found = []
    for rule in RULES:
        if any(where.hold(launch) for where in rule.where):
            change = {name: value for name, value in rule.change(launch).items() if value}
            if change:
                found.append((rule.key, change))
    return found
