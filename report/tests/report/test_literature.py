"""The sections of the source documents: every published figure stands beside ours or a reason."""

import json
import re

import pytest
import synthetic
from published_figures import leaves, problems

from worklog_report import literature
from worklog_report.literature import published
from worklog_report.literature.cells import Table
from worklog_report.literature.here import Here
from worklog_report.pictures.curves import Figure
from worklog_report.results.profiles import Profiles, read_profiles
from worklog_report.results.records import Shape, read_results
from worklog_report.results.steps import read_units

NO_PROFILES = Profiles()
DATA = json.loads(published.FILE.read_text("utf-8"))


@pytest.fixture
def complete(workplace):
    """Files with everything that the sections ask for."""
    return {
        "records": workplace.write("documents.json", synthetic.documents_records()),
        "bench": workplace.write("documents_bench.json", synthetic.documents_bench()),
    }


def results_of(workplace, complete, *bench):
    files = list(bench or [complete["bench"]])
    return read_results([workplace.records, complete["records"]], [], files)


def sections_of(workplace, complete, *bench, profiles=NO_PROFILES):
    units = read_units(workplace.steps)
    made = literature.sections(units, results_of(workplace, complete, *bench), profiles)
    return {section.key: section for section in made}


def texts(table):
    """The table's rows as text, notes after a semicolon."""

    def text(cell):
        if cell.missing:
            return cell.missing.why
        return "; ".join("".join(map(str, part)) for part in (cell.parts, cell.note) if part)

    return [[text(cell) for cell in row] for row in table.rows]


# ---- no figure is missing ----


def test_the_file_has_all_five_documents_and_their_figures():
    assert len(DATA) == 6  # the first is what it is about
    assert {path.split("/")[0] for path, _ in leaves(DATA)} == set(DATA) - {"about"}
    assert [figure.path for figure in published.figures(published.read())] == [
        path for path, _ in leaves(DATA)
    ]
    assert all({"title", "authors", "dtype"} <= set(DATA[name]) for name in set(DATA) - {"about"})


@pytest.mark.parametrize("recorded", ["nothing", "other kernels", "everything"])
def test_every_published_figure_is_shown_beside_ours_or_a_reason(workplace, complete, recorded):
    options = {
        "nothing": [],
        "other kernels": ["--recorded", workplace.bench],
        "everything": ["--recorded", workplace.bench, complete["bench"]],
    }[recorded]
    if recorded == "everything":
        rows = synthetic.records()["records"] + synthetic.documents_records()["records"]
        workplace.write("records.json", {"records": rows})
    html = workplace.report(*options)
    assert problems(html, DATA) == []
    assert ("not timed on any recorded GPU yet" in html) == (recorded != "everything")
    assert ("not counted on the CPU executor yet" in html) == (recorded != "everything")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (lambda data: data["visser"], "visser/planted/published"),
        (lambda data: data["visser"]["times"][3]["published"], "visser/times/3/published/planted"),
        (lambda data: data, "planted/published"),
    ],
)
def test_a_figure_that_no_section_shows_is_found(workplace, monkeypatch, place, path):
    data = json.loads(json.dumps(DATA))
    planted = 1234.5 if path.endswith("/planted") else {"published": 1234.5}
    place(data)["planted"] = planted
    file = workplace.write("published.json", data)
    monkeypatch.setattr(published, "FILE", file)
    assert problems(workplace.report(), data) == [f"{path}: 1234.5 is not shown"]


def test_a_figure_that_stands_alone_or_is_misprinted_is_found(full_workplace):
    html = (full_workplace.out / "index.html").read_text("utf-8")
    path = "milakov_gimelshein/softmax/0/published"
    alone = html.replace(f'data-beside="{path}"', "")
    assert problems(alone, DATA) == [f"{path}: nothing stands beside 1.3"]
    dash = re.sub(rf'(data-beside="{path}">).*?</td>', r"\1–</td>", html, flags=re.S)
    assert problems(dash, DATA) == [f"{path}: nothing stands beside 1.3"]
    misprint = html.replace(f'data-published="{path}">1.3<', f'data-published="{path}">1.4<')
    assert problems(misprint, DATA) == [f"{path}: 1.3 is shown as ['1.4']"]


# ---- what stands beside them ----


def test_what_was_not_timed_is_named(workplace):
    html = workplace.report().replace("<wbr>", "")
    for name in (
        "07_topk_fusion/safe_then_top_k/f32/4000x25000/k30/cold",
        "01_naive_three_kernels/half_arithmetic/f16/64x8192/cold",
        "cudnn/softmax_accurate/f32/1x16777216/cold",
        "08_log_softmax/three_passes/f32/256x30000/cold",
        "04_shared_memory/f32/128x131072/cold",
    ):
        assert f"<code>{name}</code>" in html


