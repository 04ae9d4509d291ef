"""What nvcc makes of step 18, whose loops turn as often as the logits say: rules that take from the
executor how often each warp came to a line."""

from fractions import Fraction

from figures import Launch
from lines import Lines, Warp
from rows import InputError

WARP = 32
_PER_QUAD = 4  # maxima of sectors that are looked at at once
_SECTOR_BYTES = 32
_VECTORS_PER_SECTOR = 2
_IN_FLIGHT = 4  # vectors of a thread

_LOAD, _STORE, _ATOMIC = "shared load", "shared store", "shared atomic"

# Lines of the step, by what is in no other line.
_LIST_SECTOR = "const int place = atomicAdd(&told.few, 1);"
_STORE_SECTOR = "if (place < kFew) few[place] = entry_of(ranks[i], sector + i);"
_COPY_BEST = "best[atomicAdd(&told.among_best, 1)]"
_LIST_COLUMNS = "int place = atomicAdd(&told.listed, those);"
_STORE_COLUMN = "list[place++] = entry_of(rank, col + i);"
_PAST_SECTORS = "maxima.of_sectors[cut.sectors + thread] = kNoRank;"
_MAXIMUM = "maxima.of_sectors[vector / kVectorsPerSector] = rank_of(m_of_sector);"
_CLEAR = "told.few = told.chosen = told.listed = 0;"
_PLACE_OF_SECTOR = "const int place = place_of(few[i], few, told.few);"
_STORE_NUMBER = "if (place < k) numbers[place] ="
_STORE_CHOSEN = "told.chosen = min(k, told.few);"
_LOAD_NUMBER = "const int vector = numbers[first + thread] * kVectorsPerSector;"
_PLACE_OF_COLUMN = "const int place = place_of(list[i], list, told.listed);"
_COMPARE = "place += entries[i] > mine;"
# Loads of a number that the machine's code keeps in a register.
_ENDS_OF_LISTS = ("i < told.few; i += blockDim.x", "i < told.listed; i += threads")
_ENDS_OF_CHOSEN = ("first < told.chosen; first += threads", "if (first + thread < told.chosen) {")


def lines_of(launch: Launch) -> Lines:
    if launch.lines is None:
        raise InputError(f"the executor's profile of {launch.unit} has no lines: see --by-line")
    return launch.lines


def _size(launch: Launch) -> int:
    return 4 if launch.dtype == "f32" else 2


