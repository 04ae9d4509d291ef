"""Measured numbers in sentences, of made-up results."""

import pytest

from worklog_report.claims import claims, values
from worklog_report.results.records import InputError

RATIO = "time(03) / time(02) at 4000 x 4000"


def shown(formula, number="0.00"):
    return f"<!-- value: {formula} -->{number}<!-- /value -->"


def page(formula, number="0.00"):
    return f"# A\n\nStep 03 takes {shown(formula, number)} times as long.\n"


def renewed(text, measurements):
    return values.renewed("a.md", text, measurements)


@pytest.mark.parametrize(
    ("formula", "number", "now"),
    [
        (RATIO, "0.00", "1.10"),
        (RATIO, "99", "1"),
        ("100 * time(02) / time(03) at 4000 x 4000", "1.0", "90.9"),
        ("1000000 * time(02) / time(03) at 4000 x 4000", "1", "909,091"),
        ("time(02) - time(03) at 4000 x 4000", "0", "-17"),
        ("least time(03) / time(02) at 4000 x *", "0.0", "1.1"),
        ("most time(03) / time(02) at 10 x 10 and 10 x 100", "0.0", "1.1"),
        ("error(03)", "0.0", "60.0"),
        ("error(03, random) at 64 x 100", "0", "5"),
        ("min(time(03), time(02)) at 4000 x\n4000", "0", "170"),
    ],
)
def test_a_value_is_what_was_measured_with_the_decimals_of_the_page(
    formula, number, now, measurements
):
    assert renewed(page(formula, number), measurements) == page(formula, now)


def test_a_page_may_have_several_and_all_else_stays(measurements):
    text = f"Of {shown(RATIO)} and {shown('error(03)', '1')}: {shown(RATIO, '7.0')}.\n"
    assert renewed(text, measurements) == (
        f"Of {shown(RATIO, '1.10')} and {shown('error(03)', '60')}: {shown(RATIO, '1.1')}.\n"
    )


def test_readers_see_the_number_alone():
    assert (
        values.stripped("a.md", f"It is {shown(RATIO, '1.10')} times.\n") == "It is 1.10 times.\n"
    )


def test_an_example_is_none(measurements):
    text = f"Write `{shown(RATIO)}`:\n\n```\n{shown(RATIO)}\n```\n"
    assert values.values_of("a.md", text) == []
    assert renewed(text, measurements) == values.stripped("a.md", text) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"It is <!-- value: {RATIO} -->1.1 times.\n", "is not closed"),
        ("It is 1.1<!-- /value --> times.\n", "is not closed"),
        (f"It is <!-- values: {RATIO} -->1.1<!-- /value --> times.\n", "is not closed"),
        (f"It is\n{shown(RATIO)} times.\n", "a.md:2: the comment of a value must not begin a line"),
        (f"It is <!-- value: {RATIO} -->1.1\n<!-- /value -->.\n", "must not begin a line"),
        (f"It is {shown(RATIO, 'fast')}.\n", "a.md:1: 'fast' is no number such as 1.05"),
        (f"It is {shown(RATIO, '1.')}.\n", "'1.' is no number"),
    ],
)
def test_what_is_no_value_is_named(text, reason):
    with pytest.raises(InputError, match=reason):
        values.values_of("a.md", text)


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("time(03) at 4000 x 4001", r"a.md:3: .*: there is no time\(03\) at 4000 × 4001, f32"),
        ("time(09) at 4000 x 4000", "there is no step or variant '09'"),
        ("time(03) at 4000 x *", "is about several shapes: take the least or the most"),
        ("1 + 1", "names nothing that was measured"),
        ("time(03) being slow at 10 x 10", "is no formula that can be read"),
        ("time(03)", "needs a shape"),
        ("time(03) / (time(02) - time(02)) at 10 x 10", "divides by 0"),
    ],
)
def test_what_was_not_measured_is_named(formula, reason, measurements):
    with pytest.raises(InputError, match=reason):
        renewed(page(formula), measurements)
    (failure,) = values.failures(values.values_of("a.md", page(formula)), measurements)
    assert failure.startswith("a.md:3: ")


def test_the_command_finds_old_numbers_and_renews_them(recorded_folder, capsys):
    file = recorded_folder / "docs/value.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(page(RATIO, "1.4"))
    recorded = [str(path) for path in sorted(recorded_folder.glob("*.json"))]
    command = ["--recorded", *recorded, "--root", str(recorded_folder)]
    assert claims.main(command) == 1
    assert "docs/value.md:3: " in (said := capsys.readouterr()).err
    assert "the page says 1.4, measured was 1.1" in said.err
    assert "1 values, 1 of them do not hold" in said.out
    assert claims.main([*command, "--renew"]) == 0
    assert file.read_text() == page(RATIO, "1.1")
    assert claims.main(command) == 0
