"""What a step's program prints, in a page."""

import io

import pytest

from worklog_report.pages import printed_output

PAGE = "# T\n\n<!-- output: step 01:begin -->\n<!-- output: step 01:end -->\n\nThe end.\n"
PRINTED = "01_first on the CPU executor\n\nf32   verified          56.87      29 %  4.0002\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    page = tmp_path / "README.md"
    page.write_text(PAGE)

    def run(printed, *options):
        monkeypatch.setattr("sys.stdin", io.StringIO(printed))
        return printed_output.main(["--page", str(page), "--step", "01", *options]), page

    return run


def test_the_output_stands_between_its_markers_as_text(run):
    assert run(PRINTED, "--check")[0] == 1
    code, page = run(PRINTED)
    assert code == 0
    assert page.read_text() == PAGE.replace(
        "begin -->\n", f"begin -->\n\n```text\n{PRINTED}```\n\n"
    )
    assert run(PRINTED, "--check")[0] == 0


def test_errors_of_another_libm_are_no_other_output_but_counts_are(run):
    run(PRINTED)
    assert run(PRINTED.replace("56.87      29 %", "56.9       30 %"), "--check")[0] == 0
    assert run(PRINTED.replace("4.0002", "4.0003"), "--check")[0] == 1


def test_a_page_without_the_markers_is_named(run, capsys):
    run(PRINTED)[1].write_text("# T\n")
    assert run(PRINTED)[0] == 2
    assert "README.md: needs one line '<!-- output: step 01:begin -->'" in capsys.readouterr().err
