"""A recorded run: what bench/run_on_gpu.sh leaves is put where it belongs, all of it or nothing."""

from pathlib import Path

import pytest
import synthetic

from worklog_report.recording.__main__ import main
from worklog_report.results.records import InputError, read_results
from worklog_report.support.output import write_all

PARTS = ["bench", "baselines", "verify", "profile", "parity", "sweep", "sanitize"]
RESULTS = "bench/results"
TIMES = f"{RESULTS}/synthetic_gpu_2026-01-01.json"
PLACES = {
    TIMES: "results.json",
    f"{RESULTS}/synthetic_gpu_2026-01-01_records.json": "records.json",
    f"{RESULTS}/hardware_synthetic_gpu_2026-01-01.json": "ncu_hardware.json",
    f"{RESULTS}/parity_synthetic_gpu_2026-01-01.json": "compared.json",
    "bench/sweeps/synthetic_gpu_2026-01-01.json": "sweep.json",
}
SWEEP = {
    "context": {"gpu": synthetic.GPU, "date": "2026-01-01T12:00:00+00:00"},
    "sweep": [
        {
            "step": "04_fourth", "variant": "", "dtype": "f32", "rows": 4000, "cols": 100, "k": 0,
            "block_sizes": {"32": {"median_us": 4.0}, "1024": {"error": "too many registers"}},
        }
    ],
}  # fmt: skip


class Run:
    """A folder that a run has left, and a repository to put it into."""

    def __init__(self, folder: Path):
        self.root, self.folder = folder / "repository", folder / "run"
        synthetic.write_steps(self.root / "steps")
        self.folder.mkdir()
        self.write("results.json", synthetic.bench())
        self.write("records.json", synthetic.gpu_records())
        self.write("ncu_hardware.json", synthetic.hardware())
        self.write("ncu_parity.json", {"cases": "the profiler's own"})
        self.write("compared.json", synthetic.parity())
        self.write("sweep.json", SWEEP)
        self.done(PARTS)

    def write(self, name, data):
        synthetic.write(self.folder, name, data)

    def done(self, parts):
        lines = ["programs 1234 on Synthetic GPU", "memcheck, step_05", *parts]
        (self.folder / "done.txt").write_text("".join(f"{line}\n" for line in lines))

    def record(self, *options):
        parity = ["--parity", self.folder / "compared.json"]
        arguments = [self.folder, "--root", self.root, *parity, *options]
        return main([str(argument) for argument in arguments])

    def placed(self):
        return sorted(
            str(path.relative_to(self.root))
            for path in self.root.rglob("bench/**/*")
            if path.is_file()
        )


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def test_every_file_goes_where_it_belongs(run, capsys):
    assert run.record() == 0
    assert run.placed() == sorted(PLACES)
    for place, name in PLACES.items():
        assert (run.root / place).read_text() == (run.folder / name).read_text()
    said = capsys.readouterr().out
    assert said.count("written: ") == len(PLACES)
    assert "not run, or not well: huge" in said
    assert "not run, or not well: sanitize" not in said


def test_a_dry_run_says_so_and_writes_nothing(run, capsys):
    assert run.record("--dry-run") == 0
    assert f"would be written: {TIMES}" in capsys.readouterr().out
    assert run.placed() == []


def test_an_earlier_run_of_the_same_gpu_goes_and_others_stay(run, capsys):
    names = ["synthetic_gpu_2025-12-31.json", "synthetic_gpu_2025-12-31_records.json"]
    others = ["other_gpu_2025-12-31.json", "hardware_other_gpu_2025-12-31.json"]
    for name in [*names, *others]:
        (run.root / RESULTS).mkdir(parents=True, exist_ok=True)
        (run.root / RESULTS / name).write_text("{}")
    assert run.record() == 0
    assert run.placed() == sorted([*PLACES, *(f"{RESULTS}/{name}" for name in others)])
    assert f"removed: {RESULTS}/{names[0]}" in capsys.readouterr().out


