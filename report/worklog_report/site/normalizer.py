"""The operator of the worklog, in fp32 as the kernels compute it, and its reductions of a row.

(Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
"""

from typing import NamedTuple

import numpy as np

ROW = (2, 1, 3, 0, 5, 4, 1, 3)  # the eight values of every step's page


class Normalizer(NamedTuple):
    """m, the maximum of what was seen, and d, the sum of exp(x - m) over it."""

    m: np.float32 = np.float32(-np.inf)
    d: np.float32 = np.float32(0)


def of_value(x: float) -> Normalizer:
    return Normalizer(np.float32(x), np.float32(1))


def combine(a: Normalizer, b: Normalizer) -> Normalizer:
    """combine() of steps 03 to 05, but for rows with NaN, which no figure shows."""
    m = max(a.m, b.m)
    if m == -np.inf:
        return Normalizer(m, a.d + b.d)
    return Normalizer(m, a.d * np.exp(a.m - m) + b.d * np.exp(b.m - m))


class Round(NamedTuple):
    distance: int
    pairs: list[Normalizer]  # of the threads that still have one, from thread 0


def tree(pairs: list[Normalizer]) -> list[Round]:
    """block_reduce() of step 04: what shared memory holds after each round, and of how far a
    thread fetched its partner's pair."""
    rounds = []
    while len(pairs) > 1:
        distance = (len(pairs) + 1) // 2
        kept = pairs[:distance]
        for thread in range(len(pairs) - distance):
            kept[thread] = combine(kept[thread], pairs[thread + distance])
        pairs = kept
        rounds.append(Round(distance, pairs))
    return rounds


class WarpRounds(NamedTuple):
    """What the lanes of a warp hold: m and then d, by the distance of the exchange before."""

    maxima: list[tuple[int, list[np.float32]]]
    rescaled: list[np.float32]
    sums: list[tuple[int, list[np.float32]]]

    @property
    def result(self) -> Normalizer:
        return Normalizer(self.maxima[-1][1][0], self.sums[-1][1][0])


def warp_reduce(pairs: list[Normalizer]) -> WarpRounds:
    """warp_reduce() of step 05, in a warp of as many lanes as there are pairs: a power of two."""
    lanes = range(len(pairs))
    distances = [len(pairs) >> round_ for round_ in range(1, len(pairs).bit_length())]
    m = [pair.m for pair in pairs]
    maxima, sums = [], []
    for distance in distances:
        m = [max(m[lane], m[lane ^ distance]) for lane in lanes]
        maxima.append((distance, m))
    d = [pair.d * np.exp(pair.m - top) for pair, top in zip(pairs, m, strict=True)]
    rescaled = d
    for distance in distances:
        d = [d[lane] + d[lane ^ distance] for lane in lanes]
        sums.append((distance, d))
    return WarpRounds(maxima, rescaled, sums)


def maximum_text(m: np.float32) -> str:
    return "-inf" if m == -np.inf else f"{m:g}"


def sum_text(d: np.float32) -> str:
    """1 and 0 as they are; else to four digits behind the point, as the steps' pages have it."""
    return f"{d:g}" if d in (0, 1) else f"{d:.4f}"


def pair_text(pair: Normalizer) -> str:
    return f"({maximum_text(pair.m)}, {sum_text(pair.d)})"
