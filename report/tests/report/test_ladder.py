"""The ladder's arithmetic."""

import json

import pytest
import synthetic

from worklog_report.pages import result_sentences
from worklog_report.results import ladder
from worklog_report.results.records import Shape, read_results
from worklog_report.results.steps import read_units


@pytest.fixture
def table(workplace):
    results = read_results([workplace.records], [], [workplace.bench, workplace.gpu_records])
    built = ladder.build(read_units(workplace.steps), results, "f32")
    return {row.unit.name: row for row in built.rows}


def test_every_unit_has_a_row_in_order(table):
    assert [row.unit.label for row in table.values()] == [
        "01", "01a", "02", "03", "03a", "04", "05", "05a",
    ]  # fmt: skip


def test_gain_is_the_time_of_the_step_before_over_its_own(table):
    assert table["02_second"].timing.gain == pytest.approx(9.0 / 5.0)
    assert table["04_fourth"].timing.gain == pytest.approx(5.5 / 1.05)


def test_a_negative_result_stays(table):
    assert table["03_third"].timing.gain == pytest.approx(5.0 / 5.5)
    assert ladder.ratio_text(table["03_third"].timing.gain) == "0.91×"


def test_no_gain_over_another_operation(table):
    assert table["05_topk"].builds_on == "04_fourth"
    assert table["05_topk"].timing.gain is None
    assert table["05_topk/then"].timing.gain == pytest.approx(0.6 / 2.4)


def test_a_step_that_is_newer_than_all_results_builds_on_what_its_source_says(workplace):
    kernel = workplace.steps / "02_second/softmax.cu"
    kernel.write_text('WORKLOG_STEP(launch, {.builds_on = "01_first/other", .loads = {2}});\n')
    built = ladder.build(read_units(workplace.steps), read_results([], [], []), "f32")
    builds_on = {row.unit.name: row.builds_on for row in built.rows}
    assert builds_on["02_second"] == "01_first/other"
    assert builds_on["01_first"] == ""


def test_fraction_of_copy_and_of_read(table):
    assert (table["04_fourth"].timing.limit, table["05_topk"].timing.limit) == ("copy", "read")
    assert table["04_fourth"].timing.fraction == pytest.approx(1 / 1.05)
    assert table["05_topk"].timing.fraction == pytest.approx(0.5 / 0.6)


def test_the_shapes_are_the_promised_ones(table):
    assert table["04_fourth"].timing.shape == Shape("f32", 4000, 4000)
    assert table["05_topk"].timing.shape == Shape("f32", 4000, 25000, 5)
    assert table["04_fourth"].accesses.shape == Shape("f32", 64, 4000)


def test_baselines_stand_at_the_same_shapes(workplace):
    results = read_results([workplace.records], [], [workplace.bench])
    built = ladder.build(read_units(workplace.steps), results, "f32")
    found = {(name, timing.shape.cols): timing for name, timing in built.baselines}
    assert set(found) == {("PyTorch softmax", 4000), ("copy", 4000), ("read", 25000)}
    assert found["copy", 4000].fraction == 1
    assert found["PyTorch softmax", 4000].fraction == pytest.approx(1 / 1.6)


def results_of(workplace, rows):
    path = workplace.write("r.json", {"records": rows})
    return ladder.build(read_units(workplace.steps), read_results([path], [], []), "f32")


@pytest.mark.parametrize(
    ("changes", "text", "ok"),
    [
        ({}, "fails as stated", True),
        ({"expected_failure": ""}, "verified", True),
        ({"verified": False, "failure": "row 2"}, "FAILED", False),
    ],
)
def test_verdict(workplace, changes, text, ok):
    row = synthetic.record(synthetic.UNITS[4], **changes)
    built = results_of(workplace, [row])
    verdict = next(row.verdict for row in built.rows if row.unit.name == "03_third/unsafe")
    assert (verdict.text, verdict.ok) == (text, ok)


def test_one_failure_among_many_fails_the_unit(workplace):
    rows = [row for row in synthetic.records()["records"] if row["dtype"] == "f32"]
    rows[4] |= {"verified": False, "failure": "row 2"}
    built = results_of(workplace, rows)
    assert [row.unit.name for row in built.rows if not row.verdict.ok] == ["01_first"]
    assert len(built.rows[0].verdict.failures) == 1