def test_what_was_not_run_stays_as_it_was(run):
    assert run.record() == 0
    for name in ("ncu_parity.json", "sweep.json", "ncu_hardware.json"):
        (run.folder / name).unlink()
    run.write("results.json", synthetic.bench(date="2026-02-03T00:00:00+00:00"))
    assert run.record() == 0
    placed = run.placed()
    assert TIMES not in placed
    assert TIMES.replace("01-01", "02-03") in placed
    assert "bench/sweeps/synthetic_gpu_2026-01-01.json" in placed


def test_a_part_that_did_not_go_well_is_named(run, capsys):
    run.done([part for part in PARTS if part != "baselines"])
    assert run.record() == 2
    assert "has not gone well: bench, baselines" in capsys.readouterr().err
    assert run.placed() == []
    assert run.record("--unfinished") == 0
    assert run.placed() == sorted(PLACES)


@pytest.mark.parametrize(
    "name", ["results.json", "records.json", "ncu_hardware.json", "sweep.json"]
)
def test_a_broken_file_is_named_and_nothing_is_written(run, capsys, name):
    text = (run.folder / name).read_text()
    (run.folder / name).write_text(text[: len(text) // 2])
    assert run.record() == 2
    assert name in capsys.readouterr().err
    assert run.placed() == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("results.json", synthetic.bench(gpu="GPU B")),
        ("sweep.json", SWEEP | {"context": {"gpu": "B"}}),
    ],
)
def test_files_of_two_gpus_are_refused(run, capsys, name, data):
    data["context"].setdefault("date", "2026-01-01")
    run.write(name, data)
    assert run.record() == 2
    assert "the others of" in capsys.readouterr().err
    assert run.placed() == []


def test_the_profilers_counts_alone_are_not_recorded(run, capsys):
    assert main([str(run.folder), "--root", str(run.root)]) == 2
    assert "ncu_parity.json: needs --parity" in capsys.readouterr().err


def test_a_folder_of_something_else_is_refused(tmp_path, capsys):
    assert main([str(tmp_path), "--root", str(tmp_path)]) == 2
    assert "has no done.txt" in capsys.readouterr().err


def test_a_sweep_alone_needs_a_date(run, capsys):
    for name in ("results.json", "records.json", "ncu_hardware.json", "ncu_parity.json"):
        (run.folder / name).unlink()
    assert run.record() == 0
    assert run.placed() == ["bench/sweeps/synthetic_gpu_2026-01-01.json"]
    run.write("sweep.json", SWEEP | {"context": {"gpu": synthetic.GPU}})
    assert run.record() == 2
    assert "none of the files says a date" in capsys.readouterr().err


def test_a_step_without_a_time_is_named(run, capsys):
    data = synthetic.bench()
    data["benchmarks"] = [row for row in data["benchmarks"] if row.get("step") != "02_second"]
    run.write("results.json", data)
    assert run.record() == 0
    assert "no times of 02_second" in capsys.readouterr().out


def test_all_files_or_none(tmp_path):
    (tmp_path / "kept.json").write_text("old")
    (tmp_path / "a_file").write_text("")
    texts = {tmp_path / "kept.json": "new", tmp_path / "a_file/below.json": "x"}
    with pytest.raises(InputError, match="below.json: cannot be written"):
        write_all(texts)
    assert (tmp_path / "kept.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a_file", "kept.json"]


def test_half_a_text_is_left_nowhere(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_all({tmp_path / "new.json": "x" * 100_000 + "\ud800"})
    assert list(tmp_path.iterdir()) == []


def test_what_is_placed_is_what_the_report_reads(run):
    assert run.record() == 0
    recorded = sorted((run.root / RESULTS).glob("*.json"))
    results = read_results([], [], recorded)
    assert results.run.machine.name == synthetic.GPU
    assert any(record.verified for record in results.records)
