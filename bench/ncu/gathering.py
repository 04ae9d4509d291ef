"""Joins the files of a profiling session into the one that is kept."""

from pathlib import Path

from figures import metrics
from hardware import distilled
from rows import InputError, join, same_launches


def gather(part: str, pairs: list[tuple[Path, Path]]) -> dict:
    """`pairs` of a profile and its ncu table. Cases that occur twice are a second run."""
    wanted = metrics(part)
    profiles = [join(profile, table, wanted) for profile, table in pairs]
    for (path, _), profile in zip(pairs, profiles, strict=True):
        if profile["part"] != part:
            raise InputError(f"{path}: is of the part {profile['part']!r}, not {part!r}")
        if profile["machine"] != profiles[0]["machine"]:
            raise InputError(f"{path}: of another machine, {profile['machine']!r}")
    cases: dict[tuple, dict] = {}
    for (path, _), profile in zip(pairs, profiles, strict=True):
        for case in profile["cases"]:
            first = cases.setdefault(_key(case), case)
            if first is not case:
                _add_run(first, case, path)
    if part == "hardware":
        for case in cases.values():
            for launch in case["launches"]:
                launch |= distilled(launch.pop("metrics"))
    context = {name: profiles[0][name] for name in ("date", "cuda_driver", "cuda_runtime")}
    return {
        part: 1,
        "context": {"gpu": profiles[0]["machine"], **context},
        "cases": list(cases.values()),
    }


def _key(case: dict) -> tuple:
    return tuple(case[name] for name in ("step", "variant", "dtype", "rows", "cols", "k"))


def _add_run(first: dict, second: dict, path: Path) -> None:
    """Keeps both values of a metric that the runs disagree on, as a list; one that only one run
    has stays."""
    if not same_launches({"cases": [first]}, {"cases": [second]}):
        raise InputError(
            f"{path}: {first['step']}/{first['variant']} makes other launches than before"
        )
    for mine, other in zip(first["launches"], second["launches"], strict=True):
        for name, value in other["metrics"].items():
            known = mine["metrics"].setdefault(name, value)
            known = known if isinstance(known, list) else [known]
            if value not in known:
                mine["metrics"][name] = [*known, value]
