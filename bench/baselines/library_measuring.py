"""Times the peers of the library, case by case (bench/library_peers.py)."""

import itertools
import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import flashinfer_softmax
import host_calls
import library_calls
import quack_kernels
import results
import scaled_calls
import torch
import torch_cross_entropy
import torch_softmax
from sampling import Timer, Work
from whole_file import write_whole

if TYPE_CHECKING:
    from library_peers import Case

try:
    import triton_softmax

    TRITON = triton_softmax.VERSION
except ImportError as error:
    triton_softmax = None
    TRITON = f"cannot be imported: {error}"

STANDARD_DEVIATION = 3.0  # of the logits, as the bench's
SMALL = 1 << 23  # elements: up to here all are timed several times
TIME_LIMIT = 0.01  # seconds of a measurement, as worklog_library_times has it
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
NO_GRAPH = "no graph holds it: it waits for the GPU in its midst"

_ABSENT = {
    "library_with_peers": library_calls.LIBRARY is None,
    scaled_calls.PLAIN: library_calls.LIBRARY is None,
    "triton": triton_softmax is None,
    "quack": quack_kernels.softmax_fwd is None,
    "flashinfer": flashinfer_softmax.LIBRARY is None,
    "liger": torch_cross_entropy.liger_cross_entropy is None,
}


def versions() -> dict[str, str]:
    """Of each peer: which it is, or why it is not there."""
    return {
        "pytorch": torch.__version__,
        "triton": TRITON,
        "quack": quack_kernels.VERSION,
        "flashinfer": flashinfer_softmax.VERSION,
        "liger": torch_cross_entropy.LIGER,
        "library_with_peers": library_calls.VERSION,
        "softmax_worklog": host_calls.MODULE,
    }


def measure(
    cases: "list[Case]", out: Path, seconds: float, compile_seconds: float, scaled_seconds: float
) -> int:
    """The program's exit code: 1 if there was no time for some."""
    if not torch.cuda.is_available():
        sys.exit("bench/library_peers.py: PyTorch finds no GPU here; times are taken on GPUs only")
    for by, version in versions().items():
        if _ABSENT.get(by):
            print(f"{by} is left out: {version}", flush=True)
    calls = host_calls.all_calls()
    work = [(case, by) for case in cases for by in case.peers if not _ABSENT.get(by)]
    compiled = [(case, "torch_compile") for case in cases if case.is_compiled]
    scaled = [
        (case, by) for case in scaled_calls.cases() for by in case.peers if not _ABSENT.get(by)
    ]
    timer = Timer(time_limit=TIME_LIMIT)
    rows, late = [], []
    limits = (seconds, compile_seconds, scaled_seconds)
    for list_of_work, limit in zip((work, compiled, scaled), limits, strict=True):
        rows.append(_time_all(list_of_work, timer, time.monotonic() + limit))
        late += list_of_work[len(rows[-1]) :]
    of_work, of_compiled, of_scaled = rows
    # Beside what the bench of the steps says of a GPU, who the peers are.
    document = {
        "context": results.context(TRITON, torch_cross_entropy.LIGER) | versions(),
        "of_library": of_work + of_compiled,
        "host_calls": calls,
        "of_scaling": of_scaled,
    }
    write_whole(out, json.dumps(document, indent=1) + "\n")
    if late:
        asked = len(work + compiled + scaled)
        print(
            f"bench/library_peers.py: {len(late)} of {asked} measurements were not begun: "
            f"{late[0][1]}'s of {late[0][0].name} and so on",
            file=sys.stderr,
        )
    return 1 if late else 0


def _time_all(work: "list[tuple[Case, str]]", timer: Timer, end: float) -> list[dict]:
    """Rows of as many as there is time for, all of a case one after the other."""
    rows = []
    for case, of_case in itertools.groupby(work, key=lambda pair: pair[0]):
        if time.monotonic() >= end:
            break
        peers = [by for _, by in of_case]
        taken: dict[str, dict] = {}
        for number in range(_rounds(case, peers)):
            for by in peers if number % 2 == 0 else reversed(peers):
                row = _time(case, by, timer)
                taken[by] = min(
                    row, taken.get(by, row), key=lambda row: row.get("median_us", math.inf)
                )
        for by in peers:
            row = taken[by]
            rows.append(row)
            what = row.get("error_message") or f"{row['median_us']:.2f} us"
            print(f"[{len(rows)}/{len(work)}] {row['by']}, {case.name}: {what}", flush=True)
    return rows


