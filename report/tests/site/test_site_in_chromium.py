"""The site in headless Chromium, light and dark, wide and narrow: nothing overlaps, no formula is
left as it was written, no figure is missing.

The pictures stay in WORKLOG_SCREENSHOTS=DIR (default: screenshots/ beside the site). Where Chromium
or the site is absent these tests are skipped; REQUIRE_CHROMIUM=1 and REQUIRE_SITE=1 demand them.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
REQUIRED = os.environ.get("REQUIRE_CHROMIUM") == "1"
PROBE = Path(__file__).with_name("probe.js").read_text("utf-8")
# A window of 1200 pixels has a scroll bar, too.
SIZES = {"wide": (1400, 1800), "narrow": (390, 1800), "laptop": (1185, 900)}
# The landing page, three steps, a difference, a page of the programming interface, one of formulas.
PAGES = {
    "index": {"figures": {"ladder"}},
    "step_01_naive_three_kernels": {"figures": {"access_01"}},
    "step_05_warp_shuffle": {"figures": {"access_05", "reduction_tree_05"}},
    "step_11_long_row_online": {"figures": {"access_11", "memory_hierarchy"}},
    "diff_04_05": {"figures": set()},
    "structworklog_1_1StepInfo": {"figures": set()},
    "many_rows": {"figures": {"steps"}, "formulas": 5},
}

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED,
    reason="Chromium is not installed (REQUIRE_CHROMIUM=1 demands it)",
)


def opened(page: Path, folder: Path, size: str, dark: bool, picture: Path) -> dict:
    """What probe.js measured of a page, and a picture of it."""
    [seen] = all_opened([page], folder, size, dark, picture)
    return seen


def all_opened(pages: list[Path], folder: Path, size: str, dark: bool, picture: Path) -> list[dict]:
    """Of each page what probe.js measured, and a picture of the first. Pages are in frames, because
    a window can't be as narrow as a phone; the probe is in copies beside the pages, so that their
    links and scripts are the same."""
    assert CHROMIUM, "REQUIRE_CHROMIUM=1, but there is no chromium in PATH"
    width, height = SIZES[size]
    copies = {page: page.with_name(f"_{page.stem}_{size}_{dark}.html") for page in pages}
    style = f"display: block; border: 0; width: {width}px; height: {height}px"
    frames = [
        f'<iframe style="{style}" src="{copy.as_uri()}"></iframe>' for copy in copies.values()
    ]
    host = folder / "host.html"
    host.write_text(
        '<!doctype html><html style="color-scheme: light dark"><meta charset="utf-8">'
        "<script>const seen = []; addEventListener('message', ({ source, data }) => {"
        " const frames = [...document.querySelectorAll('iframe')];"
        " seen[frames.findIndex((frame) => frame.contentWindow === source)] = data.probe;"
        " document.body.dataset.probe = JSON.stringify(seen); });</script>"
        f"<body style='margin: 0'>{''.join(frames)}</body></html>",
        "utf-8",
    )
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--force-device-scale-factor=1", "--virtual-time-budget=8000", "--disable-extensions",
        f"--user-data-dir={folder / 'profile'}",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        f"--window-size={max(width, 600)},{height}", "--dump-dom", f"--screenshot={picture}",
        host.as_uri(),
    ]  # fmt: skip
    try:
        for page, copy in copies.items():
            text = page.read_text("utf-8")
            copy.write_text(text.replace("</body>", f"<script>{PROBE}</script></body>"), "utf-8")
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    finally:
        for copy in copies.values():
            copy.unlink(missing_ok=True)
    assert done.returncode == 0, done.stderr
    found = re.search(r'data-probe="([^"]*)"', done.stdout)
    assert found, f"the probe did not run: {done.stderr}"
    with Image.open(picture) as image:
        image.convert("RGB").crop((0, 0, width, height)).save(picture)
    seen = json.loads(found[1].replace("&quot;", '"').replace("&lt;", "<").replace("&amp;", "&"))
    assert len(seen) == len(pages) and None not in seen
    return seen


@pytest.fixture(scope="session")
def screenshots(built) -> Path:
    folder = Path(os.environ.get("WORKLOG_SCREENSHOTS", built / "screenshots")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "narrow"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole(built, screenshots, tmp_path, page, size, dark):
    picture = screenshots / f"{page}-{size}-{'dark' if dark else 'light'}.png"
    seen = opened(built / "html" / f"{page}.html", tmp_path, size, dark, picture)
    print(picture)
    assert seen["width"] == SIZES[size][0]
    assert seen["dark"] == dark
    colours = [int(part) for part in re.findall(r"\d+", seen["paper"])[:3]]
    assert max(colours) < 60 if dark else min(colours) > 200
    assert seen["sideways"] <= 1, "the page scrolls sideways"
    assert seen["beyond"] == []
    assert seen["stacked"] == []
    assert seen["broken"] == []
    assert seen["unrendered"] == []
    shown = {figure["name"].split()[-1]: figure for figure in seen["figures"]}
    assert PAGES[page]["figures"] <= set(shown)
    for name, figure in shown.items():
        assert figure["width"] > 250 and figure["height"] > 60, name
        assert figure["texts"] >= 3 and figure["described"], name
        assert figure["overlaps"] == [] and figure["outside"] == [], name
    assert len(seen["formulas"]) >= PAGES[page].get("formulas", 0)
    for formula in seen["formulas"]:
        assert formula["width"] > 3 and formula["height"] > 6, formula["text"]
    with Image.open(picture) as image:
        colours = image.getcolors(maxcolors=image.width * image.height)
        paper = max(colours)[0]
        assert paper < 0.99 * image.width * image.height, "the picture is empty"


def test_sources_fit_a_window_of_1200_pixels(built, tmp_path):
    """Of every step and every difference: a line of code has 100 columns at most."""
    pages = [*built.glob("html/step_[0-9]*.html"), *built.glob("html/diff_*.html")]
    assert len(pages) > 10
    seen = all_opened(pages, tmp_path, "laptop", False, tmp_path / "first.png")
    found = zip(pages, seen, strict=True)
    assert {page.name: one["scrolling"] for page, one in found if one["scrolling"]} == {}


def test_the_probe_finds_what_it_should(tmp_path):
    page = tmp_path / "broken.html"
    page.write_text(
        f"""<!doctype html><html><head><meta charset="utf-8"></head><body style="margin: 0">
        <div class="contents"><div class="textblock">
        <p>A formula: $x_i$ and \\frac{{a}}{{b}}</p><p><code>$x_i$ **y</code></p>
        <p>**bold</p>
        <p style="height: 20px; margin: 0">over</p><p style="margin: -15px 0 0">under</p>
        <pre class="fragment" style="overflow-x: auto">{"one line " * 100}</pre>
        <p style="width: 3000px">wide</p><img src="missing.png" alt="none">
        <div class="figure x"></div>
        <div class="figure y"><svg width="300" height="100"><text x="10" y="50">one</text>
          <text x="15" y="50">two</text><text x="290" y="20">outside</text></svg></div>
        </div></div></body></html>""",
        "utf-8",
    )
    seen = opened(page, tmp_path, "narrow", False, tmp_path / "broken.png")
    assert seen["unrendered"] == ['p. "A formula: $x_i$ and \\frac{a}{b}"', 'p. "**bold"']
    assert seen["sideways"] > 0
    assert 'p. "wide"' in seen["beyond"]
    assert seen["stacked"] == ['p. "over"']
    assert len(seen["scrolling"]) == 1
    assert len(seen["broken"]) == 1
    empty, drawn = seen["figures"]
    assert empty["width"] == 0 or empty["texts"] == 0
    assert len(drawn["overlaps"]) == 1 and len(drawn["outside"]) == 1 and not drawn["described"]
