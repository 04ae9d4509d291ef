"""bench/library_peers.py: who is timed where, and what becomes of those that are not there.

Without a GPU: fake_torch stands in for PyTorch, and the other peers are not there.
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

_BENCH = Path(__file__).resolve().parents[2] / "bench"
_FAKE_TORCH = Path(__file__).parent / "fake_torch"

_FIELDS = ("operation", "dtype", "rows", "cols", "k", "cache")
_CASES = [
    ("softmax", "f32", 4096, 32000, 0, "cold"),
    ("softmax", "bf16", 8, 577, 0, "cold"),
    ("softmax", "f32", 8, 100, 0, "cold"),
    ("cross_entropy", "bf16", 64, 32000, 0, "cold"),
    ("cross_entropy", "f32", 4096, 32000, 0, "cold"),
    ("top_k", "f32", 64, 32000, 50, "cold"),
    ("softmax_backward", "f32", 64, 256000, 0, "cold"),
    ("log_softmax", "bf16", 512, 50257, 0, "cold"),
    ("softmax", "f32", 8, 577, 0, "warm"),
    ("cross_entropy", "bf16", 64, 32000, 0, "warm"),
    ("cross_entropy_rows", "bf16", 64, 32000, 0, "cold"),
    ("cross_entropy_rows", "f32", 4096, 32000, 0, "cold"),
    ("cross_entropy_rows", "bf16", 64, 32000, 0, "warm"),
]


def run(program, *options, torch=True):
    path = [str(_FAKE_TORCH)] if torch else []
    path.append(str(_BENCH))  # a program's own folder
    start = (
        f"import runpy, sys; sys.path[:0] = {path}; "
        f"runpy.run_path({str(_BENCH / program)!r}, run_name='__main__')"
    )
    command = [sys.executable, "-B", "-c", start, *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def cases(tmp_path):
    """What worklog_library_times --cases FILE writes."""
    file = tmp_path / "cases.json"
    rows = [dict(zip(_FIELDS, case, strict=True)) for case in _CASES]
    file.write_text(json.dumps({"cases": rows}))
    return file


def test_each_is_listed_where_it_has_the_operation(cases):
    result = run("library_peers.py", "--cases", cases, "--list", torch=False)
    listed = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    assert listed["softmax/f32/4096x32000/cold"] == (
        "library_with_peers pytorch triton flashinfer quack torch_compile"
    )
    assert listed["softmax/bf16/8x577/cold"] == "library_with_peers pytorch triton quack"
    assert listed["top_k/f32/64x32000/k50/cold"] == "library_with_peers pytorch"
    assert listed["cross_entropy/bf16/64x32000/warm"] == "library_with_peers pytorch quack liger"
    assert listed["cross_entropy/f32/4096x32000/cold"].endswith("torch_compile")
    # What torch.compile and Liger make of it gives a mean alone.
    assert {line for name, line in listed.items() if name.startswith("cross_entropy_rows")} == {
        "library_with_peers pytorch quack"
    }
    assert len(listed) == len(_CASES)


def test_a_mean_and_each_row_s_cross_entropy_give_the_same_of_all_who_are_timed():
    """The mean loss and its gradients, or each row's loss and the gradients by that: of each peer
    the same results, and nothing that is timed makes what was there before."""
    command = [sys.executable, "-B", Path(__file__).with_name("calls_of_cross_entropy.py")]
    result = subprocess.run(
        [*command, _BENCH, _FAKE_TORCH], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    calls = json.loads(result.stdout)
    loss = "cross_entropy"
    mean, rows = ["loss", "gradients"], ["losses", "gradients"]
    assert {key: of["timed"] for key, of in calls.items()} == {
        "cross_entropy, library_with_peers": [
            [loss, {"reduction": 2, "shape": [64, 32000], "given": mean}]
        ],
        "cross_entropy, pytorch": [[loss, {}], ["grad", {}]],
        "cross_entropy, quack": [
            ["quack.cross_entropy", {"reduction": "mean"}],
            [loss, {"reduction": "mean"}],  # of its stand-in
            ["grad", {}],
        ],
        "cross_entropy_rows, library_with_peers": [
            [loss, {"reduction": 0, "shape": [64, 32000], "given": rows}]
        ],
        "cross_entropy_rows, pytorch": [
            [loss, {"reduction": "none"}],
            ["grad", {"grad_outputs": [64]}],
        ],
        "cross_entropy_rows, quack": [["quack.cross_entropy_fwd", {"return_dx": True}]],
    }
    ones, *_ = calls["cross_entropy_rows, pytorch"]["before"]
    assert ones[0] == "ones"
    for operation in ("cross_entropy", "cross_entropy_rows"):
        before = calls[f"{operation}, library_with_peers"]["before"]
        assert before == [["workspace_bytes", {"operation": 5}]]


_INSTALLED = [
    name for name in ("triton", "liger_kernel", "quack") if importlib.util.find_spec(name)
]


@pytest.mark.skipif(_INSTALLED != [], reason=f"{_INSTALLED} would be timed, too")
def test_what_is_there_is_timed_and_the_rest_named(cases, tmp_path):
    out = tmp_path / "peers.json"
    result = run("library_peers.py", "--cases", cases, "--out", out)
    assert result.returncode == 0, result.stderr
    for absent in ("library_with_peers", "triton", "quack", "flashinfer", "liger"):
        assert f"{absent} is left out: " in result.stdout
    written = json.loads(out.read_text())
    assert written["context"]["pytorch"] == "0.fake"
    assert written["context"]["flashinfer"].startswith("not there: FLASHINFER_SOFTMAX")
    rows = {tuple(row[f] for f in ("by", *_FIELDS)): row for row in written["of_library"]}
    assert len(rows) == len(written["of_library"]) == len(_CASES) + 2
    assert {by for by, *_ in rows} == {"pytorch", "torch_compile"}
    assert rows["torch_compile", "softmax", "f32", 4096, 32000, 0, "cold"]["samples"] >= 20
    assert rows["pytorch", "softmax", "bf16", 8, 577, 0, "cold"]["median_us"] == pytest.approx(10)
    # A graph takes 10 microseconds, too, and has as many launches as take a millisecond.
    warm = rows["pytorch", "softmax", "f32", 8, 577, 0, "warm"]
    assert warm["median_us"] == pytest.approx(10 / 100)
    failed = rows["pytorch", "softmax", "f32", 8, 100, 0, "cold"]
    assert failed["error_message"] == "CUDA error: out of patience"
    assert "median_us" not in failed
    scaled = {(row["by"], row["call"], row["dtype"], row["cols"]) for row in written["of_scaling"]}
    assert {by for by, *_ in scaled} == {"pytorch", "torch_compile"}
    assert {call for _, call, *_ in scaled} == {
        "scale", "mask", "causal", "top_k", "cross_entropy", "backward",
    }  # fmt: skip
    assert ("torch_compile", "causal", "bf16", 2048) in scaled
    assert ("torch_compile", "causal", "bf16", 512) not in scaled
    assert all(row["median_us"] == pytest.approx(10) for row in written["of_scaling"])
    calls = {(call["by"], call["language"], call["call"]): call for call in written["host_calls"]}
    assert {key[:2] for key in calls} == {("pytorch", "Python")}
    assert all(call["us"] >= 0 for call in calls.values())
    assert {key[2] for key in calls} == {"softmax", "log_softmax", "top_k", "cross_entropy"}


def test_what_there_is_no_time_for_is_a_failure_that_says_so(cases, tmp_path):
    out = tmp_path / "peers.json"
    limits = ("--seconds", "0", "--scaled-seconds", "0")
    result = run("library_peers.py", "--cases", cases, "--out", out, *limits)
    assert result.returncode == 1
    assert "75 of 77 measurements were not begun: pytorch's of softmax/f32/4096x32000/cold" in (
        result.stderr
    )
    rows = json.loads(out.read_text())["of_library"]
    assert {row["by"] for row in rows} == {"torch_compile"}


def test_cases_of_something_else_are_refused(tmp_path):
    other = tmp_path / "other.json"
    assert "cannot be read" in run("library_peers.py", "--cases", other, "--list").stderr
    for text in ("{}", '{"cases": [{"rows": 3}]}', "no JSON"):
        other.write_text(text)
        result = run("library_peers.py", "--cases", other, "--list")
        assert (result.returncode, "is not what worklog_library" in result.stderr) == (2, True)
    assert "--out FILE is missing" in run("library_peers.py", "--cases", other).stderr


def test_the_library_s_times_and_its_peers_become_one_file(tmp_path):
    row = dict(zip(_FIELDS, _CASES[0], strict=True))
    parts = {
        "own": {
            "context": {"gpu": "a GPU", "date": "2026-01-31T23:59:59+00:00"},
            "of_library": [{"by": "library", **row, "median_us": 1.23456789, "limit_us": 1.0}],
            "host_calls": [{"by": "library", "language": "C++", "call": "softmax", "us": 2.5}],
        },
        "peers": {
            "context": {"gpu": "a GPU", "date": "later", "executable": "x", "liger": "0.8"},
            "of_library": [{"by": "pytorch", **row, "median_us": 2.0}],
            "host_calls": [],
            "of_scaling": [{"by": "pytorch", "call": "mask", "median_us": 1.23456789}],
        },
    }
    files = []
    for name, part in parts.items():
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps(part))
    out = tmp_path / "library.json"
    merge = ("merge_results.py", "--library", *files, "--out", out)
    result = run(*merge)
    assert result.returncode == 0, result.stderr
    joined = json.loads(out.read_text())
    assert joined["context"] == {
        "gpu": "a GPU",
        "date": "2026-01-31T23:59:59+00:00",
        "liger": "0.8",
    }
    assert [(r["by"], r["median_us"]) for r in joined["of_library"]] == [
        ("library", 1.234568),
        ("pytorch", 2.0),
    ]
    assert len(joined["host_calls"]) == 1
    assert joined["of_scaling"] == [{"by": "pytorch", "call": "mask", "median_us": 1.234568}]
    files[1].write_text(json.dumps(parts["peers"] | {"context": {"gpu": "another"}}))
    assert "of another GPU, 'another'" in run(*merge).stderr
