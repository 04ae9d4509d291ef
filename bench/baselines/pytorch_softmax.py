#!/usr/bin/env python3
"""Times PyTorch's softmax, its softmax and top-k, and its copy, as worklog_bench times the steps.

The method is that of common/harness/timing.h: before each sample a read of an array four times the
L2 cache evicts what the sample before left there; CUDA events enclose the work; a sample that the
host was too late for is thrown away. The output has the form of Google Benchmark's JSON.

With --accuracy FOLDER (of worklog_accuracy) PyTorch's softmax also runs on the inputs there, and no
step that sums in a tree may have more than twice its worst error.
"""

import argparse
import datetime
import json
import math
import os
import sys
import time
from pathlib import Path

try:
    import torch
except ImportError:
    torch = None

ROWS = (4000, 10)
COLS = (10, 32, 100, 128, 320, 1000, 1024, 3200, 4000, 4096, 10000, 25000, 32000, 100000)
TOP_K_COLS = (1000, 4000, 10000, 25000, 100000)
K = 5
STANDARD_DEVIATION = 3.0

FLUSHED_CACHES = 4
MIN_SAMPLES = 20
MAX_SAMPLES = 400
GOAL = 0.0025  # standard error of the median, relative to it
TIME_LIMIT = 0.2  # seconds
BATCH = 20

WORST_RATIO = 2.0  # of a step's error to PyTorch's


def quantile(ordered, fraction):
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def summarize(samples):
    """The median, and the distance between the quartiles relative to it."""
    ordered = sorted(samples)
    median = quantile(ordered, 0.5)
    return median, (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / median


class Timer:
    def __init__(self):
        l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
        self.flushed = torch.zeros(FLUSHED_CACHES * l2_bytes // 4, dtype=torch.int32, device="cuda")
        self.flush_passes = 1

    def batch(self, work, count):
        """Microseconds of the valid ones of `count` samples."""
        pairs = []
        for _ in range(count):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            for _ in range(self.flush_passes):
                torch.amax(self.flushed)
            start.record()
            work()
            end.record()
            pairs.append((start, end, not start.query()))
        torch.cuda.synchronize()
        samples = [1000.0 * start.elapsed_time(end) for start, end, valid in pairs if valid]
        if 2 * len(samples) < count:
            self.flush_passes = min(2 * self.flush_passes, 64)
        return samples

    def cold(self, work):
        """Median microseconds, spread and samples of `work`."""
        for _ in range(3):
            work()
        torch.cuda.synchronize()
        begin = time.monotonic()
        samples = []
        count = 3
        while True:
            samples += self.batch(work, count)
            count = BATCH
            elapsed = time.monotonic() - begin
            if len(samples) >= MIN_SAMPLES:
                median, spread = summarize(samples)
                if 0.93 * spread / math.sqrt(len(samples)) <= GOAL or len(samples) >= MAX_SAMPLES:
                    break
            if elapsed >= TIME_LIMIT and len(samples) >= 3:
                break
            if elapsed >= 20 * TIME_LIMIT:
                raise RuntimeError("the GPU waited for the host; is the machine busy?")
        return *summarize(samples), len(samples)


def result_row(name, timing, moved_bytes):
    median, spread, samples = timing
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": 1,
        "repetition_index": 0,
        "threads": 1,
        "iterations": 1,
        "real_time": median,
        "cpu_time": median,
        "time_unit": "us",
        "bytes": moved_bytes,
        "gbps": moved_bytes / median * 1e-3,
        "median_us": median,
        "samples": samples,
        "spread": spread,
    }


def error_row(name, error):
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "error_occurred": True,
        "error_message": str(error).splitlines()[0],
    }


def measurements(rows, cols):
    """Names, work and bytes of what is timed at a shape."""
    logits = STANDARD_DEVIATION * torch.randn(rows, cols, device="cuda")
    output = torch.empty_like(logits)
    array = 4 * rows * cols
    shape = f"f32/{rows}x{cols}"
    yield f"torch_copy/{shape}/cold", lambda: output.copy_(logits), 2 * array
    yield f"pytorch/softmax/{shape}/cold", lambda: torch.softmax(logits, -1, out=output), 2 * array
    if cols in TOP_K_COLS:
        yield (
            f"pytorch/softmax_then_topk/{shape}/k{K}/cold",
            lambda: torch.topk(torch.softmax(logits, -1), K),
            array + 12 * rows * K,
        )


