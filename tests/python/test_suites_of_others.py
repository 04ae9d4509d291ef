"""What others test softmax, log-softmax, cross-entropy and top-k with, and ours in their place.

Exceptions are named where they are made. A suite whose package is absent is skipped by its name.
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import softmax_worklog as sw
from softmax_worklog._core import DEVICE

ON_EXECUTOR = pytest.mark.skipif(DEVICE != "cpu", reason="the module is built for a GPU")


@ON_EXECUTOR
def test_scipys(tmp_path):
    """Exception: SciPy's default is all axes, ours the last (scipys_tests.py)."""
    command = [sys.executable, Path(__file__).parent / "scipys_tests.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert int(re.search(r"(\d+) passed", run.stdout)[1]) >= 17
    assert "skipped" not in run.stdout


# ---- ONNX ----


def onnx_cases():
    """Of the operators themselves: the expanded ones are of other operators."""
    try:
        from onnx.backend.test.case import node
        from onnx.backend.test.case.node import logsoftmax, softmax, topk  # noqa: F401
    except ImportError:
        return [pytest.param(None, marks=pytest.mark.skip("onnx is not installed"), id="ONNX")]
    return [
        pytest.param(case, id=case.name)
        for case in node._NodeTestCases
        if case.model.graph.node[0].op_type in ("Softmax", "LogSoftmax", "TopK")
    ]


def computed(node, inputs):
    import onnx

    given = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    axis = given.get("axis", -1)
    if node.op_type == "TopK":
        x, k = inputs
        largest = bool(given.get("largest", 1))
        return sw.topk(x, int(k[0]), axis, largest=largest, probabilities=False)
    function = sw.softmax if node.op_type == "Softmax" else sw.log_softmax
    return (function(*inputs, axis),)


@ON_EXECUTOR
@pytest.mark.parametrize("case", onnx_cases())
def test_onnxs_of_nodes(case):
    """No exception."""
    for inputs, outputs in case.data_sets:
        results = computed(case.model.graph.node[0], inputs)
        for result, expected in zip(results, outputs, strict=True):
            assert result.dtype == expected.dtype
            numpy.testing.assert_allclose(result, expected, rtol=case.rtol, atol=case.atol)


@ON_EXECUTOR
def test_onnx_has_as_many_as_ever():
    pytest.importorskip("onnx", reason="onnx is not installed")
    assert len(onnx_cases()) >= 21


# ---- PyTorch ----

OPINFOS = ("softmax", "log_softmax", "nn.functional.cross_entropy", "topk")
# What an operator that has no kernel for complex numbers and bools refuses, by their names.
REFUSED = ("torch.complex64", "torch.complex32", "torch.complex128", "torch.bool")


def opinfos():
    """Each of the four with each type that PyTorch's has."""
    try:
        from torch.testing._internal.common_methods_invocations import op_db
    except ImportError:
        absent = pytest.mark.skip("PyTorch is not installed, or expecttest")
        return [pytest.param(None, None, marks=absent, id="OpInfo")]
    return [
        pytest.param(op, dtype, id=f"{op.name}-{op.variant_test_name}-{dtype}")
        for op in op_db
        if op.name in OPINFOS
        for dtype in sorted(op.supported_dtypes(DEVICE), key=str)
    ]


def ours_of(op):
    import softmax_worklog.torch as ours

    return getattr(ours, op.name.rpartition(".")[2])


def without_ties(op, sample):
    """torch.topk says nothing of which of equal ones it takes, ours takes the first."""
    return op.name != "topk" or sample.input.unique().numel() == sample.input.numel()


@pytest.mark.parametrize(("op", "dtype"), opinfos())
def test_opinfos_samples(op, dtype):
    """Exceptions: complex numbers and bools are refused, and indices of equal values may differ."""
    import torch

    ours = ours_of(op)
    wide = dtype in (torch.float64, torch.float32) or not dtype.is_floating_point
    tolerance = (1e-6 if dtype == torch.float64 else 1e-5) if wide else torch.finfo(dtype).eps * 4
    differentiates = op.supports_autograd and dtype in (torch.float32, torch.float64)
    for sample in op.sample_inputs(DEVICE, dtype, requires_grad=differentiates):
        if str(dtype) in REFUSED and "dtype" not in sample.kwargs:
            continue
        expected = op(sample.input, *sample.args, **sample.kwargs)
        results = ours(sample.input, *sample.args, **sample.kwargs)
        if op.name == "topk":
            if not without_ties(op, sample):
                results, expected = results[:1], expected[:1]
        else:
            results, expected = (results,), (expected,)
        for result, other in zip(results, expected, strict=True):
            torch.testing.assert_close(result, other, rtol=tolerance, atol=tolerance)
        if differentiates and results[0].requires_grad and without_ties(op, sample):
            gradients = [
                torch.autograd.grad(y[0].sum() + (y[0] ** 2).sum(), sample.input)[0]
                for y in (results, expected)
            ]
            torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("op", "dtype"), opinfos())
def test_opinfos_derivatives(op, dtype):
    """Of the first and the second order, as PyTorch's own suite looks at them: in fp64."""
    import torch

    if dtype != torch.float64 or "with_dtype" in op.variant_test_name:
        pytest.skip("PyTorch looks at derivatives in fp64")
    ours = ours_of(op)
    for sample in op.sample_inputs(DEVICE, dtype, requires_grad=True):
        if not without_ties(op, sample):
            continue

        def function(x, sample=sample):
            y = ours(x, *sample.args, **sample.kwargs)
            return y[0] if op.name == "topk" else y

        assert torch.autograd.gradcheck(function, sample.input, fast_mode=True)
        assert torch.autograd.gradgradcheck(function, sample.input, fast_mode=True)