def test_what_was_timed_appears_as_ratios(workplace, complete):
    sections = sections_of(workplace, complete)
    paper = texts(sections["milakov_gimelshein"].parts["ratios"])
    assert paper[0][1:3] == ["1.3×", "1.20×"]
    assert paper[3][1:3] == ["1.15×", "1.20×; 5 V, 1000 to 100000"]
    assert paper[5][1:3] == ["1.5×", "4.00×; V = 10"]
    assert paper[-1][0].endswith("; section 5.2, 4000 × 25000, K = 30")
    assert paper[-1][1:3] == ["1.4×", "4.00×"]
    visser = texts(sections["visser"].parts["times"])
    assert visser[0][-3:] == ["1.94×", "1.67×", "2.00×"]
    assert visser[0][4:6] == ["0.0776 ms; 1.71×", "0.00807 ms; 1.25×"]
    vector = texts(sections["somik"].parts["times"])
    assert [row[2] for row in vector] == ["16.42×", "2.84×", "47.56×", "2.94×", "1.00×", "–"]
    assert [row[4] for row in vector] == ["16.00×", "1.60×", "72.00×", "4.00×", "1.00×", "0.80×"]
    note = texts(sections["log_softmax_note"].parts["times"])
    assert [row[3] for row in note] == [
        "1.30×",
        "1.60×",
        "9.00×",
        "1.20×",
        "1.40×",
        "4.00×",
        "1.00×",
    ]
    assert note[0][4] == "fails as stated: overflows"
    guide = texts(sections["cuda_softmax_guide"].parts["times"])
    assert [row[3].split("; ")[1] for row in guide] == ["1.00×", "1.33×", "2.22×", "2.67×"]


def test_claims_that_the_counts_contradict_are_said_to_differ(workplace, complete):
    sections = sections_of(workplace, complete)
    verdicts = {
        key: [row[-1] for row in texts(sections[key].parts["accesses"])]
        for key in ("visser", "milakov_gimelshein", "somik")
    }
    assert verdicts["visser"] == ["differs"] * 3
    assert set(verdicts["milakov_gimelshein"] + verdicts["somik"]) == {"agrees"}
    assert texts(sections["visser"].parts["accesses"])[0][1:4] == ["5", "4 + 2", "4 + 2"]
    rows = synthetic.documents_records()
    for row in rows["records"]:
        if row["step"] == "10_long_row_many_launches":
            row["stores_per_element"] += 1  # the loads still agree
    complete["records"] = workplace.write("documents.json", rows)
    somik = texts(sections_of(workplace, complete)["somik"].parts["accesses"])
    assert [row[-1] for row in somik] == ["agrees", "differs"]


def test_the_roofline_is_repeated_with_the_bandwidth_of_the_copy(workplace, complete):
    rows = texts(sections_of(workplace, complete)["somik"].parts["roofline"])
    assert rows[1][1:] == ["8", "12; counted for its kernel 3"]
    moved, microseconds = 8 * 2**24, 2.0 + 8 * 2**24 / 4e6
    rate = moved / microseconds / 1e3
    assert rows[2][1:] == ["336 GB/s", f"{rate:.0f} GB/s; a copy of as many elements"]
    assert rows[3][1:] == ["210 GFLOP/s", f"{rate * 5 / 8:.0f} GFLOP/s"]


def test_a_benchmark_that_failed_gives_its_reason(workplace, complete):
    name = "cudnn/softmax_accurate/f32/1x16777216/cold"
    data = synthetic.documents_bench(keep=lambda row: row != name)
    case = synthetic.case("cudnn/softmax_accurate", "f32", 1, 16777216)
    data["benchmarks"].append({**case, "error_occurred": True, "error_message": "error 3000"})
    bench = workplace.write("refused.json", data)
    rows = texts(sections_of(workplace, complete, bench)["somik"].parts["times"])
    assert rows[0][3:] == ["fails on Synthetic GPU: error 3000", "–"]


def test_times_of_two_gpus_are_never_divided_by_each_other(workplace, complete):
    slower, faster = "05_warp_shuffle/safe", "05_warp_shuffle"
    name = f"{slower}/f32/4000x4000/cold"
    first = synthetic.documents_bench(gpu="GPU A", keep=lambda row: row != name)
    second = synthetic.documents_bench(gpu="GPU B", keep=lambda row: row == name)
    bench = [workplace.write("a.json", first), workplace.write("b.json", second)]
    here = Here(read_units(workplace.steps), results_of(workplace, complete, *bench), None)
    shape = Shape("f32", 4000, 4000)
    assert here.times((slower, shape)).gpu == "GPU B"
    both = here.times((slower, shape), (faster, shape))
    assert both.why == "not timed on one and the same recorded GPU yet"
    assert 4000 not in here.sizes((slower, faster), Shape("f32", 4000, 0), "cols").ratio(
        slower, faster
    )


