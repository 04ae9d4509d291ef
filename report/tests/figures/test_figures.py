"""The figures: well-formed, with a text alternative, and of what was counted and recorded."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import synthetic

from worklog_report.results.steps import read_units
from worklog_report.site import figures

SVG = "{http://www.w3.org/2000/svg}"
STEPS = Path(__file__).parents[3] / "steps"


def texts(svg: str) -> list[str]:
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_there_is_a_picture_for_each_step(place, drawn):
    general = {
        "memory_hierarchy.svg", "ranks_exchange.svg", "roofline.svg",
        "reduction_tree_04.svg", "reduction_tree_05.svg",
    }  # fmt: skip
    units = [unit for unit in read_units(STEPS) if not unit.is_of_ranks]
    steps = {f"access_{unit.step[:2]}.svg" for unit in units}
    assert set(drawn) == general | steps | {"ranks_scaling.svg"}
    made = place.figures()
    assert set(made) == general | {f"access_{number:02}.svg" for number in range(1, 6)}


def test_each_is_well_formed_and_says_what_it_shows(drawn):
    ids = []
    for name, svg in drawn.items():
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg" and root.get("role") == "img", name
        title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert len(title.text) > 20 and len(described.text) > 60, name
        assert root.get("aria-labelledby") == f"{title.get('id')} {described.get('id')}"
        ids += [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), "two figures of one page would share an id"


def test_nothing_is_fetched_and_no_rule_reaches_beyond_the_figure(drawn):
    for name, svg in drawn.items():
        assert not re.search(r"href|url\(|@import|<script|http(?!://www.w3.org/2000/svg)", svg), (
            name
        )
        (style,) = re.findall("<style>(.*?)</style>", svg, re.DOTALL)
        for selector in re.findall(r"([^{};]+)\{", style):
            assert ".worklog-figure" in selector or "prefers-color-scheme" in selector, name


def test_colours_are_of_the_theme(drawn):
    """But for bars and lanes, whose colours are legible on both."""
    for name, svg in drawn.items():
        fixed = {
            value
            for value in re.findall(r'(?:fill|stroke)="([^"]+)"', svg)
            if not value.startswith(("var(--", "hsl(", "none"))
        }
        assert not fixed, (name, fixed)
        defined = set(re.findall(r"(--\w+):", svg))
        assert set(re.findall(r"var\((--\w+)\)", svg)) <= defined, name


def test_a_planted_count_moves_the_hierarchy(place):
    step = ("11_long_row_online", "", "", (), (), 0, False)
    ours = synthetic.annotation(step)
    ours["lines"][2]["counters"]["shuffles"] = 123456
    counted = place.figures()["memory_hierarchy.svg"]
    assert "counted" not in counted.lower(), "there is none of step 11 yet"
    place.write("lines.json", {"annotations": [*synthetic.annotations()["annotations"], ours]})
    planted = place.figures()["memory_hierarchy.svg"]
    assert "123,456 shuffles*" in texts(planted)
    assert "123,456 shuffles were counted" in planted


def test_the_hierarchy_shows_what_step_11_counts(drawn, run):
    lines = run.annotations["11_long_row_online"].lines
    shuffles = sum(line.counters.get("shuffles", 0) for line in lines)
    assert f"{shuffles:,} shuffles*" in texts(drawn["memory_hierarchy.svg"])


def test_a_planted_time_moves_the_roofline(place):
    before = place.figures()["roofline.svg"]
    bench = synthetic.bench()
    for row in bench["benchmarks"]:
        if row["name"] == "04_fourth/f32/4000x4000/cold":
            row |= {"median_us": row["copy_us"] * 4, "gbps": 987.0}
    place.write("bench.json", bench)
    after = place.figures()["roofline.svg"]
    assert "987 GB/s, 25 %" in texts(after) and "987 GB/s, 25 %" not in texts(before)


def test_a_planted_access_moves_the_picture(place):
    before = place.figures()["access_04.svg"]
    planted = synthetic.annotations()
    for annotation in planted["annotations"]:
        for request in annotation["trace"]["requests"]:
            request["sectors"] = 17
    place.write("lines.json", planted)
    assert "17 sectors" in place.figures()["access_04.svg"] and "17 sectors" not in before


@pytest.mark.parametrize("missing", ["lines.json", "bench.json"])
def test_without_its_input_nothing_is_drawn(place, capsys, missing):
    place.write(missing, {"annotations": []} if missing == "lines.json" else synthetic.hardware())
    out = place.folder / "none"
    options = place.options(out, "--annotations", "--recorded", "--steps", "--out")
    assert figures.main(options) == 2
    assert re.match("figures: (01_first: none of|none of the recorded)", capsys.readouterr().err)
    assert not out.exists()
