"""What Nsight Compute said, in the report and in the steps' pages."""

import re

import pytest
import synthetic

from worklog_report.results.profiles import read_profiles
from worklog_report.results.records import InputError, Shape


def recorded(place, **changes):
    return [
        "--recorded", place.bench, place.gpu_records,
        place.write("hardware.json", synthetic.hardware()),
        place.write("parity.json", synthetic.parity(**changes)),
    ]  # fmt: skip


def section(html, name):
    return re.search(rf'<section id="{name}">(.*?)</section>', html, re.S)[1]


def test_both_kinds_are_told_apart_from_times_and_records(workplace):
    profiles = read_profiles(list(recorded(workplace)[1:]))
    assert profiles.hardware.shapes == [Shape("f32", 4000, 4000), Shape("f32", 4000, 25000)]
    assert profiles.parity.total.figures == 4 * len(synthetic.UNITS)
    assert read_profiles([workplace.bench]).parity is None


def test_the_newest_file_of_a_kind_counts(workplace):
    old = synthetic.parity(reason="varies", date="2025-01-01T00:00:00Z")
    files = [
        workplace.write("new.json", synthetic.parity(reason="varies")),
        workplace.write("old.json", old),
    ]
    assert read_profiles(files).parity.date.startswith("2026")
    assert read_profiles(files[::-1]).parity.date.startswith("2026")


@pytest.mark.parametrize("kind", ["hardware", "parity"])
def test_a_file_of_another_form_is_named(workplace, kind):
    data = getattr(synthetic, kind)()
    del data["cases"][0]["launches"]
    path = workplace.write("bad.json", data)
    with pytest.raises(InputError, match=r"bad\.json: cases\[0\]: missing field 'launches'"):
        read_profiles([path])


def test_figures_are_counted_and_shares_follow(workplace):
    parity = read_profiles([workplace.write("p.json", synthetic.parity(reason="varies"))]).parity
    first = parity.units[0]
    assert (first.equal, first.ruled, first.listed, first.unexplained, first.zero) == (
        2,
        1,
        1,
        0,
        3,
    )
    assert first.share == 0.75
    assert [row.by_rule for row in parity.of(first.unit)] == [True, False]


def test_the_report_shows_how_the_counts_compare(workplace):
    html = section(workplace.report(*recorded(workplace, reason="varies")), "parity")
    assert "75.0 %" in html
    assert html.count("<details>") == 2 + len(synthetic.UNITS)
    assert "65 or 66" in html
    assert "<code>varies</code>" in html
    assert "two loads at once" in html
    assert "unexplained</strong>" not in html


def test_another_gpus_comparison_has_a_section_of_its_own(workplace):
    other = synthetic.parity(reason="varies", date="2026-01-01T00:00:00Z")
    other["context"]["gpu"] = "Other"
    other["cases"] = other["cases"][:2]
    files = [*recorded(workplace, reason="varies"), workplace.write("other.json", other)]
    html = workplace.report(*files)
    assert section(html, "parity").count("<details>") == 2 + len(synthetic.UNITS)
    assert "On Other</h2>" in section(html, "parity2")
    assert section(html, "parity2").count("<details>") == 2 + 2


def test_a_difference_without_a_reason_is_loud(workplace):
    html = section(workplace.report(*recorded(workplace)), "parity")
    assert f"{len(synthetic.UNITS)} differ and nobody knows why." in html
    assert html.count('<strong class="bad">unexplained</strong>') == len(synthetic.UNITS)


def test_the_report_shows_what_only_hardware_knows(workplace):
    html = section(workplace.report(*recorded(workplace, reason="varies")), "hardware")
    assert html.count("<details") == 2
    assert (
        html.count('<th scope="row">') == len(synthetic.UNITS) + 2
    )  # step 01 and its variant: two launches each
    assert "<small>maxima</small>" in html
    assert "global memory" in html
    assert "and local memory" in html


def test_without_profiles_there_is_no_section(workplace):
    html = workplace.report()
    assert 'id="hardware"' not in html
    assert 'id="parity"' not in html


def test_a_steps_page_has_the_hardwares_table(workplace):
    assert workplace.run("--update-readme", *recorded(workplace)) == 0
    page = (workplace.steps / "02_second/README.md").read_text()
    table = page.partition("What only hardware knows")[2]
    assert (
        "| 02 Second | 1.00 | 0.50 | 25 % | 50 % | 22 | 46 of 50 % | L2, 82 % | global memory |\n"
    ) in table
    assert "| 01 First, `maxima` | 1.00 | 0.50 |" in table
    assert "| loads |" not in table and "| stores |" not in table  # the executor's
    assert "\nOn Synthetic GPU, 2026-01-02, f32 at 4000 × 4000. [What the columns mean]" in table
    top_k = (workplace.steps / "05_topk/README.md").read_text()
    assert "| 25 and local memory |" in top_k
    assert workplace.run("--check-readme", *recorded(workplace)) == 0


def test_without_profiles_a_steps_page_has_no_such_table(workplace):
    assert workplace.run("--update-readme") == 0
    assert "only hardware" not in (workplace.steps / "02_second/README.md").read_text()
