"""What is installed: steps and their names, documentation, types, and a sample that type-checks."""

import importlib.metadata
import inspect
import subprocess
import sys
from importlib.resources import files

import pytest

import softmax_worklog as sw
from softmax_worklog import _core
from softmax_worklog._core import DEVICE

TYPED = """\
import numpy
import numpy.typing as npt
import softmax_worklog as sw

x: npt.NDArray[numpy.float32] = numpy.zeros((2, 3), dtype=numpy.float32)
probabilities: npt.NDArray[numpy.float32] = sw.softmax(x, step="05")
logarithms: npt.NDArray[numpy.float32] = sw.log_softmax(x)
masked: npt.NDArray[numpy.float32] = sw.softmax(x, scale=0.5, mask=[0, 0, -1], is_causal=True)
values, indices = sw.topk(x, 2, step=7)
loads: int = sw.counts()["global_load_elements"]
labels: list[str] = [step.label for step in sw.steps()]
most: int | None = sw.steps()[0].max_rows
predicted: int = sw.steps()[0].predicted_loads(rows=2, cols=3, dtype=numpy.float16)
serving: str = sw.step_for("softmax", 2, 3, dtype=x.dtype).label
name: str = sw.machine()
"""

MISTYPED = """\
import numpy
import softmax_worklog as sw

sw.softmax(object())
sw.softmax(numpy.zeros(3, numpy.float32), step=5.0)
sw.topk(numpy.zeros(3, numpy.float32), "two")
sw.softmax(numpy.zeros(3, numpy.float32), scale="two")
"""


def test_version_is_the_projects(repository):
    text = (repository / "CMakeLists.txt").read_text()
    assert f"project(softmax_worklog VERSION {sw.__version__}" in text
    assert importlib.metadata.version("softmax-worklog") == sw.__version__


@pytest.mark.skipif(DEVICE != "cpu", reason="the module is built for a GPU")
def test_runs_on_the_executor():
    assert sw.machine() == "cpu"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks ldd")
def test_needs_nothing_that_a_machine_may_lack():
    run = subprocess.run(["ldd", _core.__file__], capture_output=True, text=True, check=True)
    names = {line.split()[0].partition(".so")[0] for line in run.stdout.splitlines()}
    libraries = {name for name in names if name.startswith("lib")}
    assert "libc" in libraries
    assert libraries <= {"libc", "libdl", "libgcc_s", "libm", "libpthread", "librt", "libstdc++"}


def test_every_directory_of_steps_and_every_variant_is_there(repository):
    expected = set()
    for kernel in (repository / "steps").glob("[0-9][0-9]_*/softmax.cu"):
        if "WORKLOG_RANK_STEP(" in kernel.read_text():
            continue  # a step of several GPUs, which a program of its own runs
        step = kernel.parent.name
        variants = kernel.parent.glob("variants/*.cu")
        expected |= {step} | {f"{step}/{variant.stem}" for variant in variants}
    labels = [step.label for step in sw.steps()]
    assert set(labels) == expected
    assert labels == sorted(labels)


def test_what_a_step_says_of_itself():
    steps = {step.label: step for step in sw.steps()}
    step = steps["05_warp_shuffle/safe"]
    assert (step.name, step.variant) == ("05_warp_shuffle", "safe")
    assert (step.operation, step.builds_on) == ("softmax", "05_warp_shuffle")
    assert step.max_rows is None
    assert not step.expected_failure
    assert steps["01_naive_three_kernels"].stores_exponentials
    assert steps["01_naive_three_kernels/half_arithmetic"].storage_arithmetic
    assert steps["11_long_row_online"].max_rows == 1
    assert step.predicted_loads(4, 100) == 1200
    assert step.predicted_stores(rows=4, cols=100) == 400
    assert steps["07_topk_fusion"].predicted_stores(4, 100, k=5) == 40
    assert repr(step) == "<Step 05_warp_shuffle/safe: softmax>"


def test_predictions_of_shapes_that_do_not_exist():
    with pytest.raises(ValueError, match="rows = -1: must be 0 or more"):
        sw.steps()[0].predicted_loads(-1, 5)
    assert sw.steps()[0].predicted_loads(0, 5) == 0


def test_everything_public_is_documented():
    assert sw.__doc__
    for name in sw.__all__:
        assert inspect.getdoc(getattr(sw, name)), name
    for name, member in vars(sw.Step).items():
        assert name.startswith("_") or member.__doc__, name


def test_types_are_installed():
    package = files("softmax_worklog")
    assert package.joinpath("py.typed").is_file()
    stub = package.joinpath("_core.pyi").read_text()
    assert "class Step" in stub
    assert "def counts() -> dict[str, int]" in stub


def mypy(tmp_path, *what):
    # PyTorch, where it is installed, would take a minute.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\n[mypy-torch.*]\nfollow_imports = skip\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(config)]
    command += ["--cache-dir", str(tmp_path), *what]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)


def test_a_sample_type_checks(tmp_path):
    checked = mypy(tmp_path, "-c", TYPED)
    assert checked.returncode == 0, checked.stdout


def test_a_wrong_sample_does_not(tmp_path):
    checked = mypy(tmp_path, "-c", MISTYPED)
    assert checked.stdout.count("error:") == 4, checked.stdout


def test_the_package_type_checks(tmp_path):
    checked = mypy(tmp_path, "-p", "softmax_worklog")
    assert checked.returncode == 0, checked.stdout
