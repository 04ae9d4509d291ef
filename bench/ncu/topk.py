"""What nvcc makes of step 18, whose loops turn as often as the logits say: rules that take from the
executor what each line did, and how often each warp came to it."""

from fractions import Fraction

from figures import Launch
from lines import Lines, Warp
from rows import InputError

WARP = 32
STEP = "18_topk_by_threshold"
TOP_K_ONLY = f"{STEP}/top_k_only"
NO_FLOOR = f"{STEP}/no_floor"
ROW_AGAIN = f"{STEP}/row_again"
CLUSTER = f"{STEP}/cluster"
OF_ONE_BLOCK = (STEP, TOP_K_ONLY, NO_FLOOR, ROW_AGAIN)  # a row
UNITS = (*OF_ONE_BLOCK, CLUSTER)
_BLOCKS_OF_CLUSTER = 8
_PER_QUAD = 4  # maxima of sectors that are looked at at once
_SECTOR_BYTES = 32
_VECTORS_PER_SECTOR = 2
_IN_FLIGHT = 4  # vectors of a thread

_LOAD, _STORE, _ATOMIC = "shared load", "shared store", "shared atomic"

# Lines of the step, by what is in no other line. A variant may lack some.
_PAST_SECTORS = "sectors + thread] = kNoRank;"
_LIST_SECTOR = (
    "const int place = atomicAdd(&told.few, 1);",
    "const int place = atomicAdd(&listed, 1);",
)
_STORE_SECTOR = (
    "if (place < kFew) few[place] = entry_of(ranks[i], sector + i);",
    "if (place < most) list[place] = entry_of(ranks[i], sector + i);",
)
_PLACE_OF_SECTOR = "const int place = place_of(few[i], few, told.few);"
_PLACE_OF_CANDIDATE = "const int place = listed <= k ? i : place_of(list[i], list, listed);"
_STORE_PLACED = ("if (place < k) numbers[place] =", "if (place < k) best[place] = list[i];")
_ADD_CANDIDATES = "told.begin = atomicAdd(&cluster.map_shared_rank(&told, 0)->candidates"
_LOAD_BEGIN = "Entry* to = cluster.map_shared_rank(candidates, 0) + told.begin;"
_TO_FIRST_BLOCK = "to[i] = own[i];"
_TO_ALL_BLOCKS = "cluster.map_shared_rank(of_blocks, thread)[cluster.block_rank()] = mine;"
_STORE_CHOSEN = "told.chosen = min(k, told.few);"
_ADD_CHOSEN = "int place = atomicAdd(&told.chosen, those);"
_STORE_NUMBER = "if (is_chosen[i]) numbers[place++] = sector + i;"
_LOAD_NUMBER = (
    "const int vector = numbers[first + thread] * kVectorsPerSector;",
    "const int vector = static_cast<int>(place_in(own[begin + thread])) * kVectorsPerSector;",
)
_LOAD_AGAIN = "const Vector again[] = {x_vectors[vector], x_vectors[vector + 1]};"
_LIST_COLUMNS = "int place = atomicAdd(&told.listed, those);"
_STORE_COLUMN = "list[place++] = entry_of(rank, col + i);"
_COPY_BEST = "best[atomicAdd(&told.among_best, 1)]"
_PLACE_OF_COLUMN = "const int place = place_of(list[i], list, told.listed);"
_COMPARE = "place += entries[i] > mine;"
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


