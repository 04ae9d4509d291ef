"""bench/baselines: which cases there are, and what becomes of those that cannot run.

Without a GPU: fake_torch stands in for PyTorch, and Triton is not there.
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from worklog_report.results.records import read_bench

_BASELINES = Path(__file__).resolve().parents[2] / "bench/baselines"
_FAKE_TORCH = Path(__file__).parent / "fake_torch"

# The shapes that torch.compile is asked for by name, and two more.
# Subject, type, rows, columns, k, cache.
_MEASUREMENTS = [
    *(("copy", "f32", 4000, cols, 0, "cold") for cols in (1000, 4000, 25000)),
    ("copy", "f32", 10, 25000, 0, "cold"),
    ("copy", "f32", 1, 16777216, 0, "cold"),
    ("copy", "f16", 64, 8192, 0, "cold"),
    ("copy", "f32", 256, 30000, 0, "cold"),
    ("copy", "bf16", 9, 100, 0, "cold"),
    *(
        ("combine", "bf16", *shape, 0, "cold")
        for shape in ((8192, 4096), (8192, 32000), (8192, 32768))
    ),
    ("combine", "bf16", 4096, 128256, 0, "cold"),
    *(("combine", "f32", *shape, 0, "cold") for shape in ((4000, 25000), (8192, 50257))),
    *(
        ("copy", dtype, tokens, tokens, 0, "cold")
        for dtype in ("f32", "f16", "bf16")
        for tokens in (4096, 16384)
    ),
    ("copy", "f32", 4000, 1000, 0, "warm"),
    ("06_vectorized", "f32", 4000, 1000, 0, "cold"),
    ("cudnn/log_softmax", "f32", 256, 30000, 0, "cold"),
    ("07_topk_fusion", "f32", 4000, 25000, 5, "cold"),
    ("07_topk_fusion/safe_fused", "f32", 4000, 25000, 5, "cold"),
    ("07_topk_fusion", "f32", 4000, 25000, 30, "cold"),
]
_OF_TOKENS = [
    f"{dtype}/{tokens}x{tokens}" for dtype in ("f32", "f16", "bf16") for tokens in (4096, 16384)
]
_FIELDS = ("dtype", "rows", "cols", "k", "cache")


def run(*options, torch=True):
    path = [str(_FAKE_TORCH)] if torch else []
    program = (
        f"import runpy, sys; sys.path[:0] = {path}; "
        f"runpy.run_path({str(_BASELINES)!r}, run_name='__main__')"
    )
    command = [sys.executable, "-B", "-c", program, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def measurements(tmp_path):
    """What worklog_bench --measurements=FILE writes."""
    rows = [
        {
            "step" if subject[0] == "0" else "baseline": subject,
            **dict(zip(_FIELDS, shape, strict=True)),
        }
        for subject, *shape in _MEASUREMENTS
    ]
    file = tmp_path / "measurements.json"
    file.write_text(json.dumps({"measurements": rows}))
    return file


def times(measurements, tmp_path, *options):
    out = tmp_path / "baselines.json"
    return run("--measurements", measurements, "--out", out, *options), out


def test_pytorch_is_timed_at_every_shape_others_at_some(measurements):
    listed = run("--measurements", measurements, "--list", torch=False).stdout.split()
    of_tokens = [f"{shape}/cold" for shape in _OF_TOKENS]
    attention = [name for name in listed if "attention" in name]
    assert sorted(attention) == sorted(
        f"pytorch/{way}/{shape}"
        for way in ("attention", "attention_of_three_calls")
        for shape in of_tokens
    )
    others = (name for name in listed if not name.endswith(tuple(of_tokens)))
    assert sorted(name for name in others if name.startswith("pytorch")) == [
        "pytorch/cross_entropy/bf16/4096x128256/cold",
        "pytorch/cross_entropy/bf16/8192x32000/cold",
        "pytorch/cross_entropy/f32/8192x50257/cold",
        "pytorch/cross_entropy_forward/bf16/4096x128256/cold",
        "pytorch/cross_entropy_forward/bf16/8192x32000/cold",
        "pytorch/cross_entropy_forward/f32/8192x50257/cold",
        "pytorch/log_softmax/f32/256x30000/cold",
        "pytorch/log_softmax_backward/bf16/4096x128256/cold",
        "pytorch/log_softmax_backward/bf16/8192x32000/cold",
        "pytorch/log_softmax_backward/bf16/8192x32768/cold",
        "pytorch/log_softmax_backward/bf16/8192x4096/cold",
        "pytorch/log_softmax_backward/f32/4000x25000/cold",
        "pytorch/log_softmax_backward/f32/8192x50257/cold",
        "pytorch/softmax/bf16/9x100/cold",
        "pytorch/softmax/f16/64x8192/cold",
        "pytorch/softmax/f32/10x25000/cold",
        "pytorch/softmax/f32/1x16777216/cold",
        "pytorch/softmax/f32/256x30000/cold",
        "pytorch/softmax/f32/4000x1000/cold",
        "pytorch/softmax/f32/4000x25000/cold",
        "pytorch/softmax/f32/4000x4000/cold",
        "pytorch/softmax_backward/bf16/4096x128256/cold",
        "pytorch/softmax_backward/bf16/8192x32000/cold",
        "pytorch/softmax_backward/bf16/8192x32768/cold",
        "pytorch/softmax_backward/bf16/8192x4096/cold",
        "pytorch/softmax_backward/f32/4000x25000/cold",
        "pytorch/softmax_backward/f32/8192x50257/cold",
        "pytorch/softmax_then_topk/f32/4000x25000/k30/cold",
        "pytorch/softmax_then_topk/f32/4000x25000/k5/cold",
    ]
    assert "triton/softmax/f32/10x25000/cold" in listed
    assert "triton/softmax/bf16/9x100/cold" not in listed
    assert "torch_compile/softmax/f16/64x8192/cold" in listed
    assert "torch_compile/softmax_backward/bf16/4096x128256/cold" in listed
    assert "liger/cross_entropy/bf16/4096x128256/cold" in listed


def test_a_case_that_fails_is_a_row_with_its_error(measurements, tmp_path):
    result, out = times(measurements, tmp_path)
    assert result.returncode == 0, result.stderr
    rows = {row["name"]: row for row in json.loads(out.read_text())["benchmarks"]}
    failed = [row for row in rows.values() if row.get("error_occurred")]
    assert [row["name"] for row in failed] == ["pytorch/softmax/bf16/9x100/cold"]
    assert failed[0]["error_message"] == "CUDA error: out of patience"
    assert "pytorch/softmax/bf16/9x100/cold: no time: CUDA error: out of patience" in result.stdout
    top_k = rows["pytorch/softmax_then_topk/f32/4000x25000/k30/cold"]
    assert top_k["median_us"] == pytest.approx(10.0)
    assert top_k["bytes"] == 4000 * (25000 * 4 + 30 * 12)
    assert rows["pytorch/softmax/f16/64x8192/cold"]["bytes"] == 2 * 64 * 8192 * 2
    for library in ("pytorch", "torch_compile"):
        backward = rows[f"{library}/softmax_backward/bf16/8192x4096/cold"]
        assert backward["median_us"] == pytest.approx(10.0)
        assert backward["bytes"] == 3 * 8192 * 4096 * 2
    array = 8192 * 50257 * 4
    for library in ("pytorch", "torch_compile"):
        name = f"{library}/cross_entropy{{}}/f32/8192x50257/cold"
        assert rows[name.format("")]["bytes"] == 2 * array + 8192 * 12
        assert rows[name.format("_forward")]["bytes"] == array + 8192 * 12
    for way in ("attention", "attention_of_three_calls"):
        assert rows[f"pytorch/{way}/bf16/16384x16384/cold"]["bytes"] == 4 * 16384 * 64 * 2
    run_read = read_bench(out, recorded=False)
    assert len(run_read.baselines) == len(rows) - 1
    assert run_read.machine.context["pytorch"] == "0.fake"


@pytest.mark.skipif(importlib.util.find_spec("triton") is not None, reason="Triton is installed")
def test_without_triton_its_rows_are_left_out_by_name(measurements, tmp_path):
    result, out = times(measurements, tmp_path)
    assert "triton/softmax is left out: Triton cannot be imported" in result.stdout
    data = json.loads(out.read_text())
    assert data["context"]["triton"].startswith("cannot be imported: No module named 'triton'")
    assert not [row for row in data["benchmarks"] if row["name"].startswith("triton")]


@pytest.mark.skipif(importlib.util.find_spec("liger_kernel") is not None, reason="Liger is there")
def test_without_liger_its_rows_are_left_out_by_name(measurements, tmp_path):
    result, out = times(measurements, tmp_path)
    assert "liger/cross_entropy is left out: Liger cannot be imported" in result.stdout
    data = json.loads(out.read_text())
    assert data["context"]["liger"].startswith("cannot be imported: No module named 'liger_kernel'")
    assert not [row for row in data["benchmarks"] if row["name"].startswith("liger")]


def test_cases_that_there_is_no_time_for_are_rows_and_a_failure(measurements, tmp_path):
    result, out = times(measurements, tmp_path, "--seconds", "1e-9")
    assert result.returncode == 1
    assert "cases were not begun in 1e-09 s" in result.stderr
    rows = json.loads(out.read_text())["benchmarks"]
    assert {row["error_message"] for row in rows} == {"not begun: the baselines' time was over"}


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_nothing_is_written(measurements, tmp_path):
    out = tmp_path / "out.json"
    result = run("--measurements", measurements, "--out", out, torch=False)
    assert result.returncode == 1
    assert "PyTorch is not installed here" in result.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--out FILE is missing"),
        (["--out", "no/such/folder/x.json"], "there is no folder"),
        (["--out", "x.json", "--seconds", "0"], "--seconds 0: must be more than 0"),
        (["--out", "x.json", "--accuracy", "nowhere"], "--accuracy nowhere: has no accuracy.json"),
        (["--what"], "unrecognized arguments: --what"),
    ],
)
def test_bad_usage_says_what_is_wrong(measurements, options, message):
    result = run("--measurements", measurements, *options)
    assert result.returncode == 2
    assert message in result.stderr


def test_measurements_of_something_else_are_refused(tmp_path):
    other = tmp_path / "other.json"
    other.write_text('{"measurements": []}')
    result = run("--measurements", other, "--list")
    assert (result.returncode, "no copy with a cold cache" in result.stderr) == (2, True)
    copy = {"baseline": "copy", "dtype": "f32", "rows": 4, "cols": 8, "k": 0, "cache": "cold"}
    other.write_text(json.dumps({"measurements": [copy]}))
    assert "not a shape of the bench" in run("--measurements", other, "--list").stderr
    other.write_text("copy/f32/4x8/cold")
    assert "is not what worklog_bench" in run("--measurements", other, "--list").stderr
    assert "cannot be read" in run("--measurements", tmp_path / "none", "--list").stderr
