#!/usr/bin/env python3
"""Times what PyTorch takes for step 21's problem: a process a GPU, columns split among them.

    python3 bench/many_gpus_peers.py --out peers.json

softmax with two all-reduces and cross-entropy with three, as Megatron-LM writes them, eager and
with torch.compile around what lies between the calls; and one all-reduce alone. As the step's
program takes its times: the slowest rank's, from where all have come, with nothing in the L2 cache.
"""

import argparse
import json
import os
import statistics
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist

SAMPLES = 25
WARM_UPS = 3
FLUSH_BYTES = 256 << 20
# Rows, columns of each slice, type.
SHAPES = [
    (8192, 64128, "bf16"),
    (8192, 16384, "bf16"),
    (4000, 50000, "f32"),
    (1024, 64128, "bf16"),
    (64, 64128, "bf16"),
    (1, 1 << 24, "f32"),
]
TYPES = {"bf16": torch.bfloat16, "f32": torch.float32}


def largest(x: torch.Tensor) -> torch.Tensor:
    return x.float().amax(1, keepdim=True)


def total(x: torch.Tensor, m: torch.Tensor) -> torch.Tensor:
    return (x.float() - m).exp().sum(1, keepdim=True)


def quotient(x: torch.Tensor, m: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
    return ((x.float() - m).exp() / d).to(x.dtype)


class Pieces:
    """What lies between the calls; compiled, each piece is one kernel or two."""

    def __init__(self, compiled: bool):
        wrap = torch.compile(dynamic=False) if compiled else (lambda f: f)
        self.largest, self.total, self.quotient = wrap(largest), wrap(total), wrap(quotient)

    def softmax(self, x: torch.Tensor) -> torch.Tensor:
        m = self.largest(x)
        dist.all_reduce(m, dist.ReduceOp.MAX)
        d = self.total(x, m)
        dist.all_reduce(d)
        return self.quotient(x, m, d)


def megatron_softmax(x: torch.Tensor) -> torch.Tensor:
    x32 = x.float()
    m = x32.amax(1, keepdim=True)
    dist.all_reduce(m, dist.ReduceOp.MAX)
    e = (x32 - m).exp()
    d = e.sum(1, keepdim=True)
    dist.all_reduce(d)
    return (e / d).to(x.dtype)


def megatron_cross_entropy(x: torch.Tensor, labels: torch.Tensor, first: int) -> torch.Tensor:
    """Forward alone, as in megatron/core/tensor_parallel/cross_entropy.py."""
    x32 = x.float()
    m = x32.amax(1)
    dist.all_reduce(m, dist.ReduceOp.MAX)
    x32 = x32 - m.unsqueeze(1)
    elsewhere = (labels < first) | (labels >= first + x.shape[1])
    column = (labels - first).masked_fill(elsewhere, 0)
    logit = x32.gather(1, column.unsqueeze(1)).squeeze(1).masked_fill(elsewhere, 0.0)
    dist.all_reduce(logit)
    d = x32.exp().sum(1)
    dist.all_reduce(d)
    return d.log() - logit


class Stopwatch:
    def __init__(self) -> None:
        self._flushed = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
        self._one = torch.zeros(1, device="cuda")

    def samples(self, work: Callable[[], object]) -> list[float]:
        """Microseconds of the slowest rank, sorted."""
        times = []
        for sample in range(WARM_UPS + SAMPLES):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            self._flushed.zero_()
            dist.all_reduce(self._one)  # all ranks begin at the same time
            begin.record()
            work()
            end.record()
            torch.cuda.synchronize()
            if sample >= WARM_UPS:
                times.append(1000.0 * begin.elapsed_time(end))
        slowest = torch.tensor(times, dtype=torch.float64, device="cuda")
        dist.all_reduce(slowest, dist.ReduceOp.MAX)
        return sorted(slowest.tolist())


def works_of(x: torch.Tensor, rank: int) -> dict[tuple[str, str], Callable[[], object]]:
    rows, cols = x.shape
    labels = torch.full((rows,), cols // 2, device="cuda")
    pairs = torch.zeros(2 * rows, device="cuda")
    y = torch.empty_like(x)
    compiled = Pieces(compiled=True)
    return {
        ("pytorch/copy", ""): lambda: y.copy_(x),
        ("pytorch/all_reduce", ""): lambda: dist.all_reduce(pairs),
        ("pytorch/megatron", "softmax"): lambda: megatron_softmax(x),
        ("torch_compile/two_all_reduces", "softmax"): lambda: compiled.softmax(x),
        ("pytorch/megatron", "cross_entropy_forward"): (
            lambda: megatron_cross_entropy(x, labels, rank * cols)
        ),
    }


def run(rank: int, ranks: int, out: Path) -> None:
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29521")
    torch.cuda.set_device(rank)
    dist.init_process_group(
        "nccl", rank=rank, world_size=ranks, device_id=torch.device("cuda", rank)
    )
    stopwatch = Stopwatch()
    records = []
    for rows, cols, dtype in SHAPES:
        torch.manual_seed(rank)
        x = torch.randn(rows, cols, device="cuda", dtype=TYPES[dtype])
        for (kernel, result), work in works_of(x, rank).items():
            times = stopwatch.samples(work)
            records.append(
                {
                    "kernel": kernel,
                    "result": result,
                    "dtype": dtype,
                    "rows": rows,
                    "cols_of_a_slice": cols,
                    "ranks": ranks,
                    "median_us": statistics.median(times),
                    "fastest_us": times[0],
                    "spread": (times[len(times) * 3 // 4] - times[len(times) // 4])
                    / statistics.median(times),
                }
            )
        del x
        torch.cuda.empty_cache()
    if rank == 0:
        context = {
            "gpu": torch.cuda.get_device_name(0),
            "ranks": ranks,
            "torch": torch.__version__,
            "nccl": ".".join(map(str, torch.cuda.nccl.version())),
            "samples": SAMPLES,
            "cache": "cold",
        }
        out.write_text(json.dumps({"context": context, "of_ranks": records}, indent=1) + "\n")
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True, type=Path, metavar="FILE")
    out = parser.parse_args().out
    ranks = torch.cuda.device_count()
    torch.multiprocessing.spawn(run, args=(ranks, out), nprocs=ranks)


if __name__ == "__main__":
    main()