def test_a_failure_on_the_gpu_fails_the_unit(workplace):
    rows = synthetic.gpu_records()["records"]
    rows[2] |= {"verified": False, "failure": "row 2"}
    gpu = workplace.write("gpu.json", {"records": rows})
    results = read_results([workplace.records], [], [workplace.bench, gpu])
    built = ladder.build(read_units(workplace.steps), results, "f32")
    assert [row.unit.name for row in built.rows if not row.verdict.ok] == ["02_second"]


def test_an_unmeasured_unit_is_not_called_verified(workplace):
    built = results_of(workplace, [synthetic.record(synthetic.UNITS[0])])
    texts = {row.unit.name: row.verdict.text for row in built.rows}
    assert texts["01_first"] == "verified"
    assert texts["02_second"] == "not verified"


def test_nan_is_the_worst_error(workplace):
    unit = synthetic.UNITS[0]
    rows = [
        synthetic.record(unit, cols=10, max_ulp=5.0),
        synthetic.record(unit, cols=20, max_ulp=None, verified=False),
        synthetic.record(unit, cols=30, max_ulp=7.0),
    ]
    built = results_of(workplace, rows)
    assert built.rows[0].verdict.worst.shape.cols == 20
    assert ladder.ulp_text(built.rows[0].verdict.worst.max_ulp) == "NaN"


def test_accesses_off_by_one_element_are_not_exact(workplace):
    unit = synthetic.UNITS[2]
    rows = [synthetic.record(unit), synthetic.record(unit, cols=100)]
    assert results_of(workplace, rows).rows[2].accesses.exact
    rows[1]["loads_per_element"] += 1 / (64 * 100)
    built = results_of(workplace, rows).rows[2].accesses
    assert built.shape.cols == 4000
    assert not built.exact


def test_gain_needs_the_same_shape_machine_and_cache(workplace):
    results = read_results([workplace.records], [], [workplace.bench])
    timed = results.run.records
    later = next(row for row in timed if row.unit == "04_fourth" and row.shape.cols == 1000)
    assert ladder.gain(later, timed) is not None
    for other in (
        [row for row in timed if row.shape != later.shape],
        [row for row in timed if row.unit != "03_third"],
    ):
        assert ladder.gain(later, other) is None


def test_top_k_of_given_values_is_another_operation(workplace):
    rows = [synthetic.record(synthetic.UNITS[7], operation="top_k_of_values")]
    path = workplace.write("r.json", {"records": rows})
    results = read_results([path], [], [])
    assert ladder.computes(results.records[0]) == "top-k alone"


def test_a_backward_pass_is_held_to_what_combines_two_arrays_into_one(workplace):
    unit = synthetic.UNITS[5]
    rows = [synthetic.record(unit, rows=4000, operation="softmax_backward")]
    timed = synthetic.case("04_fourth", "f32", 4000, 4000) | {
        "median_us": 50.0, "spread": 0.01, "gbps": 3840.0, "combine_us": 48.0,
    }  # fmt: skip
    limit = synthetic.case("combine", "f32", 4000, 4000) | {
        "median_us": 48.0, "spread": 0.01, "gbps": 4000.0,
    }  # fmt: skip
    pytorch = synthetic.case("pytorch/softmax_backward", "f32", 4000, 4000) | {
        "median_us": 96.0, "spread": 0.01, "gbps": 2000.0,
    }  # fmt: skip
    bench = json.loads(workplace.bench.read_text()) | {"benchmarks": [timed, limit, pytorch]}
    files = workplace.write("r.json", {"records": rows}), workplace.write("b.json", bench)
    results = read_results([files[0]], [], [files[1]])
    assert ladder.computes(results.records[0]) == "softmax_backward"
    built = ladder.build(read_units(workplace.steps), results, "f32")
    row = next(row for row in built.rows if row.unit.name == "04_fourth")
    assert (row.timing.limit, row.timing.fraction) == ("combine", pytest.approx(0.96))
    shares = {name: timing.fraction for name, timing in built.baselines}
    assert shares == {"combine": 1.0, "PyTorch softmax backward": pytest.approx(0.5)}
    assert "at which two arrays are combined into one" in result_sentences.times(row, "03")


