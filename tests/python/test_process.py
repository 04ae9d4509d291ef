"""What happens around a call: signals, forks, and limits of the process."""

import os
import signal
import subprocess
import sys

import pytest

BEGIN = """
import os, signal, threading, time
import numpy, softmax_worklog as sw

def soon(signal_number=signal.SIGINT):
    def send():
        time.sleep(0.3)
        os.kill(os.getpid(), signal_number)
    threading.Thread(target=send).start()

long = numpy.zeros((64, 4_000_000), numpy.float32)  # would take minutes
"""

CALLS = {
    "a step": "sw.softmax(long, step=1)",
    "the dispatcher's": "sw.softmax(long)",
    "in fp64": "sw.softmax(long[:4].astype(float))",
    "sorted": "sw.topk(long[0], 3000)",
    "while another thread has its turn": (
        "threading.Thread(target=sw.softmax, args=(long,), daemon=True).start(); "
        "time.sleep(0.1); sw.softmax(long)"
    ),
    "a short one likewise": (
        "threading.Thread(target=sw.softmax, args=(long,), daemon=True).start(); "
        "time.sleep(0.1); sw.softmax(long[:2, :8])"
    ),
    "a question for its counts": (
        "threading.Thread(target=sw.softmax, args=(long,), daemon=True).start(); "
        "time.sleep(0.1); sw.counts()"
    ),
}


def python(code, **keywords):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", BEGIN + code]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **keywords)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ctrl_c_ends_a_call(call):
    run = python(f"""
soon()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)  # another thread's call goes on
""")
    assert run.stdout == "interrupted\n", run.stderr


def test_after_it_calls_are_as_ever():
    run = python("""
soon()
try:
    sw.softmax(long)
except KeyboardInterrupt:
    pass
try:
    sw.counts()
except RuntimeError as error:
    print(error)
assert sw.softmax(long[0, :5000])[0] == numpy.float32(1 / 5000)
print(sw.counts()["launches"])
""")
    assert run.stdout.startswith("nothing was launched yet, or the last call failed")
    assert run.stdout.endswith("\n1\n"), run.stderr


def test_a_handler_that_raises_nothing_runs_meanwhile():
    run = python("""
signals = []
signal.signal(signal.SIGUSR1, lambda *_: signals.append(time.perf_counter()))
soon(signal.SIGUSR1)
while not signals:
    y = sw.softmax(long[:2, :400_000], step=1)
    end = time.perf_counter()
print(signals[0] < end, y[0, 0] == numpy.float32(1 / 400_000))
""")
    assert run.stdout == "True True\n", run.stderr


def test_a_child_works_of_a_fork_while_another_thread_is_in_a_call():
    run = python("""
results = []
other = threading.Thread(target=lambda: results.append(sw.softmax(long[:2, :400_000], step=1)))
other.start()
time.sleep(0.1)
child = os.fork()
y = sw.softmax(long[:50, :100])
right = (y == y[0, 0]).all() and sw.counts()["launches"] == 1
if child == 0:
    os._exit(0 if right else 1)
other.join()
print(right, os.waitpid(child, 0)[1], results[0].shape)
""")
    assert run.stdout == "True 0 (2, 400000)\n", run.stderr


def test_children_work_of_forks_at_any_time_of_calls():
    run = python("""
few = numpy.zeros((2, 5000), numpy.float32)
ended = False

def call():
    while not ended:
        sw.softmax(few, step=1)  # of three launches, between which a fork must wait, too

other = threading.Thread(target=call)
other.start()
wrong = 0
for _ in range(30):
    child = os.fork()
    if child == 0:
        right = sw.softmax(few[:, :10])[0, 0] == numpy.float32(0.1)
        os._exit(0 if right and sw.counts()["launches"] == 1 else 1)
    wrong += os.waitpid(child, 0)[1] != 0
ended = True
other.join()
print(wrong)
""")
    assert run.stdout == "0\n", run.stderr


def test_multiprocessing_by_fork():
    run = python("""
import multiprocessing
sw.softmax(long[:50, :100])
with multiprocessing.get_context("fork").Pool(2) as pool:
    sums = pool.map(sw.softmax, [long[:50, :100], long[:3, :7]])
print([y.shape for y in sums])
""")
    assert run.stdout == "[(50, 100), (3, 7)]\n", run.stderr


@pytest.mark.parametrize("gib", [1, 20, 80, 88, 110])
def test_a_limited_address_space_is_named(gib):
    call = "sw.softmax(numpy.zeros((400, 30), numpy.float32), step=3)"
    code = f"import numpy, softmax_worklog as sw; {call}"
    limited = f'ulimit -v {gib << 20} && exec "$@"'
    command = ["bash", "-c", limited, "bash", sys.executable, "-c", code]
    environment = {**os.environ, "SIMT_WORKERS": "4"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    last = run.stderr.splitlines()[-1]
    assert last.startswith("MemoryError"), run.stderr
    assert f"the process may have {gib << 10} MiB in all; 'ulimit -v unlimited' lifts" in last


def test_a_signal_that_ends_the_process_ends_it():
    run = python("""
signal.signal(signal.SIGTERM, signal.SIG_DFL)
soon(signal.SIGTERM)
sw.softmax(long)
""")
    assert run.returncode == -signal.SIGTERM
