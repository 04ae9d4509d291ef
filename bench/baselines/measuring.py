"""Runs the cases one after the other and writes what came of them."""

import json
import sys
import time
from pathlib import Path

import accuracy
import results
import torch
import torch_attention
import torch_cross_entropy
import torch_softmax
from cases import HEAD_DIM, Case
from sampling import Timer, Timing, Work
from whole_file import write_whole

try:
    import triton_softmax

    TRITON = triton_softmax.VERSION
except ImportError as error:
    triton_softmax = None
    TRITON = f"cannot be imported: {error}"

STANDARD_DEVIATION = 3.0  # of the logits, as the bench's


def measure(cases: list[Case], out: Path, accuracy_folder: Path | None, seconds: float) -> int:
    """The program's exit code: 1 if something is missing or a step is far less exact."""
    if not torch.cuda.is_available():
        sys.exit("bench/baselines: PyTorch finds no GPU here; times are taken on GPUs only")
    if triton_softmax is None:
        print(f"triton/softmax is left out: Triton {TRITON}", flush=True)
        cases = [case for case in cases if case.baseline != "triton/softmax"]
    if torch_cross_entropy.liger_cross_entropy is None:
        print(f"liger/cross_entropy is left out: Liger {torch_cross_entropy.LIGER}", flush=True)
        cases = [case for case in cases if not case.baseline.startswith("liger/")]
    rows, not_begun = _time_all(cases, time.monotonic() + seconds)
    document = {"context": results.context(TRITON, torch_cross_entropy.LIGER), "benchmarks": rows}
    complaints = []
    if not_begun:
        complaints.append(f"{not_begun} of {len(cases)} cases were not begun in {seconds:g} s")
    if accuracy_folder is not None:
        errors = accuracy.errors_of(_functions(), accuracy_folder, "cuda")
        document["baseline_accuracy"] = errors
        complaints += accuracy.steps_too_bad(errors, accuracy_folder)
    write_whole(out, json.dumps(document, indent=1) + "\n")
    for line in complaints:
        print(f"bench/baselines: {line}", file=sys.stderr)
    return 1 if complaints else 0


def _time_all(cases: list[Case], end: float) -> tuple[list[dict], int]:
    """Rows of all cases, and how many of them there was no time for."""
    timer = Timer()
    rows, not_begun = [], 0
    for number, case in enumerate(cases, 1):
        if time.monotonic() >= end:
            not_begun += 1
            row = results.error_row(case, "not begun: the baselines' time was over")
        else:
            row = _time(case, timer)
        rows.append(row)
        print(f"[{number}/{len(cases)}] {results.as_line(row)}", flush=True)
    return rows, not_begun


def _time(case: Case, timer: Timer) -> dict:
    """The case's row. An error of PyTorch, Triton or a compiler is its result."""
    try:
        torch.cuda.empty_cache()
        timer.waits = case.waits
        timing, label = _fastest(timer, _ways(case))
        return results.timed_row(case, timing, label)
    except Exception as error:
        return results.error_row(case, results.first_line(error))


def _fastest(timer: Timer, ways: dict[str, Work]) -> tuple[Timing, str]:
    """The timing of the fastest of several ways to do the same, and its name."""
    best = next(iter(ways))
    if len(ways) > 1:
        looks = {name: timer.quick_look(work).median_us for name, work in ways.items()}
        best = min(looks, key=looks.get)
    return timer.cold(ways[best]), best


def _ways(case: Case) -> dict[str, Work]:
    """What is timed, by name, on logits of the case's own. One way but for Triton's kernel."""
    dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[case.dtype]
    if case.is_attention:
        heads = [
            torch.randn(count, HEAD_DIM, device="cuda", dtype=dtype)
            for count in (case.rows, case.cols, case.cols)
        ]
        return {"": torch_attention.work(case.baseline, *heads)}
    logits = torch.randn(case.rows, case.cols, device="cuda", dtype=dtype) * STANDARD_DEVIATION
    library, operation = case.baseline.split("/")
    if case.is_cross_entropy:
        labels = torch.randint(case.cols, (case.rows,), device="cuda")
        return {"": torch_cross_entropy.work(library, logits, labels, case.has_gradients)}
    if case.is_backward:
        gradients = torch.randn(case.rows, case.cols, device="cuda", dtype=dtype)
        compiles = library == "torch_compile"
        way = torch_softmax.compiled_backward if compiles else torch_softmax.backward
        return {"": way(operation, logits, gradients)}
    if library == "torch_compile":
        return {"": torch_softmax.compiled(operation, logits)}
    if library == "triton":
        return triton_softmax.all_launches(logits, torch.empty_like(logits))
    return {"": torch_softmax.eager(operation, logits, case.k)}


def _functions() -> dict[str, accuracy.Function]:
    functions = {
        "pytorch/softmax": lambda x: torch.softmax(x, -1),
        "pytorch/log_softmax": lambda x: torch.log_softmax(x, -1),
    }
    if triton_softmax is not None:
        functions["triton/softmax"] = triton_softmax.softmax
    return functions
