"""What was recorded, by the functions that a page's claims use (see claims.py).

Each gives a number for a shape, or None where nothing was recorded there. A subject is a step (03),
a variant (05/unsafe) or a baseline (copy, combine, pytorch/softmax).

    time(SUBJECT), gbps(SUBJECT)     the median in microseconds; the bandwidth
    swept(STEP), swept(STEP, 256)    time in the sweep: in the best blocks, or in those of a size
    error(SUBJECT), error(03, wide)  the worst in ulp: of all inputs, or of one kind; infinite
                                     where a result was neither right nor wrong as the step states
    ranks_time(KERNEL[, RESULT])     of several GPUs: a kernel of step 21 (step, in_kernel), or what
                                     stands beside it (copy, all_reduce, pytorch/megatron); the
                                     shape is that of each GPU's slice, the GPUs the fewest
                                     that were timed together
    attempt(STEP, NAME[, GPU])       what was tried on a step and left: how many times as long as
                                     the step it took, in one run on the page's GPU, or on another
    time_on(GPU, SUBJECT)            the median on another GPU than the page's: h200
    candidate(SUBJECT[, GPU])        the median in the newest run of the library beside its peers,
                                     or in that of a GPU, where all steps that could serve its
                                     operation were timed; of a cross-entropy with its mean
    library(SUBJECT[, GPU]), library_with_peers(...), candidate_limit(...)
                                     there, where that step could serve: of the library in our
                                     program and in the peers', and of what moves the same bytes
    figures(listed)                  of the comparison with Nsight Compute, how many are what
    dram_read(STEP[, KERNEL]), dram_write      what Nsight Compute said, in arrays of logits
    l1_hits, l2_hits, occupancy                likewise, in %
    instructions, special_instructions         likewise, of a lane for each logit
    nearest_limit, sm_limit, dram_limit        likewise, in % of what a unit can do
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..results.ladder import LIMITS
from ..results.library_times import OF_ROWS, Cell, read_library_runs
from ..results.profiles import Measured
from ..results.ranks import read_rank_times
from ..results.recorded_run import RecordedRun, read_recorded_run, recorded_gpus
from ..results.records import (
    DTYPES,
    HARD_VALUES,
    InputError,
    Shape,
    holds_also_timed,
    holds_attempts,
    holds_sweep,
    read_json,
    validate,
)

_NUMBER = re.compile(r"[0-9]{2}")
# Figures of Nsight Compute that a claim may name, and how those of several launches become one.
_HARDWARE: dict[str, tuple[Callable[[Measured], float], Callable]] = {
    "dram_read": (lambda launch: launch.arrays("dram_read_bytes"), sum),
    "dram_write": (lambda launch: launch.arrays("dram_write_bytes"), sum),
    "l1_hits": (lambda launch: launch.values.get("l1_hit_percent"), min),
    "l2_hits": (lambda launch: launch.values.get("l2_hit_percent"), min),
    "instructions": (lambda launch: launch.a_logit("warp_instructions"), sum),
    "special_instructions": (lambda launch: launch.a_logit("special_instructions"), sum),
    "occupancy": (lambda launch: launch.values.get("occupancy_percent"), max),
    "nearest_limit": (lambda launch: launch.values.get("limiter_percent"), max),
    "sm_limit": (lambda launch: launch.values.get("throughput_percent", {}).get("SM"), max),
    "dram_limit": (lambda launch: launch.values.get("throughput_percent", {}).get("DRAM"), max),
}

# What a claim may name of the library's run, at a shape where the step was timed.
_CANDIDATES: dict[str, Callable[[Cell, str], float | None]] = {
    "candidate": lambda cell, step: cell.steps[step],
    "candidate_limit": lambda cell, step: cell.limit_us,
    "library": lambda cell, step: cell.library_us,
    "library_with_peers": lambda cell, step: cell.with_peers_us,
}


@dataclass(frozen=True)
class Where:
    """A place to look at: a shape, and a cache that is cold, warm or written, or values that are
    hard for a top-k, with a cold one. No shape: all."""

    shape: Shape | None
    dtype: str = "f32"
    cache: str = "cold"

    def of_type(self, dtype: str) -> "Where":
        shape = replace(self.shape, dtype=dtype) if self.shape else None
        return replace(self, shape=shape, dtype=dtype)

    def __str__(self) -> str:
        shape = f"{self.shape.size()}, {self.dtype}" if self.shape else self.dtype
        return shape + (f", {self.cache}" if self.cache != "cold" else "")


class Measurements:
    """Of the newest recorded run, and of its sweep of block sizes."""

    def __init__(
        self, run: RecordedRun, recorded: list[Path], others: "Sequence[Measurements]" = ()
    ):
        """`others`: of other GPUs, for the pages of steps that this run has not timed."""
        self._run = run
        self._others = others
        self._units = {unit.name for unit in run.units}
        self._times = {
            (getattr(row, "unit", None) or row.name, row.shape, row.cache): row.times
            for row in [*run.run.baselines, *run.run.records]
            if "median_us" in row.times
        }
        self._sweep = _read_sweep(recorded, run.run.machine.name)
        self._of_ranks = read_rank_times(recorded)
        self._attempts = _read_attempts(recorded)
        self._also_timed = _read_also_timed(recorded)
        self._libraries = read_library_runs(recorded)
        self._errors: dict[tuple[str, str, Shape], float] = {}
        for row in run.verified:  # those that were joined with a time have lost their input's name
            error = row.max_ulp if row.verified else math.inf  # neither right nor wrong as stated
            for name in ("", row.input or "random"):
                key = (row.unit, name, row.shape)
                self._errors[key] = max(self._errors.get(key, 0.0), error)
        self._functions = {
            "time": self._time,
            "gbps": self._time,
            "swept": self._swept,
            "error": self._error,
        }
        self._functions |= dict.fromkeys(_HARDWARE, self._hardware)
        self.shapes = {shape for _, shape, _ in self._times}
        self.shapes |= {shape for _, _, shape in self._errors}
        self.shapes |= {shape for _, shape in self._sweep}
        self.shapes |= self._of_ranks.shapes if self._of_ranks else set()
        self.shapes |= {shape for *_, shape in self._attempts}
        self.shapes |= {shape for _, _, shape, _ in self._also_timed}
        self.shapes |= {cell.case.shape for run in self._libraries for cell in run.cells}
        self.shapes |= {row.shape for row in run.hardware.launches} if run.hardware else set()

    def of_page(self, page: Path) -> "Measurements":
        """What a page, named from the root, speaks of."""
        parts = Path(page).parts
        step = parts[1] if parts[0] == "steps" and len(parts) > 1 else ""
        if not step or self._run.run.has_timed(step):
            return self
        return next((other for other in self._others if other._run.run.has_timed(step)), self)

    @property
    def names(self) -> list[str]:
        return sorted(
            [*self._functions, *_CANDIDATES, "attempt", "figures", "ranks_time", "time_on"]
        )

    def value(self, name: str, arguments: list[str], where: Where) -> float | None:
        """Raises InputError if there is no such function, or if it takes other arguments.

        A type as the last argument stands in place of that of `where`.
        """
        if name not in self.names:
            raise InputError(f"there is no function '{name}', only {', '.join(self.names)}")
        if name == "figures":
            return self._figures(arguments)
        if name == "ranks_time":
            return self._ranks_time(arguments, where)
        if name == "attempt":
            return self._attempt(arguments, where)
        if name == "time_on":
            return self._time_on(arguments, where)
        if name in _CANDIDATES:
            return self._candidate(name, arguments, where)
        subject, *rest = arguments
        if rest and rest[-1] in DTYPES:
            where = where.of_type(rest.pop())
        return self._functions[name](name, self._subject(subject), rest, where)

    def _subject(self, text: str) -> str:
        """05/unsafe: 05_warp_shuffle/unsafe"""
        number, _, variant = text.partition("/")
        if not _NUMBER.fullmatch(number):
            if not any(text == name for name, _, _ in self._times):
                raise InputError(f"nothing was measured under the name '{text}'")
            return text
        steps = [unit.step for unit in self._run.units if unit.step.startswith(f"{number}_")]
        name = f"{steps[0]}/{variant}" if steps and variant else steps[0] if steps else text
        if name not in self._units:
            raise InputError(f"there is no step or variant '{text}'")
        return name

    def _time(self, name: str, subject: str, rest: list[str], where: Where) -> float | None:
        """With a copy, a read or a combination being the same for every K, and for all values."""
        shape = _shape(name, where)
        if rest:
            raise InputError(f"is to be written {name}(SUBJECT)")
        if subject in LIMITS:
            shape = Shape(shape.dtype, shape.rows, shape.cols)
            where = replace(where, cache="cold" if where.cache in HARD_VALUES else where.cache)
        times = self._times.get((subject, shape, where.cache), {})
        return times.get("median_us" if name == "time" else "gbps")

    def _swept(self, _: str, subject: str, rest: list[str], where: Where) -> float | None:
        """`rest` may name a block size."""
        if len(rest) > 1 or not all(word.isdigit() for word in rest):
            raise InputError("is to be written swept(STEP) or swept(STEP, BLOCK SIZE)")
        times = self._sweep.get((subject, _shape("swept", where)), {})
        return times.get(rest[0]) if rest else min(times.values(), default=None)

    def _error(self, _: str, subject: str, rest: list[str], where: Where) -> float | None:
        """`rest` may name an input; without a shape, of all shapes."""
        if len(rest) > 1:
            raise InputError("is to be written error(SUBJECT) or error(SUBJECT, INPUT)")
        if subject not in self._units:
            by_cols = self._run.run.baseline_errors.get(subject, {})
            worst = max(by_cols.values(), default=None)
            return by_cols.get(where.shape.cols) if where.shape else worst
        kind = rest[0] if rest else ""
        if where.shape:
            return self._errors.get((subject, kind, where.shape))
        found = [
            error for (name, of, shape), error in self._errors.items()
            if (name, of, shape.dtype) == (subject, kind, where.dtype)
        ]  # fmt: skip
        return max(found, default=None)

    def _ranks_time(self, arguments: list[str], where: Where) -> float | None:
        """Of the fewest GPUs that were timed together."""
        if len(arguments) not in (1, 2):
            raise InputError("is to be written ranks_time(KERNEL) or ranks_time(KERNEL, RESULT)")
        kernel, *results = arguments
        if self._of_ranks is None or kernel not in self._of_ranks.kernels:
            raise InputError(f"no ranks were timed under the name '{kernel}'")
        return self._of_ranks.time(kernel, _shape("ranks_time", where), *results)

    def _attempt(self, arguments: list[str], where: Where) -> float | None:
        if len(arguments) not in (2, 3):
            raise InputError("is to be written attempt(STEP, NAME) or attempt(STEP, NAME, GPU)")
        number, attempt, gpu = [*arguments, self._run.run.machine.name][:3]
        shape = _shape("attempt", where)
        of_it = {
            of: ratio
            for (on, step, name, of), ratio in self._attempts.items()
            if _is_gpu(gpu, on) and step[:2] == number and name == attempt
        }
        if not of_it:
            tried = f"nothing was tried on step {number} under the name '{attempt}'"
            raise InputError(f"{tried} on {gpu}")
        return of_it.get(shape)

    def _time_on(self, arguments: list[str], where: Where) -> float | None:
        """Of a GPU whose run is not the page's."""
        if len(arguments) != 2:
            raise InputError("is to be written time_on(GPU, SUBJECT)")
        gpu, subject = arguments[0], self._subject(arguments[1])
        for other in self._others:
            if _is_gpu(gpu, other._run.run.machine.name):
                return other._time("time", subject, [], where)
        if not any(_is_gpu(gpu, on) for on, *_ in self._also_timed):
            raise InputError(f"no table is left out of a GPU that is called '{gpu}'")
        shape = _shape("time_on", where)
        cache = where.cache
        if subject in LIMITS:
            shape = Shape(shape.dtype, shape.rows, shape.cols)
            cache = "cold"
        found = (
            median
            for (on, of, at, values), median in self._also_timed.items()
            if _is_gpu(gpu, on) and (of, at, values) == (subject, shape, cache)
        )
        return next(found, None)

    def _candidate(self, name: str, arguments: list[str], where: Where) -> float | None:
        if len(arguments) not in (1, 2):
            raise InputError(f"is to be written {name}(SUBJECT) or {name}(SUBJECT, GPU)")
        word, *gpus = arguments
        subject, shape = self._subject(word), _shape(name, where)
        runs = [run for run in self._libraries if not gpus or _is_gpu(gpus[0], run.context["gpu"])]
        if gpus and not runs:
            raise InputError(f"the library was not timed on a GPU that is called '{gpus[0]}'")
        found = (
            _CANDIDATES[name](cell, subject)
            for run in runs[:1]
            for cell in run.cells
            if (cell.case.cache, cell.case.shape) == (where.cache, shape) and subject in cell.steps
            if cell.case.operation != OF_ROWS  # by the steps of the mean: but for it a step has one
        )
        return next(found, None)

    def _figures(self, arguments: list[str]) -> float | None:
        """How many are equal, ruled, listed or unexplained; or have that reason."""
        parity = self._run.parity
        if parity is None:
            return None
        (kind,) = arguments if len(arguments) == 1 else ("",)
        if kind in ("equal", "ruled", "listed", "unexplained"):
            return getattr(parity.total, kind)
        if kind not in parity.reasons:
            raise InputError(f"the comparison has no reason '{kind}'")
        return sum(kind in difference.reasons for difference in parity.differences)

    def _hardware(self, name: str, subject: str, rest: list[str], where: Where) -> float | None:
        """A figure of Nsight Compute; `rest` may name a kernel."""
        if len(rest) > 1:
            raise InputError(f"is to be written {name}(STEP) or {name}(STEP, KERNEL)")
        shape, hardware = _shape(name, where), self._run.hardware
        launches = hardware.of(subject, shape) if hardware else []
        if rest and launches and not any(launch.kernel == rest[0] for launch in launches):
            raise InputError(f"{subject} has no kernel '{rest[0]}'")
        figure, together = _HARDWARE[name]
        found = [figure(launch) for launch in launches if not rest or launch.kernel == rest[0]]
        found = [value for value in found if value is not None]
        return together(found) if found else None


