"""Holds the executor's counts against Nsight Compute's, launch by launch and figure by figure."""

import topk
from compiler import (
    AGREEING,
    BYTES_OF_A_LOOK,
    CROWDED,
    CROWDED_WHERE,
    KINDS,
    LISTED,
    MOST_CROWDED,
    MOST_LOOKS,
    MOST_WAVEFRONTS,
    ORDER_OF_LISTS,
    POLLING,
    RULES,
    VARYING,
    changes,
)
from figures import FIGURES, NOT_COMPARED, Figure, Launch
from lines import lines_of
from rows import InputError

_CASE = ("step", "variant", "dtype", "rows", "cols", "k")


def compare(measured: dict, counted: dict) -> dict:
    """What ncu measured, with the executor's figures beside it.

    A figure is `equal`, or `ruled` (equal once the rules of compiler.py have told what nvcc
    did), or listed under `differ` with its reason; a reason of "" is none, and an error.
    """
    ours = {_key(case): case for case in counted["cases"]}
    cases = [_compared_case(case, ours) for case in measured["cases"]]
    return {
        "parity": 1,
        "context": measured["context"],
        "figures": {figure.name: list(figure.metrics) for figure in FIGURES},
        "not_compared": NOT_COMPARED,
        "reasons": {
            entry.key: {"what": entry.what, "sass": entry.sass} for entry in [*RULES, *LISTED]
        },
        "totals": totals(cases),
        "cases": cases,
    }


def totals(cases: list[dict]) -> dict[str, int]:
    """Of figures that are not 0 on both sides; those are counted apart, for they are easily
    equal."""
    total = dict.fromkeys(("equal", "ruled", "listed", "unexplained", "zero"), 0)
    for case in cases:
        for launch in case["launches"]:
            total["equal"] += len(launch["equal"])
            total["ruled"] += len(launch["ruled"])
            total["zero"] += launch["zero"]
            for difference in launch["differ"].values():
                total["listed" if difference["reason"] else "unexplained"] += 1
    return total


def summary(compared: dict) -> str:
    lines = []
    for case in compared["cases"]:
        for launch in case["launches"]:
            for name, difference in launch["differ"].items():
                if not difference["reason"]:
                    lines.append(
                        f"{case['step']}/{case['variant']} {launch['kernel']}, {case['dtype']} "
                        f"{case['rows']} x {case['cols']}: {name} is {difference['ours']} on the "
                        f"executor and {difference['ncu']} by ncu"
                    )
    total = compared["totals"]
    every = sum(total[name] for name in ("equal", "ruled", "listed", "unexplained"))
    lines.append(
        f"{every} figures: {total['equal']} equal, {total['ruled']} equal by a rule of what nvcc "
        f"did, {total['listed']} listed with their reason, {total['unexplained']} without one; "
        f"{total['zero']} more are 0 on both sides"
    )
    return "\n".join(lines)


def _key(case: dict) -> tuple:
    return tuple(case[name] for name in _CASE)


def _compared_case(case: dict, ours: dict[tuple, dict]) -> dict:
    counted = ours.get(_key(case))
    name = f"{case['step']}/{case['variant']}, {case['dtype']} {case['rows']} x {case['cols']}"
    if counted is None:
        raise InputError(f"the executor's profile has no {name}")
    shapes = [
        [(launch["kernel"], launch["grid"], launch["block"]) for launch in side["launches"]]
        for side in (case, counted)
    ]
    if shapes[0] != shapes[1]:
        raise InputError(
            f"{name} makes other launches on the GPU ({shapes[0]}) than on the executor "
            f"({shapes[1]}): profile it again"
        )
    about = {field: case[field] for field in _CASE}
    pairs = zip(case["launches"], counted["launches"], strict=True)
    return about | {"launches": [_compared_launch(about, *pair) for pair in pairs]}


def _compared_launch(about: dict, measured: dict, counted: dict) -> dict:
    shape = {name: tuple(measured[name]) for name in ("grid", "block")}
    lines = lines_of(about["step"], about["variant"], counted)
    launch = Launch(**about, kernel=measured["kernel"], **shape, lines=lines)
    rules = changes(launch)
    result = {
        "kernel": launch.kernel,
        **{name: list(shape[name]) for name in shape},
        "equal": {},
        "ruled": {},
        "differ": {},
        "zero": 0,
    }
    expected, excess, figures = {}, {}, {}
    for figure in FIGURES:
        own = figure.ours(counted["counters"], launch)
        theirs = _theirs(figure, measured["metrics"])
        applied = [key for key, change in rules if figure.name in change]
        ruled = own + sum(change.get(figure.name, 0) for _, change in rules)
        figures[figure.name] = ruled
        if own == ruled == 0 and theirs == [0]:
            result["zero"] += 1
        elif theirs == [ruled] and not applied:
            result["equal"][figure.name] = own
        elif theirs == [ruled]:
            result["ruled"][figure.name] = {"ours": own, "ncu": ruled, "rules": applied}
        else:
            expected[figure.name] = ruled
            excess[figure.name] = [value - ruled for value in theirs]
            result["differ"][figure.name] = {
                "ours": own,
                "ncu": theirs[0] if len(theirs) == 1 else theirs,
                "rules": applied,
            }
    for name, difference in result["differ"].items():
        difference["reason"] = (
            _more_wavefronts(name, excess, expected)
            or _crowded_stores(name, excess, expected, launch)
            or _more_looks(name, excess, difference["rules"], launch)
            or _other_order(name, excess, figures, launch)
        )
    return result


