"""Programs of library/examples that use the module."""

import subprocess
import sys

import pytest


def test_training(repository):
    """Its losses equal PyTorch's: else it ends with 1."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    command = [sys.executable, repository / "library/examples/training.py"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "of the labels are the most probable class" in run.stdout