def read_measurements(recorded: list[Path], steps: Path) -> Measurements:
    """Of the main GPU, with those of the others."""
    main, *others = [
        read_recorded_run(recorded, [], steps, gpu) for gpu in recorded_gpus(recorded)
    ] or [read_recorded_run(recorded, [], steps)]
    return Measurements(main, recorded, [Measurements(other, recorded) for other in others])


def _shape(function: str, where: Where) -> Shape:
    if where.shape is None:
        raise InputError(f"{function}() needs a shape, such as 'at 4000 x 4000'")
    return where.shape


def _read_sweep(recorded: list[Path], gpu: str) -> dict[tuple[str, Shape], dict[str, float]]:
    """Times by block size, of the GPU's sweeps among the files: of a step at a shape the newest."""
    found, sweep = {}, []
    for path in sorted(recorded, key=lambda path: path.name):  # which ends in its date
        data = read_json(path)
        if holds_sweep(data):
            validate(path, data, "sweep.schema.json")
            sweep += data["sweep"] if data["context"]["gpu"] == gpu else []
    for row in sweep:
        unit = f"{row['step']}/{row['variant']}" if row["variant"] else row["step"]
        sizes = row["block_sizes"].items()
        times = {size: time["median_us"] for size, time in sizes if "median_us" in time}
        found[unit, Shape(row["dtype"], row["rows"], row["cols"], row["k"])] = times
    return found