def time_all():
    timer = Timer()
    rows_of_results = []
    shapes = [(rows, cols) for rows in ROWS for cols in COLS]
    for number, (rows, cols) in enumerate(shapes, 1):
        for name, work, moved_bytes in measurements(rows, cols):
            try:
                row = result_row(name, timer.cold(work), moved_bytes)
                text = f"{row['median_us']:10.2f} us {row['gbps']:6.0f} GB/s"
            except (RuntimeError, torch.cuda.OutOfMemoryError) as error:
                row = error_row(name, error)
                text = row["error_message"]
            rows_of_results.append(row)
            print(f"[{number}/{len(shapes)}] {name:52} {text}", flush=True)
        torch.cuda.empty_cache()
    return rows_of_results


def worst_error(logits):
    """Of PyTorch's softmax against double precision, in ulp, and beyond |x - m| ulp."""
    largest_ulp, largest_excess = 0.0, 0.0
    for part in torch.split(logits, 32):
        exact_logits = part.double()
        exact = torch.softmax(exact_logits, -1)
        got = torch.softmax(part, -1).double()
        exponent = torch.frexp(exact).exponent.clamp(min=-125)
        error = (got - exact).abs() / torch.exp2((exponent - 24).double())
        difference = exact_logits.amax(-1, keepdim=True) - exact_logits
        largest_ulp = max(largest_ulp, error.max().item())
        largest_excess = max(largest_excess, (error - difference).max().item())
    return largest_ulp, largest_excess


def compare_accuracy(folder):
    """PyTorch's errors on the inputs of worklog_accuracy; and the steps that are much worse."""
    steps = json.loads((folder / "accuracy.json").read_text())["accuracy"]
    errors, too_bad = [], []
    for name, rows, cols in sorted({(row["input"], row["rows"], row["cols"]) for row in steps}):
        data = torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=torch.float32)
        max_ulp, max_excess = worst_error(data.reshape(rows, cols).cuda())
        errors.append(
            {
                "input": name,
                "rows": rows,
                "cols": cols,
                "max_ulp": max_ulp,
                "max_excess": max_excess,
            }
        )
        print(f"{name}: PyTorch {max_ulp:.2f} ulp ({max_excess:.2f} beyond |x - m|)")
        for step in (row for row in steps if row["input"] == name):
            label = step["step"] + ("/" + step["variant"] if step["variant"] else "")
            ratio = step["max_ulp"] / max_ulp
            judged = not step["serial_sum"]
            remark = "" if judged else " (a serial sum: not judged)"
            print(f"  {label:40} {step['max_ulp']:8.2f} ulp, {ratio:5.2f} of PyTorch's{remark}")
            if judged and not ratio <= WORST_RATIO:
                too_bad.append(f"{label}, {name}: {ratio:.2f} times PyTorch's error")
    return errors, too_bad


def context():
    properties = torch.cuda.get_device_properties(0)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "executable": "bench/baselines/pytorch_softmax.py",
        "gpu": properties.name,
        "sm_count": str(properties.multi_processor_count),
        "l2_bytes": str(properties.L2_cache_size),
        "cuda_runtime": torch.version.cuda,
        "pytorch": torch.__version__,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="where the JSON goes")
    parser.add_argument("--accuracy", type=Path, metavar="FOLDER", help="of worklog_accuracy")
    options = parser.parse_args()
    if torch is None:
        sys.exit("pytorch_softmax.py: PyTorch is not installed here (no module named torch)")
    if not torch.cuda.is_available():
        sys.exit("pytorch_softmax.py: PyTorch finds no GPU here; times are taken on GPUs only")

    results = {"context": context(), "benchmarks": time_all()}
    too_bad = []
    if options.accuracy is not None:
        results["pytorch_accuracy"], too_bad = compare_accuracy(options.accuracy)
    part = options.out.with_name(options.out.name + ".part")
    part.write_text(json.dumps(results, indent=1) + "\n")
    os.replace(part, options.out)
    for line in too_bad:
        print(f"pytorch_softmax.py: {line}", file=sys.stderr)
    return 1 if too_bad else 0


if __name__ == "__main__":
    sys.exit(main())