def _sectors(launch: Launch) -> list[int]:
    """Whole ones of each row."""
    size = _size(launch)
    per_sector = _SECTOR_BYTES // size
    sectors = []
    for row in range(launch.rows):
        head = min(-row * launch.cols % per_sector, launch.cols)
        sectors.append((launch.cols - head) // per_sector)
    return sectors


def _turns_again(launch: Launch) -> int:
    """Of all warps over the chosen sectors."""
    threads = launch.block[0]
    return sum(-(-min(launch.k, sectors) // threads) for sectors in _sectors(launch)) * launch.warps


def _turns_of_full_warps(launch: Launch) -> int:
    """Those in which all lanes have a chosen sector."""
    return sum(min(launch.k, sectors) // WARP for sectors in _sectors(launch))


_REDUCTIONS = {"18_topk_by_threshold": 1, "18_topk_by_threshold/top_k_only": 3}  # of each warp
_SHUFFLES_OF_A_REDUCTION = 32  # on the executor


def reductions(launch: Launch) -> dict[str, int]:
    times = _REDUCTIONS[launch.unit] * launch.blocks * launch.warps
    return {"shuffles": -_SHUFFLES_OF_A_REDUCTION * times}


def _edges_listed(warp: Warp) -> int:
    """Of what list_columns adds, the rest is of sectors."""
    return warp.times(_LIST_COLUMNS, _ATOMIC) - warp.times(_LOAD_NUMBER, _LOAD)


def added_at_once(launch: Launch) -> dict[str, int]:
    """Sectors that lanes list with one instruction stand side by side, so that their stores have no
    conflicts. On the executor each lane lists all of its own before the next one does."""

    def of_warp(warp: Warp) -> int:
        ones = warp.times(_LIST_SECTOR, _ATOMIC) + warp.times(_COPY_BEST, _ATOMIC)
        return ones + _edges_listed(warp)

    lines = lines_of(launch)
    conflicts = lines.counter(_STORE_SECTOR, "shared_store_bank_conflicts")
    return {
        "shuffles": lines.total(of_warp),
        "shared_store_wavefronts": -conflicts,
        "shared_store_bank_conflicts": -conflicts,
    }


_SHUFFLES_OF_A_SCAN = 7


def added_by_scan(launch: Launch) -> dict[str, int]:
    votes = lines_of(launch).total(lambda warp: warp.times(_LOAD_NUMBER, _LOAD))
    return {"votes": votes, "shuffles": _SHUFFLES_OF_A_SCAN * _turns_of_full_warps(launch)}


_NUMBERS_CLEARED, _STORES_OF_THEM = 3, 2


def cleared_at_once(launch: Launch) -> dict[str, int]:
    stores = _STORES_OF_THEM * launch.warps - _NUMBERS_CLEARED
    return {
        "shared_store_requests": launch.blocks * stores,
        "shared_store_wavefronts": launch.blocks * (_STORES_OF_THEM - _NUMBERS_CLEARED),
    }


def _first_maxima(launch: Launch) -> int:
    """The turns of all warps of which a lane stores the first of its maxima."""
    warps = 0
    for sectors in _sectors(launch):
        vectors = sectors * _VECTORS_PER_SECTOR
        turn = _IN_FLIGHT * launch.block[0]
        for first in range(0, vectors, turn):
            warps += min(launch.warps, -(-(vectors - first) // WARP))
    return warps


def _turns_of_row(launch: Launch) -> int:
    """Of all warps."""
    turn = _IN_FLIGHT * launch.block[0]
    vectors = (sectors * _VECTORS_PER_SECTOR for sectors in _sectors(launch))
    return sum(-(-one // turn) for one in vectors) * launch.warps


def under_predicates(launch: Launch) -> dict[str, int]:
    per_sector = _SECTOR_BYTES // _size(launch)

    def of_warp(warp: Warp) -> int:
        once = 2 - warp.times(_PAST_SECTORS, _STORE) - warp.times(_STORE_CHOSEN, _STORE)
        places = warp.times(_PLACE_OF_SECTOR, _LOAD) - warp.times(_STORE_NUMBER, _STORE)
        turns = warp.times(_LOAD_NUMBER, _LOAD)
        columns = warp.at(_STORE_COLUMN, _STORE)[-1] if turns else 0  # behind the edges'
        return once + places + per_sector * turns - columns

    maxima = _turns_of_row(launch) - _first_maxima(launch)
    return {"shared_store_requests": lines_of(launch).total(of_warp) + maxima}


def kept_in_registers(launch: Launch) -> dict[str, int]:
    """Of the number of chosen sectors, one load before the turns and one in each remain."""

    def of_warp(warp: Warp) -> int:
        return -sum(warp.times(line, _LOAD) for line in (*_ENDS_OF_LISTS, *_ENDS_OF_CHOSEN))

    remaining = launch.blocks * launch.warps + _turns_again(launch)
    loads = remaining + lines_of(launch).total(of_warp)
    return {"shared_load_requests": loads, "shared_load_wavefronts": loads}


def _passes(warp: Warp) -> list[tuple[int, int]]:
    """Over the sectors listed and over the columns listed: how often, and how many."""
    loads = list(warp.at(_COMPARE, _LOAD))
    passes = []
    for line in (_PLACE_OF_SECTOR, _PLACE_OF_COLUMN):
        times = warp.times(line, _LOAD)
        if times:
            passes.append((times, loads.pop(0) // times))
    return passes


_UNROLLED = 4
_LOADS_OF_REST = (0, 1, 2, 2)  # the last one of two is under a predicate that three need
_HALF_WARP = WARP // 2


def _wide_share(listed: int) -> Fraction:
    """The share of a list's passes in which a thread of the upper half of a warp takes part."""
    full, rest = divmod(listed, WARP)
    return Fraction(full + (rest > _HALF_WARP), full + (rest > 0))


def compared_in_pairs(launch: Launch) -> dict[str, int]:
    requests, wavefronts = 0, Fraction(0)
    for warp in lines_of(launch).warps:
        for times, listed in _passes(warp):
            turns, rest = divmod(listed, _UNROLLED)
            pairs, single = 2 * turns + (rest > 0), rest == 3
            loads = 2 * turns + _LOADS_OF_REST[rest]
            requests += warp.alike * times * (loads - listed)
            of_pass = pairs * (1 + _wide_share(listed)) + single - listed
            wavefronts += warp.alike * times * of_pass
    return {"shared_load_requests": requests, "shared_load_wavefronts": int(wavefronts)}


# Of each warp, and of each turn over the chosen sectors, in f16.
_SPILLED = {
    "18_topk_by_threshold": {"store": (3, 2), "load": (1, 1)},
    "18_topk_by_threshold/top_k_only": {"store": (2, 0), "load": (1, 0)},
}


def spilled(launch: Launch) -> dict[str, int]:
    if launch.dtype != "f16":
        return {}
    warps, turns = launch.blocks * launch.warps, _turns_again(launch)
    return {
        f"local_{kind}_requests": of_warp * warps + of_turn * turns
        for kind, (of_warp, of_turn) in _SPILLED[launch.unit].items()
    }


# ---- what depends on the order in which warps list ----

_STORE_FIGURES = ("shared_store_wavefronts", "shared_store_bank_conflicts")
_RESULT_FIGURES = ("global_store_requests", "global_store_sectors")
ORDERED = (_STORE_FIGURES, _RESULT_FIGURES)  # each pair is looked at together
_RESULT_BYTES = (4, 8)  # of a value and of an index


def _numbers_fit(launch: Launch, gpu: dict[str, int], expected: dict[str, int], most: float) -> bool:
    """Whether the stores of the numbers of chosen sectors can be what `gpu` has otherwise than
    `expected`: one where a warp has a chosen sector, each of a wavefront for every conflict too.
    There may be so many conflicts `most` beside them."""
    lines = lines_of(launch)
    wavefronts, conflicts = (
        lines.counter(_STORE_NUMBER, name) + gpu[name] - expected[name] for name in _STORE_FIGURES
    )
    chosen = [min(launch.k, sectors) for sectors in _sectors(launch)]
    least = sum(-(-number // WARP) for number in chosen)
    passes = lines.total(lambda warp: warp.times(_PLACE_OF_SECTOR, _LOAD))
    return least <= wavefronts - conflicts <= passes and 0 <= conflicts <= sum(chosen) + most


def _results_fit(launch: Launch, requests: int, sectors: int) -> bool:
    """Whether the warps that have one of the K best can store them so: a value and an index."""
    passes = lines_of(launch).total(lambda warp: warp.times(_PLACE_OF_COLUMN, _LOAD))
    kinds = len(_RESULT_BYTES)
    fewest = launch.blocks * -(-launch.k // WARP)
    least = launch.blocks * sum(-(-launch.k * size // _SECTOR_BYTES) for size in _RESULT_BYTES)
    return (
        kinds * fewest <= requests <= kinds * passes
        and least <= sectors <= kinds * launch.blocks * launch.k
    )


def fits_an_order(
    pair: tuple[str, ...],
    launch: Launch,
    gpu: dict[str, int],
    expected: dict[str, int],
    most: float,
) -> bool:
    """Whether the two figures that one run of a launch has otherwise than `expected` may come of
    another order of its lists. A block of one warp has but one."""
    if launch.unit not in _REDUCTIONS or launch.warps == 1:
        return False
    if pair == _STORE_FIGURES:
        return _numbers_fit(launch, gpu, expected, most)
    requests, sectors = (gpu[name] for name in pair)
    return _results_fit(launch, requests, sectors)
