"""Errors in ulp on the inputs of worklog_accuracy, measured as common/verify/check_row.h does."""

import json
from collections.abc import Callable
from pathlib import Path

import torch

WORST_RATIO = 2.0  # of a step's error to PyTorch's
ROWS_AT_ONCE = 32  # in double precision, on the GPU

Function = Callable[[torch.Tensor], torch.Tensor]


def ulp(exact: torch.Tensor) -> torch.Tensor:
    """One unit in fp32's last place at the value."""
    exponent = torch.frexp(exact).exponent.clamp(min=-125)
    return torch.exp2((exponent - 24).double())


def refuse_nan(error: torch.Tensor) -> None:
    """A NaN is larger than nothing: the worst error would not show it."""
    if not torch.isfinite(error).all():
        raise ArithmeticError("a result is NaN or infinite, of finite logits")


def softmax_error(softmax: Function, logits: torch.Tensor) -> dict:
    """The worst error in ulp of the value, and beyond the |x - m| ulp that rounding x - m costs."""
    worst = {"max_ulp": 0.0, "max_excess": 0.0}
    for part in torch.split(logits, ROWS_AT_ONCE):
        x = part.double()
        exact = torch.softmax(x, -1)
        error = (softmax(part).double() - exact).abs() / ulp(exact)
        refuse_nan(error)
        difference = x.amax(-1, keepdim=True) - x
        worst["max_ulp"] = max(worst["max_ulp"], error.max().item())
        worst["max_excess"] = max(worst["max_excess"], (error - difference).max().item())
    return worst


def log_softmax_error(log_softmax: Function, logits: torch.Tensor) -> dict:
    """The worst error in ulp at 1, or at the value where it is larger."""
    worst = {"max_ulp": 0.0}
    for part in torch.split(logits, ROWS_AT_ONCE):
        exact = torch.log_softmax(part.double(), -1)
        error = (log_softmax(part).double() - exact).abs() / ulp(exact.abs().clamp(min=1.0))
        refuse_nan(error)
        worst["max_ulp"] = max(worst["max_ulp"], error.max().item())
    return worst


def errors_of(functions: dict[str, Function], folder: Path, device: str) -> list[dict]:
    """A row for each baseline and input. `functions` by name, such as "pytorch/softmax"."""
    rows = []
    for name, n_rows, cols in _inputs(folder):
        data = torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=torch.float32)
        logits = data.reshape(n_rows, cols).to(device)
        for baseline, function in functions.items():
            measure = log_softmax_error if baseline.endswith("log_softmax") else softmax_error
            row = {"baseline": baseline, "input": name, "rows": n_rows, "cols": cols}
            row |= measure(function, logits)
            rows.append(row)
            print(f"{name}: {baseline:24} {row['max_ulp']:8.2f} ulp", flush=True)
    return rows


def _steps(folder: Path) -> list[dict]:
    return json.loads((folder / "accuracy.json").read_text("utf-8"))["accuracy"]


def _inputs(folder: Path) -> list[tuple]:
    return sorted(
        {(row["input"], row["rows"], row["cols"]) for row in _steps(folder)},
        key=lambda name_and_shape: name_and_shape[1:],
    )


def steps_too_bad(errors: list[dict], folder: Path) -> list[str]:
    """Steps that sum in a tree, and have more than twice PyTorch's worst error on an input."""
    pytorch = {
        row["input"]: row["max_ulp"] for row in errors if row["baseline"] == "pytorch/softmax"
    }
    too_bad = []
    for step in _steps(folder):
        label = step["step"] + (f"/{step['variant']}" if step["variant"] else "")
        ratio = step["max_ulp"] / pytorch[step["input"]]
        remark = " (a serial sum: not judged)" if step["serial_sum"] else ""
        print(f"{step['input']}: {label:40} {ratio:5.2f} of PyTorch's error{remark}")
        if not step["serial_sum"] and not ratio <= WORST_RATIO:
            too_bad.append(f"{label}, {step['input']}: {ratio:.2f} times PyTorch's error")
    return too_bad
