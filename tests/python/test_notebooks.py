"""Notebooks are stored without outputs, and run from the first cell to the last.

Their figures are left in build/notebooks, to be looked at.
"""

import base64
import re
from pathlib import Path

import matplotlib.image
import nbclient
import nbformat
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
SECONDS = 600

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_five():
    assert len(NOTEBOOKS) == 5


@each_notebook
def test_is_stored_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in code_cells(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None
    assert notebook.metadata.keys() == {"kernelspec", "language_info"}


def pins(file):
    found = re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)", file.read_text(), re.M)
    return dict(found)


def test_jupyterlab_agrees_with_what_the_notebooks_are_tested_with():
    tested = pins(REPOSITORY / "python/requirements.txt")
    shown = pins(REPOSITORY / "notebooks/requirements.txt")
    both = tested.keys() & shown.keys()
    assert {"ipykernel", "nbformat"} <= both
    assert {name: shown[name] for name in both} == {name: tested[name] for name in both}


@each_notebook
def test_is_listed(path):
    assert f"]({path.name})" in (path.parent / "README.md").read_text()


def save_figures(notebook, path):
    """The figures as files; each must show something."""
    folder = REPOSITORY / "build" / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    figures = [
        base64.b64decode(output.data["image/png"])
        for cell in code_cells(notebook)
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    for number, png in enumerate(figures, 1):
        file = folder / f"{path.stem}_{number}.png"
        file.write_bytes(png)
        pixels = matplotlib.image.imread(file)
        height, width = pixels.shape[:2]
        assert height >= 250 and width >= 600
        assert (pixels[0, 0, :3] == 1).all(), "the background is light"
        assert pixels[..., :3].std() > 0.05
    return figures


@each_notebook
def test_runs(path):
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=SECONDS, resources=resources).execute()
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    messages = [o.text for o in outputs if o.output_type == "stream" and o.name == "stderr"]
    assert not messages, "a warning that a reader would wonder about"
    assert save_figures(notebook, path)
