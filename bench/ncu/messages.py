"""What nvcc makes of step 16's variant whose warps tell each other what they know by asynchronous
stores, which are themselves among none of the figures."""

from cut_rows import WARP, blocks_a_row, elements_of_vector, more_at_half_a_sector, shares
from figures import Launch

UNIT = "16_cluster/messages"
_FEW_THREADS = 256  # of a block, for which a kernel has room for the messages of eight warps
_FEW_BLOCKS = 132  # of which each thread may hold twice as much
_PER_LANE = {True: 4, False: 16}  # messages that a lane looks at, with few threads and with many


def _held(launch: Launch) -> int:
    """Vectors of a block's threads."""
    threads, per_thread = launch.block[0], 32
    are_few = threads <= _FEW_THREADS and launch.blocks <= _FEW_BLOCKS
    if are_few and launch.cols > blocks_a_row(launch) * threads * per_thread:
        per_thread *= 2
    return per_thread // elements_of_vector(launch) * threads


def merged(launch: Launch) -> dict[str, int]:
    """Every warp loads those of all warps of its cluster."""
    warps = launch.blocks * launch.warps
    words, lanes_of_wavefront = (3, 8) if launch.dtype == "f32" else (2, 16)
    messages = blocks_a_row(launch) * launch.warps
    lanes = [min(WARP, messages - first) for first in range(0, messages, WARP)]
    rounds = sum(-(-some // lanes_of_wavefront) for some in lanes)
    per_lane = _PER_LANE[launch.block[0] <= _FEW_THREADS]
    return {
        "shared_load_requests": warps * (per_lane - words * len(lanes)),
        "shared_load_wavefronts": -(words - 1) * warps * rounds,
        "shared_load_bank_conflicts": -words * warps * (rounds - len(lanes)),
    }


def before_what_waits(launch: Launch) -> dict[str, int]:
    held = _held(launch)
    more = sum(more_at_half_a_sector(share, held) for share in shares(launch))
    return {"global_load_sectors": more}


def spilled_exponentials(launch: Launch) -> dict[str, int]:
    """Where threads hold all that they have room for."""
    if launch.dtype != "f32" or launch.block[0] <= _FEW_THREADS:
        return {}
    warps = launch.blocks * launch.warps
    return {"local_store_requests": 34 * warps, "local_load_requests": 31 * warps + launch.rows}


_SHUFFLES_OF_A_REDUCTION = 32  # on the executor


def maxima(launch: Launch) -> dict[str, int]:
    """Of what a warp holds, of what waits and of the messages."""
    held = _held(launch)
    reductions = sum(2 + (share > held) for share in shares(launch)) * launch.warps
    return {"shuffles": -_SHUFFLES_OF_A_REDUCTION * reductions}
