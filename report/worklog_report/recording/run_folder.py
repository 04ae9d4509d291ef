"""The folder that bench/run_on_gpu.sh leaves: which of its files are results, and of what."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..results.profiles import read_profiles
from ..results.records import InputError, read_bench, read_json, read_records, validate

_DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"


@dataclass(frozen=True)
class Kind:
    """One kind of results: its file in the folder, the parts of the run that made it, its place."""

    file: str
    parts: tuple[str, ...]
    place: str  # below the repository, with the GPU's name and the date of the run to fill in

    def target(self, gpu: str, date: str) -> str:
        return self.place.format(gpu=_slug(gpu), date=date)

    def earlier(self, root: Path, gpu: str) -> list[Path]:
        """What lies there of runs of this GPU."""
        return sorted(root.glob(self.target(gpu, _DATE)))


TIMES = Kind("results.json", ("bench", "baselines"), "bench/results/{gpu}_{date}.json")
RECORDS = Kind("records.json", ("verify",), "bench/results/{gpu}_{date}_records.json")
HARDWARE = Kind("ncu_hardware.json", ("profile",), "bench/results/hardware_{gpu}_{date}.json")
PARITY = Kind("ncu_parity.json", ("parity",), "bench/results/parity_{gpu}_{date}.json")
SWEEP = Kind("sweep.json", ("sweep",), "bench/sweeps/{gpu}_{date}.json")
KINDS = (TIMES, RECORDS, HARDWARE, PARITY, SWEEP)
# Parts that leave no file: they go well or not.
NEVER_FILES = (Kind("", ("sanitize",), ""), Kind("", ("huge",), ""))


class RunFolder:
    """Raises InputError that names the file unless all results in it can be read, and are of one
    GPU. `parity` takes the place of ncu_parity.json, which has the profiler's counts alone.
    """

    def __init__(self, folder: Path, parity: Path | None):
        self._folder = folder
        done = folder / "done.txt"
        if not done.is_file():
            raise InputError(f"{folder}: has no done.txt: not a folder of bench/run_on_gpu.sh")
        self._done = set(done.read_text("utf-8").splitlines())
        paths = {kind: folder / kind.file for kind in KINDS if (folder / kind.file).is_file()}
        if not paths:
            raise InputError(f"{folder}: has no results, such as {TIMES.file}")
        if PARITY in paths:
            if parity is None:
                raise InputError(
                    f"{paths[PARITY]}: needs --parity, the executor's counts beside it"
                )
            paths[PARITY] = parity
        self.kinds = list(paths)
        data = {kind: _read(kind, path) for kind, path in paths.items()}
        self.texts = {kind: path.read_text("utf-8") for kind, path in paths.items()}
        self.gpu = self._one_gpu(data)
        self.date = _date(data)
        self._times = data.get(TIMES)

    def went_well(self, kind: Kind) -> bool:
        return set(kind.parts) <= self._done

    def steps_without_times(self, steps: Path) -> list[str]:
        if self._times is None:
            return []
        timed = {row["step"] for row in self._times["benchmarks"] if "step" in row}
        return [step.name for step in sorted(steps.glob("[0-9][0-9]_*")) if step.name not in timed]

    def _one_gpu(self, data: dict[Kind, Any]) -> str:
        gpus = {kind: _gpu(kind, document) for kind, document in data.items()}
        first = next(iter(gpus.values()))
        for kind, gpu in gpus.items():
            if gpu != first:
                raise InputError(f"{self._folder / kind.file}: is of {gpu}, the others of {first}")
        return first


def _read(kind: Kind, path: Path) -> Any:
    """Its content, once the report's own reader has taken it."""
    if kind is TIMES:
        read_bench(path, recorded=True)
    elif kind is RECORDS:
        read_records(path)
    elif kind is SWEEP:
        validate(path, read_json(path), "sweep.schema.json")
    else:
        read_profiles([path])
    return read_json(path)


def _gpu(kind: Kind, document: Any) -> str:
    return document["records"][0]["machine"] if kind is RECORDS else document["context"]["gpu"]


def _date(data: dict[Kind, Any]) -> str:
    """The day on which the run began; UTC."""
    contexts = [document["context"] for kind, document in data.items() if kind is not RECORDS]
    dates = [context["date"][:10] for context in contexts if "date" in context]
    if not dates:
        raise InputError(
            "none of the files says a date; results.json and the profiles do, and a sweep.json to "
            "which bench/merge_results.py --sweeps has given one"
        )
    return min(dates)


def _slug(gpu: str) -> str:
    """The GPU's name as part of a file's name: h200 for NVIDIA H200."""
    return re.sub(r"[^a-z0-9]+", "_", gpu.removeprefix("NVIDIA ").lower()).strip("_")
