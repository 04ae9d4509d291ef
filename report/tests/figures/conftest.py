"""What these tests share: a folder of synthetic steps and results, and the two commands."""

import os
from pathlib import Path

import pytest
import synthetic
from repository import ROOT

from worklog_report.results.recorded_run import RecordedRun, files_of, read_recorded_run
from worklog_report.site import diff_pages, figures


class Place:
    """`write` plants other results; the commands give what they wrote, by the name of the file."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.steps = synthetic.write_steps(folder / "steps")
        self.write("records.json", synthetic.records())
        self.write("bench.json", synthetic.bench())
        self.write("lines.json", synthetic.annotations())

    def write(self, name: str, data) -> Path:
        return synthetic.write(self.folder, name, data)

    def options(self, out: Path, *names: str) -> list[str]:
        files = {
            "--records": self.folder / "records.json",
            "--annotations": self.folder / "lines.json",
            "--recorded": self.folder / "bench.json",
            "--steps": self.steps,
            "--out": out,
        }
        return [str(word) for name in names for word in (name, files[name])]

    def figures(self) -> dict[str, str]:
        names = ("--annotations", "--recorded", "--steps", "--out")
        return self._written(figures.main, *names)

    def diff_pages(self) -> dict[str, str]:
        names = ("--records", "--annotations", "--recorded", "--steps", "--out")
        return self._written(diff_pages.main, *names)

    def _written(self, command, *names: str) -> dict[str, str]:
        out = self.folder / command.__module__.rpartition(".")[2]
        assert command(self.options(out, *names)) == 0
        return {path.name: path.read_text("utf-8") for path in out.iterdir()}


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.fixture(scope="session")
def annotation_files() -> list[Path]:
    """What the steps themselves wrote; ctest has them do so before these tests."""
    folder = Path(os.environ.get("WORKLOG_ANNOTATIONS", ROOT / "build/annotations"))
    files = sorted(folder.glob("[0-9]*.json"))
    if not files:
        pytest.skip(f"no annotations in {folder}: run the test through ctest")
    return files


@pytest.fixture(scope="session")
def run(annotation_files) -> RecordedRun:
    """What the steps count, and what the GPU took."""
    return read_recorded_run(files_of([ROOT / "bench/results"]), annotation_files, ROOT / "steps")


@pytest.fixture(scope="session")
def drawn(run) -> dict[str, str]:
    """The figures of the site as they are."""
    return figures.figures(run)
