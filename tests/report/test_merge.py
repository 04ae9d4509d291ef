"""bench/merge_results.py joins the files of one GPU run, and loses nothing of them."""

import json
import subprocess
import sys
from pathlib import Path

import synthetic

from worklog_report.records import read_bench

_MERGE = Path(__file__).resolve().parents[2] / "bench/merge_results.py"


def merge(folder, *inputs):
    out = folder / "joined.json"
    command = [sys.executable, _MERGE, *inputs, "--out", out]
    return subprocess.run(command, capture_output=True, text=True, check=False), out


def split(folder):
    """What worklog_bench and the baselines' program would each have written."""
    steps = synthetic.bench()
    steps["context"]["host_name"] = "a-machine"
    pytorch = {
        "context": {"gpu": steps["context"]["gpu"], "date": "2026-01-01", "pytorch": "2.0"},
        "benchmarks": [row for row in steps["benchmarks"] if row["name"].startswith("pytorch")],
        "pytorch_accuracy": steps.pop("pytorch_accuracy"),
    }
    assert pytorch["benchmarks"]
    steps["benchmarks"] = [row for row in steps["benchmarks"] if row not in pytorch["benchmarks"]]
    return [
        synthetic.write(folder, "steps.json", steps),
        synthetic.write(folder, "pytorch.json", pytorch),
    ]


def test_times_versions_and_errors_of_both_files_are_there(tmp_path):
    result, out = merge(tmp_path, *split(tmp_path))
    assert result.returncode == 0, result.stderr
    joined, whole = json.loads(out.read_text()), synthetic.bench()
    assert {row["name"] for row in joined["benchmarks"]} == {
        row["name"] for row in whole["benchmarks"]
    }
    assert joined["pytorch_accuracy"] == whole["pytorch_accuracy"]
    assert joined["context"]["pytorch"] == "2.0"
    assert joined["context"]["date"] == whole["context"]["date"]
    assert "host_name" not in joined["context"]
    assert read_bench(out, recorded=True).pytorch_errors


def test_errors_survive_a_later_merge(tmp_path):
    steps, pytorch = split(tmp_path)
    merge(tmp_path, steps, pytorch)
    again = (tmp_path / "joined.json").rename(tmp_path / "first.json")
    _, out = merge(tmp_path, again)
    assert json.loads(out.read_text())["pytorch_accuracy"] == synthetic.bench()["pytorch_accuracy"]


def test_a_broken_file_and_another_gpu_are_named(tmp_path):
    steps, pytorch = split(tmp_path)
    other = json.loads(pytorch.read_text())
    other["context"]["gpu"] = "another"
    result, out = merge(tmp_path, steps, synthetic.write(tmp_path, "other.json", other))
    assert result.returncode != 0
    assert "other.json: of another GPU, 'another'" in result.stderr
    pytorch.write_text(pytorch.read_text()[:100])
    result, out = merge(tmp_path, steps, pytorch)
    assert result.returncode != 0
    assert "pytorch.json: broken or truncated JSON" in result.stderr
    assert not out.exists()
