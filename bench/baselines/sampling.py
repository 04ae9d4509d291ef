"""How long work takes on the GPU, by the method of common/measure/timing.h.

Cold: before each sample a read of an array four times the L2 cache evicts what the sample before
left there; CUDA events enclose the work. Warm: a graph of many launches of the same work is
replayed, and the time is that of one. A sample that the host was too late for is thrown away.
"""

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

FLUSHED_CACHES = 4
MIN_SAMPLES = 20
MAX_SAMPLES = 400
GOAL = 0.0025  # standard error of the median, relative to it
TIME_LIMIT = 0.2  # seconds
FEWEST_SAMPLES = 3
QUICK_LOOK_SAMPLES = 7  # for the fastest of several ways, before it alone is timed at length
BATCH = 20
MAX_FLUSH_PASSES = 64
REPLAY_MICROSECONDS = 1000.0  # of a warm sample, which hides the launch of the next graph
MAX_REPLAYS = 200
HOST_TOO_LATE = "the GPU waited for the host; is the machine busy?"


Work = Callable[[], object]  # enqueues something, and does not wait for it


@dataclass(frozen=True)
class Timing:
    median_us: float
    spread: float  # the distance between the quartiles, relative to the median
    samples: int


def quantile(ordered: list[float], fraction: float) -> float:
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def summarize(samples: list[float]) -> Timing:
    ordered = sorted(samples)
    median = quantile(ordered, 0.5)
    spread = (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / median
    return Timing(median, spread, len(samples))


def is_known_well(timing: Timing) -> bool:
    standard_error = 0.93 * timing.spread / math.sqrt(timing.samples)
    return standard_error <= GOAL or timing.samples >= MAX_SAMPLES


class Timer:
    """`waits`: of work that waits for the GPU in its midst, so that the GPU then waits for the host
    in turn. That belongs to its time, and no sample is thrown away for it. `time_limit`: seconds
    that one piece of work is sampled at most, once it has the fewest samples."""

    def __init__(self, waits: bool = False, time_limit: float = TIME_LIMIT):
        self.waits = waits
        self.time_limit = time_limit
        l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
        self.flushed = torch.zeros(FLUSHED_CACHES * l2_bytes // 4, dtype=torch.int32, device="cuda")
        self.flush_passes = 1

    def quick_look(self, work: Work) -> Timing:
        """Of few samples, just to tell what is faster."""
        work()  # compiles, loads and allocates
        torch.cuda.synchronize()
        samples = []
        for _ in range(QUICK_LOOK_SAMPLES):
            samples += self._batch(work, QUICK_LOOK_SAMPLES)
            if len(samples) >= FEWEST_SAMPLES:
                return summarize(samples)
        raise RuntimeError(HOST_TOO_LATE)

    def cold(self, work: Work) -> Timing:
        """The median of as many samples as it takes to know it well, within the time limit."""
        work()  # compiles, loads and allocates
        torch.cuda.synchronize()
        self.flush_passes = 1  # whatever work before this one wanted
        return self._sample(lambda count: self._batch(work, count))

    def warm(self, work: Work) -> Timing:
        """The same of replayed work, whose data is still in the cache as far as that holds it."""
        # With a cold cache, but without the time that the host takes to launch it: the start of the
        # graph is a part of the time, so that short kernels shall have as many replays each.
        estimate = max(1.0, self.quick_look(work).median_us)
        replays = max(1, min(MAX_REPLAYS, int(REPLAY_MICROSECONDS / estimate)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(replays):
                work()
        return self._sample(lambda count: self._replayed(graph, replays, count))

    def _sample(self, batch: Callable[[int], list[float]]) -> Timing:
        begin = time.monotonic()
        samples = []
        tried, count = 0, FEWEST_SAMPLES
        while True:
            samples += batch(count)
            tried += count
            elapsed = time.monotonic() - begin
            if len(samples) >= MIN_SAMPLES and is_known_well(summarize(samples)):
                break
            if len(samples) >= FEWEST_SAMPLES and elapsed >= self.time_limit:
                break
            if elapsed >= 20 * self.time_limit:
                raise RuntimeError(HOST_TOO_LATE)
            affordable = int(tried * (self.time_limit - elapsed) / elapsed)  # of slow work
            count = max(1, min(BATCH, affordable))
        return summarize(samples)

    def _replayed(self, graph: "torch.cuda.CUDAGraph", replays: int, count: int) -> list[float]:
        """Microseconds of one piece of work, of the valid ones of `count` samples."""
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        graph.replay()  # warms the cache, and runs while the samples are enqueued
        marks[0].record()
        valid = []
        for begin, end in itertools.pairwise(marks):
            graph.replay()
            end.record()
            valid.append(not begin.query())
        torch.cuda.synchronize()
        return [
            1000.0 * begin.elapsed_time(end) / replays
            for (begin, end), in_time in zip(itertools.pairwise(marks), valid, strict=True)
            if in_time
        ]

    def _batch(self, work: Work, count: int) -> list[float]:
        """Microseconds of the valid ones of `count` samples."""
        pairs = []
        for _ in range(count):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            for _ in range(self.flush_passes):
                torch.amax(self.flushed)
            start.record()
            work()
            end.record()
            pairs.append((start, end, self.waits or not start.query()))
        torch.cuda.synchronize()
        samples = [1000.0 * start.elapsed_time(end) for start, end, valid in pairs if valid]
        if 2 * len(samples) < count:
            self.flush_passes = min(2 * self.flush_passes, MAX_FLUSH_PASSES)
        return samples