def _rounds(case: "Case", peers: list[str]) -> int:
    """A GPU changes its clocks on the way, which a few microseconds show: there all are timed in
    turn, in either order, and the fastest of the times counts. torch.compile takes too long."""
    return 4 if case.rows * case.cols <= SMALL and "torch_compile" not in peers else 1


def _time(case: "Case", by: str, timer: Timer) -> dict:
    timer.waits = by == "liger"
    try:
        if timer.waits and case.cache == "warm":
            raise RuntimeError(NO_GRAPH)
        ways = _ways(case, by)
        best = next(iter(ways))
        if len(ways) > 1:
            looks = {name: timer.quick_look(work).median_us for name, work in ways.items()}
            best = min(looks, key=looks.get)
        timing = (timer.warm if case.cache == "warm" else timer.cold)(ways[best])
    except Exception as error:
        torch.cuda.empty_cache()
        return case.row(by, {"error_message": results.first_line(error)})
    taken = {"median_us": timing.median_us, "spread": timing.spread, "samples": timing.samples}
    return case.row(by, taken | ({"label": best} if best else {}))


def _ways(case: "Case | scaled_calls.ScaledCase", by: str) -> dict[str, Work]:
    """What is timed, by name, on logits of its own. One way but for Triton's kernel."""
    if isinstance(case, scaled_calls.ScaledCase):
        return {"": scaled_calls.work(case, by)}
    dtype = TYPES[case.dtype]
    logits = torch.randn(case.rows, case.cols, device="cuda", dtype=dtype).mul_(STANDARD_DEVIATION)
    if case.operation in ("cross_entropy", "cross_entropy_rows"):
        return {"": _cross_entropy(case, by, logits)}
    if case.operation == "softmax_backward":
        gradients = torch.randn(case.rows, case.cols, device="cuda", dtype=dtype)
        if by == "library_with_peers":
            probabilities = torch.softmax(logits, -1)
            return {"": library_calls.work(case.operation, probabilities, gradients, case.k)}
        if by == "quack":
            return {"": quack_kernels.softmax_backward(torch.softmax(logits, -1), gradients)}
        compiles = by == "torch_compile"
        way = torch_softmax.compiled_backward if compiles else torch_softmax.backward
        return {"": way(case.operation, logits, gradients)}
    if by == "library_with_peers":
        return {"": library_calls.work(case.operation, logits, None, case.k)}
    if by == "triton":
        return triton_softmax.all_launches(logits, torch.empty_like(logits))
    if by == "torch_compile":
        return {"": torch_softmax.compiled(case.operation, logits)}
    if by == "flashinfer":
        return {"": flashinfer_softmax.work(logits)}
    if by == "quack":
        return {"": quack_kernels.softmax(logits)}
    operation = "softmax_then_topk" if case.operation == "top_k" else case.operation
    return {"": torch_softmax.eager(operation, logits, case.k)}


def _cross_entropy(case: "Case", by: str, logits: torch.Tensor) -> Work:
    """With the gradients by what each gives: the mean loss, or each row's."""
    labels = torch.randint(case.cols, (case.rows,), device="cuda")
    if by == "library_with_peers":
        return library_calls.work(case.operation, logits, labels, case.k)
    of_rows = case.operation == "cross_entropy_rows"
    if by == "quack":
        way = quack_kernels.cross_entropy_rows if of_rows else quack_kernels.cross_entropy
        return way(logits, labels)
    if of_rows and by != "pytorch":
        raise ValueError(f"{by} is not timed at each row's cross-entropy")
    if of_rows:
        return torch_cross_entropy.work_of_rows(logits, labels)
    return torch_cross_entropy.work(by, logits, labels, has_gradients=True)
