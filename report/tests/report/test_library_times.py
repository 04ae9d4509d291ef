"""The library's times beside its peers', and the page that shows them."""

import re

import pytest
import synthetic
from repository import ROOT

from worklog_report.pages import doc_pages, library_peers_page
from worklog_report.results.library_times import (
    Case,
    geometric_mean,
    read_library_run,
    read_library_runs,
)
from worklog_report.results.recorded_run import files_of
from worklog_report.results.records import InputError, Shape, read_results

SECTIONS = ("answer", "standing", "losses", "steps", "scaled", "host", "all")


def row(by, median_us, operation="softmax", rows=64, cache="cold", **more):
    k = 50 if operation == "top_k" else 0
    shape = {"operation": operation, "dtype": "f32", "rows": rows, "cols": 32000, "k": k}
    times = {"median_us": median_us} if median_us else {"error_message": "no patience"}
    return {"by": by, **shape, "cache": cache, **times, **more}


# Of two shapes of softmax one is lost, and there another step would have been faster; one top-k.
ROWS = [
    row("library", 12.0, limit_us=10.0, step="14_row_in_registers"),
    row("14_row_in_registers", 12.0),
    row("12_bytes_in_flight", 18.0),
    row("pytorch", 24.0),
    row("triton", 15.0),
    row("quack", None),
    row("library", 110.0, rows=4096, limit_us=100.0, step="12_bytes_in_flight"),
    row("12_bytes_in_flight", 110.0, rows=4096),
    row("14_row_in_registers", 100.0, rows=4096),
    row("pytorch", 104.0, rows=4096),
    row("library", 5.0, "top_k", limit_us=4.0, step="18_topk_by_threshold", cache="warm"),
    row("18_topk_by_threshold", 5.0, "top_k", cache="warm"),
    row("pytorch", 5.05, "top_k", cache="warm"),
]
CALLS = [
    {"by": "library", "language": "C++", "call": "softmax", "us": 2.5},
    {"by": "pytorch", "language": "Python", "call": "softmax", "us": 6.25},
    {"by": "library", "language": "C++", "call": "picking a step", "us": 0.125},
    {"by": "library", "language": "Python", "call": "softmax", "error_message": "no module"},
]


def record(rows=ROWS, date="2026-02-03T04:05:06+00:00", **context):
    about = {"gpu": synthetic.GPU, "date": date, "pytorch": "2.11", "quack": "not there"}
    return {"context": about | context, "of_library": rows, "host_calls": CALLS}


@pytest.fixture
def run(tmp_path):
    return read_library_run([synthetic.write(tmp_path, "library.json", record())])


def cell(run, rows, operation="softmax"):
    return next(
        cell
        for cell in run.cells
        if (cell.case.operation, cell.case.shape.rows) == (operation, rows)
    )


def section(run, name):
    return library_peers_page.sections(run)[name]


def lines(text):
    """The cells of a table's lines, without its head."""
    found = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in found[2:]]


def test_ratios_are_of_times_that_one_program_took(tmp_path):
    """The peers' program is the faster one here by 2 us: of ours, the library would have lost."""
    rows = [
        row("library", 6.0, limit_us=5.0, step="14_row_in_registers"),
        row("library_with_peers", 4.0),
        row("triton", 5.0),
        row("cudnn", 7.5),
    ]
    [cell] = read_library_run([synthetic.write(tmp_path, "library.json", record(rows))]).cells
    assert (cell.best_peer, cell.over_best_peer) == ("triton", 4 / 5)
    assert cell.over("cudnn") == 6 / 7.5
    assert (cell.over_limit("triton"), cell.over_limit("cudnn")) == (1.5, 1.5)


