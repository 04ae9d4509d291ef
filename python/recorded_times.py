"""Takes the times of the steps from a recorded run: what softmax_worklog chooses a step by.

Of several recorded runs the newest. Variants, baselines and warm caches are left out, as are rows
without a time.
"""

import argparse
import json
from pathlib import Path
from typing import Any


def times_of(run: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each step and shape, in microseconds."""
    shape = ("step", "dtype", "rows", "cols", "k")
    return [
        {name: row[name] for name in shape} | {"us": row["median_us"]}
        for row in run["benchmarks"]
        if row.get("variant") == "" and row["cache"] == "cold" and "median_us" in row
    ]


def newest_run(files: list[Path]) -> dict[str, Any] | None:
    """Of Google Benchmark's files; others lie in the same folder."""
    documents = [json.loads(file.read_text()) for file in files]
    runs = [document for document in documents if "benchmarks" in document]
    return max(runs, key=lambda run: run["context"]["date"], default=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recorded", nargs="*", type=Path)
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args()
    run = newest_run(arguments.recorded)
    recorded = {
        "gpu": run["context"]["gpu"] if run else "",
        "date": run["context"]["date"][:10] if run else "",
        "times": times_of(run) if run else [],
    }
    arguments.out.write_text(json.dumps(recorded) + "\n")


if __name__ == "__main__":
    main()