def _sectors_of_blocks(launch: Launch) -> list[int]:
    """The same of each block: in a cluster its share of them."""
    if launch.unit != CLUSTER:
        return _sectors(launch)
    shares = []
    for sectors in _sectors(launch):
        share = -(-sectors // _BLOCKS_OF_CLUSTER)
        shares += [min(share, max(0, sectors - i * share)) for i in range(_BLOCKS_OF_CLUSTER)]
    return shares


def _chosen(launch: Launch) -> list[int]:
    return [min(launch.k, sectors) for sectors in _sectors(launch)]


def _turns_again(launch: Launch) -> int:
    """Of all warps over the chosen sectors."""
    return sum(-(-chosen // launch.block[0]) for chosen in _chosen(launch)) * launch.warps


def _edges_listed(warp: Warp) -> int:
    """How often the warp lists edges of the row, which are before the columns of its sectors."""
    stores = warp.at(_STORE_COLUMN, _STORE)
    return sum(stores[:-1] if _turns_of_sectors(warp) else stores)


def _turns_of_sectors(warp: Warp) -> int:
    """How often it comes to sectors of which it may list columns."""
    loads = warp.at(_LOAD_AGAIN, "global load")
    return warp.times(_LOAD_NUMBER, _LOAD) or (loads[0] if loads else 0)


def _sectors_listed(warp: Warp) -> int:
    """How often it lists columns of its sectors. Where rows are short, g++ makes two copies of the
    code that does, and lanes of one turn may run both."""
    listed = warp.times(_LIST_COLUMNS, _ATOMIC) - _edges_listed(warp)
    return min(listed, _turns_of_sectors(warp))


# ---- reductions and additions ----

_REDUCTIONS = {STEP: 1, TOP_K_ONLY: 3, NO_FLOOR: 2, ROW_AGAIN: 1}  # of each warp
_SHUFFLES_OF_A_REDUCTION = 32  # on the executor


def reductions(launch: Launch) -> dict[str, int]:
    times = _REDUCTIONS[launch.unit] * launch.blocks * launch.warps
    return {"shuffles": -_SHUFFLES_OF_A_REDUCTION * times}


def added_at_once(launch: Launch) -> dict[str, int]:
    """Sectors that lanes list with one instruction stand side by side, so that their stores have no
    conflicts. On the executor each lane lists all of its own before the next one does."""

    def of_warp(warp: Warp) -> int:
        ones = (*_LIST_SECTOR, _COPY_BEST, _ADD_CANDIDATES)
        return warp.times(ones, _ATOMIC) + _edges_listed(warp)

    lines = lines_of(launch)
    conflicts = lines.counter(_STORE_SECTOR, "shared_store_bank_conflicts")
    return {
        "shuffles": lines.total(of_warp),
        "shared_store_wavefronts": -conflicts,
        "shared_store_bank_conflicts": -conflicts,
    }


_SHUFFLES_OF_A_SCAN = 7


def added_by_scan(launch: Launch) -> dict[str, int]:
    """Of a block's first `k` lanes, all of a warp's have a chosen sector but in its last warp."""
    votes = lines_of(launch).total(
        lambda warp: _sectors_listed(warp) + warp.times(_ADD_CHOSEN, _ATOMIC)
    )
    full = sum(chosen // WARP for chosen in _chosen(launch))
    return {"votes": votes, "shuffles": _SHUFFLES_OF_A_SCAN * full}


# ---- stores ----


def _passes_over_sectors(warp: Warp) -> int:
    """How often threads look for the place of a sector. Where no more than K are candidates, the
    source loads none of them before it stores it."""
    compared = warp.times((_PLACE_OF_SECTOR, _PLACE_OF_CANDIDATE), _LOAD)
    return compared or warp.times(_STORE_PLACED, _STORE)


# Numbers that the first thread sets to 0, and the stores that this takes.
_CLEARED = {STEP: (3, 2), TOP_K_ONLY: (3, 2), NO_FLOOR: (2, 1), ROW_AGAIN: (1, 1), CLUSTER: (4, 3)}


def cleared_at_once(launch: Launch) -> dict[str, int]:
    numbers, stores = _CLEARED[launch.unit]
    return {
        "shared_store_requests": launch.blocks * (stores * launch.warps - numbers),
        "shared_store_wavefronts": launch.blocks * (stores - numbers),
    }


def _turns_without_a_first_maximum(launch: Launch) -> int:
    """The turns over a row of those warps of which no lane stores the first of its maxima."""
    turn = _IN_FLIGHT * launch.block[0]
    turns = 0
    for sectors in _sectors_of_blocks(launch):
        vectors = sectors * _VECTORS_PER_SECTOR
        for first in range(0, vectors, turn):
            turns += max(0, launch.warps - -(-(vectors - first) // WARP))
    return turns


def under_predicates(launch: Launch) -> dict[str, int]:
    per_sector = _SECTOR_BYTES // _size(launch)
    few = launch.unit in (STEP, TOP_K_ONLY)

    def of_warp(warp: Warp) -> int:
        once = 1 + few - warp.times(_PAST_SECTORS, _STORE) - warp.times(_STORE_CHOSEN, _STORE)
        placed = _passes_over_sectors(warp) - warp.times(_STORE_PLACED, _STORE)
        listed = warp.times(_LIST_SECTOR, _ATOMIC) - warp.times(_STORE_SECTOR, _STORE)
        added = warp.times(_ADD_CHOSEN, _ATOMIC)
        numbers = _PER_QUAD * added - warp.times(_STORE_NUMBER, _STORE)
        sectors = _sectors_listed(warp)
        columns = warp.at(_STORE_COLUMN, _STORE)[-1] if sectors else 0  # behind the edges'
        return once + listed + placed + numbers + per_sector * sectors - columns

    stores = lines_of(launch).total(of_warp) + _turns_without_a_first_maximum(launch)
    return {"shared_store_requests": stores}


# ---- loads ----


def kept_in_registers(launch: Launch) -> dict[str, int]:
    """Of the number of chosen sectors, one load before the turns and one in each remain."""

    def of_warp(warp: Warp) -> int:
        ends = warp.times((*_ENDS_OF_LISTS, *_ENDS_OF_CHOSEN), _LOAD)
        compared = warp.times(_PLACE_OF_CANDIDATE, _LOAD)
        again = warp.times(_STORE_PLACED[1], _LOAD) if compared else 0
        begins = warp.times(_LOAD_BEGIN, _LOAD) - (warp.times(_TO_FIRST_BLOCK, _LOAD) > 0)
        return -(ends + again + begins)

    loads = lines_of(launch).total(of_warp)
    if launch.unit not in (ROW_AGAIN, CLUSTER):
        loads += launch.blocks * launch.warps + _turns_again(launch)
    return {"shared_load_requests": loads, "shared_load_wavefronts": loads}


def _passes(warp: Warp) -> list[tuple[int, int]]:
    """Over the sectors listed and over the columns listed: how often, and how many."""
    loads = warp.at(_COMPARE, _LOAD)
    lines = (_PLACE_OF_SECTOR, _PLACE_OF_CANDIDATE, _PLACE_OF_COLUMN)
    passes = [times for times in (warp.times(line, _LOAD) for line in lines) if times]
    if len(loads) != len(passes) or any(n % m for n, m in zip(loads, passes, strict=True)):
        raise InputError(f"{warp.source}: {loads} entries compared in {passes} passes")
    return [(times, of_all // times) for times, of_all in zip(passes, loads, strict=True)]


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
    return {"shared_load_requests": requests, "shared_load_wavefronts": _whole(wavefronts)}


def _whole(count: Fraction) -> int:
    """A rule that is right gives a whole number."""
    if count.denominator != 1:
        raise InputError(f"a rule of step 18 gives {count}, which is no whole number")
    return int(count)


# ---- histograms ----

_LOAD_BIN = "mine += histogram.bins[bin - i];"
_LOAD_BIN_AGAIN = "above += histogram.bins[bin];"
_LOWEST_BIN = ("histogram.bin = kLowestBin;", "histogram.in_it = histogram.bins[kLowestBin];")
_OTHER_BIN = ("histogram.bin = bin;", "histogram.in_it = histogram.bins[bin];")
_FOUND = (
    "k -= histogram.above;",
    "const unsigned in_it = histogram.in_it;",
    "if (histogram.bin == kLowestBin) return {lowest, k, in_it};",
)
_BINS_OF_LANE, _LOADS_OF_BINS = 8, 3
# The lanes' bins are 32 bytes apart. So eight loads of 4 bytes take eight wavefronts each; one of
# them and two of 16 bytes, of which eight lanes are served at once, take eight each, too.
_MORE_WAVEFRONTS_OF_BINS = 3 * 8 - 8 * 8
_MORE_CONFLICTS_OF_BINS = (7 + 2 * 4) - 8 * 7
_NUMBERS_OF_BIN, _STORES_OF_BIN = 3, 2


def histograms(launch: Launch) -> dict[str, int]:
    """The warp that looks loads the number of keys in the lowest bin whatever it finds, and if it
    finds another that bin's number again. Its stores for the lowest bin are executed, too."""
    lines = lines_of(launch)
    rounds = lines.times(_LOAD_BIN, _LOAD) // _BINS_OF_LANE
    lowest, others = (lines.times(line, _STORE) for line in (_LOWEST_BIN[0], _OTHER_BIN[0]))
    warps = lines.times(_FOUND[0], _LOAD)  # which load with one instruction what was found
    fewer = (_LOAD_BIN_AGAIN, _LOWEST_BIN[1], _OTHER_BIN[1], *_FOUND)
    loads = others + warps - lines.times(fewer, _LOAD)
    merged = _NUMBERS_OF_BIN - _STORES_OF_BIN
    return {
        "shared_load_requests": loads + rounds * (_LOADS_OF_BINS + 1 - _BINS_OF_LANE),
        "shared_load_wavefronts": loads + lowest + warps + rounds * _MORE_WAVEFRONTS_OF_BINS,
        "shared_load_bank_conflicts": rounds * _MORE_CONFLICTS_OF_BINS,
        "shared_store_requests": (rounds - lowest) * _STORES_OF_BIN - (lowest + others) * merged,
        "shared_store_wavefronts": -(lowest + others) * merged,
    }


# ---- a list that is full ----

_CLEAR_BEST = "if (threadIdx.x == 0) told.among_best = 0;"
_LISTED_AGAIN = "if (thread == 0) told.listed = k;"
_END_OF_LIST = "i < told.listed; i += blockDim.x"
_LOAD_LISTED = "f(static_cast<Rank>(list[i] >> 32), ~static_cast<unsigned>(list[i]));"
_COUNT_KEY = "atomicAdd(&histogram.bins[bin], 1);"


def copied_best(launch: Launch) -> dict[str, int]:
    """A list is looked at once for each round of its histogram and once more for the K best. The
    rounds need ranks alone, the upper 4 bytes of entries: where more than 16 lanes load one, two of
    them want a bank. Two wavefronts they take anyway."""
    lines = lines_of(launch)
    copies = lines.times(_CLEAR_BEST, _STORE)
    if copies == 0:
        return {}
    rounds = lines.times(_LOAD_BIN, _LOAD) // _BINS_OF_LANE
    looks = rounds + copies
    ends = (
        looks * launch.warps + lines.times(_COUNT_KEY, _ATOMIC) - lines.times(_END_OF_LIST, _LOAD)
    )
    wide = lines.counter((_LOAD_LISTED,), "shared_load_wavefronts") - lines.times(
        _LOAD_LISTED, _LOAD
    )
    by_first = copies + lines.times(_LISTED_AGAIN, _STORE)
    return {
        "shared_load_requests": ends,
        "shared_load_wavefronts": ends,
        "shared_load_bank_conflicts": _whole(Fraction(wide * rounds, looks)),
        "shared_store_requests": (launch.warps - 1) * by_first,
    }


# ---- registers in local memory ----

# In f16, of each warp and of each turn over the chosen sectors.
_SPILLED = {
    STEP: {"store": (3, 2), "load": (1, 1)},
    TOP_K_ONLY: {"store": (2, 0), "load": (1, 0)},
    NO_FLOOR: {"store": (3, 3), "load": (1, 1)},
}


def _warps_apart(launch: Launch) -> int:
    """How many more parts the warps are in when the loop over the maxima is behind them: lanes that
    leave it earlier than others go on alone until the next barrier."""
    parts = 0
    for sectors in _sectors(launch):
        quads = -(-sectors // _PER_QUAD)
        parts += quads % launch.block[0] % WARP != 0
    return parts


def spilled(launch: Launch) -> dict[str, int]:
    if launch.dtype != "f16" or launch.unit not in _SPILLED:
        return {}
    warps, turns = launch.blocks * launch.warps, _turns_again(launch)
    change = {
        f"local_{kind}_requests": of_warp * warps + of_turn * turns
        for kind, (of_warp, of_turn) in _SPILLED[launch.unit].items()
    }
    if launch.unit == NO_FLOOR:  # one of them behind that loop
        change["local_load_requests"] += _warps_apart(launch)
    return change


# ---- stores to the cluster ----


def stored_to_cluster(launch: Launch) -> dict[str, int]:
    lines = lines_of(launch)
    remote, own, requests = (
        lines.counter((_TO_ALL_BLOCKS, _TO_FIRST_BLOCK), name)
        for name in ("distributed_bytes", "shared_store_bytes", "shared_store_requests")
    )
    return {"global_store_bytes": remote + own, "shared_store_requests": -requests}


# ---- what depends on the order in which warps list ----

_STORE_FIGURES = ("shared_store_wavefronts", "shared_store_bank_conflicts")
_RESULT_FIGURES = ("global_store_requests", "global_store_sectors")
ORDERED = (_STORE_FIGURES, _RESULT_FIGURES)  # each pair is looked at together
_RESULT_BYTES = (4, 8)  # of a value and of an index


def _stores_fit(launch: Launch, gpu: dict[str, int], expected: dict[str, int], most: float) -> bool:
    """Whether the stores of the numbers of chosen sectors, and of the K best of a list that is
    full, can be what `gpu` has otherwise than `expected`: one where a warp has one of them, and a
    wavefront more for every conflict. There may be so many conflicts `most` beside them."""
    lines = lines_of(launch)
    wavefronts, conflicts = (
        lines.counter((*_STORE_PLACED, _COPY_BEST), name) + gpu[name] - expected[name]
        for name in _STORE_FIGURES
    )
    passes = lines.total(_passes_over_sectors)
    halves = 2 if launch.unit == CLUSTER else 1  # of a warp, for it stores 8 bytes of each
    copies = lines.times(_CLEAR_BEST, _STORE)
    chosen = _chosen(launch) if passes else []
    least = sum(-(-number // WARP) for number in chosen) + copies
    best = copies * launch.k
    return (
        least <= wavefronts - conflicts <= halves * passes + best
        and 0 <= conflicts <= sum(chosen) + best + most
    )


def _results_fit(launch: Launch, requests: int, sectors: int) -> bool:
    """Whether the warps that have one of the K best can store them so: a value and an index."""
    passes = lines_of(launch).times(_PLACE_OF_COLUMN, _LOAD)
    kinds = len(_RESULT_BYTES)
    fewest = launch.rows * -(-launch.k // WARP)
    least = launch.rows * sum(-(-launch.k * size // _SECTOR_BYTES) for size in _RESULT_BYTES)
    return (
        kinds * fewest <= requests <= kinds * passes
        and requests <= sectors
        and least <= sectors <= kinds * launch.rows * launch.k
    )


def fits_an_order(
    pair: tuple[str, ...],
    launch: Launch,
    gpu: dict[str, int],
    expected: dict[str, int],
    most: float,
) -> bool:
    """Whether the two figures that one run of a launch has otherwise than `expected` may come of
    another order of its lists. One warp alone has but one."""
    if launch.unit not in UNITS or (launch.warps == 1 and launch.unit != CLUSTER):
        return False
    if pair == _STORE_FIGURES:
        return _stores_fit(launch, gpu, expected, most)
    requests, sectors = (gpu[name] for name in pair)
    return _results_fit(launch, requests, sectors)