def test_a_cell_knows_its_best_peer_and_its_best_step(run):
    won, lost = cell(run, 64), cell(run, 4096)
    assert (won.best_peer, won.over_best_peer, won.is_lost) == ("triton", 12 / 15, False)
    assert (won.behind_best_step, won.second_best) == (1.0, 18 / 12)
    assert (lost.best_peer, lost.is_lost) == ("pytorch", True)
    assert (lost.best_step, lost.behind_best_step) == ("14_row_in_registers", 1.1)
    assert lost.second_best == 100 / 110
    assert run.errors == [
        ("quack", Case("softmax", "cold", Shape("f32", 64, 32000)), "no patience")
    ]
    assert run.absent["QuACK"] == "not there"
    assert "PyTorch" not in run.absent


def test_the_question_is_answered_in_words(run, tmp_path):
    mean = geometric_mean([15 / 12, 104 / 110])
    of_top_k = "All that is said of top-k is of K = 50, and of rows of 32,000 columns and more."
    assert section(run, "answer").strip() == (
        "In 2 of 3 comparisons no peer is faster. None is in any for top-k (beside PyTorch in all "
        "1). For softmax (beside PyTorch in all 2 and Triton in 1) the fastest peer takes "
        f"{mean:.2f} times as long as we do on average; where we do worst, we take 1.06 times as "
        f"long as it. {of_top_k}"
    )
    ahead = [one for one in ROWS if one["rows"] == 64]
    run = read_library_run([synthetic.write(tmp_path, "ahead.json", record(ahead))])
    assert section(run, "answer").strip() == (
        "In 2 of 2 comparisons no peer is faster. None is in any for softmax (beside PyTorch in "
        f"all 1 and Triton in 1) and top-k (beside PyTorch in all 1). {of_top_k}"
    )


def test_a_peer_is_named_with_how_much_of_an_operation_it_has(tmp_path):
    rows = [*ROWS[:3], ROWS[4], *ROWS[6:10], row("triton", 105.0, rows=4096)]
    run = read_library_run([synthetic.write(tmp_path, "some.json", record(rows))])
    assert "softmax (beside PyTorch in 1 of 2 and Triton in 2)" in section(run, "answer")


def test_top_k_of_short_rows_is_told_of_the_scaled_calls(tmp_path):
    """What a copy takes is the limit of a softmax at that shape."""
    short = {"cols": 256}
    rows = [*ROWS, row("library", 5.0, rows=4096, limit_us=4.0, step="13_row_in_a_warp") | short]
    of_scaling = [
        scaled(by, us, "top_k", 1) | {"dtype": "f32", "rows": 4096} | short
        for by, us in (("library_with_peers", 100.0), ("library_unscaled", 80.0))
    ]
    written = synthetic.write(tmp_path, "short.json", record(rows) | {"of_scaling": of_scaling})
    assert (
        "Of shorter rows the table of what is scaled has some; without a scale top-k takes 20 "
        "times as long as a copy at 4096 × 256, f32."
    ) in section(read_library_run([written]), "answer")


@pytest.mark.parametrize(
    ("l2_bytes", "left_out"), [(170_000, 1), (170_667, 0), (None, 0)], ids=["small", "large", "?"]
)
def test_what_no_cache_could_hold_warm_is_left_out(tmp_path, l2_bytes, left_out):
    """One row of 32,000 fp32 logits of a top-k: 128,000 bytes, of which 170,667 are four thirds."""
    rows = [{**one, "rows": 1} if one["cache"] == "warm" else one for one in ROWS]
    context = {"l2_bytes": str(l2_bytes)} if l2_bytes else {}
    run = read_library_run([synthetic.write(tmp_path, "l2.json", record(rows, **context))])
    assert len(run.too_large_to_be_warm) == left_out
    assert ("are 1 of the cases that were run for a warm" in section(run, "standing")) == left_out
    for name in ("answer", "standing", "steps", "all"):
        assert ("top-k" in section(run, name).lower()) == (not left_out), name


