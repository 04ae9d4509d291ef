"""Which step the library's table takes."""

import json

import pytest
import synthetic
from repository import ROOT

from worklog_report.pages import library_choices
from worklog_report.results.library_candidates import (
    Limits,
    Operation,
    Source,
    read_operations,
    sources_of,
)
from worklog_report.results.library_times import Case, read_library_runs
from worklog_report.results.recorded_run import files_of
from worklog_report.results.records import InputError, Shape, read_results

OPERATION = Operation("softmax", ("early", "late"))
NEAR, FAR = Shape("f32", 1024, 1024), Shape("f32", 1024, 65536)
NEAR_CASE, FAR_CASE = Case("softmax", "cold", NEAR), Case("softmax", "cold", FAR)


def source(times, gpu=synthetic.GPU):
    """Times with a cold cache, by shape, or by shape and cache."""
    cases = {
        Case("softmax", *(("cold", key) if isinstance(key, Shape) else key[::-1])): timed
        for key, timed in times.items()
    }
    return Source(gpu, "2026-01-01", cases)


def choice(times, shape, size=4, operation=OPERATION):
    sources = [source(one) for one in (times if isinstance(times, list) else [times])]
    made = library_choices.choices(sources, operation, size)
    return table(made, sources, operation, size).step(shape)


def table(steps, sources=(), operation=OPERATION, size=4):
    return library_choices.Table(synthetic.GPU, operation, size, list(sources), steps)


def test_ranges_of_rows_end_at_powers_of_two_and_those_of_columns_at_quarters_between_them():
    def ends(counts, ends):
        return [ends[library_choices.bucket(count, ends)] for count in counts]

    assert ends((0, 1, 2, 3, 4, 5, 9), library_choices.LINE_ENDS) == [1, 1, 2, 4, 4, 8, 16]
    assert ends((3, 5, 9, 577, 1024, 50257, 2**40), library_choices.COLUMN_ENDS) == [
        3, 5, 10, 640, 1024, 57344, 2**24,
    ]  # fmt: skip
    assert len(library_choices.COLUMN_ENDS) == 92


def test_the_fastest_at_the_nearest_shape_is_taken():
    times = {NEAR: {"early": 1.0, "late": 2.0}, FAR: {"early": 2.0, "late": 1.0}}
    assert choice(times, NEAR) == "early"
    assert choice(times, FAR) == "late"
    assert choice(times, Shape("f32", 1024, 32768)) == "late"
    assert choice(times, Shape("f16", 1024, 512), size=2) == "early"


def test_within_the_spread_the_earlier_step_is_taken():
    assert choice({NEAR: {"early": 1.01, "late": 1.0}}, NEAR) == "early"
    assert choice({NEAR: {"early": 1.03, "late": 1.0}}, NEAR) == "late"


def test_of_a_cold_and_a_warm_cache_the_worse_counts():
    times = {(NEAR, "cold"): {"early": 1.0, "late": 1.1}, (NEAR, "warm"): {"early": 2, "late": 1}}
    assert choice(times, NEAR) == "late"
    # The worst alike, the mean decides.
    wider = Shape("f32", 1024, 1000)
    times = {
        (NEAR, "cold"): {"early": 1.2, "late": 1.0},
        (NEAR, "warm"): {"early": 1.0, "late": 1.2},
        (wider, "cold"): {"early": 1.1, "late": 1.0},
    }
    assert choice(times, NEAR) == "late"


def test_where_a_step_takes_no_such_shape_the_next_serves():
    wider, three = Shape("f32", 1024, 1000), Operation("softmax", ("early", "late", "last"))
    times = {
        NEAR: {"early": 1.0, "late": 3.0, "last": 1.5},
        wider: {"late": 1.0, "last": 3.0},
    }
    # late follows early, and is the best where early takes nothing.
    assert choice(times, NEAR, operation=three) == "early"
    times[wider] = {"late": 3.0, "last": 1.0}
    assert choice(times, NEAR, operation=three) == "last"
    # One alone says nothing of what is near.
    assert choice({NEAR: {"early": 2.0, "late": 1.0}, FAR: {"early": 1.0}}, FAR) == "late"


