"""bench/merge_results.py joins the files of one GPU run, and loses nothing of them."""

import json
import subprocess
import sys

import synthetic
from repository import ROOT

from worklog_report.results.records import read_bench

_MERGE = ROOT / "bench/merge_results.py"


def merge(folder, *inputs, accuracy=None):
    out = folder / "joined.json"
    command = [sys.executable, _MERGE, *inputs, "--out", out]
    if accuracy is not None:
        command += ["--accuracy", accuracy]
    return subprocess.run(command, capture_output=True, text=True, check=False), out


def split(folder):
    """What worklog_bench, the baselines' program and worklog_accuracy would each have written."""
    steps = synthetic.bench()
    steps["context"]["host_name"] = "a-machine"
    pytorch = {
        "context": {"gpu": steps["context"]["gpu"], "date": "2026-01-01", "pytorch": "2.0"},
        "benchmarks": [row for row in steps["benchmarks"] if row["name"].startswith("pytorch")],
        "baseline_accuracy": [
            row for row in steps["baseline_accuracy"] if row["baseline"].startswith("pytorch")
        ],
    }
    accuracy = {
        "accuracy": [],
        "baseline_accuracy": [
            row for row in steps.pop("baseline_accuracy") if row["baseline"].startswith("cudnn")
        ],
    }
    assert pytorch["benchmarks"]
    steps["benchmarks"] = [row for row in steps["benchmarks"] if row not in pytorch["benchmarks"]]
    return [
        synthetic.write(folder, "steps.json", steps),
        synthetic.write(folder, "pytorch.json", pytorch),
        synthetic.write(folder, "accuracy.json", accuracy),
    ]


def errors_by_name(rows):
    return sorted((row["baseline"], row["cols"], row["max_ulp"]) for row in rows)


def test_times_versions_and_errors_of_both_files_are_there(tmp_path):
    steps, pytorch, accuracy = split(tmp_path)
    result, out = merge(tmp_path, steps, pytorch, accuracy=accuracy)
    assert result.returncode == 0, result.stderr
    joined, whole = json.loads(out.read_text()), synthetic.bench()
    assert {row["name"] for row in joined["benchmarks"]} == {
        row["name"] for row in whole["benchmarks"]
    }
    assert errors_by_name(joined["baseline_accuracy"]) == errors_by_name(whole["baseline_accuracy"])
    assert joined["context"]["pytorch"] == "2.0"
    assert joined["context"]["date"] == whole["context"]["date"]
    assert "host_name" not in joined["context"]
    run = read_bench(out, recorded=True)
    assert set(run.baseline_errors) == {"pytorch/softmax", "cudnn/softmax_fast"}
    assert run.pytorch_errors == {1000: 6.0, 4096: 6.0, 25000: 6.0}


def test_a_row_has_a_line(tmp_path):
    row = synthetic.benchmark(synthetic.case("copy", "f32", 7, 7), 4.5, 392)
    row["gbps"] = 0.0871111
    data = synthetic.bench()
    data["benchmarks"].append(row)
    done, out = merge(tmp_path, synthetic.write(tmp_path, "steps.json", data))
    assert done.returncode == 0, done.stderr
    assert json.dumps(row) in out.read_text().splitlines()


def test_a_time_has_the_digits_of_a_clock_and_bytes_have_all(tmp_path):
    row = synthetic.benchmark(synthetic.case("copy", "f32", 7, 7), 4.70399996265769, 4294967297)
    data = synthetic.bench()
    data["benchmarks"].append(row)
    _, out = merge(tmp_path, synthetic.write(tmp_path, "steps.json", data))
    rows = json.loads(out.read_text())["benchmarks"]
    merged = next(one for one in rows if one["name"] == row["name"])
    assert merged["median_us"] == 4.704
    assert merged.get("bytes", row.get("bytes")) == row.get("bytes")


def test_errors_survive_a_later_merge_and_newer_ones_win(tmp_path):
    steps, pytorch, accuracy = split(tmp_path)
    merge(tmp_path, steps, pytorch, accuracy=accuracy)
    again = (tmp_path / "joined.json").rename(tmp_path / "first.json")
    newer = json.loads(accuracy.read_text())
    newer["baseline_accuracy"] = newer["baseline_accuracy"][:1]
    newer["baseline_accuracy"][0]["max_ulp"] = 11.0
    _, out = merge(tmp_path, again, accuracy=synthetic.write(tmp_path, "newer.json", newer))
    errors = read_bench(out, recorded=True).baseline_errors
    assert errors["pytorch/softmax"] == {1000: 6.0, 4096: 6.0, 25000: 6.0}
    assert errors["cudnn/softmax_fast"] == {1000: 11.0, 4096: 9.0, 25000: 9.0}


def test_a_baseline_that_refuses_keeps_its_row_and_others_get_their_ceiling(tmp_path):
    steps, pytorch, _ = split(tmp_path)
    data = json.loads(steps.read_text())
    copy = next(row for row in data["benchmarks"] if row["name"].startswith("copy/f32"))
    shape = [copy[name] for name in ("dtype", "rows", "cols")]
    refused = {
        **synthetic.case("cudnn/softmax_fast", *shape),
        "error_occurred": True,
        "error_message": "cuDNN, cudnnSoftmaxForward: CUDNN_STATUS_NOT_SUPPORTED",
    }
    more = json.loads(pytorch.read_text())
    timed = synthetic.benchmark(
        synthetic.case("triton/softmax", *shape), 2 * copy["median_us"], 1e6
    )
    more["benchmarks"] += [refused, timed]
    _, out = merge(tmp_path, steps, synthetic.write(tmp_path, "more.json", more))
    joined = {row["name"]: row for row in json.loads(out.read_text())["benchmarks"]}
    assert joined[refused["name"]] == refused
    assert joined[timed["name"]]["copy_us"] == copy["median_us"]
    assert joined[timed["name"]]["fraction"] == 0.5
    assert (refused["name"], refused["error_message"]) in read_bench(out, recorded=True).errors


def test_a_broken_file_and_another_gpu_are_named(tmp_path):
    steps, pytorch, _ = split(tmp_path)
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


def test_a_file_that_cannot_be_written_is_named_and_nothing_is_left(tmp_path):
    steps, *_ = split(tmp_path)
    result, out = merge(tmp_path / "nowhere", steps)
    assert result.returncode == 1
    assert result.stderr == f"{out}: cannot be written: No such file or directory\n"
    (tmp_path / "joined.json").mkdir()
    result, out = merge(tmp_path, steps)
    assert result.stderr == f"{out}: cannot be written: Is a directory\n"
    assert not out.with_name("joined.json.part").exists()
