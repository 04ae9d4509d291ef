"""Which step the library's table takes."""

import pytest

from worklog_report.pages import library_choices
from worklog_report.results.records import Shape, read_results

OPERATION = library_choices.Operation("SOFTMAX", "softmax", ("early", "late"))
NEAR, FAR = Shape("f32", 1024, 1024), Shape("f32", 1024, 65536)


def choice(times, shape, size=4):
    chosen = library_choices.choices(times, OPERATION, size)
    line = library_choices.bucket(shape.rows, library_choices.LINES)
    return chosen[line][library_choices.bucket(shape.cols, library_choices.COLUMNS)]


def test_ranges_end_at_powers_of_two():
    assert [library_choices.bucket(n, 23) for n in (1, 2, 3, 4, 5, 8, 9)] == [0, 1, 2, 2, 3, 3, 4]
    assert library_choices.bucket(2**40, 23) == 22


def test_the_fastest_at_the_nearest_shape_is_taken():
    times = {NEAR: {"early": 1.0, "late": 2.0}, FAR: {"early": 2.0, "late": 1.0}}
    assert choice(times, NEAR) == "early"
    assert choice(times, FAR) == "late"
    assert choice(times, Shape("f32", 1024, 32768)) == "late"
    assert choice(times, Shape("f16", 1024, 512), size=2) == "early"


def test_within_the_spread_the_earlier_step_is_taken():
    assert choice({NEAR: {"early": 1.01, "late": 1.0}}, NEAR) == "early"
    assert choice({NEAR: {"early": 1.03, "late": 1.0}}, NEAR) == "late"


def test_a_step_that_takes_fewer_of_the_shapes_is_not_taken():
    wider = Shape("f32", 1024, 1000)
    times = {NEAR: {"early": 1.0, "late": 2.0}, wider: {"late": 2.0}}
    assert choice(times, NEAR) == "late"


TWO = library_choices.Operation("SOFTMAX", "softmax", ("03_third", "04_fourth"))


def test_the_second_best_is_told_beside_what_serves(workplace, monkeypatch):
    monkeypatch.setattr(library_choices, "OPERATIONS", (TWO,))
    run = read_results([], [], [workplace.bench]).run
    found = library_choices.served(run)
    assert {one.step for one in found} == {"04_fourth"}
    assert {one.second for one in found} == {"03_third"}
    assert [one.second_costs for one in found] == pytest.approx([5.5 / 1.05] * len(found))
    assert {one.behind for one in found} == {1.0}
    assert len(found) == len({one.shape for one in found})


def test_where_the_table_errs_the_second_best_costs_less():
    served = library_choices.Served("softmax", NEAR, "late", 2.0, "early", 1.5)
    assert (served.second_costs, served.behind) == (0.75, 2.0 / 1.5)
    alone = library_choices.Served("softmax", NEAR, "late", 2.0, "", 0.0)
    assert (alone.second_costs, alone.behind) == (None, 1.0)


def test_the_report_shows_it_of_recorded_times_alone(workplace, monkeypatch):
    monkeypatch.setattr(library_choices, "OPERATIONS", (TWO,))
    html = workplace.report("--recorded", workplace.bench)
    section = html.split('<section id="library">')[1].split("</section>")[0]
    assert '<th scope="row">4000 × 4000<small>f32</small></th>' in section
    assert "5.24×" in section
    assert 'href="#library"' in html
    assert '<section id="library">' not in workplace.report("--bench", workplace.bench)
