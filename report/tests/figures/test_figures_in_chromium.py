"""The figures in headless Chromium, as narrow as a phone: no text overlaps or leaves its figure,
and colours follow the page's theme. Skipped without Chromium; with REQUIRE_CHROMIUM=1 an error.
"""

import json
import os
import re
import shutil
import subprocess
from html import unescape

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
REQUIRED = os.environ.get("REQUIRE_CHROMIUM") == "1"

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED,
    reason="Chromium is not installed (REQUIRE_CHROMIUM=1 demands it)",
)

PROBE = """
const box = (element) => element.getBoundingClientRect();
const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
const look = (svg) => {
  const frame = box(svg), texts = [...svg.querySelectorAll("text")], overlaps = [], outside = [];
  texts.forEach((text, index) => {
    const b = box(text);
    if (b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 ||
        b.bottom > frame.bottom + 1) outside.push(text.textContent);
    texts.slice(index + 1).forEach((other) => {
      if (meet(b, box(other))) overlaps.push([text.textContent, other.textContent]);
    });
  });
  const size = Math.min(...texts.map((text) => parseFloat(text.getAttribute("font-size"))));
  return { overlaps, outside, letters: size * frame.width / svg.viewBox.baseVal.width };
};
const inks = ["light-mode", "dark-mode"].map((theme) => {
  document.documentElement.className = theme;
  const words = [...document.querySelectorAll("svg")].map((svg) => svg.querySelector("text"));
  return words.map((text) => getComputedStyle(text).fill);
});
const boxes = [...document.querySelectorAll("div")];
const found = boxes.map((div) => [div.id, look(div.firstElementChild)]);
const result = document.createElement("pre");
result.textContent = JSON.stringify({ inks, figures: Object.fromEntries(found) });
document.body.append(result);
"""


@pytest.fixture(scope="module")
def seen(drawn, tmp_path_factory) -> dict:
    assert CHROMIUM, "REQUIRE_CHROMIUM=1, but there is no chromium in PATH"
    figures = "".join(f'<div id="{name}">{svg}</div>' for name, svg in drawn.items())
    page = tmp_path_factory.mktemp("chromium") / "page.html"
    page.write_text(
        '<!doctype html><meta charset="utf-8"><style>div { width: 360px }</style>'
        f"<body>{figures}<script>{PROBE}</script></body>",
        "utf-8",
    )
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = re.search("<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    assert found, "the probe did not run"
    return json.loads(unescape(found[1]))


def test_no_text_overlaps_or_is_cut_off(seen, drawn):
    assert set(seen["figures"]) == set(drawn)
    for name, figure in seen["figures"].items():
        assert not figure["overlaps"] and not figure["outside"], (name, figure)


def test_letters_are_legible_on_a_phone(seen):
    for name, figure in seen["figures"].items():
        assert figure["letters"] >= 8, (name, figure["letters"])


def test_words_are_dark_on_light_and_light_on_dark(seen):
    light, dark = seen["inks"]
    for on_light, on_dark in zip(light, dark, strict=True):
        assert brightness(on_light) < 120 and brightness(on_dark) > 150, (on_light, on_dark)


def brightness(colour: str) -> float:
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 3