def test_where_it_stands(run):
    text = section(run, "standing")
    softmax, top_k, both = lines(text)
    mean = geometric_mean([15 / 12, 104 / 110])
    assert softmax[:4] == ["softmax", "cold", "2", "1 of 2"]
    assert softmax[4:] == [f"{mean:.2f}", "1.06", "1.10", f"{geometric_mean([1.2, 1.1]):.2f}"]
    # Within the spread two are equal, so nothing of this is lost.
    assert top_k == ["top-k", "warm", "1", "1 of 1", "1.01", "0.99", "1.00", "1.25"]
    assert both[:4] == ["all", "both", "3", "2 of 3"]
    assert f"On {synthetic.GPU}, 2026-02-03." in text
    assert "QuACK (not there)" in text
    assert "samples" not in text  # whose spread nobody recorded


def test_how_far_samples_lie_apart(tmp_path):
    """The median of each group's cases, not of one of them."""
    cold = [
        row(
            "library",
            us,
            rows=rows,
            limit_us=4.0,
            step="14_row_in_registers",
            spread=spread,
            samples=100,
        )
        for rows, us, spread in ((1, 5.0, 0.125), (2, 6.0, 0.25), (3, 7.0, 0.5), (64, 12.0, 0.03))
    ]
    warm = [{**one, "cache": "warm", "spread": 0.001} for one in cold]
    run = read_library_run([synthetic.write(tmp_path, "spread.json", record([*cold, *warm]))])
    assert (
        "spans 25.0 % of it (its standard error is 2.33 %) for launches of up to 10 µs with a cold "
        "cache, 3.0 % of it (its standard error is 0.28 %) for longer ones and 0.1 % of it (its "
        "standard error is 0.01 %) with a warm cache, for the middle one of these cases."
    ) in section(run, "standing")


def test_losses_are_shown_the_worst_first(run, tmp_path):
    assert [line[2:5] for line in lines(section(run, "losses"))] == [
        ["4096 × 32000, f32", "PyTorch", "1.06"]
    ]
    worse = [*ROWS, row("triton", 6.0)]
    run = read_library_run([synthetic.write(tmp_path, "worse.json", record(worse))])
    assert [line[3:5] for line in lines(section(run, "losses"))] == [
        ["Triton", "2.00"],
        ["PyTorch", "1.06"],
    ]
    assert [line[0] for line in lines(section(run, "all"))][:2] == [
        "64 × 32000, f32",
        "4096 × 32000, f32",
    ]
    ahead = [one for one in ROWS if one["rows"] == 64]
    run = read_library_run([synthetic.write(tmp_path, "ahead.json", record(ahead))])
    assert section(run, "losses").strip() == "There is none."


def test_losses_beyond_the_worst_ten_are_folded(tmp_path):
    rows = []
    for count in range(1, 13):
        rows += [
            row("library", 19.0 + count, rows=count, limit_us=10.0, step="14_row_in_registers"),
            row("triton", 10.0, rows=count),
        ]
    run = read_library_run([synthetic.write(tmp_path, "lost.json", record(rows))])
    worst, rest = section(run, "losses").split("<details><summary>The other 2</summary>\n\n")
    assert [line[4] for line in lines(worst)] == [
        f"{2.0 + count / 10:.2f}" for count in range(11, 1, -1)
    ]
    assert [line[4] for line in lines(rest)] == ["2.10", "2.00"]
    assert rest.endswith("|\n\n</details>\n\n")


def test_the_choice_of_steps_is_judged(run):
    softmax, top_k = lines(section(run, "steps"))
    assert softmax[2:6] == ["2", "1", "1.10 at 4096 × 32000, f32", "14_row_in_registers"]
    assert softmax[6] == f"{geometric_mean([18 / 12, 100 / 110]):.2f}"
    assert top_k[3:] == ["0", "1.00 at 64 × 32000, K = 50, f32", "18_topk_by_threshold", "–"]


def test_all_times_stand_over_the_limit(run):
    lost, won = lines(section(run, "all"))[:2]
    assert won[2:] == ["1.20", "14_row_in_registers", "2.40", "1.50"]
    assert lost == ["4096 × 32000, f32", "100 µs", "1.10", "12_bytes_in_flight", "1.04", "–"]
    assert "### Softmax, with a cold cache" in section(run, "all")
    assert "### Top-k, with a warm cache" in section(run, "all")
    assert section(run, "all").count("<details><summary>2 shapes</summary>\n\n|") == 1
    assert section(run, "all").endswith("|\n\n</details>\n\n")


