"""What counts() says, against the ladder's formulas."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
from inputs import DTYPES, logits

import softmax_worklog as sw

FUNCTIONS = ("softmax", "log_softmax", "topk")
CALLABLE = [step for step in sw.steps() if step.operation in FUNCTIONS]


def call(step, x, k):
    if step.operation == "topk":
        return sw.topk(x, k, step=step.label)
    return getattr(sw, step.operation)(x, step=step.label)


@pytest.mark.parametrize("step", CALLABLE, ids=lambda step: step.label)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("cols", [5, 500])  # which those of short rows take, too
def test_as_every_step_predicts(step, dtype, cols):
    rows = step.max_rows or 7
    k = 5 if step.operation == "topk" else 0
    call(step, logits((rows, cols), dtype), k)
    counts = sw.counts()
    assert counts["global_load_elements"] == step.predicted_loads(rows, cols, k, dtype)
    assert counts["global_store_elements"] == step.predicted_stores(rows, cols, k, dtype)


# The table of README.md and of the steps' pages: loads and stores for each element.
LADDER = {
    1: (lambda r, n: 4 * r * n + r, lambda r, n: 2 * r * n + r),
    2: (lambda r, n: 3 * r * n, lambda r, n: r * n),
    3: (lambda r, n: 2 * r * n, lambda r, n: r * n),
    4: (lambda r, n: 2 * r * n, lambda r, n: r * n),
    5: (lambda r, n: 2 * r * n, lambda r, n: r * n),
    6: (lambda r, n: 2 * r * n, lambda r, n: r * n),
}


@pytest.mark.parametrize("number", LADDER)
def test_as_the_ladder_says(number):
    loads, stores = LADDER[number]
    sw.softmax(logits((6, 100)), step=number)
    assert sw.counts()["global_load_elements"] == loads(6, 100)
    assert sw.counts()["global_store_elements"] == stores(6, 100)
    assert sw.counts()["launches"] == (3 if number == 1 else 1)


def test_the_fused_topk_stores_its_results_only():
    sw.topk(logits((6, 100)), 3, step=7)
    assert sw.counts()["global_load_elements"] == 600
    assert sw.counts()["global_store_elements"] == 6 * 2 * 3
    assert sw.counts()["global_store_bytes"] == 6 * 3 * (4 + 8)


@pytest.mark.parametrize("number", [4, 5, 6])
def test_counts_do_not_depend_on_where_an_array_lies(number):
    """Whatever 16 bytes it begins at, an array counts as if it came from cudaMalloc."""
    memory = numpy.zeros(64 + 8 * 256, numpy.float32)
    counts = set()
    for first in range(0, 64, 4):
        x = memory[first : first + 8 * 256].reshape(8, 256)
        sw.softmax(x, step=number)
        counts.add(tuple(sw.counts().items()))
    assert len(counts) == 1
    assert sw.counts()["global_load_sectors"] == 2 * 8 * 256 * 4 // 32


def test_a_row_that_begins_between_takes_a_sector_more():
    memory = numpy.zeros(257, numpy.float32)
    sw.softmax(memory[:256], step=5)
    aligned = sw.counts()["global_load_sectors"]
    sw.softmax(memory[1:], step=5)
    assert sw.counts()["global_load_sectors"] > aligned
    assert sw.counts()["global_load_elements"] == 2 * 256


def test_are_those_of_the_last_call_and_stay_those_when_one_is_refused():
    sw.softmax(logits((4, 10)))
    first = sw.counts()
    sw.softmax(logits((8, 10)))
    second = sw.counts()
    assert second["global_load_elements"] == 2 * first["global_load_elements"]
    with pytest.raises(ValueError, match="k = 11"):
        sw.topk(logits((8, 10)), 11)
    assert sw.counts() == second


def test_are_numbers_by_name_and_a_copy():
    sw.softmax(logits((4, 10)))
    counts = sw.counts()
    assert {"launches", "global_load_requests", "global_load_sectors", "shuffles"} <= counts.keys()
    assert all(type(value) is int for value in counts.values())
    counts.clear()
    assert sw.counts()


def test_before_any_call_there_are_none():
    code = "import softmax_worklog as sw; sw.counts()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1
    assert "RuntimeError: nothing was launched yet" in run.stderr


def test_threads_may_call_at_the_same_time():
    x = logits((16, 200))
    expected = sw.softmax(x)
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(sw.softmax(x.copy()))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all((result == expected).all() for result in results)


def test_one_array_may_be_the_input_of_several_threads():
    x = logits((16, 200))
    expected = sw.softmax(x)
    results = []
    threads = [threading.Thread(target=lambda: results.append(sw.softmax(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((result == expected).all() for result in results)


def test_while_another_thread_launches_they_are_of_one_call_as_a_whole():
    """Of one of two shapes each time, never a mixture or a part of one."""
    shapes = [(16, 200), (4, 3000)]
    expected = []
    for shape in [*shapes, (1, 10)]:  # the last one is what there is before the thread's first
        sw.softmax(logits(shape), step=1)
        expected.append(sw.counts())
    all_seen = threading.Event()

    def launch():
        for turn in range(200):
            for shape in shapes:
                sw.softmax(logits(shape), step=1)
                time.sleep(0.001)  # else it may take the lock again before the others wake
            if turn >= 20 and all_seen.is_set():
                return

    seen = []
    with ThreadPoolExecutor() as pool:
        launched = pool.submit(launch)
        while not launched.done():
            counts = sw.counts()
            seen += [counts] if counts not in seen else []
            if all(counts in seen for counts in expected[:2]):
                all_seen.set()
        launched.result()
    assert all(counts in expected for counts in seen)
    assert all_seen.is_set()
    assert sw.counts() == expected[1]


def test_are_of_the_last_call_in_whatever_thread():
    sw.softmax(logits((4, 10)), step=5)
    thread = threading.Thread(target=sw.softmax, args=(logits((8, 10)),), kwargs={"step": 5})
    thread.start()
    thread.join()
    assert sw.counts()["global_load_elements"] == 2 * 8 * 10


def test_after_a_call_for_which_there_was_no_memory_there_are_none(tmp_path):
    sw.softmax(logits((4, 10)))
    # A file that is all hole: nobody has its 12 GiB.
    x = numpy.lib.format.open_memmap(
        tmp_path / "x.npy", mode="w+", dtype=numpy.float16, shape=(2, 3 << 30)
    )
    with pytest.raises(MemoryError):
        sw.topk(x, 1)
    with pytest.raises(RuntimeError, match="nothing was launched yet, or the last call failed"):
        sw.counts()
    sw.softmax(logits((4, 10)))
    assert sw.counts()


TOO_SLOW = """
import numpy, softmax_worklog as sw
sw.softmax(numpy.zeros((4, 10), numpy.float32))
assert sw.counts()
try:
    sw.softmax(numpy.zeros((32, 1_000_000), numpy.float32), step=1)
except RuntimeError as error:
    print(error)
sw.counts()
"""


def test_after_a_launch_that_failed_there_are_none():
    environment = {**os.environ, "SIMT_TIME_LIMIT": "0.2"}
    command = [sys.executable, "-c", TOO_SLOW]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert "cudaErrorLaunchTimeout" in run.stdout
    assert run.returncode == 1
    assert "RuntimeError: nothing was launched yet, or the last call failed" in run.stderr
