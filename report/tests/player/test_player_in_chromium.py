"""The page of `simt run --html` in headless Chromium: light and dark, wide and narrow, and by the
keyboard alone; of a kernel with a race, of one with bank conflicts, of one with over 1000 steps.

WORKLOG_SIMT=FILE is the program `simt`, else that of build/bin. The pictures stay in
WORKLOG_SCREENSHOTS=DIR (default: a temporary folder). Where Chromium or simt is absent these tests
are skipped; REQUIRE_CHROMIUM=1 demands both.
"""

import os
import subprocess
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from PIL import Image

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SIMT = Path(os.environ.get("WORKLOG_SIMT", ROOT / "build/bin/simt"))
REQUIRED = os.environ.get("REQUIRE_CHROMIUM") == "1"
PROGRAMS = ROOT / "simt/tests/programs"
# Name: the words behind `simt run`, and a step worth a picture.
PAGES = {
    "race": ([PROGRAMS / "reduction.cu", "-D", "RACE"], 6),
    "conflicts": ([PROGRAMS / "transpose.cu"], 10),
    "many_steps": ([HERE / "many_steps.cu"], 1),
    "stuck": ([HERE / "stuck.cu"], 1),
}
MODES = {
    "light": (1400, False),
    "dark": (1400, True),
    "narrow": (360, False),
    "narrow-dark": (360, True),
}
HEIGHT = 1000

pytestmark = pytest.mark.skipif(
    (CHROMIUM is None or not SIMT.exists()) and not REQUIRED,
    reason="Chromium is not installed, or simt not built (REQUIRE_CHROMIUM=1 demands them)",
)


@pytest.fixture(scope="session")
def pages(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    environment = {"SIMT_CACHE": str(folder / "cache"), **os.environ}
    made = {}
    for name, (words, _) in PAGES.items():
        made[name] = folder / f"{name}.html"
        command = [str(SIMT), "run", *map(str, words), "--html", str(made[name])]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, env=environment, check=False
        )
        assert made[name].exists(), done.stdout + done.stderr
    return made


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def pictures(tmp_path) -> Path:
    return Path(os.environ.get("WORKLOG_SCREENSHOTS", tmp_path)).resolve()


def step(browser, player: int = 1) -> int:
    """Which step a player shows, from 1."""
    return browser.value(f"Number(document.querySelector('#player-{player} input').value)") + 1


def steps(browser) -> int:
    return browser.value("Number(document.querySelector('#player-1 input').max)") + 1


def text(browser, selector: str) -> str:
    return browser.value(f"document.querySelector({selector!r})?.textContent ?? ''")


def count(browser, selector: str) -> int:
    return browser.value(f"document.querySelectorAll({selector!r}).length")


def tab_to(browser, condition: str) -> None:
    """Until the focused element, `it`, meets the condition."""
    for _ in range(200):
        if browser.value(f"((it) => {condition})(document.activeElement)"):
            return
        browser.press("Tab")
    raise AssertionError(f"Tab does not lead to: {condition}")