def test_host_calls_without_a_time_are_dashes(run):
    assert lines(section(run, "host")) == [
        ["softmax", "2.50 µs", "6.25 µs"],
        ["picking a step", "0.12 µs", "–"],
    ]


@pytest.mark.parametrize(
    ("ours", "sentences"),
    [
        ((6.0, 9.0), "From C++ our calls take less time than PyTorch's. From Python our calls take "
         "longer than PyTorch's: top-k 0.5 µs; softmax less."),
        ((7.0, 9.0), "From C++ our calls take less time than PyTorch's. From Python our calls take "
         "longer than PyTorch's: softmax 0.5 µs and top-k 0.5 µs."),
        ((6.0, 8.0), "From C++ our calls take less time than PyTorch's. From Python our calls take "
         "less time than PyTorch's."),
    ],
)  # fmt: skip
def test_whose_calls_take_less_is_said_in_words(tmp_path, ours, sentences):
    calls = [
        {"by": by, "language": language, "call": call, "us": us}
        for by, language, times in (
            ("library", "C++", (1.0, 2.0)), ("pytorch", "C++", (1.5, 2.5)),
            ("library", "Python", ours), ("pytorch", "Python", (6.5, 8.5)),
        )
        for call, us in zip(("softmax", "top_k"), times, strict=True)
    ]  # fmt: skip
    written = synthetic.write(tmp_path, "library.json", record() | {"host_calls": calls})
    assert sentences in section(read_library_run([written]), "host")


def test_other_cards_stand_folded_behind_the_newest(run, tmp_path):
    alone = library_peers_page.sections(run)
    ahead = [row("library", 5.0, limit_us=4.0, step="13"), row("pytorch", 6.0)]
    files = [
        synthetic.write(tmp_path, f"{gpu}.json", record(rows, gpu=gpu))
        for gpu, rows in (("Slow GPU", ROWS), ("Fast GPU", ahead))
    ]
    slow, fast = (read_library_run([file]) for file in files)
    together = library_peers_page.sections(run, slow, fast)
    assert together["answer"].strip() == (
        f"{alone['answer'].strip()} All this is of {synthetic.GPU}, 2026-02-03; no peer is faster "
        "in 2 of 3 on Slow GPU, 2026-02-03 and in 1 of 1 on Fast GPU, 2026-02-03."
    )
    standing = together["standing"].removeprefix(alone["standing"])
    assert standing.count("<details>") == 2
    assert standing.startswith("<details><summary>The same on Slow GPU, 2026-02-03</summary>\n\n|")
    assert "| softmax | cold | 1 | 1 of 1 |" in standing.split("Fast GPU")[1]
    lost = together["losses"].removeprefix(alone["losses"])
    folded, none = lost.split("</details>")
    assert folded.startswith("<details><summary>The 1 on Slow GPU, 2026-02-03</summary>")
    assert lines(folded) == lines(alone["losses"])
    assert none.strip() == "There is none on Fast GPU, 2026-02-03."
    for name in ("steps", "scaled", "host", "all"):
        assert together[name] == alone[name]


def of_cross_entropy(operation, quack_us):
    return [
        row("library", 8.0, operation, limit_us=4.0, step="20_cross_entropy"),
        row("20_cross_entropy", 8.0, operation),
        row("pytorch", 16.0, operation),
        row("quack", quack_us, operation),
    ]


MEAN, OF_ROWS = of_cross_entropy("cross_entropy", 12.0), of_cross_entropy("cross_entropy_rows", 7.0)


