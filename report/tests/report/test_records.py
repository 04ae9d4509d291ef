"""Broken input: one clear message that names file and field, exit code 2, nothing written."""

import copy
import json

import pytest
import synthetic

from worklog_report.results.records import InputError, Shape, read_bench, read_records, read_results


def damage(path, value):
    """A change of the first record, or of the first benchmark."""

    def apply(data):
        target = data
        for key in path[:-1]:
            target = target[key]
        if value is None:
            del target[path[-1]]
        else:
            target[path[-1]] = value

    return apply


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (damage(["records"], None), "the file: missing field 'records'"),
        (damage(["records", 0, "max_ulp"], None), "records[0]: missing field 'max_ulp'"),
        (
            damage(["records", 0, "rows"], "many"),
            'records[0].rows: "many" is not of type "integer"',
        ),
        (damage(["records", 0, "rows"], -1), "records[0].rows: -1 is less than the minimum of 0"),
        (damage(["records", 3, "dtype"], "f64"), 'records[3].dtype: "f64" is not one of'),
        (damage(["records", 0, "verified"], "yes"), "records[0].verified"),
        (damage(["records", 0, "step"], "first"), 'records[0].step: "first" does not match'),
        (damage(["records", 0, "predicted_loads"], None), "missing field 'predicted_loads'"),
        (damage(["records", 0, "loads_per_element"], True), "records[0].loads_per_element: true"),
    ],
)
def test_wrong_records_are_named(workplace, capsys, change, expected):
    data = synthetic.records()
    change(data)
    workplace.write("records.json", data)
    assert workplace.run("--out", workplace.out) == 2
    message = capsys.readouterr().err
    assert f"{workplace.records}: " in message
    assert expected in message
    assert message.count("\n") == 1
    assert not workplace.out.exists()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (damage(["context", "gpu"], None), "context: missing field 'gpu'"),
        (damage(["benchmarks"], {}), 'benchmarks: {} is not of type "array"'),
        (damage(["benchmarks", 0, "median_us"], None), "benchmarks[0]: missing field 'median_us'"),
        (damage(["benchmarks", 0, "median_us"], 0), "benchmarks[0].median_us: 0 is less than or"),
        (damage(["benchmarks", 0, "cols"], None), "benchmarks[0]: missing field 'cols'"),
        (damage(["benchmarks", 0, "step"], "05 warp"), 'benchmarks[0].step: "05 warp" does not'),
        (damage(["benchmarks", 0, "cache"], "hot"), 'benchmarks[0].cache: "hot" is not one of'),
    ],
)
def test_wrong_bench_results_are_named(workplace, capsys, change, expected):
    data = synthetic.bench()
    change(data)
    workplace.write("bench.json", data)
    assert workplace.run("--out", workplace.out, "--bench", workplace.bench) == 2
    message = capsys.readouterr().err
    assert f"{workplace.bench}: {expected}" in message
    assert not workplace.out.exists()


@pytest.mark.parametrize("keep", [0, 1, 100, 5000])
def test_truncated_file_is_named(workplace, capsys, keep):
    text = workplace.records.read_text()
    workplace.records.write_text(text[:keep])
    assert workplace.run("--out", workplace.out) == 2
    message = capsys.readouterr().err
    assert str(workplace.records) in message
    assert "broken or truncated JSON at line 1, column" in message
    assert not workplace.out.exists()


def test_nan_is_not_json(workplace, capsys):
    text = workplace.records.read_text().replace('"max_ulp": 0.51', '"max_ulp": NaN', 1)
    workplace.records.write_text(text)
    assert workplace.run("--out", workplace.out) == 2
    assert "NaN is not JSON" in capsys.readouterr().err


def test_binary_file_is_named(workplace, capsys):
    workplace.records.write_bytes(b"\xff\xfe\x00")
    assert workplace.run("--out", workplace.out) == 2
    assert f"{workplace.records}: is not UTF-8 text" in capsys.readouterr().err


def test_missing_file_is_named(workplace, capsys):
    workplace.records.unlink()
    assert workplace.run("--out", workplace.out) == 2
    assert f"{workplace.records}: cannot be read: No such file" in capsys.readouterr().err


def test_missing_steps_are_named(workplace, capsys):
    workplace.steps = workplace.folder / "nowhere"
    assert workplace.run("--out", workplace.out) == 2
    assert "nowhere: is not a directory of steps" in capsys.readouterr().err


def test_an_old_report_survives_bad_input(workplace):
    workplace.report()
    before = {path.name: path.read_bytes() for path in workplace.out.iterdir()}
    workplace.records.write_text("{")
    assert workplace.run("--out", workplace.out) == 2
    assert {path.name: path.read_bytes() for path in workplace.out.iterdir()} == before


def test_unwritable_output_is_named(workplace, capsys):
    workplace.out.write_text("a file where the folder should be")
    assert workplace.run("--out", workplace.out) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_verified_record_has_an_error(tmp_path):
    path = synthetic.write(tmp_path, "r.json", synthetic.records(max_ulp=None))
    with pytest.raises(InputError, match=r'records\[0\].max_ulp: null is not of type "number"'):
        read_records(path)


