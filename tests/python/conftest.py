from pathlib import Path

import pytest

import softmax_worklog._core

# Built for GPUs, the module takes no NumPy arrays: test_torch.py has what is tested there.
if softmax_worklog._core.DEVICE == "cuda":
    collect_ignore = [
        "test_arguments.py",
        "test_counts.py",
        "test_errors.py",
        "test_notebooks.py",
        "test_pages.py",
        "test_process.py",
        "test_results.py",
        "test_scale.py",
        "test_scale_mask.py",
    ]


@pytest.fixture(scope="session")
def repository():
    return Path(__file__).resolve().parents[2]
