"""What the tests of the site share."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench/report"), str(ROOT / "docs"), str(Path(__file__).parent)]


@pytest.fixture(scope="session")
def built() -> Path:
    """build/docs, or the environment's WORKLOG_DOCS, after `./worklog docs`."""
    folder = Path(os.environ.get("WORKLOG_DOCS", ROOT / "build/docs"))
    if not (folder / "html/index.html").is_file():
        assert os.environ.get("REQUIRE_SITE") != "1", f"{folder}: ./worklog docs has not run"
        pytest.skip(f"{folder}: ./worklog docs has not run")
    return folder