def test_the_mean_cross_entropy_and_each_rows_are_two_operations(tmp_path):
    run = read_library_run([synthetic.write(tmp_path, "both.json", record([*MEAN, *OF_ROWS]))])
    title, of_rows = "mean cross-entropy with gradients", "each row's cross-entropy with gradients"
    assert [line[:4] for line in lines(section(run, "standing"))] == [
        [title, "cold", "1", "1 of 1"],
        [of_rows, "cold", "1", "0 of 1"],
        ["all", "both", "2", "1 of 2"],
    ]
    assert f"### {of_rows.capitalize()}, with a cold cache" in section(run, "all")
    assert [line[:4] for line in lines(section(run, "losses"))] == [
        [of_rows, "cold", "64 × 32000, f32", "QuACK"]
    ]
    assert "has no times of each row's" not in section(run, "standing")
    assert "one pass" not in section(run, "standing") + section(run, "losses")


LACKS = "This run has no times of each row's cross-entropy."
NO_MEAN = "its time for the mean cross-entropy is that of the one pass that gives no mean"


def test_that_a_run_has_no_times_of_each_rows_cross_entropy_is_said(tmp_path):
    run = read_library_run([synthetic.write(tmp_path, "old.json", record(MEAN))])
    assert not run.times_quack_without_mean
    assert LACKS in section(run, "standing")
    assert NO_MEAN not in section(run, "standing")
    # One that has no cross-entropy at all lacks more than that.
    alone = read_library_run([synthetic.write(tmp_path, "none.json", record())])
    assert LACKS not in section(alone, "standing")


def test_the_recorded_run_that_timed_quacks_one_pass_as_the_mean_says_so(tmp_path):
    """A file that is in the repository's history, and may be no longer among its results."""
    about = {"gpu": "NVIDIA H200", "date": "2026-11-29T02:51:53+00:00"}
    run = read_library_run([synthetic.write(tmp_path, "old.json", record(MEAN, **about))])
    assert run.times_quack_without_mean
    assert f"{LACKS} QuACK" in section(run, "standing")
    assert NO_MEAN in section(run, "standing")
    assert library_peers_page.sections(run)["losses"].strip() == "There is none."
    lost = of_cross_entropy("cross_entropy", 7.0)
    run = read_library_run([synthetic.write(tmp_path, "lost.json", record(lost, **about))])
    assert "two more kernels" in section(run, "losses")
    assert lines(section(run, "losses"))[0][3] == "QuACK"
    other = read_library_run([synthetic.write(tmp_path, "other.json", record([*MEAN, *OF_ROWS]))])
    together = library_peers_page.sections(other, run)
    assert NO_MEAN in together["standing"]
    assert "two more kernels" in together["losses"]
    # A later run of that card is another run.
    later = about | {"date": "2026-11-29T05:51:53+00:00"}
    run = read_library_run([synthetic.write(tmp_path, "later.json", record(MEAN, **later))])
    assert not run.times_quack_without_mean


def test_the_recorded_runs_are_read_whatever_they_have_of_cross_entropy():
    runs = read_library_runs(files_of([ROOT / "bench/results"]))
    assert runs
    for run in runs:
        operations = {cell.case.operation for cell in run.cells}
        assert "cross_entropy" in operations
        said = LACKS in section(run, "standing")
        assert said == ("cross_entropy_rows" not in operations), run.machine