def test_the_first_source_counts_where_both_are_as_near_and_one_that_lacks_a_step_from_afar():
    first, second = {NEAR: {"early": 2.0, "late": 1.0}}, {NEAR: {"early": 1.0, "late": 2.0}}
    assert choice([first, second], NEAR) == "late"
    near_second = {Shape("f32", 1024, 1500): {"early": 1.0, "late": 2.0}}
    assert choice([first, near_second], Shape("f32", 1024, 1500)) == "early"
    three = Operation("softmax", ("early", "late", "new"))
    first = {NEAR: {"early": 2.0, "late": 2.0, "new": 1.0}}
    assert choice([first, near_second], Shape("f32", 1024, 1500), operation=three) == "new"
    far_second = {FAR: {"early": 1.0, "late": 2.0}}
    assert choice([first, far_second], FAR, operation=three) == "early"


UNITS = ("04_fourth", "03_third/variant")
NO_LIMITS = {"max_rows": None, "max_cols_of_4_bytes": None, "max_cols_of_2_bytes": None}


def write_candidates(folder, names, units=UNITS, **limits):
    """The limits are the first one's."""
    candidates = [{"step": unit} | NO_LIMITS for unit in units]
    candidates[0] |= limits
    (folder / "library").mkdir(exist_ok=True)
    synthetic.write(folder, "library/candidates.json", dict.fromkeys(names, candidates))


def test_the_candidates_and_their_limits_are_the_librarys_own(tmp_path):
    assert read_operations(tmp_path) == []
    names = ("softmax", "log_softmax", "top_k", "softmax_backward", "cross_entropy")
    write_candidates(tmp_path, names, max_rows=16, max_cols_of_2_bytes=100)
    found = read_operations(tmp_path)
    assert [operation.title for operation in found] == [
        "softmax", "log-softmax", "softmax's backward pass", "cross-entropy",
    ]  # fmt: skip
    assert {operation.units for operation in found} == {UNITS}
    limit = found[0].limit("04_fourth")
    assert [limit.take(16, 100, 2), limit.take(16, 101, 2), limit.take(17, 1, 2)] == [1, 0, 0]
    assert limit.take(16, 10**12, 4)
    assert found[0].limit("03_third/variant").take(10**12, 10**12, 2)


def test_a_missing_operation_or_limit_is_named(tmp_path):
    write_candidates(tmp_path, ("softmax",))
    with pytest.raises(InputError, match=r"candidates.json: 'log_softmax' is missing"):
        read_operations(tmp_path)
    synthetic.write(tmp_path, "library/candidates.json", {"softmax": [{"step": "04_fourth"}]})
    with pytest.raises(InputError, match=r"candidates.json: 'max_rows' is missing"):
        read_operations(tmp_path)


def page_rows(steps, limits):
    """Of softmax in fp32, of a table that has the same step for all rows and columns."""
    operation = Operation("softmax", ("early", "late"), limits)
    lines = [[steps] * len(library_choices.COLUMN_ENDS)] * len(library_choices.LINE_ENDS)
    text = library_choices._serves([table(lines, operation=operation)])
    return [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in text.splitlines()
        if line.startswith("| ")
    ][2:]


def test_the_page_names_who_serves_and_not_who_is_asked():
    assert page_rows("early", {}) == [("any", "early any")]
    few = {"early": Limits(16, {4: 90000, 2: 5})}
    assert page_rows("early", few) == [
        ("to 16", "early to 90,000; late more than 90,000"),
        ("more than 16", "late any"),
    ]
    # After the last comes the first.
    assert page_rows("late", {"late": Limits(12)}) == [
        ("to 12", "late any"),
        ("more than 12", "early any"),
    ]
    assert page_rows("early", {"early": Limits(cols={4: 2**25})}) == [
        ("any", "early to 33,554,432; late more than 33,554,432")
    ]


def test_the_pages_tables_are_folded_behind_what_they_may_cost():
    slow = {NEAR: {"early": 1.012, "late": 1.0}}
    steps = library_choices.choices([source(slow)], OPERATION, 4)
    text = library_choices._serves([table(steps, [source(slow)])])
    said, folded = text.split("<details>")
    assert "On the Synthetic GPU, at no recorded shape" in said
    assert "more than 1.2 % behind the fastest" in said
    summary = "<summary>The tables of the Synthetic GPU: softmax</summary>"
    assert folded.startswith(f"{summary}\n\nsoftmax, fp32:\n\n| rows")
    assert folded.endswith("|\n\n</details>\n\n")


TWO = Operation("softmax", ("04_fourth", "03_third"))


