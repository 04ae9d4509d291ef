"""The annotated source in the report, and the access pictures."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import synthetic

from worklog_report import literature
from worklog_report.html import page
from worklog_report.html.listings import hottest
from worklog_report.pages import annotated_pages
from worklog_report.pictures import access_picture
from worklog_report.results.annotations import Line, read_annotations
from worklog_report.results.records import InputError

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def annotation(workplace):
    return read_annotations([workplace.annotations])["01_first"]


def pages(place, *options) -> int:
    arguments = ["--annotations", place.annotations, "--steps", place.steps, *options]
    return annotated_pages.main([str(argument) for argument in arguments])


# ---- reading ----


def test_actions_are_those_that_happened_memory_first():
    counters = {
        "block_barriers": 3,
        "shared_load_requests": 2,
        "shared_load_wavefronts": 8,
        "shared_load_bank_conflicts": 6,
        "global_load_bytes": 512,
        "global_load_requests": 4,
        "global_load_sectors": 18,
        "constant_load_requests": 5,
        "constant_load_words": 7,
    }
    load, shared, constant, barrier = Line("softmax.cu", 1, counters).actions
    assert load == ("global load", 4, 18, "sectors", 0)
    assert load.each == 4.5
    assert shared == ("shared load", 2, 8, "wavefronts", 6)
    assert constant == ("constant load", 5, 0, "", 0)
    assert barrier == ("block barrier", 3, 0, "", 0)
    assert barrier.each is None


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda row: row.pop("lines"), "annotations[0]: missing field 'lines'"),
        (lambda row: row["lines"][0].update(line=-1), "lines[0].line: -1 is less than"),
        (lambda row: row["trace"]["requests"][1].update(lanes=[]), "requests[1].lanes: []"),
        (
            lambda row: row["trace"]["requests"][1].update(lanes=[[32, 0, 0]]),
            "requests[1].lanes[0][0]: 32 is greater than the maximum of 31",
        ),
        (
            lambda row: row["trace"]["requests"][1].update(lanes=[[0, 2, 0]]),
            "trace.requests[1].lanes: there are 2 arrays",
        ),
    ],
)
def test_a_broken_file_is_named_with_the_field(workplace, damage, message):
    data = synthetic.annotations()
    damage(data["annotations"][0])
    path = workplace.write("broken.json", data)
    with pytest.raises(InputError) as caught:
        read_annotations([path])
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_kernel_annotated_twice_is_an_error(workplace):
    with pytest.raises(InputError, match="a second annotation of 01_first"):
        read_annotations([workplace.annotations, workplace.annotations])


def test_the_hottest_lines_stand_in_the_order_of_the_source(annotation):
    assert [line.number for line in hottest(annotation, 1)] == [5]
    assert [line.number for line in hottest(annotation, 2)] == [5, 7]
    assert [line.number for line in hottest(annotation, 8)] == [5, 6, 7]


def test_a_line_that_only_diverges_is_not_hot():
    assert Line("softmax.cu", 1, {"divergences": 9}).weight == 0
    assert Line("softmax.cu", 1, {"block_barriers": 2, "divergences": 9}).weight == 2


# ---- the picture ----


def drawn(annotation, standalone=True):
    return ElementTree.fromstring(access_picture.render(annotation, {}, standalone))


def test_the_picture_is_well_formed_and_says_what_it_shows(annotation):
    picture = drawn(annotation)
    title = picture.find(f"{SVG}title")
    text = picture.find(f"{SVG}desc")
    assert picture.get("aria-labelledby") == f"{title.get('id')} {text.get('id')}"
    assert title.text == "Which lane of 01_first touches which address"
    assert "Line 5: load 1 of 128, 32 lanes × 4 bytes → 32 sectors, 12.5 % used." in text.text


def test_alone_it_has_both_colour_schemes_and_in_the_page_none_of_its_own(annotation):
    alone = access_picture.render(annotation, {}, standalone=True)
    assert "@media (prefers-color-scheme: dark)" in alone
    assert "<style>" not in access_picture.render(annotation, {}, standalone=False)


def boxes(picture, fill):
    """(x, y, width, height) of all boxes of that fill."""
    data = "".join(path.get("d") for path in picture.iter(f"{SVG}path") if path.get("fill") == fill)
    return [
        tuple(float(number) for number in box)
        for box in re.findall(r"M(\S+) (\S+)h([\d.]+)v([\d.]+)h\S+?z", data)
    ]


def test_every_lane_has_a_colour_of_its_own():
    assert len({access_picture.lane_colour(lane) for lane in range(32)}) == 32


def test_a_strided_load_runs_down_the_map_and_a_coalesced_one_along_it(workplace):
    found = read_annotations([workplace.annotations])
    colours = [access_picture.lane_colour(lane) for lane in (0, 1, 31)]
    strided = [boxes(drawn(found["01_first"]), colour)[0] for colour in colours]
    assert len({x for x, *_ in strided}) == 1
    assert strided[0][1] < strided[1][1] < strided[2][1]
    coalesced = [boxes(drawn(found["04_fourth"]), colour)[0] for colour in colours]
    assert coalesced[0][0] < coalesced[1][0] < coalesced[2][0]
    assert len({y for _, y, *_ in coalesced}) == 1


def test_a_strip_has_a_box_for_each_sector(workplace):
    found = read_annotations([workplace.annotations])
    assert len(boxes(drawn(found["01_first"]), "var(--rule)")) == 2 * 32
    assert len(boxes(drawn(found["04_fourth"]), "var(--rule)")) == 2 * 4


def test_code_in_the_picture_is_escaped(annotation):
    source = "\n" * 4 + "  if (a < b && c) y[0] = 1;\n"
    text = access_picture.render(annotation, {"softmax.cu": source}, standalone=True)
    assert "5: if (a &lt; b &amp;&amp; c) y[0] = 1;" in text


# ---- the steps' pages ----


def test_pages_are_written_then_current(workplace, capsys):
    page = workplace.steps / "01_first/README.md"
    assert pages(workplace, "--check") == 1
    assert f"{page}: is out of date" in capsys.readouterr().err
    assert not (page.parent / "access.svg").exists()
    assert pages(workplace) == 0
    assert pages(workplace, "--check") == 0
    text = page.read_text()
    assert "| 5 | `step(1);` | global load | 8,192 | 262,144 | 32 |" in text
    shared, barrier = "| shared store | 512 | 1,024 | 2 |", "|  |  | block barrier | 64 |"
    assert f"| 6 | `step(2);` {shared}\n{barrier}" in text
    assert text.index("](access.svg)") < text.index("<details><summary>The lines that do the most")
    assert text.endswith("<!-- lines:end -->\n\nThe end.\n")


@pytest.mark.parametrize("name", ["README.md", "access.svg"])
def test_a_changed_file_is_out_of_date(workplace, capsys, name):
    pages(workplace)
    path = workplace.steps / "02_second" / name
    path.write_text(path.read_text().replace("32 sectors", "31 sectors"))
    assert pages(workplace, "--check") == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: is out of date; run annotated_pages without --check"
    ]


def test_a_step_without_annotations_is_an_error(workplace, capsys):
    rows = [row for row in synthetic.annotations()["annotations"] if row["step"] != "02_second"]
    workplace.write("lines.json", {"annotations": rows})
    assert pages(workplace) == 2
    assert "02_second: none of the files has its annotations" in capsys.readouterr().err


# ---- the report ----


def test_the_report_shows_each_kernel_with_its_counts(full_workplace):
    html = (full_workplace.out / "index.html").read_text("utf-8")
    section = html.split('<section id="lines">')[1].split("</section>")[0]
    assert section.count('<details class="listing"') == len(synthetic.UNITS)
    assert section.count("<svg") == len(synthetic.UNITS)
    assert "<b>global load</b> 8,192 × 32 sectors" in section
    assert "<b>shared store</b> 512 × 2 wavefronts, 512 conflicts" in section
    assert "<b>shuffle</b> 5,760</span>" in section


def test_report_json_has_the_counts_by_line(full_workplace):
    text = (full_workplace.out / "report.json").read_text("utf-8")
    lines = json.loads(text)["lines"]
    assert lines[0]["lines"] == synthetic.annotation(synthetic.UNITS[0])["lines"]
    assert "trace" not in lines[0]


def test_without_annotations_there_is_no_such_section(workplace):
    assert 'id="lines"' not in workplace.report()


def test_templates_are_all_used():
    folder = Path(page.__file__).parent
    python = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    templates = [*folder.glob("templates/*.j2"), *literature.TEMPLATES.iterdir()]
    html = "".join(path.read_text("utf-8") for path in templates)
    for path in folder.glob("templates/*"):
        assert path.name in python + html
    documents = {path.stem for path in literature.TEMPLATES.parent.glob("*.py")}
    for path in literature.TEMPLATES.iterdir():
        assert path.name.removesuffix(".html.j2") in documents
