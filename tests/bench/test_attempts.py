"""bench/attempts.py, which makes variants of what was tried on steps."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import attempts

ALL = attempts.patches(attempts.ROOT)


def test_there_are_attempts():
    assert ALL


@pytest.mark.parametrize("patch", ALL, ids=lambda patch: f"{patch.parts[-3][:2]}/{patch.stem}")
def test_an_attempt_still_fits_its_step(patch, tmp_path):
    step = patch.parent.parent
    copy = tmp_path / step.name
    (copy / "attempts").mkdir(parents=True)
    (copy / "softmax.cu").write_text((step / "softmax.cu").read_text())
    (copy / "block_sizes.json").write_text((step / "block_sizes.json").read_text())
    (copy / "attempts" / patch.name).write_text(patch.read_text())
    variant = attempts.apply(copy / "attempts" / patch.name)
    assert variant.name == f"attempt_{patch.stem}.cu"
    assert variant.read_text() != (step / "softmax.cu").read_text()
    assert (copy / "softmax.cu").read_text() == (step / "softmax.cu").read_text()
    sizes = json.loads((copy / "block_sizes.json").read_text())
    assert sizes[f"variants/{variant.name}"] == sizes["softmax.cu"]


def test_an_attempt_that_does_not_fit_is_an_error(tmp_path):
    patch = tmp_path / "01_first" / "attempts" / "wider.patch"
    patch.parent.mkdir(parents=True)
    (tmp_path / "01_first" / "softmax.cu").write_text("int a;\n")
    patch.write_text("--- softmax.cu\n+++ softmax.cu\n@@ -1 +1 @@\n-int b;\n+int c;\n")
    with pytest.raises(subprocess.CalledProcessError):
        attempts.apply(patch)
    assert not (tmp_path / "01_first" / "variants" / "attempt_wider.cu").exists()


def test_times_stand_beside_those_of_the_step():
    row = {"step": "03_third", "dtype": "f32", "rows": 4, "cols": 8, "k": 0}
    benchmarks = [
        row | {"variant": "", "real_time": 2.0},
        row | {"variant": "attempt_wider", "real_time": 3.0},
        row | {"variant": "a_variant", "real_time": 4.0},
        row | {"variant": "attempt_wider", "cols": 16, "real_time": 5.0},
        {"baseline": "copy", "real_time": 1.0} | row | {"step": "", "variant": ""},
    ]
    found = attempts.compared({"benchmarks": benchmarks})
    assert found == [row | {"attempt": "wider", "median_us": 3.0, "step_median_us": 2.0}]