def library_record(workplace, late_us=3.0, **changes):
    shape = {"operation": "softmax", "dtype": "f32", "rows": 4000, "cols": 4000, "k": 0}
    row = shape | {"cache": "warm", "limit_us": 1.0}
    rows = [
        row | {"by": "library", "median_us": 9.0, "step": "04_fourth"},
        row | {"by": "04_fourth", "median_us": 9.0},
        row | {"by": "03_third", "median_us": late_us},
        row | {"by": "02_second", "median_us": 1.0},
        row | {"by": "pytorch", "median_us": 1.0},
    ]
    context = {"gpu": synthetic.GPU, "date": "2026-02-03T04:05:06+00:00"} | changes
    data = {"context": context, "of_library": rows, "host_calls": []}
    [run] = read_library_runs([workplace.write("library.json", data)])
    return run


def test_each_rows_cross_entropy_makes_no_difference_to_the_tables(workplace):
    """Its steps are those of the mean, under another operation's name."""
    library_record(workplace)
    file = workplace.folder / "library.json"
    data = json.loads(file.read_text())
    of_mean = [row | {"operation": "cross_entropy"} for row in data["of_library"]]
    of_rows = [
        row | {"operation": "cross_entropy_rows", "median_us": 10.0 - row["median_us"]}
        for row in of_mean
    ]
    operations = [TWO, Operation("cross_entropy", ("04_fourth", "03_third"))]

    def made(more):
        rows = data["of_library"] + more
        libraries = read_library_runs(
            [workplace.write("library.json", data | {"of_library": rows})]
        )
        return library_choices.tables([], libraries, operations)

    assert {one.step(Shape("f32", 4000, 4000)) for one in made(of_mean)} == {"03_third"}
    assert made(of_mean + of_rows) == made(of_mean)


def test_both_the_librarys_own_run_and_the_benchs_count(workplace):
    runs = read_results([], [], [workplace.bench]).runs
    own, bench = sources_of(TWO, runs, [library_record(workplace)])
    assert own.times == {
        Case("softmax", "warm", Shape("f32", 4000, 4000)): {"04_fourth": 9.0, "03_third": 3.0}
    }
    assert bench.machine == f"{synthetic.GPU}, 2026-01-01"
    made = library_choices.tables(runs, [library_record(workplace)], [TWO])
    assert [table.size for table in made] == [4, 2]
    assert made[0].step(Shape("f32", 4000, 4000)) == "03_third"
    assert made[0].step(Shape("f32", 4000, 25000)) == "04_fourth"
    # Of another generation it does not say what is best on this one.
    other = library_record(workplace, gpu="NVIDIA H200")
    of_other = library_choices.tables(runs, [other], [TWO])
    assert {table.gpu for table in of_other} == {"NVIDIA H200"}
    assert of_other[0].step(Shape("f32", 4000, 25000)) == "03_third"


def two_cards(workplace):
    """Of which each is the faster by another step."""
    h200 = library_record(workplace, 3.0, gpu="NVIDIA H200")
    h100 = library_record(workplace, 27.0, gpu="NVIDIA H100 80GB HBM3")
    return library_choices.tables([], [h200, h100], [TWO])


def test_each_card_has_tables_of_what_it_timed_itself(workplace):
    made = two_cards(workplace)
    shape = Shape("f32", 4000, 4000)
    assert [(table.gpu, table.size, table.step(shape)) for table in made] == [
        ("NVIDIA H200", 4, "03_third"),
        ("NVIDIA H200", 2, "03_third"),
        ("NVIDIA H100 80GB HBM3", 4, "04_fourth"),
        ("NVIDIA H100 80GB HBM3", 2, "04_fourth"),
    ]
    # What is said of a card is of its own times alone: none would be behind by the other's.
    assert [[s.gpu for s in table.sources] for table in made] == [[table.gpu] for table in made]
    assert [row.behind for table in made for row in library_choices.served(table, table.sources[0])
            ] == [1.0, 1.0]  # fmt: skip


def test_a_cards_choice_follows_another_where_only_that_timed_what_is_near():
    own = Source("NVIDIA H200", "2026-01-01", {NEAR_CASE: {"early": 1.0, "late": 2.0}})
    times = {NEAR_CASE: {"early": 2.0, "late": 1.0}, FAR_CASE: {"early": 2.0, "late": 1.0}}
    other = Source("NVIDIA H100 80GB HBM3", "2026-01-02", times)
    [of_four, _] = library_choices._tables_of("NVIDIA H200", OPERATION, [other, own])
    assert (of_four.step(NEAR), of_four.step(FAR)) == ("early", "late")
    assert of_four.sources == [own]


