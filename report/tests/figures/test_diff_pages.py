"""The pages of what changed from step to step: code, counters and times, none typed by hand."""

import re
import shutil
import subprocess
from html import unescape

import pytest
import synthetic
from repository import ROOT

from worklog_report.results import ladder
from worklog_report.results.records import Results, read_records
from worklog_report.results.steps import read_units
from worklog_report.site import diff_pages

EDGES = {
    "diff_01_02.md": ("01_first", "02_second"),
    "diff_02_03.md": ("02_second", "03_third"),
    "diff_03_04.md": ("03_third", "04_fourth"),
    "diff_04_05.md": ("04_fourth", "05_topk"),
}


def test_every_step_that_builds_on_another_has_a_page(place):
    pages = place.diff_pages()
    assert set(pages) == set(EDGES)
    for name, (before, after) in EDGES.items():
        assert pages[name].startswith(
            f"# From {before[:2]} to {after[:2]}: {after[3:].title()} {{#{name[:-3]}}}\n\n"
            f"One idea of {after}, in one line.\n"
        )
        for step in (before, after):
            assert f"](@ref step_{step})" in pages[name]


def test_what_moved_stands_before_the_code_and_the_first_line_leads_to_each(place):
    page = place.diff_pages()["diff_02_03.md"]
    parts = ("counters", "times", "code")
    places = [page.index(f"\\anchor diff_02_03_{part}\n\n## The {part}") for part in parts]
    assert places == sorted(places)
    head = page.partition("\\anchor")[0]
    for part in parts:
        assert f"[the {part}](@ref diff_02_03_{part})" in head


def test_the_ladder_itself(tmp_path):
    """A page for each `builds_on` in the sources."""
    units = read_units(ROOT / "steps")
    labels = {unit.name: unit.label for unit in units}
    declared, rows = set(), []
    for unit in units:
        if unit.variant:
            continue
        (base,) = re.findall(r'\.builds_on = "([\w/]*)"', unit.files["softmax.cu"])
        declared |= {f"diff_{labels[base]}_{unit.label}"} if base else set()
        rows += [synthetic.record((unit.step, "", base, (1, 0, 0), (1, 0, 0), 1.0, False))]
    records = read_records(synthetic.write(tmp_path, "records.json", {"records": rows}))
    table = ladder.build(units, Results(records, []), "f32")
    found = {diff_pages.page_name(*edge) for edge in diff_pages.edges(units, table.rows)}
    assert found == declared and len(found) >= 10


def code_of(page: str) -> list[str]:
    """The lines of the difference without colours: sign and text."""
    (code,) = re.findall(r'<div class="step-diff"[^>]*><pre>(.*?)</pre>', page, re.DOTALL)
    lines = re.split(r'<span(?: class="(?:new|gone|skipped)")?>(?=<i>|  …)', code)[1:]
    shown = [line.partition("</i>")[2] for line in lines if line.startswith("<i>")]
    return [unescape(re.sub("<[^>]+>", "", line)) for line in shown]


def test_the_code_says_by_signs_what_it_says_by_colours(place):
    page = place.diff_pages()["diff_02_03.md"]
    lines = code_of(page)
    assert "- // 02_second" in lines and "+ // 03_third" in lines
    assert "  #include <cuda_runtime.h>" in lines
    signs = {kind: page.count(f'<span class="{kind}">') for kind in ("new", "gone")}
    assert signs["new"] == sum(line.startswith("+ ") for line in lines) > 0
    assert signs["gone"] == sum(line.startswith("- ") for line in lines) > 0
    # Before and after come out of the difference again.
    for name, sign in (("02_second", "-"), ("03_third", "+")):
        source = (place.steps / name / "softmax.cu").read_text().splitlines()
        kept = [line[2:] for line in lines if line[0] in f" {sign}"]
        assert [line for line in source if line in kept] == kept


def test_markup_in_the_code_is_only_text(place):
    kernel = place.steps / "03_third/softmax.cu"
    kernel.write_text(kernel.read_text() + 'const char* evil = "</pre><script>\\endhtmlonly";\n')
    page = place.diff_pages()["diff_02_03.md"]
    assert "<script>" not in page and "&lt;script&gt;" in page


def counters(page: str) -> list[list[str]]:
    section = page.partition("## The counters that moved")[2].partition("## ")[0]
    rows = re.findall(r"^\| `(.*)$", section, re.M)
    return [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows]


