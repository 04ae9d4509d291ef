"""Results in which every kind of recorded measurement is another."""

import json
import random
import shutil
from pathlib import Path

DATE = "2031-04-05T06:07:08Z"
_TIMES = {"median_us": 1, "real_time": 1, "copy_us": 1, "read_us": 1, "gbps": -1, "fraction": -1}
_PROFILED = (
    "dram_read_bytes", "dram_write_bytes", "l1_hit_percent", "l2_hit_percent",
    "warp_instructions", "special_instructions", "occupancy_percent", "occupancy_limit_percent",
    "limiter_percent", "stall_share",
)  # fmt: skip


def plant(results: Path, folder: Path, seed: int = 0) -> None:
    """Copies files of results or of the executor's counts to `folder`, each number changed, in
    whatever order they are found by the same factors."""
    shutil.copytree(results, folder)
    for path in folder.glob("*.json"):
        chance = random.Random(f"{seed} {path.name}")
        data = json.loads(path.read_text("utf-8"))
        _change(data, chance)
        path.write_text(json.dumps(data), "utf-8")


def _change(data: dict, chance: random.Random) -> None:
    if "date" in data.get("context", {}):
        data["context"]["date"] = DATE
    for row in data.get("benchmarks", []):
        _scale(row, _TIMES, chance)
    for row in data.get("of_ranks", []):
        _scale(row, {"median_us": 1, "fastest_us": 1}, chance)
    for row in [*data.get("attempts", []), *data.get("also_timed", [])]:
        _scale(row, {"median_us": 1}, chance)
    for row in data.get("of_library", []):
        _scale(row, {"median_us": 1}, chance)
        _scale(row, {"limit_us": 1}, chance)
    for row in data.get("of_scaling", []):
        _scale(row, {"median_us": 1}, chance)
    for row in data.get("host_calls", []):
        _scale(row, {"us": 1}, chance)
    for row in data.get("sweep", []):
        for size in row["block_sizes"].values():
            _scale(size, {"median_us": 1}, chance)
    for row in data.get("baseline_accuracy", []):
        _scale(row, {"max_ulp": 1}, chance)
    for row in data.get("records", []):
        _scale(row, {"max_ulp": 1, "loads_per_element": 1, "stores_per_element": 1}, chance)
        _scale(row, {"sectors_per_load_request": 1}, chance)
    for case in data.get("cases", []):
        for launch in case["launches"]:
            (_profile if "hardware" in data else _parity)(launch, chance)
    for annotation in data.get("annotations", []):
        _counts(annotation, chance)


def _scale(row: dict, powers: dict[str, int], chance: random.Random) -> None:
    """Those that are there, all by one factor or its inverse."""
    factor = chance.uniform(1.3, 1.9)
    for name, power in powers.items():
        if isinstance(row.get(name), int | float):
            row[name] *= factor**power


def _profile(launch: dict, chance: random.Random) -> None:
    _scale(launch, dict.fromkeys(_PROFILED, -1), chance)
    _scale(launch["throughput_percent"], dict.fromkeys(launch["throughput_percent"], -1), chance)
    launch["registers"] += chance.randint(1, 40)


def _parity(launch: dict, chance: random.Random) -> None:
    """Some figures that were equal are no longer compared, and others are both 0."""
    for figure in chance.sample(sorted(launch["equal"]), len(launch["equal"]) // 2):
        del launch["equal"][figure]
    for kind in ("ruled", "differ"):
        for figure in chance.sample(sorted(launch[kind]), len(launch[kind]) // 2):
            del launch[kind][figure]
    launch["zero"] += chance.randint(1, 3)


def _counts(annotation: dict, chance: random.Random) -> None:
    for prediction in annotation["predictions"]:
        _scale(prediction, {"loads": 1, "stores": 1}, chance)
        prediction |= {kind: round(prediction[kind]) for kind in ("loads", "stores")}
    for line in annotation["lines"]:
        factor = chance.randint(2, 5)
        line["counters"] = {name: factor * value for name, value in line["counters"].items()}
    for request in annotation["trace"]["requests"]:
        request["sectors"] *= 3
        request["wavefronts"] *= 3