def _theirs(figure: Figure, metrics: dict) -> list[int]:
    """One value, or both of two runs that differ."""
    total = [0]
    for name in figure.metrics:
        if name not in metrics:
            raise InputError(f"the metric {name} is missing")
        values = metrics[name] if isinstance(metrics[name], list) else [metrics[name]]
        total = [known + more for known in total for more in values]
    return list(dict.fromkeys(total))


def _more_wavefronts(name: str, excess: dict[str, list[int]], expected: dict[str, int]) -> str:
    """Wavefronts too many, each of them a conflict, in every run: what the rules leave."""
    for kind in KINDS:
        figures = VARYING[kind].figures
        wavefronts, conflicts = (excess.get(figure) for figure in figures)
        if name not in figures or wavefronts is None or wavefronts != conflicts:
            continue
        if min(wavefronts) >= 0 and max(wavefronts) <= MOST_WAVEFRONTS * expected[figures[0]]:
            return (VARYING if len(set(wavefronts)) > 1 else AGREEING)[kind].key
    return ""


def _crowded_stores(
    name: str, excess: dict[str, list[int]], expected: dict[str, int], launch: Launch
) -> str:
    """The same where more stores meet arriving loads, if two runs disagree on them."""
    wavefronts, conflicts = (excess.get(figure) for figure in CROWDED.figures)
    if name not in CROWDED.figures or not CROWDED_WHERE.hold(launch) or wavefronts != conflicts:
        return ""
    most = MOST_CROWDED * expected[CROWDED.figures[0]]
    varies = len(set(wavefronts)) > 1
    return CROWDED.key if varies and all(0 <= more <= most for more in wavefronts) else ""


def _more_looks(name: str, excess: dict[str, list[int]], rules: list[str], launch: Launch) -> str:
    """Loads too many of threads that wait for a grid's barrier, which a rule expects once."""
    if name not in POLLING.figures or "grid_barrier" not in rules:
        return ""
    each = BYTES_OF_A_LOOK if name.endswith("bytes") else 1
    most = (MOST_LOOKS - 1) * launch.blocks * each
    return POLLING.key if all(0 <= more <= most for more in excess[name]) else ""


def _other_order(
    name: str, excess: dict[str, list[int]], figures: dict[str, int], launch: Launch
) -> str:
    """What another order of lists would change, in every run. `figures` are all that the rules
    leave."""
    together = next((pair for pair in topk.ORDERED if name in pair), ())
    runs = max((len(excess.get(key, [0])) for key in together), default=0)
    most = MOST_WAVEFRONTS * figures["shared_store_wavefronts"]
    for run in range(runs):
        gpu = {key: figures[key] + _of_run(excess.get(key, [0]), run) for key in together}
        if not topk.fits_an_order(together, launch, gpu, figures, most):
            return ""
    return ORDER_OF_LISTS.key if together else ""


def _of_run(values: list[int], run: int) -> int:
    """One value is that of both runs."""
    return values[run] if len(values) > 1 else values[0]


def restored(recorded: dict) -> dict:
    """The measured profile that a comparison was made of, as far as the figures go."""
    cases = []
    for case in recorded["cases"]:
        launches = [
            {name: launch[name] for name in ("kernel", "grid", "block")}
            | {"metrics": _metrics(launch)}
            for launch in case["launches"]
        ]
        cases.append(case | {"launches": launches})
    return recorded | {"cases": cases}


def _metrics(launch: dict) -> dict:
    metrics = {}
    for figure in FIGURES:
        known = {**launch["ruled"], **launch["differ"]}.get(figure.name)
        value = known["ncu"] if known else launch["equal"].get(figure.name, 0)
        metrics |= dict.fromkeys(figure.metrics, 0) | {figure.metrics[0]: value}
    return metrics


def steps_of(recorded: dict) -> list[str]:
    """What worklog_profile is asked for (--steps), so that it counts what was compared: a step with
    all of its variants, or the variants that were."""
    units = dict.fromkeys((case["step"], case["variant"]) for case in recorded["cases"])
    whole = {step for step, variant in units if not variant}
    return list(
        dict.fromkeys(step if step in whole else f"{step}/{variant}" for step, variant in units)
    )


def check(recorded: dict, profiles: list[dict]) -> list[str]:
    """What the executor counts otherwise than when `recorded` was made; of the types in `profiles`
    alone, which count some of the steps each."""
    counted = {"cases": [case for profile in profiles for case in profile["cases"]]}
    dtypes = {case["dtype"] for case in counted["cases"]}
    recorded = recorded | {"cases": [case for case in recorded["cases"] if case["dtype"] in dtypes]}
    again = compare(restored(recorded), counted)
    return [
        f"{old['step']}/{old['variant']}, {old['dtype']} {old['rows']} x {old['cols']}: the "
        "executor's figures are no longer those that were held against Nsight Compute's"
        for old, new in zip(recorded["cases"], again["cases"], strict=True)
        if old != new
    ]