def test_what_moved_most_stands_first(place):
    lines = synthetic.annotations()
    _of(lines, "03_third")["lines"] = [
        {
            "file": "softmax.cu",
            "line": 5,
            "counters": {"shuffles": 100, "global_load_requests": 64},
        },
        {"file": "softmax.cu", "line": 6, "counters": {"block_barriers": 9, "divergences": 7}},
    ]
    _of(lines, "04_fourth")["lines"] = [
        {
            "file": "softmax.cu",
            "line": 5,
            "counters": {"shuffles": 25, "global_load_requests": 128},
        },
        {"file": "softmax.cu", "line": 6, "counters": {"votes": 5, "divergences": 7}},
    ]
    place.write("lines.json", lines)
    page = place.diff_pages()["diff_03_04.md"]
    assert sorted(counters(page)[:2]) == [
        ["block_barriers", "9", "0", "gone"], ["votes", "0", "5", "new"],
    ]  # fmt: skip
    assert counters(page)[2:] == [
        ["shuffles", "100", "25", "× 0.25"],
        ["global_load_requests", "64", "128", "× 2"],
    ]
    assert re.search("Not moved: .*`divergences`", page)
    assert "f32, 64 × 4096, in blocks of 256 threads" in page


def _of(lines, step):
    return next(row for row in lines["annotations"] if (row["step"], row["variant"]) == (step, ""))


def test_a_planted_time_moves_the_page(place):
    before = place.diff_pages()["diff_03_04.md"]
    bench = synthetic.bench()
    for row in bench["benchmarks"]:
        if row["name"] == "04_fourth/f32/4000x4000/cold":
            # 5.5 times the copy's 34 us in step 03.
            row["median_us"] = 5.5 * 34 / 7
    place.write("bench.json", bench)
    after = place.diff_pages()["diff_03_04.md"]
    expected = "| 4000 × 4000 | 187 µs | 18 % | 26.7 µs | 127 % | 7.00× |"
    assert expected in after and expected not in before
    first = re.search(r"^\| (\d.*?) \|", after.partition("## The times")[2], re.M)[1]
    assert first == "4000 × 4000", "it moved most"


def test_losses_and_noise_are_said(place):
    page = place.diff_pages()["diff_02_03.md"]  # 5.5 after 5.0
    assert re.search(r"faster at 0, slower at \d+, the same within the spread at 0", page)
    assert "| 0.91× |" in page
    bench = synthetic.bench()
    for row in bench["benchmarks"]:
        if row["name"] == "03_third/f32/4000x4000/cold":
            row["spread"] = 0.25
    place.write("bench.json", bench)
    page = place.diff_pages()["diff_02_03.md"]
    assert "the same within the spread at 1" in page
    assert "| 4000 × 4000 | 170 µs | 20 % | 187 µs | 18 % | 0.91×, within the spread |" in page


def test_no_ratio_between_different_operations(place):
    page = place.diff_pages()["diff_04_05.md"]  # softmax, and softmax with top-k
    times = page.partition("## The times that moved")[2]
    assert "compute different things" in times and "×," not in times
    assert "| 05 Topk | 4000 × 25000, K = 5 |" in times and "| read |" in times


def test_no_recorded_time_is_made_up(place):
    place.write("bench.json", synthetic.gpu_records())
    assert "No GPU's times are recorded." in place.diff_pages()["diff_01_02.md"]


def test_a_missing_annotation_is_named(place, capsys):
    lines = synthetic.annotations()
    lines["annotations"].remove(_of(lines, "02_second"))
    place.write("lines.json", lines)
    out = place.folder / "none"
    names = ("--records", "--annotations", "--recorded", "--steps", "--out")
    assert diff_pages.main(place.options(out, *names)) == 2
    assert "diff_pages: 02_second: none of the files has its annotations" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.skipif(not shutil.which("doxygen"), reason="Doxygen is not installed")
def test_doxygen_takes_the_pages_without_a_warning(place):
    place.diff_pages()
    pages = place.folder / "diff_pages"
    for step, *_ in synthetic.UNITS:
        (pages / f"step_{step}.md").write_text(f"# {step} {{#step_{step}}}\n\nA step.\n")
    (pages / "counters.md").write_text("# Counters {#counters}\n\nCounters.\n")
    (place.folder / "Doxyfile").write_text(
        f"INPUT = {pages}\nFILE_PATTERNS = *.md\nOUTPUT_DIRECTORY = {place.folder}\n"
        "GENERATE_LATEX = NO\nHAVE_DOT = NO\nQUIET = YES\nWARN_AS_ERROR = FAIL_ON_WARNINGS\n"
    )
    done = subprocess.run(
        ["doxygen", "Doxyfile"], cwd=place.folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    html = (place.folder / "html/diff_02_03.html").read_text("utf-8")
    assert code_of(html) == code_of((pages / "diff_02_03.md").read_text("utf-8"))
    assert 'href="step_02_second.html"' in html
    for part in ("counters", "times", "code"):
        assert f'id="diff_02_03_{part}"' in html and f'#diff_02_03_{part}"' in html
