"""Which step the library's table takes."""

from worklog_report.pages import library_choices
from worklog_report.results.records import Shape

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