def tables_of(sections):
    return [
        (section, part)
        for section in sections.values()
        for part in section.parts.values()
        if isinstance(part, Table)
    ]


def is_published(cell):
    return any(isinstance(part, published.Published) for part in cell.parts)


def test_a_time_of_a_gpu_that_the_head_does_not_name_is_marked(workplace, complete):
    first = synthetic.bench(gpu="GPU A", date="2026-02-02T00:00:00+00:00")
    bench = [workplace.write("a.json", first), complete["bench"]]
    seen = 0
    for _, table in tables_of(sections_of(workplace, complete, *bench)):
        for head, cell in (
            (h, c) for row in table.rows for h, c in zip(table.heads, row, strict=True)
        ):
            timed = re.search(r"\d (µs|ms|GB/s|GFLOP/s)|\d×", "".join(map(str, cell.parts)))
            if timed and cell.beside and not head.text.startswith("Counted"):
                seen += 1
                assert "on Synthetic GPU" in "".join(map(str, cell.note)), (head, cell)
    assert seen > 80


def test_every_time_stands_under_the_name_of_its_gpu(workplace, complete):
    seen = 0
    for section, table in tables_of(sections_of(workplace, complete)):
        for head, cell in (
            (h, c) for row in table.rows for h, c in zip(table.heads, row, strict=True)
        ):
            if re.search(r"\d (µs|ms)\b", "".join(map(str, cell.parts))):
                seen += 1
                gpu = section.document["gpu"] if is_published(cell) else synthetic.GPU
                assert gpu in f"{head.text} {head.note}", (section.key, head)
    assert seen > 80


def test_what_the_caches_catch_stands_beside_the_loads(workplace, complete):
    data = synthetic.hardware()
    case = next(case for case in data["cases"] if len(case["launches"]) == 1)
    names = {"step": "05_warp_shuffle", "variant": "safe", "cols": 4000, "rows": 4000, "k": 0}
    data["cases"] = [case | names, case | names | {"variant": "", "launches": case["launches"] * 2}]
    profiles = read_profiles([workplace.write("hardware.json", data)])
    paper = sections_of(workplace, complete, profiles=profiles)["milakov_gimelshein"]
    table = paper.parts["dram"]
    assert [head.text for head in table.heads[2:]] == ["Read from DRAM at 4000 × 4000"]
    rows = {row[0].split(";")[0]: row[1:] for row in texts(table)}
    once = case["launches"][0]["dram_read_bytes"] / (4000 * 4000 * 4)
    assert rows["safe (algorithm 2)"] == ["3", f"{once:.2f}"]
    assert rows["online (algorithm 3)"] == ["2", f"{2 * once:.2f}"]
    assert rows["naive (algorithm 1)"] == ["2", "not profiled"]
    without = sections_of(workplace, complete)["milakov_gimelshein"].parts["dram"]
    assert "not profiled on any recorded GPU yet" in without.why


# ---- the figures ----


def drawn(section, name):
    part = section.parts[name]
    found = part if isinstance(part, list) else [part]
    assert all(isinstance(figure, Figure) for figure in found)
    return found


def marks(plot):
    return {line.label: line.points for line in plot.series if line.dashes == "marked"}


def test_published_ratios_are_marked_on_the_axes_of_ours(workplace, complete):
    sections = sections_of(workplace, complete)
    figures = drawn(sections["milakov_gimelshein"], "figures")
    ratios = [marks(figure.plots[1]) for figure in figures]
    assert ratios == [
        {"1.3×": ((4000, 1.3),)},
        {"1.15×": ((1000, 1.15), (100000, 1.15))},
        {
            "1.5×": ((10, 1.5),),
            "5×": ((25000, 5.0),),
            "2.5×": ((25000, 2.5),),
            "2×": ((25000, 2.0),),
        },
        {"1.5×": ((10, 1.5), (100000, 1.5)), "2.5×": ((10, 2.5), (100000, 2.5))},
    ]
    (by_k,) = drawn(sections["milakov_gimelshein"], "by_k")
    assert marks(by_k.plots[1]) == {"paper": ((5, 5.0), (10, 3.5), (15, 2.0), (30, 1.4))}
    assert len(by_k.plots[0].series) == 4
    (vector,) = drawn(sections["somik"], "figure")
    assert {
        label: points[0][0] for label, points in marks(vector.plots[1]).items()
    } == dict.fromkeys(("16.4×", "2.8×", "47.6×", "2.9×"), 2**24)
    assert not any(marks(figure.plots[0]) for figure in [*figures, by_k, vector])


def test_a_figure_without_two_sizes_gives_its_reason(workplace, complete):
    sections = sections_of(workplace, complete, workplace.bench)
    reason = sections["somik"].parts["figure"]
    assert "not timed at two sizes" in reason.why
    assert sections["somik"].parts["figure_cell"].rows[0][2].missing == reason