def test_a_record_survives_the_round_trip(tmp_path):
    row = synthetic.record(synthetic.UNITS[6], input="search", block_barriers=7)
    path = synthetic.write(tmp_path, "r.json", {"records": [row]})
    (record,) = read_records(path)
    assert record.shape == Shape("f32", 64, 4000, 5)
    assert record.as_json() == row


def test_a_row_of_the_bench_says_what_it_is_of(tmp_path):
    cases = [
        synthetic.case("03_third/unsafe", "f16", 10, 100),
        synthetic.case("05_topk", "f32", 4000, 25000, 5, "warm"),
        synthetic.case("copy", "bf16", 1, 2),
        synthetic.case("pytorch/softmax", "f32", 1, 2),
    ]
    data = {
        "context": {"gpu": "G", "date": "2026-01-01"},
        "benchmarks": [synthetic.benchmark(case, 1.0, 8) | {"name": "any"} for case in cases],
    }
    run = read_bench(synthetic.write(tmp_path, "b.json", data), recorded=True)
    assert [(row.unit, row.shape, row.cache) for row in run.records] == [
        ("03_third/unsafe", Shape("f16", 10, 100), "cold"),
        ("05_topk", Shape("f32", 4000, 25000, 5), "warm"),
    ]
    assert [(row.name, row.shape) for row in run.baselines] == [
        ("copy", Shape("bf16", 1, 2)),
        ("pytorch/softmax", Shape("f32", 1, 2)),
    ]


def test_errors_of_the_bench_stay(workplace):
    run = read_bench(workplace.bench, recorded=True)
    assert run.errors == [
        ("04_fourth/f32/40000x1000000/cold", "needs 320 GB, 139 GB are free"),
        ("cudnn/softmax_accurate/bf16/32768x65536/cold", "error 3000"),
    ]


def test_times_are_joined_with_verification_of_the_same_gpu_and_shape(workplace):
    results = read_results([workplace.records], [], [workplace.bench, workplace.gpu_records])
    timed = {(row.unit, row.shape): row for row in results.run.records}
    here = timed["04_fourth", Shape("f32", 4000, 4000)]
    assert (here.verified, here.builds_on) == (True, "03_third")
    elsewhere = timed["04_fourth", Shape("f32", 4000, 1000)]
    assert (elsewhere.verified, elsewhere.max_ulp) == (None, None)
    assert elsewhere.builds_on == "03_third"


def test_a_failure_on_one_input_is_not_hidden_by_another(workplace):
    good = synthetic.gpu_records()["records"]
    bad = [row | {"verified": False, "failure": "row 3"} for row in copy.deepcopy(good)]
    for order in (good + bad, bad + good):
        path = workplace.write("gpu.json", {"records": order})
        results = read_results([workplace.records], [], [workplace.bench, path])
        here = [row for row in results.run.records if row.shape == Shape("f32", 4000, 4000)]
        assert here
        assert all(row.verified is False for row in here)


def test_this_runs_times_come_before_recorded_ones(workplace):
    other = workplace.write("other.json", synthetic.bench(gpu="Another GPU", date="2030-01-01"))
    results = read_results([workplace.records], [workplace.bench], [other])
    assert [run.machine.name for run in results.runs] == [synthetic.GPU, "Another GPU"]
    assert [run.machine.recorded for run in results.runs] == [False, True]


def test_of_one_gpu_the_newest_recording_counts(workplace):
    old = workplace.write("old.json", synthetic.bench(date="2020-01-01"))
    results = read_results([workplace.records], [], [old, workplace.bench])
    assert [run.machine.date[:4] for run in results.runs] == ["2026"]


def test_report_json_has_the_fields(full_workplace):
    report = json.loads((full_workplace.out / "report.json").read_text("utf-8"))
    cpu = [row for row in report["records"] if row["machine"] == "cpu"]
    gpu = [row for row in report["records"] if row["machine"] == synthetic.GPU]
    common = {
        "step",
        "variant",
        "builds_on",
        "dtype",
        "rows",
        "cols",
        "machine",
        "verified",
        "expected_failure",
        "max_ulp",
        "launches",
    }
    counts = {
        "loads_per_element",
        "stores_per_element",
        "predicted_loads",
        "predicted_stores",
        "sectors_per_load_request",
    }
    assert len(cpu) == len(synthetic.records()["records"])
    assert all(common | counts <= row.keys() for row in cpu)
    assert gpu
    assert all(common | {"cache", "median_us", "spread", "gbps"} <= row.keys() for row in gpu)
    assert all(("k" in row) == ("topk" in row["step"]) for row in cpu + gpu)
    assert all("copy_us" in row or "read_us" in row for row in gpu)
    assert report["machines"][0]["name"] == synthetic.GPU
    assert report["machines"][0]["recorded"] is True
