"""Times of several GPUs together, and a model of what more of them would take."""

from dataclasses import dataclass
from pathlib import Path

from .records import InputError, Shape, holds_ranks, read_json, validate

# What the model assumes and nobody measured here. Page 21 says so of each.
HOP_US = 5.0  # of NCCL's ring: from a GPU to the next
LINK = 300.0  # KB per microsecond between two GPUs of a machine
LINK_BETWEEN = 40.0  # and between two machines
IN_MACHINE = 8  # GPUs, which reach each other's memory
WORD_US = 1.0  # from a kernel's store to another GPU's load that sees it

_PAIR_KB = 8 / 1000  # of a row: m and d
_ALONE = "slice_alone/"  # a kernel that asks no other GPU


@dataclass(frozen=True)
class RankTimes:
    """Medians in microseconds of one kind of GPU, by kernel, result, slice and number of GPUs."""

    gpu: str
    date: str  # of the newest
    medians: dict[tuple[str, str, Shape, int], float]

    @property
    def numbers(self) -> list[int]:
        """Of GPUs that were timed together."""
        return sorted({ranks for _, _, _, ranks in self.medians})

    @property
    def fewest(self) -> int:
        """More than one, unless there is none: what pages speak of."""
        return min([ranks for ranks in self.numbers if ranks > 1] or self.numbers)

    @property
    def kernels(self) -> set[str]:
        return {kernel for kernel, _, _, _ in self.medians}

    @property
    def shapes(self) -> set[Shape]:
        """Of each GPU's slice."""
        return {shape for _, _, shape, _ in self.medians}

    def time(self, kernel: str, shape: Shape, result: str = "", ranks: int = 0) -> float | None:
        """Of a softmax unless another result is named, and of the fewest GPUs."""
        # What gives no result, such as a copy, has no name for one.
        for of in [result] if result else ["softmax", ""]:
            found = self.medians.get((kernel, of, shape, ranks or self.fewest))
            if found is not None:
                return found
        return None

    def by_ranks(self, kernel: str, shape: Shape) -> dict[int, float]:
        """The times of a kernel's softmax; of one GPU, where it asked no other."""
        found = [(1, self.time(_ALONE + kernel, shape))]
        found += [(ranks, self.time(kernel, shape, "", ranks)) for ranks in self.numbers]
        return {ranks: time for ranks, time in found if time is not None}

    def __str__(self) -> str:
        """2 × NVIDIA H200, 2026-11-25"""
        numbers = " and ".join(map(str, self.numbers))
        return f"{numbers} × {self.gpu}, {self.date[:10]}".rstrip(", ")


def read_rank_times(recorded: list[Path]) -> RankTimes | None:
    """Of each kernel and shape the time that was recorded last; None where no file has any.

    Raises InputError if the files are not all of one GPU: a page does not name it.
    """
    files = [(path, data) for path in recorded if holds_ranks(data := read_json(path))]
    for path, data in files:
        validate(path, data, "ranks.schema.json")
    gpus = sorted({data["context"]["gpu"] for _, data in files})
    if len(gpus) > 1:
        names = " and ".join(gpus)
        raise InputError(f"times of several GPUs are of one kind at a time, not of {names}")
    medians, date = {}, ""
    for _, data in sorted(files, key=lambda file: file[1]["context"].get("date", "")):
        date = data["context"].get("date", "")
        for row in data["of_ranks"]:
            if "median_us" in row:
                shape = Shape(row["dtype"], row["rows"], row["cols_of_a_slice"])
                key = (row["kernel"], row["result"], shape, row["ranks"])
                medians[key] = row["median_us"]
    return RankTimes(gpus[0], date, medians) if medians else None


@dataclass(frozen=True)
class Model:
    """What a softmax takes where each of n GPUs has a slice of the same shape, so that rows grow
    with n. It begins with what was measured: a copy of a slice, the all-gather of the fewest GPUs,
    and a kernel that asks nobody. Page 21 derives it."""

    rows: int
    copy_us: float
    gather_us: float  # of `ranks` GPUs
    ranks: int
    alone_us: float

    def exchange(self, ranks: int) -> float:
        """An all-gather: a hop more for each GPU more, in which a link carries a pair a row."""
        if ranks == 1:
            return 0.0
        link = LINK if ranks <= IN_MACHINE else LINK_BETWEEN
        return self.gather_us + (ranks - self.ranks) * (HOP_US + self.rows * _PAIR_KB / link)

    def step(self, ranks: int) -> float:
        """Reads the slice twice and writes once, one and a half copies, with an exchange between
        them."""
        return 1.5 * self.copy_us + self.exchange(ranks)

    def in_kernel(self, ranks: int) -> float | None:
        """The exchange of all rows but the last ones hides behind others' loads and stores. None
        where the GPUs have no common memory."""
        if ranks > IN_MACHINE:
            return None
        return self.alone_us + (WORD_US if ranks > 1 else 0.0)


def model_of(times: RankTimes, shape: Shape, kernel: str) -> Model | None:
    """With `kernel` for the one that exchanges by itself; None where something is not recorded."""
    copies = [time for name in ("copy", "memcpy") if (time := times.time(name, shape))]
    gather, alone = times.time("all_gather", shape), times.time(_ALONE + kernel, shape)
    if not copies or gather is None or alone is None:
        return None
    return Model(shape.rows, min(copies), gather, times.fewest, alone)
