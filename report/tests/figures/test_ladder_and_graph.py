"""The ladder's picture, and the graph of steps."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import synthetic
from repository import ROOT

from worklog_report.results import ladder
from worklog_report.results.recorded_run import label, read_recorded_run
from worklog_report.results.records import Results, read_records, read_results
from worklog_report.results.steps import read_units
from worklog_report.site import ladder_picture, steps_graph

SVG = "{http://www.w3.org/2000/svg}"
STEPS = ROOT / "steps"


def texts(svg: str) -> list[str]:
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def ladder_of(place) -> str:
    results = read_results([place.folder / "records.json"], [], [place.folder / "bench.json"])
    run = read_recorded_run(
        [place.folder / "bench.json"], [place.folder / "lines.json"], place.steps
    )
    return ladder_picture.picture(ladder.build(run.units, results, "f32"), run)


def test_the_ladder_says_which_gpu_took_the_times_and_what_its_bars_are(place):
    assert texts(ladder_of(place))[-2:] == [
        "fp32, Synthetic GPU, 2026-01-01.",
        "Bar: share of the copy's or the read's speed.",
    ]
    place.write("bench.json", synthetic.bench("Other GPU", "2027-03-04T00:00:00+00:00"))
    assert "fp32, Other GPU, 2027-03-04." in texts(ladder_of(place))


def test_the_ladders_words_stay_within_it(place):
    """A letter is at most 0.6 of the font's size wide on average."""
    svg = ElementTree.fromstring(ladder_of(place))
    _, _, width, height = map(float, svg.get("viewBox").split())
    for text in svg.iter(f"{SVG}text"):
        size, y = float(text.get("font-size")), float(text.get("y"))
        assert 0 < y < height - 2, text.text
        assert len(text.text) * 0.6 * size < width, text.text


def test_the_names_of_the_steps_end_before_their_bars():
    """Words are at most 0.55 of the font's size wide for each letter."""
    for unit in read_units(STEPS):
        if not unit.variant:
            words = label(unit)
            end = ladder_picture.MARGIN + len(words) * 0.55 * 10
            assert end < ladder_picture.NAMES - 2, words


def graph(folder: Path, steps: Path, builds_on: dict[str, str]) -> str:
    rows = [
        synthetic.record((step, "", before, (1, 0, 0), (1, 0, 0), 1.0, False))
        for step, before in builds_on.items()
    ]
    records = read_records(synthetic.write(folder, "records.json", {"records": rows}))
    units = [unit for unit in read_units(steps) if unit.name in builds_on]
    return steps_graph.picture(ladder.build(units, Results(records, []), "f32"))


def boxes(svg: str) -> list[tuple[float, float]]:
    """Their middles, from the top."""
    found = [
        tuple(float(box.get(name)) + float(box.get(size)) / 2 for name, size in
              (("x", "width"), ("y", "height")))
        for box in ElementTree.fromstring(svg).iter(f"{SVG}rect")
        if box.get("fill") == "var(--other)"
    ]  # fmt: skip
    return sorted(found, key=lambda middle: middle[1])


def lines(svg: str) -> list[tuple[float, ...]]:
    paths = [path.get("d") for path in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    return [tuple(map(float, re.split("[ L]", path[1:]))) for path in paths]


def edges(svg: str) -> set[tuple[tuple, tuple]]:
    """From middle to middle. A line that ends in no box goes on in the next."""
    middles, found, began = boxes(svg), set(), None
    for x1, y1, x2, y2 in lines(svg):
        began = began or (x1, y1)
        if (x2, y2) in middles:
            found.add((began, (x2, y2)))
            began = None
    assert began is None
    return found


def passed(svg: str) -> list[tuple]:
    """Boxes in a line's way: what a point on it lies in, besides the ends of its edge."""
    found, began = [], None
    for x1, y1, x2, y2 in lines(svg):
        began = began or (x1, y1)
        for x, y in set(boxes(svg)) - {began, (x2, y2)}:
            points = [(x1 + (x2 - x1) * t / 99, y1 + (y2 - y1) * t / 99) for t in range(100)]
            if any(abs(px - x) <= 5 and abs(py - y) <= 5 for px, py in points):
                found.append((x, y))
        began = None if (x2, y2) in boxes(svg) else began
    return found


def builds_on_of(steps: Path) -> dict[str, str]:
    return {
        unit.name: re.search(r'\.builds_on = "([\w/]*)"', unit.files["softmax.cu"])[1]
        for unit in read_units(steps)
        if not unit.variant
    }


def names() -> list[str]:
    return [unit.name for unit in read_units(STEPS) if not unit.variant]


# By numbers: the tree as it is; all on the first; branches that have branches; no two related.
TREES = [
    None, [0] * 11, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [0, 1, 1, 2, 1, 4, 2, 6, 4, 3, 8],
    [None] * 11,
]  # fmt: skip


@pytest.mark.parametrize("tree", TREES)
def test_each_step_hangs_on_its_own_and_no_line_passes_another(tmp_path, tree):
    every = names()
    builds_on = builds_on_of(STEPS)
    if tree:
        before = ["" if number is None else every[number] for number in tree]
        builds_on = dict(zip(every, ["", *before[1:]], strict=False))
        builds_on = {name: "" if before == name else before for name, before in builds_on.items()}
    svg = graph(tmp_path, STEPS, builds_on)
    middle = dict(zip(builds_on, boxes(svg), strict=True))
    expected = {
        (middle[before.partition("/")[0]], middle[name])
        for name, before in builds_on.items()
        if before
    }
    assert edges(svg) == expected
    assert passed(svg) == []
