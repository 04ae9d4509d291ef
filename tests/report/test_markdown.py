"""The tables between markers."""

import pytest

from worklog_report.markdown import replace_between_markers
from worklog_report.records import InputError

PAGE = "# T\n\nBefore.\n\n<!-- results:begin -->\nold\n<!-- results:end -->\n\nAfter.\n"


def test_only_what_is_between_the_markers_changes(tmp_path):
    new = replace_between_markers(PAGE, "\n| new |\n\n", tmp_path)
    assert new == PAGE.replace("old\n", "\n| new |\n\n")
    assert replace_between_markers(new, "\n| new |\n\n", tmp_path) == new


@pytest.mark.parametrize(
    "text",
    [
        PAGE.replace("<!-- results:begin -->\n", ""),
        PAGE.replace("<!-- results:end -->\n", ""),
        PAGE + PAGE,
        "<!-- results:end -->\n<!-- results:begin -->\n",
        "",
    ],
)
def test_markers_must_be_one_pair(tmp_path, text):
    with pytest.raises(InputError, match=r"README\.md: needs one line '<!-- results:begin -->'"):
        replace_between_markers(text, "", tmp_path / "README.md")


def recorded(place):
    return "--recorded", place.bench, place.gpu_records


def test_update_then_check(workplace, capsys):
    options = recorded(workplace)
    assert workplace.run("--check-readme", *options) == 1
    assert f"{workplace.readme}: its table is out of date" in capsys.readouterr().err
    assert "old" in workplace.readme.read_text()
    assert workplace.run("--update-readme", *options) == 0
    assert workplace.run("--check-readme", *options) == 0


def test_the_table_says_what_was_measured_where(workplace):
    workplace.run("--update-readme", *recorded(workplace))
    text = workplace.readme.read_text()
    second = "| [02 Second](steps/02_second/README.md), 4000 × 4000"
    assert f"{second} | 3 | 1 | 32 | 1 | verified | 14.0 | 170 µs |" in text
    assert "0.91× over 02 |" in text
    assert "| PyTorch softmax, 4000 × 4000 | – |" in text
    assert "Synthetic GPU, 2026-01-01" in text
    assert "exactly as predicted" in text
    assert "01a" not in text
    assert text.endswith("<!-- results:end -->\n\nThe end.\n")


def test_a_steps_page_compares_it_with_what_it_builds_on(workplace):
    workplace.run("--update-readme", *recorded(workplace))
    text = (workplace.steps / "03_third/README.md").read_text()
    assert [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| 0")] == [
        "| 02 Second",
        "| 03 Third",
        "| 03a unsafe",
    ]  # of one shape all, which the caption has


def test_without_a_gpu_there_are_counts_and_no_times(workplace):
    assert workplace.run("--update-readme") == 0
    text = workplace.readme.read_text()
    assert "| [02 Second](steps/02_second/README.md) | 3 | 1 | 32 | 1 |\n" in text
    assert "µs" not in text
    assert "GB/s" not in text


def test_a_page_without_markers_leaves_all_files_as_they_are(workplace, capsys):
    page = workplace.steps / "04_fourth/README.md"
    page.write_text("# 04 Fourth\n")
    before = workplace.readme.read_text()
    assert workplace.run("--update-readme") == 2
    assert str(page) in capsys.readouterr().err
    assert workplace.readme.read_text() == before
