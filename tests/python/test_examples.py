"""Programs of library/examples that use the module."""

import os
import subprocess
import sys

import pytest

import softmax_worklog


def test_training(repository):
    """Its losses equal PyTorch's: else it ends with 1."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    command = [sys.executable, repository / "library/examples/training.py"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "of the labels are the most probable class" in run.stdout


@pytest.mark.parametrize("processes", [1, 3])
def test_distributed_classifier(repository, processes):
    """Its losses equal those of one process: else it ends with 1. Ten classes do not split by 3."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if softmax_worklog.machine() != "cpu" and torch.cuda.device_count() < processes:
        pytest.skip(f"fewer than {processes} GPUs")
    program = repository / "library/examples/distributed_classifier.py"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), program]
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "SIMT_WORKERS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{processes} processes" in run.stdout
