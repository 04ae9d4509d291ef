"""The tables between markers."""

import re

import pytest
import synthetic
from repository import ROOT

from worklog_report.pages.markdown import replace_between_markers
from worklog_report.results.records import InputError

PAGE = "# T\n\nBefore.\n\n<!-- results:begin -->\nold\n<!-- results:end -->\n\nAfter.\n"


def test_only_what_is_between_the_markers_changes(tmp_path):
    new = replace_between_markers(PAGE, "\n| new |\n\n", tmp_path)
    assert new == PAGE.replace("old\n", "\n| new |\n\n")
    assert replace_between_markers(new, "\n| new |\n\n", tmp_path) == new


@pytest.mark.parametrize(
    "text",
    [
        PAGE.replace("<!-- results:begin -->\n", ""),
        PAGE.replace("<!-- results:end -->\n", ""),
        PAGE + PAGE,
        "<!-- results:end -->\n<!-- results:begin -->\n",
        "",
    ],
)
def test_markers_must_be_one_pair(tmp_path, text):
    with pytest.raises(InputError, match=r"README\.md: needs one line '<!-- results:begin -->'"):
        replace_between_markers(text, "", tmp_path / "README.md")


def recorded(place):
    return "--recorded", place.bench, place.gpu_records


def test_update_then_check(workplace, capsys):
    options = recorded(workplace)
    assert workplace.run("--check-readme", *options) == 1
    assert f"{workplace.readme}: its table is out of date" in capsys.readouterr().err
    assert "old" in workplace.readme.read_text()
    assert workplace.run("--update-readme", *options) == 0
    assert workplace.run("--check-readme", *options) == 0


def test_the_tables_say_what_was_measured_where(workplace):
    workplace.run("--update-readme", *recorded(workplace))
    text = workplace.readme.read_text()
    second = "| [02 Second](steps/02_second/README.md)"
    assert f"{second} | 3 | 1 | 32 | 4000 × 4000 | 170 µs | 20 % |\n" in text
    assert text.index("*Loads* and *stores*") < text.index(second)  # explained before they are read
    assert "Times were measured on Synthetic GPU, 2026-01-01" in text
    assert "01a" not in text
    assert text.endswith("<!-- results:end -->\n\nThe end.\n")


def test_what_the_run_has_not_timed_is_shown_and_marked_as_another_has(workplace):
    older = workplace.write("older.json", synthetic.bench("Older GPU", "2025-01-01T00:00:00+00:00"))
    newer = synthetic.bench()
    newer["benchmarks"] = [row for row in newer["benchmarks"] if row.get("step") != "02_second"]
    workplace.run("--update-readme", "--recorded", workplace.write("newer.json", newer), older)
    text = workplace.readme.read_text()
    second = "| [02 Second](steps/02_second/README.md)"
    assert f"{second} | 3 | 1 | 32 | 4000 × 4000 | 170 µs † | 20 % |\n" in text
    assert "† Measured on Older GPU, 2025-01-01.\n" in text
    assert text.count("†") == 2


def test_the_readme_shows_at_a_glance_who_is_how_fast(workplace):
    text = workplace.readme.read_text()
    markers = "<!-- glance:begin -->\n<!-- glance:end -->\n"
    workplace.readme.write_text(text + markers)
    assert workplace.run("--update-readme", *recorded(workplace)) == 0
    glance = workplace.readme.read_text().partition("<!-- glance:begin -->")[2]
    fourth = "[04 Fourth](steps/04_fourth/README.md)"
    assert f"| long rows | 4000 × 4000, fp32 | {fourth} | 95 % | 62 % |" in glance
    assert "Measured on Synthetic GPU, 2026-01-01" in glance
    assert workplace.run("--update-readme") == 0
    glance = workplace.readme.read_text().partition("<!-- glance:begin -->")[2]
    assert glance == "\n\n<!-- glance:end -->\n"


def test_counts_and_times_of_other_shapes_share_no_row(workplace):
    records, bench = synthetic.one_row_results()
    files = workplace.write("records.json", records), workplace.write("b.json", bench)
    workplace.run("--update-readme", "--recorded", files[1])
    text = (workplace.steps / "04_fourth/README.md").read_text()
    said, counted, timed = text.replace("timed at", "<details>").split("<details>", 2)
    assert "step 04 takes **53.3 µs**, where step 03 takes 1067 µs" in said
    assert "| 04 Fourth, 1 × 1048576 | 2 | 1 | 16 | 1 |\n" in counted
    assert "| 03 Third, 64 × 4000 | 2 |" in counted
    assert "| 04 Fourth, 1 × 16777216 |" in timed
    assert "16777216" not in counted and "1048576" not in timed


def test_top_k_is_counted_at_the_width_that_is_timed(workplace):
    workplace.run("--update-readme", *recorded(workplace))
    text = (workplace.steps / "05_topk/README.md").read_text()
    assert "| 05 Topk, 4 × 25000, K = 5 | 1 | 0.0004 | 16 | 1 |" in text
    assert "| 05 Topk, 4000 × 25000, K = 5 | " in text.partition("timed at")[2]


def test_a_steps_page_compares_it_with_what_it_builds_on(workplace):
    workplace.run("--update-readme", *recorded(workplace))
    text = (workplace.steps / "03_third/README.md").read_text()
    assert [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")] == [
        "| counted at 64 × 4000", "| ---", "| 02 Second", "| 03 Third", "| 03a unsafe",
        "| timed at 4000 × 4000", "| ---", "| 02 Second", "| 03 Third", "| 03a unsafe",
    ]  # fmt: skip