def test_the_newest_record_counts_and_no_other_result_is_one(tmp_path):
    old = synthetic.write(tmp_path, "old.json", record(date="2025-01-01T00:00:00+00:00"))
    new = synthetic.write(tmp_path, "new.json", record())
    bench = synthetic.write(tmp_path, "bench.json", synthetic.bench())
    assert read_library_run([new, old, bench]).context["date"].startswith("2026")
    assert read_library_run([bench]) is None
    # Of each GPU, the newest first.
    other = synthetic.write(
        tmp_path, "other.json", record(date="2025-06-01T00:00:00+00:00", gpu="Other GPU")
    )
    found = read_library_runs([old, other, bench, new])
    assert [(run.context["gpu"], run.context["date"][:4]) for run in found] == [
        (synthetic.GPU, "2026"), ("Other GPU", "2025"),
    ]  # fmt: skip
    assert read_library_run([old, other, new]).machine == f"{synthetic.GPU}, 2026-02-03"
    # Nor is it a run of the bench, which would take the place of the GPU's older one.
    runs = read_results([], [], [bench, new]).runs
    assert [run.machine.files for run in runs] == [("bench.json",)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"median_us": 0}, r"of_library\[0\].median_us: "),
        ({"operation": "attention"}, r"of_library\[0\].operation: "),
        ({"cache": "hot"}, r"of_library\[0\].cache: "),
    ],
)
def test_broken_records_are_refused_by_name(tmp_path, change, message):
    path = synthetic.write(tmp_path, "library.json", record([ROWS[0] | change]))
    with pytest.raises(InputError, match=message):
        read_library_run([path])


def test_the_page_waits_for_its_record(workplace, monkeypatch):
    pages = workplace.folder / "docs/pages"
    pages.mkdir(parents=True)
    page = pages / "library_beside_peers.md"
    page.write_text("".join(f"<!-- {s}:begin -->\n<!-- {s}:end -->\n" for s in SECTIONS))
    monkeypatch.setattr(doc_pages, "_PAGES", {})
    options = [
        "--recorded", workplace.bench, "--annotations", workplace.annotations,
        "--steps", workplace.steps, "--pages", pages,
    ]  # fmt: skip

    def command():
        return doc_pages.main([str(option) for option in options])

    empty = page.read_text()
    assert command() == 0
    assert page.read_text() == empty
    options.insert(2, workplace.write("library.json", record()))
    assert command() == 0
    for name in SECTIONS:
        found = re.search(f"<!-- {name}:begin -->\n(.*)<!-- {name}:end -->", page.read_text(), re.S)
        assert found[1].strip(), name


def scaled(by, median_us, call="mask", matrices=16):
    shape = {"dtype": "bf16", "matrices": matrices, "rows": 64, "cols": 512}
    return {"by": by, "call": call, **shape, "median_us": median_us}


def test_what_is_scaled_stands_beside_its_peers_and_itself_unscaled(run, tmp_path):
    assert section(run, "scaled") == "\nNo recorded run has times of them.\n\n"
    rows = [
        scaled("library_with_peers", 10.0), scaled("library_unscaled", 8.0),
        scaled("pytorch", 35.0), scaled("torch_compile", 12.0),
        scaled("library_with_peers", 20.0, "top_k", 1), scaled("pytorch", 50.0, "top_k", 1),
        scaled("pytorch", 50.0, "cross_entropy"),
        scaled("library_with_peers", 9.0, matrices=8), scaled("library_unscaled", 10.0, matrices=8),
    ]  # fmt: skip
    written = synthetic.write(tmp_path, "scaled.json", record() | {"of_scaling": rows})
    text = section(read_library_run([written]), "scaled")
    assert "In 2 of 2 comparisons no peer is faster" in text
    assert "without scale and mask is 0.90 to 1.25 for softmax of scale · x + mask.\n" in text
    assert "takes 1.20 to 2.50 times as long" in text
    assert (
        "Of these 3, PyTorch was timed in 2 and is faster in none and torch.compile was timed in 1 "
        "and is faster in none. In 1 there is PyTorch alone."
    ) in text
    masked, top_k = lines(text)[-3:-1]
    assert masked[1:] == ["16 × 64 × 512, bf16", "10.0 µs", "1.25", "3.50", "1.20"]
    assert top_k == ["top-k of scale · x", "64 × 512, bf16", "20.0 µs", "–", "2.50", "–"]

    rows[0]["median_us"] = 24.0
    written = synthetic.write(tmp_path, "lost.json", record() | {"of_scaling": rows})
    text = section(read_library_run([written]), "scaled")
    assert "In 1 of 2 comparisons no peer is faster; where one is, we take up to 2.00 times" in text
    assert "torch.compile was timed in 1 and is faster in 1." in text
