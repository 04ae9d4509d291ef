"""compare_counts.py ONE.json OTHER.json: lists what two builds of worklog_profile_cpu count apart.

The exit code is 1 if a count differs that KNOWN does not name with the reason.
"""

import json
import sys
from typing import NamedTuple


class Known(NamedTuple):
    """Counts that follow the compiler, not the source."""

    counters: tuple[str, ...]
    kernels: tuple[str, ...]  # of which; all if empty
    reason: str


SHARED_LOADS = tuple(
    f"shared_load_{what}"
    for what in ("bytes", "requests", "wavefronts", "lanes", "partial_requests")
)

KNOWN = (
    Known(
        ("divergences",),
        (),
        "a compiler may turn a short branch into a selection, or a selection into a branch",
    ),
    Known(
        tuple(
            f"shared_store_{what}" for what in ("requests", "wavefronts", "bank_conflicts", "lanes")
        ),
        ("softmax_top_k", "top_k"),
        "g++ stores a list's entry of 16 bytes at once; clang copies it, which counts in pieces "
        "of 4",
    ),
    Known(
        SHARED_LOADS,
        ("negative_log_likelihood", "exponentiate", "divide"),
        "not all threads need the row's result: g++ leaves its loads to those that do, clang to "
        "all",
    ),
    Known(
        SHARED_LOADS,
        ("reduce_row", "combine_blocks"),
        "one thread alone stores the block's pair: clang leaves its loads to that thread, g++ 12 "
        "to all",
    ),
    Known(
        tuple(
            f"global_load_{what}" for what in ("requests", "sectors", "lanes", "partial_requests")
        ),
        ("divide_row", "combine_blocks"),
        "clang loads a pair's 8 bytes at once, g++ its halves one after the other: the same bytes",
    ),
)


def is_known(launch, counter):
    kernel = launch.rpartition("(")[2].rstrip(")")
    return any(
        counter in known.counters and kernel in (known.kernels or (kernel,)) for known in KNOWN
    )


def launches(path):
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    for case in cases:
        label = "/".join(filter(None, (case["step"], case["variant"])))
        shape = f"{case['dtype']} {case['rows']} x {case['cols']}"
        for number, launch in enumerate(case["launches"]):
            yield f"{label}, {shape}, launch {number + 1} ({launch['kernel']})", launch["counters"]


def main(one, other):
    first, second = dict(launches(one)), dict(launches(other))
    if first.keys() != second.keys():
        print("the two ran different launches:", *sorted(first.keys() ^ second.keys()), sep="\n  ")
        return 1
    compared = known = unknown = 0
    for name, counters in first.items():
        for counter, count in counters.items():
            compared += 1
            other_count = second[name][counter]
            if count == other_count:
                continue
            if is_known(name, counter):
                known += 1
                continue
            unknown += 1
            print(f"{name}: {counter}: {count} and {other_count}")
    print(
        f"{compared} counts of {len(first)} launches: {unknown} differ, and {known} for a known "
        "reason"
    )
    for entry in KNOWN:
        print(
            f"  {', '.join(entry.counters)}{' of ' * bool(entry.kernels)}"
            f"{', '.join(entry.kernels)}:"
        )
        print(f"    {entry.reason}")
    return 1 if unknown else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
