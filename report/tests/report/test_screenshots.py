"""The page in headless Chromium: nothing overlaps, no plot is empty, in light, dark and on a phone.

WORKLOG_REPORT=FILE looks at that report instead of a synthetic one. The pictures stay in
WORKLOG_SCREENSHOTS=DIR (default: a temporary folder, printed). Where Chromium is absent these tests
are skipped; with REQUIRE_CHROMIUM=1 they fail.
"""

import functools
import json
import os
import re
import shutil
import subprocess
from html import escape
from pathlib import Path

import pytest
from PIL import Image

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
REQUIRED = os.environ.get("REQUIRE_CHROMIUM") == "1"
MODES = {
    "light": (1280, False),
    "dark": (1280, True),
    "phone": (390, False),
    "phone-dark": (390, True),
}
# Pixels for each of CSS's: the real report is 67,000 high, which takes minutes to paint in full.
SCALE = 0.5
PROBE = Path(__file__).with_name("probe.js").read_text("utf-8")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED,
    reason="Chromium is not installed (REQUIRE_CHROMIUM=1 demands it)",
)


def chromium(html: str, folder: Path, mode: str, height: int, *options: str) -> str:
    """Opens the page in a frame, because a window can't be as narrow as a phone."""
    assert CHROMIUM, "REQUIRE_CHROMIUM=1, but there is no chromium in PATH"
    width, dark = MODES[mode]
    host = folder / "host.html"
    host.write_text(
        '<!doctype html><html style="color-scheme: light dark"><meta charset="utf-8">'
        '<body style="margin: 0">'
        f'<iframe style="display: block; border: 0; width: {width}px; height: {height}px" '
        f'srcdoc="{escape(html)}"></iframe></body></html>',
        "utf-8",
    )
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--force-device-scale-factor=1", "--virtual-time-budget=5000",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        f"--window-size={max(width, 600)},{height}", *options, host.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def probed(html: str, folder: Path, mode: str, open_details: bool) -> dict:
    """What probe.js measured, with all <details> open or as the reader first sees the page."""
    unfold = "document.querySelectorAll('details').forEach((d) => { d.open = true; });"
    script = f"<script>{unfold if open_details else ''}{PROBE}</script>"
    page = html.replace("</body>", script + "</body>")
    dom = chromium(page, folder, mode, 2000, "--dump-dom")
    found = re.search(r'<script type="application/json" id="probe">(.*?)</script>', dom, re.S)
    assert found, "the probe did not run"
    return json.loads(found[1])


@pytest.fixture(scope="session")
def html(request) -> str:
    given = os.environ.get("WORKLOG_REPORT")
    if given:
        return Path(given).read_text("utf-8")
    place = request.getfixturevalue("full_workplace")
    return (place.out / "index.html").read_text("utf-8")


@pytest.fixture(scope="session")
def look(html, tmp_path_factory):
    """What probe.js measures of the report; once for each way to open it."""
    return functools.cache(
        lambda mode, open_details: probed(
            html, tmp_path_factory.mktemp("report"), mode, open_details
        )
    )


@pytest.mark.parametrize("open_details", [False, True], ids=["as opened", "unfolded"])
@pytest.mark.parametrize("mode", MODES)
def test_nothing_overlaps_and_no_plot_is_empty(look, mode, open_details):
    seen = look(mode, open_details)
    assert seen["width"] == MODES[mode][0]
    assert seen["dark"] == MODES[mode][1]
    assert seen["scrollWidth"] <= seen["width"], "the page scrolls sideways"
    assert seen["beyond"] == []
    assert seen["spilling"] == []
    assert seen["stacked"] == []
    assert seen["comparison"] >= 1, "the comparison shows nothing"
    assert seen["plots"]
    for plot in seen["plots"]:
        assert plot["overlaps"] == [], plot["title"]
        assert plot["outside"] == [], plot["title"]
        assert plot["lines"] >= 1, f"{plot['title']}: is empty"
        assert plot["texts"] >= 4, f"{plot['title']}: has no labels"
    assert seen["pictures"], "no access picture is shown"
    for picture in seen["pictures"]:
        assert picture["overlaps"] == [], picture["title"]
        assert picture["outside"] == [], picture["title"]


@pytest.mark.parametrize("mode", MODES)
def test_the_picture_is_in_its_colours_and_its_plots_are_drawn(html, look, tmp_path, mode):
    width, dark = MODES[mode]
    seen = look(mode, False)
    picture = Path(os.environ.get("WORKLOG_SCREENSHOTS", tmp_path)).resolve() / f"report-{mode}.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    chromium(
        html,
        tmp_path,
        mode,
        seen["height"],
        f"--screenshot={picture}",
        f"--force-device-scale-factor={SCALE}",
    )
    size = round(width * SCALE), round(seen["height"] * SCALE)
    with Image.open(picture) as opened:
        image = opened.convert("RGB").crop((0, 0, *size))
    if image.size != opened.size:
        image.save(picture)
    print(picture)
    paper = image.getpixel((2, 2))
    assert max(paper) < 60 if dark else min(paper) > 200
    for plot in seen["plots"] + seen["pictures"]:
        frame = plot["frame"]
        sides = ("left", "top", "right", "bottom")
        part = image.crop(tuple(round(frame[side] * SCALE) for side in sides))
        colours = part.getcolors(maxcolors=part.width * part.height)
        ink = sum(count for count, colour in colours if colour != paper)
        assert ink > 0.01 * part.width * part.height, f"{plot['title']}: nothing is drawn"


def test_the_probe_finds_what_it_should(tmp_path):
    """A page with overlaps, an empty plot, a text outside its plot, a block that sticks out."""
    broken = """<!doctype html><body style="margin:0"><main><section>
      <div class="plot"><svg width="300" height="100"><title>Broken</title>
        <text x="10" y="50">one</text><text x="15" y="50">two</text>
        <text x="290" y="20">outside</text>
      </svg></div>
      <p style="width: 3000px">wide</p>
      <p style="height: 20px; margin: 0">over</p><p style="margin: -15px 0 0">under</p>
      <table><tr>
        <td style="display: block; width: 20px; white-space: nowrap">spilling text</td>
      </tr></table>
    </section></main><div id="comparison"></div></body>"""
    seen = probed(broken, tmp_path, "phone", open_details=False)
    (plot,) = seen["plots"]
    assert plot["overlaps"] == ['text "one" and text "two"']
    assert plot["outside"] == ['text "outside"']
    assert plot["lines"] == 0
    assert 'p "wide"' in seen["beyond"]
    assert seen["stacked"] == ['p "over" and p "under"']
    assert seen["spilling"] == ['td "spilling text"']
    assert seen["scrollWidth"] > seen["width"]