def test_the_library_tells_cards_apart_by_their_l2_cache(workplace):
    text = library_choices.header(two_cards(workplace))
    h200, h100 = text.split("    // NVIDIA H100 80GB HBM3\n")
    of_softmax = "    {SOFTMAX_WORKLOG_SOFTMAX,\n     4,\n     9,\n     62914560,\n"
    assert f"    // NVIDIA H200\n{of_softmax}" in h200
    assert h100.count("     9,\n     52428800,\n") == text.count("52428800") == 2
    unknown = library_record(workplace, gpu="NVIDIA H300")
    with pytest.raises(InputError, match="GPU 'NVIDIA H300': must be one of NVIDIA H200, NVIDIA H"):
        library_choices.header(library_choices.tables([], [unknown], [TWO]))


def test_the_page_has_a_cards_tables_together(workplace):
    parts = library_choices._serves(two_cards(workplace)).split("<details>")
    heads = [part.split("</summary>")[0] for part in parts[1:]]
    assert heads == [
        "<summary>The tables of the NVIDIA H200: softmax",
        "<summary>The tables of the NVIDIA H100 80GB HBM3: softmax",
    ]
    assert "| any | 03 any |" in parts[1]
    assert "| any | 04 any |" in parts[2]


def recorded():
    """What the repository's runs hold."""
    files = files_of([ROOT / "bench/results"])
    return read_results([], [], files).runs, read_library_runs(files)


def test_the_l2_caches_are_those_that_the_recorded_runs_name():
    runs, libraries = recorded()
    contexts = [run.machine.context for run in runs] + [run.context for run in libraries]
    named = {context["gpu"]: int(context["l2_bytes"]) for context in contexts}
    assert named == {gpu: card.l2_bytes for gpu, card in library_choices._CARDS.items()}


def test_no_recorded_shape_is_served_more_than_five_percent_behind_the_cards_best_step():
    runs, libraries = recorded()
    made = library_choices.tables(runs, libraries, read_operations(ROOT))
    behind = {
        (table.gpu, one.operation, one.case): one.behind
        for table in made
        for source in table.sources
        for one in library_choices.served(table, source)
    }
    assert {gpu for gpu, *_ in behind} == set(library_choices._CARDS)
    assert {key: worst for key, worst in behind.items() if worst > 1.05} == {}


def test_a_bench_that_timed_fewer_of_the_candidates_does_not_count(workplace):
    runs = read_results([], [], [workplace.bench]).runs
    assert len(sources_of(TWO, runs, [])) == 1
    assert sources_of(Operation("softmax", ("04_fourth", "99_new")), runs, []) == []


def test_the_second_best_is_told_beside_what_serves(workplace):
    runs = read_results([], [], [workplace.bench]).runs
    found = library_choices.served_cold(runs, [], [TWO])
    assert {one.step for one in found} == {"04_fourth"}
    assert {one.second for one in found} == {"03_third"}
    assert [one.second_costs for one in found] == pytest.approx([5.5 / 1.05] * len(found))
    assert {one.behind for one in found} == {1.0}
    assert len(found) == len({one.shape for one in found})


def test_where_the_table_errs_the_second_best_costs_less():
    case = Case("softmax", "cold", NEAR)
    served = library_choices.Served("softmax", case, "late", 2.0, "early", 1.5)
    assert (served.second_costs, served.behind) == (0.75, 2.0 / 1.5)
    alone = library_choices.Served("softmax", case, "late", 2.0, "", 0.0)
    assert (alone.second_costs, alone.behind) == (None, 1.0)


def test_the_pages_table_says_how_far_behind_each_source_is(workplace):
    fast = {NEAR: {"early": 1.0, "late": 2.0}}
    slow = {(NEAR, "warm"): {"early": 1.3, "late": 1.0}}
    sources = [source(fast), source(slow, "Other GPU")]
    steps = library_choices.choices(sources, OPERATION, 4)
    text = library_choices._behind([table(steps, sources)])
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    assert [line[2:] for line in lines[3:5]] == [
        [f"{synthetic.GPU}, 2026-01-01", "1", "0", "0.0 % at 1024 × 1024, cold", "2.00"],
        ["Other GPU, 2026-01-01", "1", "1", "30.0 % at 1024 × 1024, warm", "0.77"],
    ]


def test_the_report_shows_it_of_recorded_times_alone(workplace):
    names = ("softmax", "log_softmax", "softmax_backward", "cross_entropy")
    write_candidates(workplace.folder, names, ("04_fourth", "03_third"))
    html = workplace.report("--recorded", workplace.bench)
    section = html.split('<section id="library">')[1].split("</section>")[0]
    assert '<th scope="row">4000 × 4000<small>f32</small></th>' in section
    assert "5.24×" in section
    assert 'href="#library"' in html
    assert '<section id="library">' not in workplace.report("--bench", workplace.bench)
