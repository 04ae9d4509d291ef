"""What the tests of the site share."""

import os
from pathlib import Path

import pytest
from repository import ROOT


@pytest.fixture(scope="session")
def built() -> Path:
    """build/docs, or the environment's WORKLOG_DOCS, after `./worklog docs`."""
    folder = Path(os.environ.get("WORKLOG_DOCS", ROOT / "build/docs"))
    if not (folder / "html/index.html").is_file():
        assert os.environ.get("REQUIRE_SITE") != "1", f"{folder}: ./worklog docs has not run"
        pytest.skip(f"{folder}: ./worklog docs has not run")
    return folder
