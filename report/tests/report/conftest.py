"""What the tests of the report share."""

from pathlib import Path

import pytest
import synthetic

from worklog_report.__main__ import main
from worklog_report.claims.measurements import Measurements
from worklog_report.results.recorded_run import read_recorded_run


class Workplace:
    """A folder with synthetic steps and results, and the report's command."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.steps = synthetic.write_steps(folder / "steps")
        self.readme = folder / "README.md"
        self.readme.write_text(
            "# Title\n\n<!-- results:begin -->\nold\n<!-- results:end -->\n\nThe end.\n"
        )
        self.out = folder / "out"
        self.records = synthetic.write(folder, "records.json", synthetic.records())
        self.bench = synthetic.write(folder, "bench.json", synthetic.bench())
        self.annotations = synthetic.write(folder, "lines.json", synthetic.annotations())
        self.gpu_records = synthetic.write(folder, "gpu.json", synthetic.gpu_records())
        self.documents = synthetic.write(folder, "documents.json", synthetic.documents_bench())

    def write(self, name, data) -> Path:
        return synthetic.write(self.folder, name, data)

    def run(self, *options) -> int:
        arguments = ["--steps", self.steps, "--records", self.records, *options]
        return main([str(argument) for argument in arguments])

    def report(self, *options) -> str:
        assert self.run("--out", self.out, *options) == 0
        return (self.out / "index.html").read_text("utf-8")


@pytest.fixture
def workplace(tmp_path):
    return Workplace(tmp_path)


@pytest.fixture(scope="session")
def full_workplace(tmp_path_factory):
    """With recorded times of a GPU, and annotated sources. Made once: nobody may change it."""
    place = Workplace(tmp_path_factory.mktemp("report"))
    recorded = [place.bench, place.documents, place.gpu_records]
    place.report("--recorded", *recorded, "--annotations", place.annotations)
    return place


@pytest.fixture(scope="module")
def recorded_folder(tmp_path_factory):
    """All kinds of results that a claim or a value may be about."""
    folder = tmp_path_factory.mktemp("claims")
    synthetic.write_steps(folder / "steps")
    inputs = (("random", 5.0), ("wide", 60.0))
    errors = [
        synthetic.record(unit, dtype, cols=100, machine=synthetic.GPU, input=kind, max_ulp=worst)
        for unit in synthetic.UNITS
        for dtype in ("f32", "f16")
        for kind, worst in inputs
    ]
    for name, data in (
        ("bench", synthetic.bench()), ("errors", {"records": errors}), ("sweep", synthetic.SWEEP),
        ("hardware", synthetic.hardware()), ("parity", synthetic.parity(reason="varies")),
    ):  # fmt: skip
        synthetic.write(folder, f"{name}.json", data)
    return folder


@pytest.fixture(scope="module")
def measurements(recorded_folder):
    recorded = sorted(recorded_folder.glob("*.json"))
    return Measurements(read_recorded_run(recorded, [], recorded_folder / "steps"), recorded)
