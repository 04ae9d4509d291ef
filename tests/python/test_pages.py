"""What README.md and python.md have a reader type prints what they say."""

import doctest

import pytest


def run(page, text, known=None):
    session = doctest.DocTestParser().get_doctest(text, dict(known or {}), page, page, 0)
    assert session.examples
    assert doctest.DocTestRunner().run(session).failed == 0


def section(repository, title):
    text = (repository / "docs/pages/python.md").read_text("utf-8")
    _, found, rest = text.partition(f"\n## {title}\n")
    assert found, f"python.md has no section {title!r}"
    return rest.partition("\n## ")[0]


def test_the_session_of_the_readme(repository):
    run("README.md", (repository / "README.md").read_text("utf-8"))


def test_the_session_of_the_page(repository):
    text = (repository / "docs/pages/python.md").read_text("utf-8")
    run("python.md", text.partition("\n## PyTorch")[0])


def test_training_with_pytorch(repository):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    model = torch.nn.Linear(4, 3)
    q, k = torch.randn(2, 8, 4), torch.randn(2, 8, 4)
    inputs, labels = torch.randn(5, 4), torch.tensor([0, 2, 1, 1, 0])
    known = {"model": model, "inputs": inputs, "labels": labels, "q": q, "k": k}
    run("python.md", section(repository, "PyTorch, with gradients"), known)
    assert model.weight.grad is not None


def test_columns_split_among_processes(repository, monkeypatch):
    """By a group of one process."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    group = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "0"}
    for name, value in group.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    try:
        run("python.md", section(repository, "PyTorch, with columns split among processes"))
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
