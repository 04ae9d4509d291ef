"""The tables and the picture of docs/pages."""

import re

import pytest
import synthetic

from worklog_report.pages import doc_pages
from worklog_report.results.recorded_run import read_recorded_run

PAGES = {
    "errata.md": ["accesses"],
    "executor.md": ["floors", "parity", "parity-of-steps", "parity-reasons", "parity-not-compared"],
    "numerics.md": [
        "failures-by-design", "errors-by-width", "errors-by-input", "errors-of-half",
        "errors-of-logarithms", "errors-of-long-rows",
    ],
    "roofline.md": [
        "copies", "limits", "instructions", "standings", "standings-of-top-k",
        "standings-of-a-long-row", "fewer-accesses",
    ],
    "syllabus.md": ["steps"],
}  # fmt: skip


def errors(**changes):
    """What the synthetic GPU was verified on."""
    widths = (100, 4096)
    return {
        "records": [
            synthetic.record(
                unit, dtype, cols=cols, machine=synthetic.GPU, input="random", **changes
            )
            for unit in synthetic.UNITS
            for dtype in ("f32", "f16")
            for cols in widths
        ]
    }


def counted(step, loads, stores, variant=""):
    """An annotation whose lines make so many accesses for each logit."""
    annotation = synthetic.annotation((step, variant, "", (), (), 0, False))
    elements = annotation["rows"] * annotation["cols"]
    counters = {
        "global_load_elements": round(loads * elements),
        "global_store_elements": round(stores * elements),
        "global_load_requests": elements,
    }
    predictions = [
        shape | {"loads": round(loads * logits), "stores": round(stores * logits)}
        for shape in annotation["predictions"]
        for logits in [shape["rows"] * shape["cols"]]
    ]
    lines = [{"file": "softmax.cu", "line": 5, "counters": counters}]
    return annotation | {"predictions": predictions, "lines": lines}


@pytest.fixture
def place(workplace):
    """A workplace with pages, whose tables are all empty."""
    pages = workplace.folder / "docs/pages"
    pages.mkdir(parents=True)
    for name, markers in PAGES.items():
        text = "".join(f"<!-- {m}:begin -->\nstale\n<!-- {m}:end -->\n" for m in markers)
        (pages / name).write_text(f"# {name}\n\n{text}\nThe end.\n")
    workplace.write("errors.json", errors())
    workplace.write("hardware.json", synthetic.hardware())
    workplace.write("parity.json", synthetic.parity(reason="varies"))
    workplace.write("lines.json", {"annotations": [
        counted("02_fused", 3, 1), counted("03_online", 1, 1), counted("04_fourth", 2, 1),
    ]})  # fmt: skip
    workplace.pages = pages
    return workplace


def recorded(place):
    names = ("bench.json", "errors.json", "hardware.json", "parity.json", "other.json")
    return [path for name in names if (path := place.folder / name).exists()]


def options(place):
    return [
        "--recorded", *recorded(place), "--annotations", place.folder / "lines.json",
        "--steps", place.steps,
        "--pages", place.pages,
    ]  # fmt: skip


def command(place, *more):
    return doc_pages.main([str(argument) for argument in [*options(place), *more]])


def section(place, page, marker):
    assert command(place) == 0
    text = (place.pages / page).read_text()
    return re.search(f"<!-- {marker}:begin -->\n(.*)<!-- {marker}:end -->", text, re.DOTALL)[1]


