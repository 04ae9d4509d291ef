"""What a call costs the host until it returns, its launch included: PyTorch's functions, from
Python and from C++, and those of the library's Python module where it is installed.

As bench/library_host_calls.cpp does it: many calls of a problem that the GPU is done with sooner
than the host comes with the next, and the median of many such samples.
"""

import ctypes
import importlib.metadata
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

try:
    import softmax_worklog.torch as module

    MODULE = importlib.metadata.version("softmax-worklog")
except Exception as error:
    module = None
    MODULE = f"cannot be imported: {error}"

ROWS, COLS, K = 8, 1024, 50
SAMPLES = 51
CALLS = 200

Calls = Callable[[int], object]  # makes so many


def microseconds(made: dict[Any, Calls]) -> dict[Any, float | str]:
    """What a call of each takes, or why it fails. They take turns, so that what else the machine
    does in a while falls on all of them: a virtual machine's host calls take up to twice as long
    in one second as in the next."""
    samples: dict[Any, list[float]] = {name: [] for name in made}
    errors: dict[Any, float | str] = {}
    for _ in range(SAMPLES + 1):
        for name in [name for name in made if name not in errors]:
            try:
                samples[name].append(_sample(made[name]))
            except Exception as error:
                errors[name] = str(error).strip().splitlines()[0]
    # The first one loads kernels.
    return {name: errors.get(name) or statistics.median(samples[name][1:]) for name in made}


def _sample(calls: Calls) -> float:
    torch.cuda.synchronize()
    begin = time.perf_counter()
    calls(CALLS)
    took = time.perf_counter() - begin
    torch.cuda.synchronize()
    return took / CALLS * 1e6


def _repeated(call: Callable[[], object]) -> Calls:
    def calls(count: int) -> None:
        for _ in range(count):
            call()

    return calls


def all_calls() -> list[dict]:
    """Rows of all that is there. Results are allocated by the call, as its users call it."""
    logits = torch.randn(ROWS, COLS, device="cuda")
    labels = torch.randint(COLS, (ROWS,), device="cuda")
    calls = {
        ("pytorch", "Python", "softmax"): _repeated(lambda: torch.softmax(logits, -1)),
        ("pytorch", "Python", "log_softmax"): _repeated(lambda: torch.log_softmax(logits, -1)),
        ("pytorch", "Python", "top_k"): _repeated(lambda: torch.topk(torch.softmax(logits, -1), K)),
    }
    calls |= _of_training("pytorch", torch.nn.functional.cross_entropy, logits, labels)
    if module is not None:
        calls |= {
            ("library", "Python", "softmax"): _repeated(lambda: module.softmax(logits, -1)),
            ("library", "Python", "log_softmax"): _repeated(lambda: module.log_softmax(logits, -1)),
            ("library", "Python", "top_k"): _repeated(
                lambda: module.topk(logits, K, probabilities=True)
            ),
        }
        calls |= _of_training("library", module.cross_entropy, logits, labels)
    calls |= _of_cpp()
    rows = []
    for (by, language, call), result in microseconds(calls).items():
        failed = isinstance(result, str)
        rows.append({"by": by, "language": language, "call": call})
        rows[-1]["error_message" if failed else "us"] = result
        print(f"{by} from {language}, {call}:", result if failed else f"{result:.2f} us")
    return rows


def _of_training(by: str, loss: Callable, logits: torch.Tensor, labels: torch.Tensor) -> dict:
    given = logits.clone().requires_grad_()
    return {
        (by, "Python", "cross_entropy"): _repeated(
            lambda: torch.autograd.grad(loss(given, labels), given)
        )
    }


def _of_cpp() -> dict[tuple[str, str, str], Calls]:
    """bench/baselines/torch_calls.cpp, where TORCH_CALLS names the shared library made of it."""
    path = os.environ.get("TORCH_CALLS")
    if not path:
        return {}
    library = ctypes.CDLL(path)
    library.prepare(ROWS, COLS)
    return {
        ("pytorch", "C++", call): getattr(library, f"call_{call}")
        for call in ("softmax", "log_softmax", "cross_entropy")
    }