# Cells and boxes whose text is wider than they are.
SPILLING = """
  [...document.querySelectorAll('.lane, .lane span, .bank, .bank span, .word, button, .sentence')]
    .filter((it) => getComputedStyle(it).display !== 'inline')
    .filter((it) => it.scrollWidth > it.clientWidth + 1)
    .map((it) => it.className + ': ' + it.textContent)"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_spills_and_the_picture_is_in_its_colours(browser, pages, pictures, name, mode):
    width, dark = MODES[mode]
    browser.open(pages[name], width, HEIGHT, dark)
    browser.press("ArrowRight", PAGES[name][1])
    assert step(browser) == PAGES[name][1] + 1
    assert browser.value("document.documentElement.scrollWidth") <= width
    assert browser.value(SPILLING) == []
    assert count(browser, "#player-1 .lanes .lane") == 32
    assert count(browser, ".code .line.current") == 1
    in_sight = """(() => {
      const [row, box] = ['.line.current', '.code'].map(
        (name) => document.querySelector(name).getBoundingClientRect());
      return row.top >= box.top && row.bottom <= box.bottom; })()"""
    assert browser.value(in_sight)
    assert browser.errors == []

    picture = pictures / f"player-{name}-{mode}.png"
    browser.picture(picture)
    print(picture)
    with Image.open(picture) as opened:
        image = opened.convert("RGB")
    paper = image.getpixel((2, 2))
    assert max(paper) < 60 if dark else min(paper) > 200


def test_the_race_is_told_and_its_line_leads_there(browser, pages):
    browser.open(pages["race"], 1400, HEIGHT, False)
    assert "[shared-race]" in text(browser, "#findings")
    assert "shared-race" in text(browser, ".code .fault")
    tab_to(browser, "it.getAttribute('aria-label') === 'Line 18: go to its next step'")
    browser.press("Enter")
    assert text(browser, "#player-1 .event-title").endswith("at reduction.cu:18")
    assert "shared-race" in text(browser, "#player-1 .bad")


def test_bank_conflicts_show_without_colour(browser, pages):
    browser.open(pages["conflicts"], 1400, HEIGHT, False)
    browser.press("ArrowRight", 10)
    assert "31 bank conflicts" in text(browser, "#player-1 .sentence")
    assert count(browser, "#player-1 .bank.crowded") == 1
    assert text(browser, "#player-1 .bank.crowded .times") == "×32"
    assert (
        browser.value("getComputedStyle(document.querySelector('.bank.crowded')).borderTopStyle")
        == "double"
    )
    # The second launch, by the keyboard: its rows are padded.
    tab_to(browser, "it.id === 'player-1-launch'")
    browser.press("ArrowDown")
    assert step(browser) == 1
    tab_to(browser, "it.type === 'range'")
    browser.press("ArrowRight", 10)
    assert "no bank conflict" in text(browser, "#player-1 .sentence")
    assert count(browser, "#player-1 .bank.crowded") == 0


def test_a_barrier_says_who_is_missing(browser, pages):
    browser.open(pages["conflicts"], 1400, HEIGHT, False)
    browser.press("ArrowRight", 8)
    assert "for warps 1 to 7" in text(browser, "#player-1 .sentence")
    assert text(browser, "#player-1 .warps").count("not yet") == 7
    browser.press("ArrowRight")
    assert text(browser, "#player-1 .sentence").startswith("All have come")


def test_a_thousand_steps_are_there_and_play(browser, pages):
    browser.open(pages["many_steps"], 1400, HEIGHT, False)
    assert steps(browser) > 1000
    browser.press("End")
    assert step(browser) == steps(browser)
    assert "return" in text(browser, "#player-1 .sentence")
    browser.press("Home")
    assert step(browser) == 1
    browser.press(" ")
    assert count(browser, "#player-1 .controls button") == 5
    browser.wait_for("Number(document.querySelector('#player-1 input').value) >= 2")
    browser.press(" ")
    assert browser.value(
        "[...document.querySelectorAll('#player-1 .controls button')].map((it) => it.textContent)"
    ) == ["First", "Back", "Play", "Next", "Last"]


def test_what_is_not_recorded_and_what_never_ends_is_said(browser, pages):
    browser.open(pages["stuck"], 1400, HEIGHT, False)
    assert steps(browser) == 2000
    assert "1,001 later ones not recorded" in text(browser, "#player-1 .step-count")
    tab_to(browser, "it.id === 'player-1-launch'")
    browser.press("ArrowDown")
    assert steps(browser) == 1
    assert "never went on" in text(browser, "#player-1 .sentence")
    assert "deadlock" in text(browser, "body")


def test_the_keyboard_alone_reaches_everything(browser, pages):
    browser.open(pages["conflicts"], 1400, HEIGHT, False)
    outlines = []
    seen = []
    for _ in range(60):
        browser.press("Tab")
        if browser.value("document.activeElement === document.body"):
            break
        outlines.append(browser.value("getComputedStyle(document.activeElement).outlineStyle"))
        seen.append(
            browser.value(
                "document.activeElement.id || document.activeElement.textContent"
                " || document.activeElement.type"
            )
        )
    for expected in ("code-1", "player-1-launch", "player-1-warp", "First", "Back", "Play", "Next",
                     "Last", "player-1-speed", "range", "beside"):  # fmt: skip
        assert expected in seen, f"Tab never comes to {expected}, only to {seen}"
    assert set(outlines) == {"solid"}, "the focus cannot be seen"


def test_two_warps_play_side_by_side(browser, pages, pictures):
    browser.open(pages["conflicts"], 1400, HEIGHT, False)
    tab_to(browser, "it.id === 'beside'")
    browser.press("Enter")
    assert count(browser, ".player") == 2
    assert count(browser, ".code") == 2
    assert "transpose_padded" in browser.value(
        "document.querySelector('#player-2-launch').selectedOptions[0].textContent"
    )
    browser.press("ArrowRight", 10)
    assert (step(browser, 1), step(browser, 2)) == (11, 11)
    assert "31 bank conflicts" in text(browser, "#player-1 .sentence")
    assert "no bank conflict" in text(browser, "#player-2 .sentence")
    assert browser.value("document.documentElement.scrollWidth") <= 1400
    assert browser.value(SPILLING) == []
    browser.picture(pictures / "player-two.png")
    lines = browser.value(
        "[...document.querySelectorAll('.current .number')].map((it) => it.textContent)"
    )
    assert lines == ["30", "41"]
    browser.press("Enter")
    assert count(browser, ".player") == 1
    assert count(browser, ".code") == 1
