"""Processes that are the ranks of a group of torch.distributed, for tests of all together."""

import contextlib
import datetime
import os
import traceback
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing

from softmax_worklog._core import DEVICE

BACKEND = "gloo" if DEVICE == "cpu" else "nccl"
# A rank waits for another one that long, and the test for all.
PATIENCE_S = 60


def _serve(rank, size, store, pipe):
    """What each process does: calls the functions that it is told, until there are no more."""
    os.environ["SIMT_WORKERS"] = "1"
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    if DEVICE == "cuda":
        torch.cuda.set_device(rank)
    patience = datetime.timedelta(seconds=PATIENCE_S)
    dist.init_process_group(
        BACKEND, init_method=f"file://{store}", rank=rank, world_size=size, timeout=patience
    )
    while (told := pipe.recv()) is not None:
        function, given = told
        try:
            function(rank, size, *given)
            pipe.send("")
        except BaseException:
            pipe.send(traceback.format_exc())
    dist.destroy_process_group()


class World:
    """So many processes, which wait for work. They are copies of one that has imported PyTorch."""

    def __init__(self, size: int, folder: Path) -> None:
        context = torch.multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["torch", "softmax_worklog.distributed"])
        self.size = size
        self.pipes, self.processes = [], []
        for rank in range(size):
            mine, theirs = context.Pipe()
            process = context.Process(
                target=_serve, args=(rank, size, folder / f"store_{size}", theirs), daemon=True
            )
            process.start()
            theirs.close()
            self.pipes.append(mine)
            self.processes.append(process)

    def run(self, function, *given) -> None:
        """function(rank, size, *given) on each rank. Raises what the ranks have raised."""
        for pipe in self.pipes:
            pipe.send((function, given))
        errors = [self._answer(rank) for rank in range(self.size)]
        texts = [f"rank {rank}: {text}" for rank, text in enumerate(errors) if text]
        assert not texts, "\n".join(texts)

    def _answer(self, rank: int) -> str:
        try:
            if self.pipes[rank].poll(2 * PATIENCE_S):
                return self.pipes[rank].recv()
            return f"has not come back within {2 * PATIENCE_S} s"
        except EOFError:
            return "has died"

    def close(self) -> None:
        for pipe, process in zip(self.pipes, self.processes, strict=True):
            with contextlib.suppress(BrokenPipeError):  # it has died
                pipe.send(None)
            process.join(10)
            if process.is_alive():
                process.kill()
                process.join()