def test_attention_is_held_to_nothing_that_only_moves_bytes(workplace):
    unit = synthetic.UNITS[5]
    rows = [synthetic.record(unit, rows=4000, operation="attention")]
    timed = synthetic.case("04_fourth", "f32", 4000, 4000) | {
        "median_us": 200.0, "spread": 0.01, "gbps": 20.0,
    }  # fmt: skip
    copy = synthetic.case("copy", "f32", 4000, 4000) | {
        "median_us": 32.0, "spread": 0.01, "gbps": 4000.0,
    }  # fmt: skip
    pytorch = synthetic.case("pytorch/attention", "f32", 4000, 4000) | {
        "median_us": 100.0, "spread": 0.01, "gbps": 40.0,
    }  # fmt: skip
    bench = json.loads(workplace.bench.read_text()) | {"benchmarks": [timed, copy, pytorch]}
    files = workplace.write("r.json", {"records": rows}), workplace.write("b.json", bench)
    results = read_results([files[0]], [], [files[1]])
    assert ladder.computes(results.records[0]) == "attention"
    built = ladder.build(read_units(workplace.steps), results, "f32")
    row = next(row for row in built.rows if row.unit.name == "04_fourth")
    assert (row.timing.limit, row.timing.fraction) == ("", None)
    shares = {name: timing.fraction for name, timing in built.baselines}
    assert shares == {"copy": 1.0, "PyTorch attention": None}
    assert "reaches" not in result_sentences.times(row, "03")


@pytest.fixture
def one_row(workplace):
    records, bench = synthetic.one_row_results()
    files = workplace.write("r.json", records), workplace.write("b.json", bench)
    return read_results([files[0]], [], [files[1]])


def test_a_step_of_one_row_has_a_shape_of_its_own(workplace, one_row):
    built = ladder.build(read_units(workplace.steps), one_row, "f32")
    rows = {row.unit.name: row for row in built.rows}
    vector = Shape("f32", 1, 2**24)
    assert built.count_shapes == [Shape("f32", 64, 4000), Shape("f32", 1, 4**10)]
    assert built.time_shapes == [Shape("f32", 4000, 4000), vector]
    assert rows["03_third"].timing.shape == Shape("f32", 4000, 4000)
    assert rows["04_fourth"].timing.shape == vector
    assert rows["04_fourth"].timing.gain == pytest.approx(30 / 1.5)
    assert rows["04_fourth"].accesses.shape == Shape("f32", 1, 4**10)


def test_a_variant_of_short_rows_does_not_move_the_others_table_there(workplace):
    own, variant = synthetic.UNITS[2], synthetic.UNITS[4]
    rows = [synthetic.record(own), synthetic.record(own, cols=100)]
    rows.append(synthetic.record(variant, cols=100))
    assert results_of(workplace, rows).count_shapes == [Shape("f32", 64, 4000)]


def test_libraries_stand_beside_the_steps_and_other_baselines_do_not(workplace, one_row):
    built = ladder.build(read_units(workplace.steps), one_row, "f32")
    names = {name for name, timing in built.baselines if timing.shape.rows == 1}
    assert names == {"copy", "PyTorch softmax", "cuDNN softmax accurate"}


@pytest.mark.parametrize(
    ("function", "value", "text"),
    [
        (ladder.access_text, 4.0, "4"),
        (ladder.access_text, 4.00025, "4.0003"),
        (ladder.access_text, 0.00025, "0.00025"),
        (ladder.ulp_text, 0.512, "0.51"),
        (ladder.ulp_text, 36.72, "36.7"),
        (ladder.time_text, 5.94, "5.9 µs"),
        (ladder.time_text, 1595.2, "1595 µs"),
        (ladder.time_text, 35144.0, "35144 µs"),
        (ladder.percent_text, 0.934, "93 %"),
        (ladder.percent_text, 0.0021, "0.2 %"),
        (ladder.ratio_text, None, ""),
    ],
)
def test_numbers_as_text(function, value, text):
    assert function(value) == text
