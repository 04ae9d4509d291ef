"""What small programs print, in the pages."""

import json

import pytest

from worklog_report.pages.program_pages import main

RUN = "<!-- run loses_a_row:begin -->\nold\n<!-- run loses_a_row:end -->\n"
PAGE = f"# Errata\n\nBefore.\n\n{RUN}\nAfter.\n"
FINDING = ["loses_a_row.cu:9: error: load of 4 bytes [out]", "  in kernel k, thread (1,0,0)"]


def form(*output, findings=(), loads=None):
    return {"output": list(output), "findings": list(findings), "loads_per_logit": loads}


@pytest.fixture
def place(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "errata.md").write_text(PAGE)
    (pages / "other.md").write_text("# No run here\n")
    write_run(tmp_path / "run.json")
    return tmp_path


def write_run(path, program="loses_a_row", **changes):
    run = {
        "program": program,
        "mistake": form("rows: 3, expected 4", findings=[FINDING], loads=65),
        "corrected": form("rows: 4, expected 4", loads=2),
    }
    path.write_text(json.dumps(run | changes))
    return path


def command(place, *options):
    arguments = ["--pages", place / "pages", "--runs", place / "run.json", *options]
    return main([str(argument) for argument in arguments])


def test_a_page_shows_both_forms_of_a_run(place):
    assert command(place) == 0
    assert (place / "pages/errata.md").read_text() == PAGE.replace(
        "old\n",
        """
    $ ./worklog run tests/errata/loses_a_row.cu
    rows: 3, expected 4
    loads for each logit: 65
    loses_a_row.cu:9: error: load of 4 bytes [out]
      in kernel k, thread (1,0,0)

    $ ./worklog run tests/errata/loses_a_row.cu -- corrected
    rows: 4, expected 4
    loads for each logit: 2
    0 findings

""",
    )


def test_check_finds_a_page_that_shows_something_else(place, capsys):
    assert command(place, "--check") == 1
    assert "errata.md: is out of date" in capsys.readouterr().err
    assert (place / "pages/errata.md").read_text() == PAGE
    command(place)
    assert command(place, "--check") == 0
    write_run(place / "run.json", mistake=form("rows: 2, expected 4"))
    assert command(place, "--check") == 1


def test_a_page_that_shows_a_run_which_is_not_there(place, capsys):
    write_run(place / "run.json", program="another")
    assert command(place) == 2
    assert "errata.md: shows 'loses_a_row', which none of the files" in capsys.readouterr().err


def test_a_run_that_no_page_shows(place, capsys):
    unseen = write_run(place / "unseen.json", program="unseen")
    assert command(place, unseen) == 2
    assert "no page shows the run of 'unseen'" in capsys.readouterr().err


def test_a_file_of_another_form_is_named(place, capsys):
    (place / "run.json").write_text('{"program": "loses_a_row"}')
    assert command(place) == 2
    assert "run.json: the file: missing field 'mistake'" in capsys.readouterr().err