def row(text, name):
    """The cells after the name."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_renew_then_check(place, capsys):
    assert command(place, "--check") == 1
    assert "roofline.md: is out of date" in capsys.readouterr().err
    assert "stale" in (place.pages / "errata.md").read_text()
    assert command(place) == 0
    assert command(place, "--check") == 0
    for name in PAGES:
        text = (place.pages / name).read_text()
        assert "stale" not in text
        assert text.startswith(f"# {name}\n") and text.endswith("\nThe end.\n")


def test_check_finds_numbers_of_another_run(place):
    command(place)
    slower = synthetic.bench()
    for benchmark in slower["benchmarks"]:
        if benchmark["name"] == "04_fourth/f32/4000x4000/cold":
            benchmark["median_us"] *= 2
    place.write("bench.json", slower)
    assert command(place, "--check") == 1


def test_a_step_stands_where_its_time_puts_it(place):
    text = section(place, "roofline.md", "standings").split("4000 × 25000")[0]
    # 1.05 times the copy's 2 + 128 MB / 4 MB a microsecond.
    time = 1.05 * (2 + 32)
    expected = ["2", "1.00", "1", "0.50", f"{time:.1f} µs", f"{128e3 / time:.0f}", "95 %"]
    assert row(text, "04 Fourth") == expected
    assert row(text, "copy")[-1] == "100 %"
    assert row(text, "PyTorch")[-1] == "62 %"
    assert "05 Topk" not in text
    assert "4000 × 25000, K = 5" in section(place, "roofline.md", "standings-of-top-k")


def test_dram_of_several_launches_is_added(place):
    text = section(place, "roofline.md", "standings")
    assert row(text, "01 First")[1] == "2.00"  # two launches that read the array once each
    assert row(text, "01 First")[0] == "–"  # not counted


def test_what_is_not_timed_says_so(place):
    text = section(place, "roofline.md", "standings-of-a-long-row")
    assert text == "\n1 × 16777216 is not timed on a recorded GPU yet.\n\n"
    (place.steps / "09_new").mkdir()
    (place.steps / "09_new/softmax.cu").write_text("// new\n")
    (place.steps / "09_new/README.md").write_text("# 09 New\n\nAn idea.\n")
    assert "Not timed in this run: 09 New.\n" in section(place, "roofline.md", "standings")
    assert "Not in this run: 09 New; " in section(place, "numerics.md", "errors-by-width")


def test_a_long_row_stands_in_table_and_picture_once_it_is_timed(place):
    command(place)
    assert "1 × 16777216" not in (place.pages / "roofline.svg").read_text()
    bench = synthetic.bench()
    one_row = ("f32", 1, 16777216)
    moved = 2 * 4 * 16777216
    bench["benchmarks"] += [
        synthetic.benchmark(synthetic.case("copy", *one_row), 40.0, moved),
        synthetic.benchmark(synthetic.case("04_fourth", *one_row), 50.0, moved, copy_us=40.0),
    ]
    place.write("bench.json", bench)
    text = section(place, "roofline.md", "standings-of-a-long-row")
    assert row(text, "04 Fourth")[-3:] == ["50.0 µs", f"{moved / 50e3:.0f}", "80 %"]
    assert row(text, "04 Fourth")[0] == "–"  # nothing is known of so long a row
    fourth = counted("04_fourth", 2, 1)
    longer = {"rows": 1, "cols": 16777216, "loads": 21609376, "stores": 16777348}
    fourth["predictions"].append(longer)
    place.write("lines.json", {"annotations": [fourth]})
    text = section(place, "roofline.md", "standings-of-a-long-row")
    assert row(text, "04 Fourth")[0:3:2] == ["1.288", "1"]
    picture = (place.pages / "roofline.svg").read_text()
    assert "1 × 16777216: 04 Fourth 80 %, copy 100 %" in picture


def test_the_limit_is_computed_for_the_shapes(place):
    text = section(place, "roofline.md", "limits")
    # 16 million logits: 5 operations at 33.5 a picosecond, 2 exponentials at an eighth of that.
    assert row(text, "4000 × 4000") == ["34.0 µs", "2.4 µs", "7.6 µs"]


def test_instructions_are_of_a_lane_and_for_each_logit(place):
    text = section(place, "roofline.md", "instructions")
    # 16 million warp instructions, 32 for each logit, an eighth of them special; units do 33.5 and
    # 4.2 of them a picosecond.
    cells = row(text, "03 Third")
    assert cells[:-1] == ["4000 × 4000, f32", "34.0 µs", "32", "15.3 µs", "4", "15.3 µs"]


def test_errors_are_of_the_gpu(place):
    text = section(place, "numerics.md", "errors-by-width")
    worst = synthetic.record(synthetic.UNITS[3], cols=4096)["max_ulp"]
    assert row(text, "03 Third")[-1] == f"{worst:.1f}"
    assert row(text, "PyTorch") == ["–", "6.00"]
    assert "| 03a unsafe, where it is right |" in text


def test_a_library_has_a_row_once_its_errors_are_recorded(place):
    text = section(place, "numerics.md", "errors-by-width")
    assert "Not in this run: Triton; cuDNN (accurate)" in text
    accuracy = [
        {"baseline": "cudnn/softmax_accurate", "input": name, "cols": 4096, "max_ulp": max_ulp}
        for name, max_ulp in (("one", 3.0), ("another", 5.5))
    ]
    place.write("bench.json", synthetic.bench() | {"baseline_accuracy": accuracy})
    text = section(place, "numerics.md", "errors-by-width")
    assert row(text, "cuDNN (accurate)") == ["–", "5.50"]
    assert "cuDNN (accurate); " not in text


def test_a_variant_that_fails_by_design_says_where(place):
    text = section(place, "numerics.md", "failures-by-design")
    worst = synthetic.record(synthetic.UNITS[4], cols=4096)["max_ulp"]
    assert row(text, "03a unsafe") == ["exp overflows above 88", f"{worst:.1f}"]
    assert "03 Third" not in text
    place.write("errors.json", errors(expected_failure=""))
    text = section(place, "numerics.md", "failures-by-design")
    assert text == "\nNone is among the recorded runs of a GPU yet.\n\n"


def test_steps_of_many_rows_of_one_and_of_a_few_have_tables_of_their_own(place):
    inputs = ("random", "wide", "equal")
    many = [
        synthetic.record(synthetic.UNITS[2], rows=36, cols=777, machine=synthetic.GPU, input=name)
        for name in inputs
    ]
    one = [
        synthetic.record(synthetic.UNITS[5], rows=1, cols=77777, machine=synthetic.GPU, input=name)
        for name in inputs
    ]
    few = [
        synthetic.record(synthetic.UNITS[3], rows=16, cols=777, machine=synthetic.GPU, input=name)
        for name in inputs
    ]
    place.write("errors.json", {"records": [*many, *one, *few]})
    text = section(place, "numerics.md", "errors-by-input")
    for records, name in ((many, "02 Second"), (one, "04 Fourth"), (few, "03 Third")):
        assert row(text, name) == [f"{record['max_ulp']:.1f}" for record in records]
    assert "36 × 777" in text and "1 × 77777" in text and "16 × 777" in text
    wide = synthetic.record(synthetic.UNITS[2], cols=4096, machine=synthetic.GPU, input="random")
    place.write("errors.json", {"records": [*many, *one, wide]})
    by_width = section(place, "numerics.md", "errors-by-width")
    assert "| 02 Second |" in by_width and "| 04 Fourth |" not in by_width


def test_long_rows_have_a_table_once_they_are_recorded(place):
    assert "steps 09 to 11" in section(place, "numerics.md", "errors-of-long-rows")
    long_row = synthetic.record(
        synthetic.UNITS[5], rows=1, cols=16777216, machine=synthetic.GPU, input="random"
    )
    place.write("errors.json", {"records": [*errors()["records"], long_row]})
    text = section(place, "numerics.md", "errors-of-long-rows")
    assert row(text, "04 Fourth") == [f"{long_row['max_ulp']:.1f}"]


def test_logarithms_have_a_table_once_they_are_recorded(place):
    assert "step 08" in section(place, "numerics.md", "errors-of-logarithms")
    place.write("errors.json", errors(operation="log_softmax"))
    text = section(place, "numerics.md", "errors-of-logarithms")
    assert "| 04 Fourth |" in text


def claim_row(text, step):
    """The cells after the step."""
    line = next(line for line in text.splitlines() if f"| {step} |" in line)
    return [cell.strip() for cell in line.split(f"| {step} |")[1].strip("|").split("|")]


def test_a_claim_is_held_against_what_was_counted(place):
    text = section(place, "errata.md", "accesses")
    assert claim_row(text, "02_fused") == ["3", "3", "1", "4", "differs"]
    assert claim_row(text, "03_online") == ["2", "1", "1", "2", "agrees"]
    absent = claim_row(text, "01_naive_three_kernels")
    assert absent == ["5", "not counted yet", "–", "–", "–"]
    assert "| Benji Visser | fused |" in text


def test_a_claim_leaves_out_partial_results(place):
    for loads, verdict in ((4.015, "agrees"), (4.05, "differs")):
        place.write("lines.json", {"annotations": [counted("10_long_row_many_launches", loads, 2)]})
        text = section(place, "errata.md", "accesses")
        assert claim_row(text, "10_long_row_many_launches")[-1] == verdict


def test_the_picture_has_a_bar_for_each_step(place):
    command(place)
    picture = (place.pages / "roofline.svg").read_text()
    assert ">04 Fourth</text>" in picture
    assert "unsafe" not in picture
    assert "PyTorch 62 %" in picture
    assert 'width="102.9"' in picture  # 108 / 1.05


def test_parity_is_counted_step_by_step(place):
    """Of each unit two figures are equal, one by a rule, and one is listed."""
    units = len(synthetic.UNITS)
    text = section(place, "executor.md", "parity")
    assert f"{units} launches on {synthetic.GPU}, 2026-01-02" in text
    assert f"gave {4 * units} figures" in text and "75.0 % together" in text
    assert "None is different for no stated reason" in text
    steps = section(place, "executor.md", "parity-of-steps")
    assert row(steps, "04 Fourth") == ["4", "2", "1", "1", "0"]
    assert row(steps, "together") == [str(count * units) for count in (4, 2, 1, 1, 0)]
    by_rule, listed = section(place, "executor.md", "parity-reasons").split("Listed, not equal")
    assert row(by_rule, "`merged`") == ["two loads at once", str(units)]
    assert row(listed, "`varies`") == ["hardware", str(units)]
    assert "| `divergences` | predicates |" in section(place, "executor.md", "parity-not-compared")


def test_what_another_gpu_counted_stands_beside(place):
    other = synthetic.parity(reason="late")
    other["context"] = {"gpu": "Other", "date": "2026-01-01T00:00:00Z"}
    other["cases"] = other["cases"][:2]
    other["reasons"]["late"] = {"what": "it waits", "sass": "none"}
    other["reasons"]["varies"] = {"what": "as it was said before", "sass": "none"}
    place.write("other.json", other)
    text = section(place, "executor.md", "parity")
    assert text.index(f"{len(synthetic.UNITS)} launches on {synthetic.GPU}") < text.index(
        "2 launches on Other, 2026-01-01, gave 8 figures"
    )
    first, second = section(place, "executor.md", "parity-of-steps").split("On Other:")
    assert row(first, "04 Fourth") and "04 Fourth" not in second
    assert row(second, "together") == ["8", "4", "2", "2", "0"]
    by_rule, listed = section(place, "executor.md", "parity-reasons").split("Listed, not equal")
    assert row(by_rule, "`merged`") == ["two loads at once", str(len(synthetic.UNITS) + 2)]
    assert row(listed, "`varies`") == ["hardware", str(len(synthetic.UNITS))]
    assert row(listed, "`late`") == ["it waits", "2"]


def test_a_difference_without_a_reason_is_said(place):
    place.write("parity.json", synthetic.parity())
    assert "**8 are** different for no" in section(place, "executor.md", "parity")
    assert row(section(place, "executor.md", "parity-of-steps"), "04 Fourth")[-1] == "1"


def test_without_a_comparison_none_is_claimed(place):
    place.write("parity.json", synthetic.hardware())
    for name in PAGES["executor.md"][1:]:
        assert "No comparison with Nsight Compute is recorded yet" in section(
            place, "executor.md", name
        )


def test_a_page_without_its_marker_is_named(place, capsys):
    (place.pages / "numerics.md").write_text("# Numerics\n")
    assert command(place) == 2
    message = "numerics.md: needs one line '<!-- failures-by-design:begin -->'"
    assert message in capsys.readouterr().err
    assert "stale" in (place.pages / "roofline.md").read_text()


def test_without_a_recorded_run_there_is_nothing_to_show(place, capsys):
    arguments = [str(argument) for argument in options(place)]
    arguments[1:5] = [str(place.folder / "hardware.json")]
    assert doc_pages.main(arguments) == 2
    assert "none of the recorded files holds times of a GPU" in capsys.readouterr().err


def test_update_readme_renews_them_too(place, capsys):
    common = ("--recorded", *recorded(place), "--annotations", place.folder / "lines.json")
    assert place.run("--update-readme", *common) == 0
    assert place.run("--check-readme", *common) == 0
    assert command(place, "--check") == 0
    (place.pages / "roofline.svg").write_text("")
    assert place.run("--check-readme", *common) == 1
    assert "roofline.svg: its table is out of date" in capsys.readouterr().err


def test_accesses_of_a_step_are_those_of_all_its_lines(place):
    lines = counted("04_fourth", 1, 1)
    lines["lines"].append(lines["lines"][0] | {"line": 6})
    place.write("lines.json", {"annotations": [lines]})
    files = [place.bench, place.folder / "errors.json"]
    recorded = read_recorded_run(files, [place.folder / "lines.json"], place.steps)
    assert recorded.accesses("04_fourth") == (2, 2)
    assert recorded.accesses("03_third") is None


def test_the_syllabus_says_what_a_steps_page_says(place):
    page = place.steps / "03_third/README.md"
    goal = (
        "- **Afterwards you can** say what a third is,\n  and of what.\n- **Before it** you need "
        "words of [step 01](../01_first/README.md), and [step 02](../02_second/README.md). **It\n"
        "  takes** about 50 minutes with its exercise.\n"
    )
    page.write_text(page.read_text() + f"\n{goal}")
    text = section(place, "syllabus.md", "steps")
    assert "| say what a third is, and of what | 01, 02 | 50 |\n" in text
    assert "| [02 Second](../../steps/02_second/README.md) | – | – | – |\n" in text
