"""Rows of results in the form of Google Benchmark's JSON, as worklog_bench writes them."""

import datetime

import torch
from cases import Case
from sampling import Timing


def timed_row(case: Case, timing: Timing, label: str = "") -> dict:
    row = case.fields | {
        "real_time": timing.median_us,
        "time_unit": "us",
        "bytes": case.moved_bytes,
        "gbps": case.moved_bytes / timing.median_us * 1e-3,
        "median_us": timing.median_us,
        "samples": timing.samples,
        "spread": timing.spread,
    }
    return row | ({"label": label} if label else {})


def error_row(case: Case, message: str) -> dict:
    return case.fields | {"error_occurred": True, "error_message": message}


def as_line(row: dict) -> str:
    if row.get("error_occurred"):
        return f"{row['name']}: no time: {row['error_message']}"
    numbers = f"{row['median_us']:10.2f} us {row['gbps']:6.0f} GB/s"
    return f"{row['name']:52} {numbers} {row.get('label', '')}".rstrip()


def first_line(error: BaseException) -> str:
    """Of its message; the kind of error where there is none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def context(triton_version: str, liger: str) -> dict:
    properties = torch.cuda.get_device_properties(0)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "executable": "bench/baselines",
        "gpu": properties.name,
        "sm_count": str(properties.multi_processor_count),
        "l2_bytes": str(properties.L2_cache_size),
        "cuda_runtime": torch.version.cuda,
        "pytorch": torch.__version__,
        "triton": triton_version,
        "liger": liger,
    }
