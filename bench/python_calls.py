"""What a call of the Python module costs beside its kernel: of arrays without rows there is none.

python bench/python_calls.py, with the environment that the module is installed in
"""

import time
from collections.abc import Callable

import numpy

import softmax_worklog
from softmax_worklog import _core

CALLS = 1000
SAMPLES = 7


def microseconds(call: Callable[[], object]) -> float:
    """The least of some samples, each of many calls."""
    samples = []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        samples.append((time.perf_counter() - begin) / CALLS)
    return min(samples) * 1e6


def main() -> None:
    x = numpy.empty((0, 1000), numpy.float32)
    if softmax_worklog.machine() != "cpu":
        import cupy

        x = cupy.asarray(x)
    calls = {
        "softmax(x)": lambda: softmax_worklog.softmax(x),
        "softmax(x, 0)": lambda: softmax_worklog.softmax(x, 0),
        "softmax(x, step=5)": lambda: softmax_worklog.softmax(x, step=5),
        "topk(x, 5)": lambda: softmax_worklog.topk(x, 5),
        "the binding's part of the first": lambda: _core.forward("softmax", "f32", x, x, 0),
    }
    for name, call in calls.items():
        print(f"{name:32} {microseconds(call):6.1f} us")


if __name__ == "__main__":
    main()