def _is_gpu(word: str, name: str) -> bool:
    """h200: NVIDIA H200"""
    return word.casefold() in name.casefold()


def _read_attempts(recorded: list[Path]) -> dict[tuple[str, str, str, Shape], float]:
    """By GPU, step, attempt and shape, how many times as long as the step it took: the last
    recorded.
    """
    files = [(path, data) for path in recorded if holds_attempts(data := read_json(path))]
    found = {}
    for path, data in sorted(files, key=lambda file: file[1]["context"].get("date", "")):
        validate(path, data, "attempts.schema.json")
        gpu = data["context"]["gpu"]
        for row in data["attempts"]:
            shape = Shape(row["dtype"], row["rows"], row["cols"], row["k"])
            ratio = row["median_us"] / row["step_median_us"]
            found[gpu, row["step"], row["attempt"], shape] = ratio
    return found


def _read_also_timed(recorded: list[Path]) -> dict[tuple[str, str, Shape, str], float]:
    """Medians by GPU, subject, shape, and "cold" or the values that are hard: the last recorded."""
    files = [(path, data) for path in recorded if holds_also_timed(data := read_json(path))]
    found = {}
    for path, data in sorted(files, key=lambda file: file[1]["context"].get("date", "")):
        validate(path, data, "also_timed.schema.json")
        for row in data["also_timed"]:
            shape = Shape(row["dtype"], row["rows"], row["cols"], row["k"])
            key = data["context"]["gpu"], row["of"], shape, row.get("values", "cold")
            found[key] = row["median_us"]
    return found
