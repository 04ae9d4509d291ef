#!/usr/bin/env python3
"""Times on a GPU what was tried on a step and left.

An attempt is a patch of a step's softmax.cu, steps/NN_slug/attempts/NAME.patch. Each becomes a
variant in a copy of this tree, in blocks of the step's own sizes, and the bench times it beside
the step. OUT gets {"context": .., "attempts": [..]}, of each attempt, type and shape the medians of
both. Pages then say `attempt(18, two_under_way)`: how many times as long as the step it took.

It builds worklog_bench with nvcc, which takes a few minutes on few cores.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "attempt_"


def patches(root: Path) -> list[Path]:
    return sorted(root.glob("steps/*/attempts/*.patch"))


def apply(patch: Path) -> Path:
    """Makes a variant of an attempt, beside the others of its step; raises CalledProcessError."""
    step = patch.parent.parent
    variant = step / "variants" / f"{PREFIX}{patch.stem}.cu"
    variant.parent.mkdir(exist_ok=True)
    # Lines within a loop that an attempt adds are not indented anew, lest it say nothing else.
    command = ["patch", "--quiet", "--fuzz=0", "--output", variant, step / "softmax.cu", patch]
    subprocess.run(command, check=True)
    sizes_file = step / "block_sizes.json"
    if sizes_file.exists():
        sizes = json.loads(sizes_file.read_text())
        sizes[f"variants/{variant.name}"] = sizes["softmax.cu"]
        sizes_file.write_text(json.dumps(sizes))
    return variant


def copy_with_attempts(to: Path) -> list[str]:
    """A copy of this tree whose attempts are variants; the names of their steps."""
    ignored = shutil.ignore_patterns("build", "build-*", ".*", "__pycache__", "work")
    shutil.copytree(ROOT, to, ignore=ignored, symlinks=True)
    found = patches(to)
    for patch in found:
        print(f"{apply(patch).relative_to(to)}", file=sys.stderr)
    return sorted({patch.parent.parent.name for patch in found})


def run_bench(source: Path, build: Path, steps: list[str], options: list[str]) -> dict:
    cuda = ["-DWORKLOG_CUDA=ON", *options]
    subprocess.run(["cmake", "-S", source, "-B", build, "-G", "Ninja", *cuda], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "worklog_bench"], check=True)
    unit = f"({'|'.join(steps)})/({PREFIX}[a-z0-9_]+/)?"
    shape = r"(f32|bf16)/[0-9x]+(/k[0-9]+)?/cold$"
    results = build / "attempts.json"
    bench = [build / "bin/worklog_bench", f"--benchmark_filter=^{unit}{shape}"]
    subprocess.run([*bench, f"--benchmark_out={results}"], check=True)
    return json.loads(results.read_text())


def compared(results: dict) -> list[dict]:
    """Each attempt's median beside its step's; none where one of the two refused the shape."""
    keys = ("step", "dtype", "rows", "cols", "k")
    times = {}
    for row in results["benchmarks"]:
        if "real_time" in row and not row.get("error_occurred"):
            times[row.get("variant", ""), *(row[key] for key in keys)] = row["real_time"]
    rows = []
    for (variant, *key), median in times.items():
        if variant.startswith(PREFIX) and ("", *key) in times:
            named = dict(zip(keys, key, strict=True))
            named |= {"attempt": variant.removeprefix(PREFIX), "median_us": median}
            rows.append(named | {"step_median_us": times["", *key]})
    return rows


def to_text(data: dict) -> str:
    """A row per line, so that what changed can be seen."""
    rows = ",\n".join("    " + json.dumps(row) for row in data["attempts"])
    context = json.dumps(data["context"])
    return f'{{\n  "context": {context},\n  "attempts": [\n{rows}\n  ]\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the JSON to write")
    parser.add_argument("options", nargs="*", help="of cmake, behind --: -DCMAKE_PREFIX_PATH=..")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        try:
            steps = copy_with_attempts(source)
            results = run_bench(source, Path(folder) / "build", steps, arguments.options)
        except subprocess.CalledProcessError as error:
            print(f"attempts.py: {error}", file=sys.stderr)
            return 1
    context = {key: results["context"][key] for key in ("gpu", "date")}
    rows = compared(results)
    arguments.out.write_text(to_text({"context": context, "attempts": rows}))
    kinds = len({(row["step"], row["attempt"]) for row in rows})
    print(f"{arguments.out}: {kinds} attempts, {len(rows)} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
