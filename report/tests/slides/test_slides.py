"""The slides of the course's sessions, made of the repository's own pages."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from repository import ROOT

from worklog_report.results.records import InputError
from worklog_report.results.steps import read_units
from worklog_report.slides import __main__ as slides
from worklog_report.slides.sessions import read_sessions

REQUIRED = os.environ.get("REQUIRE_CHROMIUM") == "1"
CHROMIUM = next(filter(None, map(shutil.which, slides.BROWSERS)), None)
PROBE = Path(__file__).with_name("probe.js").read_text("utf-8")

TITLES = {unit.label: unit.title for unit in read_units(ROOT / "steps") if not unit.variant}
DECKS = slides.decks(ROOT)


def cut(deck: str) -> dict[str, str]:
    """What stands under each heading."""
    parts = re.split(r"^# (.*)$", deck, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_step_but_the_projects_is_in_one_session():
    taught = [step for session in DECKS for step in session.steps]
    assert taught == [step for step in TITLES if int(step) <= 14]


@pytest.mark.parametrize("session", DECKS, ids=lambda session: f"session {session.number}")
def test_a_deck_has_each_of_its_steps_with_all_its_parts(session):
    deck = cut(DECKS[session])
    assert next(iter(deck)) == session.title
    assert list(deck)[-2:] == ["Questions", "Answers"]
    for step in session.steps:
        assert "**Afterwards you can**" in deck[f"{step} {TITLES[step]}"]
        for part in ("the idea", "what do you predict?", "prediction", "result", "next"):
            assert deck[f"{step}: {part}"].strip()
        assert "```cpp" in deck[f"{step}: the code"]
        assert re.search(r"executor counts .* per logit", deck[f"{step}: result"])
        assert f"./worklog exercise {step}" in deck[f"{step}: next"]
        assert f"steps/{step}_" in deck[f"{step}: which lane touches which address"]


@pytest.mark.parametrize("session", DECKS, ids=lambda session: f"session {session.number}")
def test_a_slide_is_not_empty_and_shows_what_there_is(session):
    deck = DECKS[session]
    assert all(text.strip() for text in cut(deck).values())
    assert "<!--" not in deck and "](.." not in deck
    pictures = re.findall(r"!\[[^\]]+\]\((.*?)\)", deck)
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_the_answers_are_no_part_of_the_questions():
    for session in DECKS:
        assert len(re.findall(r"^\d\. ", session.questions, re.M)) == 3
        assert len(re.findall(r"^\d\. ", session.answers, re.M)) == 3


def test_a_session_without_questions_is_an_error():
    row = "| 1. Count | 01, 02 | count | 01 |\n"
    with pytest.raises(InputError, match="has no questions after session 1"):
        read_sessions(f"| session | steps | afterwards | exercises |\n| --- |\n{row}")
    with pytest.raises(InputError, match="has no table of sessions"):
        read_sessions("# A course\n")


# ---- as Pandoc and Chromium make them ----


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    if shutil.which("pandoc") is None or CHROMIUM is None:
        assert not REQUIRED, "REQUIRE_CHROMIUM=1, but there is no pandoc or no chromium in PATH"
        pytest.skip("Pandoc or Chromium is not installed (REQUIRE_CHROMIUM=1 demands both)")
    folder = tmp_path_factory.mktemp("slides")
    assert slides.main(["--root", str(ROOT), "--out", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("session", DECKS, ids=lambda session: f"session {session.number}")
def test_the_html_is_one_file_and_the_pdf_has_a_page_for_each_slide(made, session):
    html = (made / f"session_{session.number}.html").read_text("utf-8")
    slide_count = len(re.findall(r"^# ", DECKS[session], re.M))
    assert len(re.findall(r"<section [^>]*class=\"slide", html)) == slide_count
    assert re.findall(r"(?:src|href)=\"(?!data:|#)[^\"]*", html) == []
    pdf = (made / f"session_{session.number}.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == slide_count


@pytest.mark.parametrize("session", DECKS, ids=lambda session: f"session {session.number}")
def test_nothing_is_cut_at_the_edge_of_a_slide(made, tmp_path, session):
    html = (made / f"session_{session.number}.html").read_text("utf-8")
    page = tmp_path / "probed.html"
    page.write_text(html.replace("</body>", f"<script>{PROBE}</script></body>"), "utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,720"]
    command += ["--virtual-time-budget=5000", "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)[1] == "nothing is cut"
