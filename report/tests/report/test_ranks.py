"""Times of several GPUs, and the model of more of them: in results, in a picture, in the report."""

import re
from xml.etree import ElementTree

import pytest
import synthetic
from repository import ROOT

from worklog_report.pictures import ranks_picture
from worklog_report.results import ranks
from worklog_report.results.ranks import Model, model_of, read_rank_times
from worklog_report.results.records import InputError, Shape

SHAPE = Shape("bf16", 64, 64128)
TIMES = {"copy": 11.0, "memcpy": 10.0, "all_gather": 9.0, "step": 30.0, "in_cluster": 17.0}


def rows(times, count=2):
    """Of SHAPE, on so many GPUs."""
    without = ("copy", "memcpy", "all_gather")
    return [
        {"kernel": kernel, "result": "" if kernel in without else "softmax", "dtype": "bf16",
         "rows": 64, "cols_of_a_slice": 64128, "ranks": count, "median_us": time}
        for kernel, time in times.items()
    ]  # fmt: skip


def written(folder, name, times, count=2, day=26, gpu=synthetic.GPU):
    context = {"gpu": gpu, "ranks": count, "date": f"2026-11-{day}T10:00:00+00:00"}
    return synthetic.write(folder, name, {"context": context, "of_ranks": rows(times, count)})


@pytest.fixture
def recorded(tmp_path):
    return written(tmp_path, "ranks.json", TIMES | {"slice_alone/in_cluster": 16.0})


def test_of_each_kernel_the_time_that_was_recorded_last_counts(tmp_path, recorded):
    older = written(tmp_path, "z.json", {"step": 99.0, "one_fp64_sum": 31.0}, day=25)
    times = read_rank_times([recorded, older])
    assert times.time("step", SHAPE) == 30.0
    assert times.time("one_fp64_sum", SHAPE) == 31.0
    assert times.time("copy", SHAPE) == 11.0
    assert times.time("step", SHAPE, "cross_entropy") is None
    assert str(times) == f"2 × {synthetic.GPU}, 2026-11-26"


def test_without_such_files_there_are_none(tmp_path):
    assert read_rank_times([]) is None
    assert read_rank_times([synthetic.write(tmp_path, "bench.json", synthetic.bench())]) is None


def test_another_gpu_is_refused(tmp_path, recorded):
    other = written(tmp_path, "other.json", {"step": 9.0}, gpu="Another")
    with pytest.raises(InputError, match=f"not of Another and {synthetic.GPU}"):
        read_rank_times([recorded, other])


def test_pages_speak_of_the_fewest_gpus_and_pictures_of_all(tmp_path, recorded):
    more = written(tmp_path, "more.json", {"step": 50.0, "in_cluster": 18.0}, count=8, day=27)
    one = written(tmp_path, "one.json", {"step": 15.0}, count=1)
    times = read_rank_times([recorded, more, one])
    assert times.time("step", SHAPE) == 30.0
    assert times.by_ranks("step", SHAPE) == {1: 15.0, 2: 30.0, 8: 50.0}
    assert times.by_ranks("in_cluster", SHAPE) == {1: 16.0, 2: 17.0, 8: 18.0}


def test_the_model_is_what_page_21_derives():
    model = Model(rows=8192, copy_us=700.0, gather_us=70.0, ranks=2, alone_us=760.0)
    assert model.step(1) == 1050.0
    assert model.step(2) == 1120.0
    # Six hops more of 5 us, each with 64 KB at 300 KB/us; then 62 hops, at 40.
    assert model.exchange(8) == pytest.approx(70 + 6 * (5 + 65.536 / 300))
    assert model.exchange(64) == pytest.approx(70 + 62 * (5 + 65.536 / 40))
    assert [model.in_kernel(count) for count in (1, 2, 8, 9)] == [760.0, 761.0, 761.0, None]


def test_the_model_begins_with_the_faster_copy_and_needs_all_of_its_times(tmp_path, recorded):
    model = model_of(read_rank_times([recorded]), SHAPE, "in_cluster")
    assert model == Model(64, 10.0, 9.0, 2, 16.0)
    lacking = read_rank_times([written(tmp_path, "less.json", TIMES)])
    assert model_of(lacking, SHAPE, "in_cluster") is None
    assert ranks_picture.picture(lacking, "red") == ""


def test_page_21_says_what_the_model_assumes():
    """Beside each number the word: nobody measured it."""
    page = (ROOT / "steps/21_many_gpus/README.md").read_text("utf-8")
    (table,) = re.findall(r"^\| the model assumes \|.*\n(?:\|.*\n)+", page, re.M)
    for assumed in (
        f"{ranks.HOP_US:g} µs", f"{ranks.LINK:g} KB/µs", f"{ranks.LINK_BETWEEN:g} KB/µs",
        f"{ranks.WORD_US:g} µs", f"{ranks.IN_MACHINE} GPUs",
    ):  # fmt: skip
        assert f"| {assumed} |" in table, assumed


def test_measured_times_are_points_and_more_gpus_are_dashed(tmp_path, recorded):
    svg = ranks_picture.picture(read_rank_times([recorded]), "red")
    assert svg.count("<circle") == 3  # the step with two GPUs, the other with one and two
    root = ElementTree.fromstring(svg)
    paths = list(root.iter("{http://www.w3.org/2000/svg}path"))
    dashed = [path for path in paths if path.get("stroke-dasharray") == "4 3"]
    solid = [path for path in paths if path.get("stroke-width") == "1.8" and path not in dashed]
    assert len(dashed) == len(solid) == 2
    for before, after in zip(solid, dashed, strict=True):
        assert before.get("d").rpartition("L")[2] == after.get("d")[1:].partition("L")[0]
    assert "extrapolated, nobody measured it" in svg
    described = root.find("{http://www.w3.org/2000/svg}desc").text
    assert "step 30.0 µs with 2 (model 24.0 µs), with 8 the model says 54.0 µs" in described

    more = written(tmp_path, "more.json", {"step": 50.0}, count=8, day=27)
    described = ranks_picture.picture(read_rank_times([recorded, more]), "red")
    assert "50.0 µs with 8 (model 54.0 µs), with 64 the model says" in described


def test_the_report_shows_them(workplace, recorded):
    page = workplace.report("--recorded", workplace.bench, recorded)
    assert '<a href="#ranks">' in page and "Time against the number of GPUs" in page
    assert (
        '<tr><th scope="row">step, measured</th><td class="n">–</td><td class="n">30</td>' in page
    )
    assert '<section id="ranks">' not in workplace.report("--recorded", workplace.bench)
