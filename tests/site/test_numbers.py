"""No page holds a measured number that somebody typed: with other results, all of them change."""

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from conftest import ROOT
from worklog_docs.site import main

# A time, a bandwidth or a gain.
MEASURED = re.compile(r"\d[\d.,]*\s?(?:ns|µs|ms|GB/s|×(?! ?\d))")
# Lines with numbers of these kinds that nobody measured here: page -> what they contain.
NOT_MEASURED = {
    "roofline": [
        "5 / 8 x 336 GB/s",  # the article that is quoted, and sums of its figures
        "8 x 16,777,216 / 336 GB/s",
        "0.40 / 1.88",
        "divides a row's 16 KB by 2 TB/s",  # likewise
        "32 KB take 16 ns",
    ],
    "step_09_long_row_one_block": [
        "4,096 bytes under way are 4 to 8 GB/s",  # the prediction, from a latency
        "at 4 to 8 GB/s take 25 to 50 milliseconds",
    ],
}
DEFINITIONS = ["their gain is 1.00×"]  # on every page of a difference


@pytest.fixture(scope="module")
def planted(built, tmp_path_factory) -> Path:
    """The pages as they are when every recorded time is another, each by a factor of its own."""
    folder = tmp_path_factory.mktemp("planted")
    results = folder / "results"
    shutil.copytree(ROOT / "bench/results", results)
    chance = random.Random(0)
    for path in results.glob("*.json"):
        data = json.loads(path.read_text("utf-8"))
        for row in data.get("benchmarks", []):
            factor = chance.uniform(1.3, 1.9)
            for name, power in (("median_us", 1), ("gbps", -1)):
                if name in row:
                    row[name] *= factor**power
        path.write_text(json.dumps(data), "utf-8")
    assert main(options(built, results, folder / "docs")) == 0
    return folder / "docs"


def options(built: Path, results: Path, out: Path) -> list[str]:
    given = ["--recorded", results, "--root", ROOT, "--out", out]
    for kind in ("records", "annotations"):
        given += [f"--{kind}", *sorted((built / kind).glob("*.json"))]
    return [str(option) for option in given]


def test_pages_with_results_change(built, planted):
    files = ["pages/readme.md", "pages/roofline.md", "figures/ladder.svg", "figures/roofline.svg"]
    for kind in ("step_*", "diff_*"):
        files += [f"pages/{path.name}" for path in (built / "pages").glob(kind)]
    for file in files:
        assert (built / file).read_text("utf-8") != (planted / file).read_text("utf-8"), file


def test_no_measured_number_stays(built, planted):
    stay = []
    for path in sorted((built / "pages").glob("*.md")):
        if path.stem.startswith("code_"):
            continue  # the sources themselves
        allowed = NOT_MEASURED.get(path.stem, []) + DEFINITIONS
        after = set((planted / "pages" / path.name).read_text("utf-8").splitlines())
        stay += [
            f"{path.stem}: {line}"
            for line in path.read_text("utf-8").splitlines()
            if MEASURED.search(line) and line in after
            if not any(words in line for words in allowed)
        ]
    assert stay == []