def test_a_steps_page_says_what_came_out_before_its_folded_tables(workplace):
    workplace.run("--update-readme", *recorded(workplace))
    text = (workplace.steps / "03_third/README.md").read_text()
    said, tables = text.partition("<!-- results:begin -->")[2].split("<details>", 1)
    assert "At 64 × 4000 the executor counts 2 loads and 1 store per logit in one launch" in said
    assert "exactly as predicted" in said and "touches 32 sectors" in said
    assert "step 03 takes **187 µs**, where step 02 takes 170 µs" in said
    assert "it is slower, and takes 1.10 times as long" in said
    assert "18 % of the speed at which a copy" in said
    assert "|" not in said
    assert tables.count("<summary>") == tables.count("</details>") == 2


def test_a_page_says_where_counts_are_not_as_predicted(workplace):
    records = synthetic.records()
    for row in records["records"]:
        if row["step"] == "03_third":
            row["predicted_loads"] = 1
    workplace.write("records.json", records)
    workplace.run("--update-readme", *recorded(workplace))
    text = (workplace.steps / "03_third/README.md").read_text()
    assert "which is NOT what was predicted at every shape" in text


def test_without_a_gpu_there_are_counts_and_no_times(workplace):
    assert workplace.run("--update-readme") == 0
    text = workplace.readme.read_text()
    assert "| [02 Second](steps/02_second/README.md) | 3 | 1 | 32 |\n" in text
    assert "µs" not in text
    assert "GB/s" not in text


def test_a_page_without_markers_leaves_all_files_as_they_are(workplace, capsys):
    page = workplace.steps / "04_fourth/README.md"
    page.write_text("# 04 Fourth\n")
    before = workplace.readme.read_text()
    assert workplace.run("--update-readme") == 2
    assert str(page) in capsys.readouterr().err
    assert workplace.readme.read_text() == before


def shown_at(workplace, places):
    page = workplace.steps / "04_fourth/README.md"
    page.write_text(
        page.read_text().replace(
            "<!-- results:begin", f"<!-- results: {places} -->\n<!-- results:begin"
        )
    )
    return page


def _timed_at(size: str, workplace) -> bool:
    """Whether the README has step 04's time of that size, and step 03's of the ladder's."""
    lines = workplace.readme.read_text().splitlines()
    fourth = next(line for line in lines if "steps/04_fourth/" in line)
    third = next(line for line in lines if "steps/03_third/" in line)
    return f"| {size} |" in fourth and "| 4000 × 4000 |" in third


def test_a_page_may_name_the_shapes_of_its_tables(workplace):
    page = shown_at(workplace, "counted at 64 x 1000, timed at 4000 x 10")
    workplace.run("--update-readme", *recorded(workplace))
    counted, timed = page.read_text().partition("timed at 4000 × 10 |")[::2]
    assert "| counted at 64 × 1000 |" in counted
    assert "| 04 Fourth | verified |" in timed
    assert "4000 × 4000" not in timed
    # The README's are the ladder's.
    assert _timed_at("4000 × 4000", workplace)


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ("Another GPU", "verified, on Another GPU, not this GPU"),
        ("", "verified, on the CPU executor alone"),
    ],
)
def test_what_the_tables_gpu_never_ran_says_who_verified_it(workplace, machine, said):
    records = synthetic.gpu_records()
    others = [row for row in records["records"] if row["step"] != "04_fourth"]
    fourth = [row | {"machine": machine} for row in records["records"] if row not in others]
    workplace.write("gpu.json", {"records": others + (fourth if machine else [])})
    workplace.run("--update-readme", *recorded(workplace))
    timed = (workplace.steps / "04_fourth/README.md").read_text().partition("timed at")[2]
    assert f"| 04 Fourth | {said} | – |" in timed
    assert "| 03 Third | verified | " in timed


def test_a_step_that_has_nothing_at_the_ladders_shapes_is_shown_at_its_pages(workplace):
    shown_at(workplace, "counted at 64 x 1000, timed at 4000 x 10")
    of_fourth = ("04_fourth", 4000)
    records = synthetic.records()
    records["records"] = [
        row for row in records["records"] if (row["step"], row["cols"]) != of_fourth
    ]
    bench = synthetic.bench()
    bench["benchmarks"] = [
        row for row in bench["benchmarks"] if (row.get("step"), row["cols"]) != of_fourth
    ]
    workplace.write("records.json", records)
    workplace.run("--update-readme", "--recorded", workplace.write("bench.json", bench))
    assert _timed_at("4000 × 10", workplace)


@pytest.mark.parametrize(
    "places", ["counted at 64", "shown at 64 x 4", "timed at 1 x 2, timed at 3 x 4"]
)
def test_a_place_that_is_none_is_refused(workplace, capsys, places):
    shown_at(workplace, places)
    assert workplace.run("--update-readme", *recorded(workplace)) != 0
    assert (
        f"04_fourth/README.md: '<!-- results: {places} -->' must read as" in capsys.readouterr().err
    )


def test_captions_lead_to_where_the_columns_are_explained(workplace):
    hardware = workplace.write("hardware.json", synthetic.hardware())
    workplace.run("--update-readme", *recorded(workplace), hardware)
    text = (workplace.steps / "02_second/README.md").read_text()
    explanations = (ROOT / "docs/pages/tables.md").read_text("utf-8")
    led_to = re.findall(r"\(\.\./\.\./docs/pages/tables\.md#([a-z-]+)\)", text)
    assert len(led_to) == 3
    headings = re.findall(r"^## (.*)$", explanations, re.MULTILINE)
    assert set(led_to) <= {heading.lower().replace(" ", "-") for heading in headings}
