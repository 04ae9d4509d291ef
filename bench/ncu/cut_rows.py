"""How rows are cut among the blocks of a cluster, and what asynchronous copies of their vectors
count on a GPU: a request's sectors are those that it writes in shared memory, from each line of the
source."""

from figures import Launch

WARP = 32
_COPY_BYTES = 16
_SECTOR_BYTES = 32
_LINE_BYTES = 128
VECTORS_OF_LINE = _LINE_BYTES // _COPY_BYTES
_HELD = 32  # elements of a thread of step 16's four_blocks, before anything waits


def blocks_a_row(launch: Launch) -> int:
    return launch.blocks // launch.rows


def elements_of_vector(launch: Launch) -> int:
    return _COPY_BYTES // (4 if launch.dtype == "f32" else 2)


def _copied_sectors(lanes: int, offset: int) -> int:
    """Of a request that copies from a multiple of 128 bytes to `offset` past one: one for each
    sector that it writes, from each line of the source."""
    copies = range(0, lanes * _COPY_BYTES, _COPY_BYTES)
    return len({((offset + at) // _SECTOR_BYTES, at // _LINE_BYTES) for at in copies})


def more_at_half_a_sector(share: int, held: int) -> int:
    """Sectors, if what waits of a block's vectors, behind those that its threads hold, lies half a
    sector further on."""
    of_warps = [min(WARP, share - first) for first in range(held, share, WARP)]
    return sum(
        _copied_sectors(lanes, _COPY_BYTES) - _copied_sectors(lanes, 0) for lanes in of_warps
    )


def copies_to_half_a_sector(launch: Launch) -> dict[str, int]:
    blocks = blocks_a_row(launch)
    per_vector = elements_of_vector(launch)
    vectors = launch.cols // per_vector
    lines = -(-vectors // VECTORS_OF_LINE)
    share = -(-lines // blocks) * VECTORS_OF_LINE
    held = launch.block[0] * _HELD // per_vector
    shares = [min(share, vectors - block * share) for block in range(blocks)]
    more = sum(more_at_half_a_sector(share, held) for share in shares)
    return {"global_load_sectors": launch.rows * more}


def vectors_of_blocks(launch: Launch) -> list[range]:
    """Of every row, as cut_row and share_of cut it, from the line on in which its first one lies.
    A block's begin with a line."""
    blocks, per_vector = blocks_a_row(launch), elements_of_vector(launch)
    vectors = []
    for row in range(launch.rows):
        first_of_row = row * launch.cols
        head = -first_of_row % per_vector
        first = (first_of_row + head) // per_vector % VECTORS_OF_LINE
        end = first + max(launch.cols - head, 0) // per_vector
        lines = -(-end // VECTORS_OF_LINE)
        share = -(-lines // blocks) * VECTORS_OF_LINE
        begins = range(0, blocks * share, share) if share else [0] * blocks
        vectors += [range(max(begin, first), min(begin + share, end)) for begin in begins]
    return vectors


def shares(launch: Launch) -> list[int]:
    """The vectors of each block of step 20, with those of the first line that lie before the
    row."""
    return [
        vectors.stop - vectors.start // VECTORS_OF_LINE * VECTORS_OF_LINE if vectors else 0
        for vectors in vectors_of_blocks(launch)
    ]


# ---- both arrays in shared memory ----


def _requests_of_vectors(launch: Launch) -> list[range]:
    """Of one array: the vectors that each warp copies at once."""
    return [
        vectors[first : first + WARP]
        for vectors in vectors_of_blocks(launch)
        for first in range(0, len(vectors), WARP)
    ]


def copies_behind_a_head(launch: Launch) -> dict[str, int]:
    """Of both arrays. The executor's pairs are those of lanes."""
    more = 0
    for vectors in _requests_of_vectors(launch):
        pairs = {((i - vectors[0]) // 2, i // VECTORS_OF_LINE) for i in vectors}
        more += len({i // 2 for i in vectors}) - len(pairs)
    return {"global_load_sectors": 2 * more}
