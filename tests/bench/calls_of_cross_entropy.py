"""Prints what bench/library_peers.py calls for each way of a cross-entropy, as JSON: by operation
and peer, functions with what was asked of them. PyTorch, QuACK and the library are stand-ins.

    python3 calls_of_cross_entropy.py BENCH FAKE_TORCH
"""

import importlib.metadata
import json
import sys
from types import ModuleType, SimpleNamespace

BENCH, FAKE_TORCH = sys.argv[1:]
sys.path[:0] = [FAKE_TORCH, BENCH, f"{BENCH}/baselines"]
ROWS, COLS = 64, 32000
calls: list[list] = []


def noted(name, function):
    def call(*arguments, **options):
        said = {key: getattr(value, "shape", value) for key, value in options.items()}
        calls.append([name, said])
        return function(*arguments, **options)

    return call


def module(name, **functions):
    made = ModuleType(name)
    for function, does in functions.items():
        setattr(made, function, noted(f"quack.{function}", does))
    sys.modules[name] = made


import torch  # noqa: E402  # after its stand-in's folder is known


def quack_loss(logits, labels, reduction):
    return torch.nn.functional.cross_entropy(logits, labels, reduction=reduction)


module("quack")
module("quack.softmax", softmax_fwd=None, softmax_bwd=None)
module(
    "quack.cross_entropy",
    cross_entropy=quack_loss,
    cross_entropy_fwd=lambda logits, labels, return_dx: (labels, logits),
)
importlib.metadata.version = lambda _: "0.fake"

import library_calls  # noqa: E402
import library_measuring  # noqa: E402
from library_peers import PEERS, Case  # noqa: E402


def library_cross_entropy(*arguments):
    """As library/include/softmax_worklog/c.h declares it."""
    _, _, _, _, losses, loss, gradients, rows, cols, options, *_ = arguments
    given = {"losses": losses, "loss": loss, "gradients": gradients}
    said = {"reduction": options._obj.reduction, "shape": [rows.value, cols.value]}
    calls.append(["cross_entropy", said | {"given": [name for name in given if given[name]]}])
    return 0


def library_workspace_bytes(operation, *_):
    calls.append(["workspace_bytes", {"operation": operation.value}])
    return 0


library_calls.LIBRARY = SimpleNamespace(
    softmax_worklog_cross_entropy=library_cross_entropy,
    softmax_worklog_workspace_bytes=library_workspace_bytes,
)
torch.nn.functional.cross_entropy = noted("cross_entropy", torch.nn.functional.cross_entropy)
torch.autograd.grad = noted("grad", torch.autograd.grad)
torch.ones = noted("ones", torch.ones)

found = {}
for operation in ("cross_entropy", "cross_entropy_rows"):
    for by in ("library_with_peers", *PEERS[operation]):
        if by == "liger":
            continue
        case = Case(operation, "bf16", ROWS, COLS, 0, "cold")
        calls = []
        [work] = library_measuring._ways(case, by).values()
        before, calls = calls, []
        work()
        found[f"{operation}, {by}"] = {"before": before, "timed": calls}
print(json.dumps(found))
