"""What pages say of results in words, held against made-up results."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
import synthetic
from repository import ROOT

from worklog_report.claims import claims, values
from worklog_report.claims.claims import Claim, claims_of, failures, stripped
from worklog_report.claims.measurements import Measurements, read_measurements
from worklog_report.results.recorded_run import read_recorded_run
from worklog_report.results.records import MAIN_GPU

PAGE = Path("docs/pages/a.md")
VALUE_OF_SECOND = "It takes <!-- value: time(02) at 4000 x 4000 -->0.0<!-- /value --> us."


def said(text, measurements):
    """What is wrong with one claim; "" if it holds."""
    return "".join(failures([Claim(PAGE, 7, text, "A step is slow.")], measurements))


@pytest.mark.parametrize(
    "text",
    [
        "time(03) > time(02) at 4000 x 4000",
        "time(03) > time(02) at 4000 x 10..1000",
        "time(03) > time(02) at 4000 x * and 10 x 1000..",
        "time(03) > time(02) at * x ..1000, f16",
        "time(03) > 1 at 4000 x 10..",
        "1.09 < time(03) / time(02) < 1.11 at some of 10 x *",
        "0.9 < time(04) / time(copy) < 1.1 at most of 4000 x *",
        "time(03/unsafe) < min(time(03), time(02)) at 4000 x 4000",
        "time(pytorch/softmax) / time(copy) == 1.6 at 4000 x 128",
        "1.1 < time(05) / time(read) < 1.3 at 4000 x 25000, k = 5",
        "time(05) > time(read) at 4000 x 25000, k = 10..100",
        "abs(time(03) - 1.1 * time(02)) < 0.001 at 4000 x 4000",
        "-time(03) < -time(02) + 2 * 3 at 4000 x 4000",
        "time(copy, f32) == time(copy) at 4000 x *",
        "gbps(copy) > gbps(02) at 4000 x 4000",
        "swept(03) < swept(03, 256) at 10 x *",
        "error(03, wide) > 10 * error(03, random)",
        "error(03) == 60 at any shape, f16",
        "error(03, f16) == error(03) at 64 x 100",
        "error(pytorch/softmax) == 6 at 4000 x 4096",
        "dram_read(01) == 2 at 4000 x 4000",
        "dram_read(01, maxima) == 1 at 4000 x 4000",
        "0.5 <= dram_write(02) < 0.6 at 4000 x 4000",
        "l1_hits(02) < l2_hits(02) at 4000 x 4000",
        "occupancy(02) < nearest_limit(02) at 4000 x 4000",
        "figures(equal) == 2 * figures(listed)",
        "figures(varies) == figures(merged)",
    ],
)
def test_it_holds(text, measurements):
    assert said(text, measurements) == ""


def test_what_does_not_hold_is_named_with_its_page_its_line_and_both_values(measurements):
    assert said("time(03) < time(02) at 4000 x 4000", measurements) == (
        'docs/pages/a.md:7: "A step is slow.": time(03) < time(02) at 4000 x 4000: does not hold '
        "at 4000 × 4000, f32: time(03) = 187, time(02) = 170"
    )
    message = said("time(03) < time(02) at 4000 x *", measurements)
    assert "at 4000 × 10, f32" in message and message.endswith("and at 5 more")
    assert "does not hold" in said("time(03) < time(02) at most of 4000 x *", measurements)
    assert "does not hold" in said("time(03) < time(02) at some of 4000 x *", measurements)
    assert "does not hold at f32: error(03)" in said("error(03) > 60", measurements)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("speed(03) > 1 at 4000 x 4000", "there is no function 'speed', only attempt"),
        ("time(09) > 1 at 4000 x 4000", "there is no step or variant '09'"),
        ("time(03/fast) > 1 at 4000 x 4000", "there is no step or variant '03/fast'"),
        ("time(paper) > 1 at 4000 x 4000", "nothing was measured under the name 'paper'"),
        ("time(03) > 1 at 4000 x 4001", "there is no time(03) at 4000 × 4001, f32"),
        ("time(03) > 1 at 4000 x 4000, bf16", "there is no time(03) at 4000 × 4000, bf16"),
        ("time(03) > 1 at 4000 x 4000, warm", "there is no time(03) at 4000 × 4000, f32, warm"),
        ("time(03) > 1 at 4000 x 4001..9000", "fewer than two shapes '4000 x 4001..9000'"),
        ("time(03) > 1 at 4000 x 10..1001", "nothing of it has been measured at cols = 1001"),
        ("time(03) > 1 at 4000", "'4000' is no shape such as"),
        ("time(03) > 1 at 4000 x wide", "'wide' is neither a number nor a range"),
        ("time(03) > 1 at 4000 x 4000, hot", "'hot' is neither a type nor 'warm' nor"),
        ("time(03) > 1", "time() needs a shape, such as"),
        ("time(03, 256) > 1 at 4000 x 4000", "is to be written time(SUBJECT)"),
        ("swept(03, small) > 1 at 10 x 10", "is to be written swept(STEP)"),
        ("dram_read(01, softmax) > 1 at 4000 x 4000", "01_first has no kernel 'softmax'"),
        ("dram_read(01) > 1 at 4000 x 10", "there is no dram_read(01) at 4000 × 10"),
        ("figures(weather) == 0", "the comparison has no reason 'weather'"),
        ("time(03) at 4000 x 4000", "is no comparison"),
        ("time(03) being slow at 4000 x 4000", "is no formula that can be read"),
        ("", "is no formula that can be read"),
        ("2 > 1", "names nothing that was measured"),
        ("time(03) > open at 4000 x 4000", "'open' is none of what a formula may contain"),
        ("time(03) > __import__('os') at 4000 x 4000", "there is no function"),
        ("time(03) > [1][0] at 4000 x 4000", "'[1][0]' is none of what a formula may contain"),
        ("time(03) > 2 ** 9 at 4000 x 4000", "'Pow' is none of + - * /"),
        ("time(03) != 9 at 4000 x 4000", "'NotEq' is none of + - * /"),
        ("time(03) / (time(02) - time(02)) > 1 at 4000 x 4000", "divides by 0 at 4000 × 4000"),
    ],
)
def test_what_cannot_be_held_says_why(text, reason, measurements):
    assert reason in said(text, measurements)


def test_claims_belong_to_the_paragraph_above():
    text = (
        "# A\n\nThe `first`\nparagraph.\n"
        "<!-- holds: time(01) > 1 at 1 x 1;\n     error(02) < 3 -->\n\n"
        "- an item\n  <!-- a comment -->\n"
    )
    first, second = claims_of(PAGE, text)
    assert (first.line, first.sentence) == (5, "The `first` paragraph.")
    assert first.text == "time(01) > 1 at 1 x 1"
    assert (second.line, second.text) == (5, "error(02) < 3")
    assert stripped(text) == "# A\n\nThe `first`\nparagraph.\n\n- an item\n  <!-- a comment -->\n"


@pytest.mark.parametrize(
    "item",
    [
        "- Slow.\n  {}",
        "10. Slow.\n    {}",
        "- A\n\n  - Slow.\n    {}",
        "10. A\n\n    Slow.\n    {}",
    ],
)
def test_claims_stand_in_lists_too(item):
    text = item.format("<!-- holds: error(02) < 3 -->\n")
    (claim,) = claims_of(PAGE, text)
    assert claim.sentence.endswith("Slow.") and claim.text == "error(02) < 3"
    assert stripped(text) == item.partition("\n    {}")[0].partition("\n  {}")[0] + "\n"


@pytest.mark.parametrize(
    "comment",
    [
        "Text <!-- holds: a -->", "Text.\n<!--holds: a -->", "Text.\n<!-- holds a -->",
        "Text.\n<!-- Holds: a -->", "Text.\n<!-- hold: a -->", "Text.\n> <!-- holds: a -->",
    ],
)  # fmt: skip
def test_a_comment_that_is_nearly_a_claim_is_an_error(comment):
    line = 3 + comment.count("\n")
    with pytest.raises(
        claims.InputError, match=f"a.md:{line}: a claim is '<!-- holds: ... -->' on"
    ):
        claims_of(PAGE, f"# A\n\n{comment}\n\nMore.\n<!-- holds: error(02) < 3 -->\n")


@pytest.mark.parametrize(
    "example",
    [
        "As `<!-- holds: ... -->`.",
        "```\nSlow.\n<!-- holds: error(02) < 3 -->\n```",
        "- As\n\n  ````md\n  ```\n  <!-- Holds: nothing -->\n  ````",
        "~~~\n<!-- hold -->\n~~~",
    ],
)
def test_an_example_of_a_claim_is_none(example):
    text = f"# A\n\n{example}\n\nText.\n"
    assert claims_of(PAGE, text) == []
    assert stripped(text) == text
    (claim,) = claims_of(PAGE, f"{text}<!-- holds: error(02) < 3 -->\n")
    assert claim.sentence == "Text."


@pytest.mark.parametrize("between", ["\n", "  \n", "\n    "])
def test_a_claim_without_a_paragraph_is_an_error(between):
    with pytest.raises(claims.InputError, match="a.md:5: 'holds:' must stand directly below"):
        claims_of(PAGE, f"# A\n\nText.\n{between}<!-- holds: error(02) < 3 -->\n")


def command(recorded_folder, capsys):
    files = [str(path) for path in sorted(recorded_folder.glob("*.json"))]
    code = claims.main(["--recorded", *files, "--root", str(recorded_folder)])
    return code, capsys.readouterr()


def test_the_command_reads_pages_and_notebooks(recorded_folder, capsys):
    page = recorded_folder / "docs/a.md"
    page.parent.mkdir()
    page.write_text("# A\n\nSlow.\n<!-- holds: time(03) > time(02) at 4000 x 4000 -->\n")
    assert command(recorded_folder, capsys)[0] == 0
    source = ["Fast.\n", "<!-- holds: time(03) < 1 at 10 x 10 -->"]
    cell = {"cell_type": "markdown", "source": source}
    notebook = recorded_folder / "notebooks/b.ipynb"
    notebook.parent.mkdir()
    notebook.write_text(json.dumps({"cells": [{"cell_type": "code", "source": []}, cell]}))
    code, output = command(recorded_folder, capsys)
    assert code == 1 and "2 claims and 0 values, 1 of them do not hold" in output.out
    assert output.err.startswith('notebooks/b.ipynb:2: "Fast.": time(03) < 1 at 10 x 10: does not')
    page.write_text("<!-- holds: time(03) > 1 -->\n")
    code, output = command(recorded_folder, capsys)
    assert code == 2 and "docs/a.md:1: 'holds:' must stand" in output.err


def test_a_failure_is_an_infinite_error(recorded_folder, tmp_path):
    """Whatever error was found, if any."""
    third = next(unit for unit in synthetic.UNITS if unit[:2] == ("03_third", ""))
    of_third = partial(synthetic.record, third, machine=synthetic.GPU, verified=False)
    rows = [of_third(cols=128, max_ulp=None), of_third(cols=1000, max_ulp=0.1)]
    failed = synthetic.write(tmp_path, "failed.json", {"records": rows})
    recorded = [*sorted(recorded_folder.glob("*.json")), failed]
    found = Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
    for place_of_it in ("at 64 x 128", "at 64 x 1000", "at any shape"):
        assert "error(03) = inf" in said(f"error(03) < 100 {place_of_it}", found)
    assert said("error(03) == 60 at 64 x 100", found) == ""


def test_an_attempt_is_told_by_its_step(recorded_folder, tmp_path):
    row = {"step": "03_third", "attempt": "wider", "dtype": "f32", "rows": 64, "cols": 128, "k": 0}
    old = row | {"median_us": 9.0, "step_median_us": 3.0}
    new = row | {"median_us": 12.0, "step_median_us": 8.0}
    recorded = sorted(recorded_folder.glob("*.json"))
    for day, of_day in ((27, new), (26, old)):
        context = {"gpu": synthetic.GPU, "date": f"2026-11-{day}T10:00:00+00:00"}
        data = {"context": context, "attempts": [of_day]}
        recorded.append(synthetic.write(tmp_path, f"attempts_{day}.json", data))
    found = Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
    assert said("attempt(03, wider) == 1.5 at 64 x 128", found) == ""
    assert "attempt(03, wider) = 1.5" in said("attempt(03, wider) < 1 at 64 x 128", found)
    refused = said("attempt(02, wider) < 2 at 64 x 128", found)
    assert "nothing was tried on step 02 under the name 'wider'" in refused
    refused = said("attempt(03, wider, b300) < 2 at 64 x 128", found)
    assert "nothing was tried on step 03 under the name 'wider' on b300" in refused


def test_a_candidate_and_its_limit_are_of_the_operation_that_it_serves(recorded_folder, tmp_path):
    shape = {"operation": "softmax", "dtype": "f32", "rows": 64, "cols": 128, "k": 0}
    ours = {"by": "library", "median_us": 6.0, "limit_us": 4.0, "step": "03_third"}
    rows = [
        ours | shape | {"cache": "cold"},
        {"by": "03_third", "median_us": 5.0} | shape | {"cache": "cold"},
        {"by": "library_with_peers", "median_us": 7.0} | shape | {"cache": "cold"},
        ours | shape | {"operation": "log_softmax", "cache": "cold", "limit_us": 3.0},
    ]
    # The steps of a cross-entropy were timed without its mean, too. That is not what is meant.
    for operation, us in (("cross_entropy_rows", 1.0), ("cross_entropy", 2.0)):
        of = shape | {"operation": operation, "rows": 512, "cache": "cold"}
        rows += [ours | of, {"by": "03_third", "median_us": us} | of]
    context = {"gpu": synthetic.GPU, "date": "2026-02-03T04:05:06+00:00"}
    data = {"context": context, "of_library": rows, "host_calls": []}
    recorded = [*sorted(recorded_folder.glob("*.json")), synthetic.write(tmp_path, "l.json", data)]
    found = Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
    assert said("candidate(03) / candidate_limit(03) == 1.25 at 64 x 128", found) == ""
    assert said("candidate(03) == 2 at 512 x 128", found) == ""
    assert said("library(03) + 1 == library_with_peers(03) at 64 x 128", found) == ""
    assert "candidate_limit(03) = 4" in said("candidate_limit(03) < 1 at 64 x 128", found)
    assert "candidate_limit(03)" in said("candidate_limit(03) > 1 at 64 x 128, warm", found)
    assert "candidate_limit(SUBJECT)" in said("candidate_limit(03, a, b) > 1 at 64 x 128", found)
    unknown = said("candidate_limit(03, h300) > 1 at 64 x 128", found)
    assert "the library was not timed on a GPU that is called 'h300'" in unknown


def test_a_candidates_time_is_the_newest_runs_or_of_the_gpu_that_is_named(
    recorded_folder, tmp_path
):
    shape = {"operation": "softmax", "dtype": "f32", "rows": 64, "cols": 128, "k": 0}
    recorded = sorted(recorded_folder.glob("*.json"))
    for gpu, year, median_us in (("NVIDIA B300", 2027, 3.0), ("NVIDIA H300", 2026, 8.0)):
        ours = {"by": "library", "median_us": 9.0, "limit_us": 2.0, "step": "03_third"}
        step = {"by": "03_third", "median_us": median_us}
        rows = [row | shape | {"cache": "cold"} for row in (ours, step)]
        context = {"gpu": gpu, "date": f"{year}-02-03T04:05:06+00:00"}
        data = {"context": context, "of_library": rows, "host_calls": []}
        recorded.append(synthetic.write(tmp_path, f"{gpu}.json", data))
    found = Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
    for named in ("candidate(03) == 3", "candidate(03, b300) == 3", "candidate(03, h300) == 8"):
        assert said(f"{named} at 64 x 128", found) == ""
    assert "candidate(03, h300) = 8" in said("candidate(03, h300) < 1 at 64 x 128", found)


def test_attempts_and_times_of_another_gpu_are_told_by_its_name(recorded_folder, tmp_path):
    shape = {"dtype": "f32", "rows": 64, "cols": 128}
    row = {"step": "03_third", "attempt": "wider", "k": 0, "median_us": 6.0, "step_median_us": 3.0}
    context = {"gpu": "NVIDIA B300"}
    times = [
        shape | {"of": "03_third", "k": 0, "median_us": 5.0},
        shape | {"of": "03_third", "k": 8, "median_us": 7.0, "values": "equal"},
        shape | {"of": "copy", "k": 0, "median_us": 4.0},
    ]
    recorded = [
        *sorted(recorded_folder.glob("*.json")),
        synthetic.write(tmp_path, "a.json", {"context": context, "attempts": [row | shape]}),
        synthetic.write(tmp_path, "b.json", {"context": context, "also_timed": times}),
    ]
    found = Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
    assert said("attempt(03, wider, b300) == 2 at 64 x 128", found) == ""
    assert "nothing was tried" in said("attempt(03, wider) == 2 at 64 x 128", found)
    assert said("time_on(b300, 03) / time_on(b300, copy) == 1.25 at 64 x 128", found) == ""
    hard = "at 64 x 128, k = 8, equal"
    assert said(f"time_on(b300, 03) / time_on(b300, copy) == 1.75 {hard}", found) == ""
    refused = said("time_on(b200, 03) < 2 at 64 x 128", found)
    assert "of a GPU that is called 'b200'" in refused


def test_times_of_another_gpu_whose_whole_run_is_recorded(recorded_folder, measurements, tmp_path):
    bench = synthetic.bench("NVIDIA B300")
    for row in bench["benchmarks"]:
        if row.get("step") == "03_third":
            row["median_us"] *= 2
    recorded = [synthetic.write(tmp_path, "bench.json", bench)]
    other = Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
    own = sorted(recorded_folder.glob("*.json"))
    found = Measurements(measurements._run, own, [other])
    at = "at 4000 x 4000"
    assert said(f"time_on(b300, 03) / time(03) == 2 {at}", found) == ""
    assert said(f"time_on(b300, copy) == time(copy) {at}", found) == ""
    assert "of a GPU that is called 'b200'" in said(f"time_on(b200, 03) > 1 {at}", found)


def test_times_of_several_gpus_are_those_of_a_slice(recorded_folder, tmp_path):
    row = {"dtype": "bf16", "rows": 64, "cols_of_a_slice": 128, "ranks": 2}
    rows = [
        row | {"kernel": "step", "result": "softmax", "median_us": 12.0},
        row | {"kernel": "step", "result": "cross_entropy", "median_us": 15.0},
        row | {"kernel": "copy", "result": "", "median_us": 6.0},
        row | {"kernel": "in_kernel", "result": "softmax", "refused": "too wide"},
    ]
    data = {"context": {"gpu": synthetic.GPU, "ranks": 2}, "of_ranks": rows}
    ranks = synthetic.write(tmp_path, "ranks.json", data)
    recorded = [*sorted(recorded_folder.glob("*.json")), ranks]
    found = Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
    where = "at 64 x 128, bf16"
    assert said(f"ranks_time(step) / ranks_time(copy) == 2 {where}", found) == ""
    assert said(f"ranks_time(step, cross_entropy) == 15 {where}", found) == ""
    assert "ranks_time(step) = 12" in said(f"ranks_time(step) < 12 {where}", found)
    refused = said(f"ranks_time(in_kernel) < 12 {where}", found)
    assert "no ranks were timed under the name 'in_kernel'" in refused
    without = Measurements(found._run, sorted(recorded_folder.glob("*.json")))
    assert "no ranks were timed" in said(f"ranks_time(step) == 12 {where}", without)


def test_a_broken_sweep_is_named(recorded_folder, tmp_path, measurements):
    broken = synthetic.write(
        tmp_path, "sweep.json", synthetic.SWEEP | {"sweep": [{"step": "03_third"}]}
    )
    with pytest.raises(claims.InputError, match=r"sweep.json: sweep\[0\]: missing field 'variant'"):
        Measurements(measurements._run, [broken])


def test_another_gpus_sweep_is_left_aside(recorded_folder, tmp_path, measurements):
    theirs = synthetic.SWEEP | {"context": {"gpu": "another"}}
    other = synthetic.write(tmp_path, "z.json", theirs)
    both = Measurements(measurements._run, [other, recorded_folder / "sweep.json"])
    assert said("swept(03, 32) == 4 at 10 x 10", both) == ""
    alone = Measurements(measurements._run, [other])
    assert "there is no swept(03, 32) at 10 × 10" in said("swept(03, 32) == 4 at 10 x 10", alone)


def test_the_page_of_a_step_that_the_main_gpu_has_not_timed_speaks_of_another(
    recorded_folder, tmp_path
):
    def timed(gpu, keeps, factor):
        run = synthetic.bench(gpu, "2026-02-02T00:00:00+00:00")
        run["benchmarks"] = [
            row | {"median_us": factor * row["median_us"]}
            for row in run["benchmarks"]
            if "median_us" in row and keeps(row.get("step", ""))
        ]
        return synthetic.write(tmp_path, f"{factor}.json", run)

    without_third = timed(MAIN_GPU, lambda step: not step.startswith("03"), 1)
    recorded = [timed("another", lambda step: True, 100), without_third]
    found = read_measurements(recorded, recorded_folder / "steps")

    def time_of_second(page):
        shown = values.renewed(Path(page), VALUE_OF_SECOND, found)
        return shown.removeprefix(VALUE_OF_SECOND.partition("0.0")[0]).partition("<")[0]

    of_main = time_of_second("steps/02_second/README.md")
    assert time_of_second("README.md") == of_main
    assert (of_main, time_of_second("steps/03_third/README.md")) == ("170.0", "17,000.0")


# ---- the repository's own pages and notebooks ----

# Where they say what came out. A step's page: below its tables, and in these sections.
IN_STEPS = re.compile(
    r"^(?:<!-- results:end -->|## What (?:surprised us|came out))\n(.*?)(?=^## )", re.S | re.M
)
# Another page: below a table that is generated, or a list of steps.
IN_PAGES = re.compile(
    r"^<!-- (?:[\w-]+:end|steps: [^>]*) -->\n(.*?)(?=^#|^<!-- [\w-]+:begin|\Z)", re.S | re.M
)
# A notebook that reads recorded results: what explains them.
IN_NOTEBOOKS = re.compile(r"^\*\*Explain\.\*\* (.*?)(?=^## |\Z)", re.S | re.M)
# Paragraphs there that state nothing which was measured on a GPU: how they begin.
NO_RESULT = {
    "steps/01_naive_three_kernels/README.md": [
        "**The compiler asks for four", "nvcc -std=c++20", "Of a turn of the loop",
        "All four loads are under way", "So a turn of each", "maximum         load",
    ],
    "steps/02_fused/README.md": [
        "Waits are not accesses", "The commands are those of step 01", "maximum     load",
    ],
    "steps/03_online/README.md": [
        "**A NaN gets lost", "**And the waits have become more", "`BSSY` notes, in `B0`",
        "step 02, the maximum",
    ],
    "steps/06_vectorized/README.md": ["**Where the stores went", "**Where the instructions went"],
    "steps/07_topk_fusion/README.md": ["The list is easy to"],
    "steps/21_many_gpus/README.md": ["Every kernel but `one_", "![Time of a softmax against"],
    "docs/pages/errata.md": ["Step 01's maxima go through memory", "The other texts count right"],
    "docs/pages/executor.md": [
        "The figures are those that", "A figure that two rules move", "Constant loads are not",
    ],
    "docs/pages/library.md": [
        "At the shapes that were recorded", "K is 1 to the number of columns",
    ],
    "docs/pages/library_beside_peers.md": ["In the table, read two columns first"],
    "docs/pages/many_rows.md": ["Which step builds on which", "![01 Naive"],
    "docs/pages/numerics.md": ["The wide end is of few rows", "Sums stay in fp32"],
    "docs/pages/one_long_row.md": ["In step 11 the row is read twice and written once"],
    "docs/pages/speed_of_light.md": ["A row that is there in full leaves time", "[Step 18]"],
    "docs/pages/roofline.md": [
        "![For each step a bar",
        "All kernels must move the same bytes", "Top-k must read 4 bytes",
        "One row of millions, for which",
    ],
    "notebooks/04_roofline.ipynb": ["Compare column by column.", "A prediction that fails is not"],
    "notebooks/05_topk_and_sampling.ipynb": [
        "The probabilities that nobody asked for", "The entropy needs", "Every bar is within",
    ],
}  # fmt: skip


def named(*patterns):
    found = [page for pattern in patterns for page in sorted(ROOT.glob(pattern))]
    return pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in found])


# tests/machine_code holds it.
MACHINE_CODE = re.compile(r"<!-- machine code: .*? -->\n\n```text\n.*?\n```\n\n", re.S)


def paragraphs_of(section):
    """A table in the midst of one, with what leads to it and what follows, is a part of it."""
    section = MACHINE_CODE.sub("", section)
    joined = re.sub(r":\n\n(?=\|)", ":\n", section)
    return re.sub(r"\|\n\n(?=\w|\()", "|\n", joined).split("\n\n")


def assert_held(page, sections):
    """Every paragraph has a claim or is listed above, and nothing is listed in vain."""
    paragraphs = [part.strip() for section in sections for part in paragraphs_of(section)]
    loose = [part for part in paragraphs if part and stripped(part) == part]
    listed = NO_RESULT.get(page, [])
    assert [part for part in loose if not part.startswith(tuple(listed))] == []
    assert [words for words in listed if not any(part.startswith(words) for part in loose)] == []


@named("steps/*/README.md")
def test_a_step_holds_what_it_says_of_its_results(page):
    sections = IN_STEPS.findall((ROOT / page).read_text("utf-8"))
    assert sections
    assert_held(page, sections)


@named("docs/pages/*.md")
def test_a_page_holds_what_it_says_of_its_tables(page):
    assert_held(page, IN_PAGES.findall((ROOT / page).read_text("utf-8")))


@named("notebooks/04_*.ipynb", "notebooks/05_*.ipynb")
def test_a_notebook_holds_what_it_explains(page):
    cells = json.loads((ROOT / page).read_text("utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    sections = [section for text in texts for section in IN_NOTEBOOKS.findall(text)]
    assert len(sections) >= 3
    assert_held(page, sections)
