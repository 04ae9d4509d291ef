"""Plots: no empty one, colours that follow the page, labels that do not touch."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import synthetic

from worklog_report.pictures import curves, plots
from worklog_report.pictures.plots import Plot, Series
from worklog_report.results.records import read_results
from worklog_report.results.steps import read_units


def a_plot(*series):
    return Plot("key", "Title", "unit", series)


LINE = Series("01", "first", ((10, 1.0), (100, 5.0)), 1)


def test_a_plot_without_a_line_is_refused():
    for empty in (a_plot(), a_plot(Series("01", "first", ((10, 1.0),), 1))):
        assert not empty.has_data
        with pytest.raises(ValueError, match="no series has two points"):
            plots.render(empty)


def test_svg_is_well_formed_and_takes_its_colours_from_the_page():
    svg = plots.render(a_plot(LINE))
    ElementTree.fromstring(svg)
    assert "var(--step-1)" in svg
    assert "var(--ink)" not in svg
    colours = set(re.findall(r"#[0-9a-f]{6}\b", svg))
    assert colours <= {"#ffffff", "#000000"}


def test_the_same_data_give_the_same_svg():
    assert plots.render(a_plot(LINE)) == plots.render(a_plot(LINE))


def test_the_table_has_a_gap_where_a_series_has_none():
    other = Series("02", "second", ((100, 2.0), (1000, 3.0)), 2)
    columns, rows = a_plot(LINE, other).table()
    assert columns == [10, 100, 1000]
    assert [values for _, values in rows] == [[1.0, 5.0, None], [None, 2.0, 3.0]]


@pytest.mark.parametrize(
    "positions", [[], [5], [5, 5, 5], [0, 0, 1, 50, 99, 99, 100], [100] * 7, list(range(0, 100, 3))]
)
def test_labels_are_spread_out(positions):
    moved = plots.spread_out(positions, 10, 0, 100)
    assert len(moved) == len(positions)
    assert all(second - first >= 10 - 1e-9 for first, second in pairwise(moved))
    if len(positions) <= 11:
        assert all(-1e-9 <= place <= 100 + 1e-9 for place in moved)


def test_labels_with_room_stay_where_they_are():
    assert plots.spread_out([5, 40, 80], 10, 0, 100) == [5, 40, 80]


@pytest.mark.parametrize("lines", [2, 17, 30])
def test_labels_of_any_number_of_lines_stay_inside(lines):
    series = [Series(f"L{i}", "a line", ((10, 1.0), (100, 5.0)), 1) for i in range(lines)]
    svg = plots.render(a_plot(*series))
    height = float(re.search(r'viewBox="0 0 \S+ (\S+)"', svg)[1])
    baselines = [float(y) for y in re.findall(r'<text [^>]*\by="([\d.]+)"[^>]*>L\d+<', svg)]
    assert len(baselines) == lines
    assert min(baselines) > 12
    assert max(baselines) < height


def figures(workplace):
    results = read_results([workplace.records], [], [workplace.bench])
    return read_units(workplace.steps), results


@pytest.mark.parametrize(
    ("low", "high"), [(10, 100000), (32, 1024), (256, 65536), (1000, 100000), (4096, 262144)]
)
def test_ticks_have_room_for_their_numbers(low, high):
    """In DejaVu Sans "100 000" takes 51 pixels, and 8 each other digit."""
    svg = plots.render(a_plot(Series("01", "first", ((low, 1.0), (high, 5.0)), 1)))
    texts = re.findall(r'text-anchor: middle[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)<', svg)
    ticks = [(float(x), len(text)) for x, y, text in texts if y == texts[0][1]]
    assert len(ticks) >= 3
    for (left, digits), (right, more) in pairwise(ticks):
        assert right - left > 8 * (digits + more) / 2


def test_the_ceiling_and_pytorch_stand_in_the_time_plots(workplace):
    units, results = figures(workplace)
    first = curves.time_figures(units, results.run)[0]
    labels = {series.label for series in first.plots[0].series}
    assert {"01", "04", "copy", "PyTorch"} <= labels


def test_only_groups_with_three_widths_are_plotted(workplace):
    units, results = figures(workplace)
    every = results.run.records
    for widths, drawn in (((1000, 4000), False), ((100, 1000, 4000), True)):
        results.run.records = [row for row in every if row.shape.cols in widths]
        assert bool(curves.time_figures(units, results.run)) == drawn


def test_one_row_is_drawn_apart(workplace):
    records, bench = synthetic.one_row_results()
    files = workplace.write("r.json", records), workplace.write("b.json", bench)
    units, results = read_units(workplace.steps), read_results([files[0]], [], [files[1]])
    (figure,) = curves.time_figures(units, results.run)
    assert figure.title == "Softmax, f32, 1 row"
    labels = {series.label for series in figure.plots[0].series}
    assert labels == {"03", "04", "copy", "PyTorch", "cuDNN"}
    errors = {each.title: each.plots[0].series for each in curves.error_figures(units, results)}
    drawn = {title: [line.label for line in lines] for title, lines in errors.items()}
    assert drawn == {"Softmax": ["03"], "Softmax, one row": ["04"]}


def test_a_figure_needs_a_step(workplace):
    units, results = figures(workplace)
    results.run.records = [row for row in results.run.records if row.unit == "04_fourth"]
    assert curves.time_figures(units, results.run)
    others = [unit for unit in units if unit.name != "04_fourth"]
    assert curves.time_figures(others, results.run) == []


def test_ratios_are_drawn_from_zero_and_published_ones_as_diamonds():
    ours = Series("05b/05", "safe over online", ((10, 1.0), (1000, 1.25)), 8)
    published = Series("1.3×", "published", ((100, 1.3),), 8, "marked")
    svg = plots.render(Plot("key", "Title", "time over time", (ours, published), from_zero=True))
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"0", "0.5", "1", "1.3×", "05b/05"} <= set(texts)
    diamonds = re.findall(r'data-line="line-1\.3×".*?</g>', svg, re.DOTALL)
    assert len(diamonds) == 1
    assert "<use" in diamonds[0]


def test_published_marks_alone_are_no_plot():
    marks = Series("paper", "published", ((5, 5.0), (10, 3.5)), 8, "marked")
    assert not a_plot(marks).has_data
    assert not a_plot(marks, Series("07", "one size", ((5, 4.0),), 7)).has_data


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (1000, "1000"),
        (100000, "100\u2009000"),
        (2**20, "1.048576\u2009M"),
        (1e7, "10\u2009M"),
    ],
)
def test_sizes_are_written_shortly(value, text):
    assert plots.number(value) == text


def test_no_times_no_figures(workplace):
    units, _ = figures(workplace)
    assert curves.time_figures(units, None) == []
    assert curves.k_figures(units, None) == []


def test_the_error_curve_is_the_worst_over_the_inputs_of_a_width(workplace):
    units, results = figures(workplace)
    figure, topk = curves.error_figures(units, results)
    keys = ["error-softmax-f32", "error-softmax-f16", "error-softmax-bf16"]
    assert [plot.key for plot in figure.plots] == keys
    assert topk.title == "Softmax and top-k"
    first = figure.plots[0].series[0]
    assert len(first.points) == 9
    assert figure.plots[0].series[-1].label == "PyTorch"
    assert figure.plots[1].series[-1].label == "04"
    assert topk.plots[1].series[-1].label == "05a"


def test_inputs_other_than_random_logits_are_no_part_of_the_error_curve(workplace):
    unit = synthetic.UNITS[2]
    rows = [synthetic.record(unit, cols=cols, input="random") for cols in (10, 100)]
    rows.append(synthetic.record(unit, cols=77, input="special", max_ulp=500.0))
    path = workplace.write("r.json", {"records": rows})
    (figure,) = curves.error_figures(read_units(workplace.steps), read_results([path], [], []))
    assert [x for x, _ in figure.plots[0].series[0].points] == [10, 100]
