"""Tests the tests: makes one-token mistakes in the steps' kernels and shows which ones the steps'
tests let through.

    python3 tests/mutants --all
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from counts import HEAD, Count, table, too_few_killed  # noqa: E402
from equivalents import read_equivalents  # noqa: E402
from judge import Judge  # noqa: E402
from mistakes import NEEDS_GPU, mutants_of, some_of  # noqa: E402

STEPS = pathlib.Path(__file__).resolve().parents[2] / "steps"


def parse(arguments):
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("steps", nargs="*", metavar="NN_slug", help="all unless given")
    parser.add_argument(
        "--build",
        default="build",
        metavar="FOLDER",
        help="where the steps' tests are built, with Ninja (build)",
    )
    parser.add_argument("--ninja", default="ninja", help="its program (ninja)")
    parser.add_argument("--all", action="store_true", help="every mutant, not some of each step")
    parser.add_argument(
        "--some",
        type=int,
        default=12,
        metavar="N",
        help="that many of each step, the same ones every time (12)",
    )
    parser.add_argument(
        "--equivalents",
        action="store_true",
        help="those alone that are listed as equivalent: each must survive",
    )
    parser.add_argument("--list", action="store_true", help="name the mutants and judge none")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), metavar="N", help="mutants at once (all cores)"
    )
    return parser.parse_args(arguments)


def judge_all(judge, mutants, listed, jobs):
    """Yields a mutant, its verdict and why, in the order in which they are known."""
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    waiting = {}
    try:
        for mutant in mutants:
            if listed(mutant):
                yield mutant, "equivalent", listed(mutant)
            elif mutant.kind in NEEDS_GPU:
                yield mutant, "needs a GPU", ""
            else:
                waiting[pool.submit(judge.verdict, mutant)] = mutant
        for done in concurrent.futures.as_completed(waiting):
            yield waiting[done], *done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def chosen_mutants(options, mutants_of_steps, listed):
    for step in options.steps or mutants_of_steps:
        mutants = mutants_of_steps[step]
        if options.equivalents:
            yield from filter(listed, mutants)
        elif options.all:
            yield from mutants
        else:
            judged = [
                mutant for mutant in mutants if not listed(mutant) and mutant.kind not in NEEDS_GPU
            ]
            yield from some_of(judged, options.some)


def main(arguments):
    options = parse(arguments)
    sources = {file.parent.name: file.read_text() for file in sorted(STEPS.glob("*/softmax.cu"))}
    unknown = set(options.steps) - set(sources)
    if unknown:
        raise ValueError(
            f"no step is named {', '.join(sorted(unknown))}: they are {', '.join(sources)}"
        )
    mutants_of_steps = {step: mutants_of(step, source) for step, source in sources.items()}
    listed = read_equivalents(mutants_of_steps)
    chosen = list(chosen_mutants(options, mutants_of_steps, listed))
    if options.list:
        print(*chosen, sep="\n")
        return 0
    if options.equivalents:
        listed = lambda _: None  # noqa: E731

    verdicts = {mutant.step: [] for mutant in chosen}
    judge = Judge(options.build, sources, options.ninja)
    judge.prepare(verdicts, options.jobs)
    found = judge_all(judge, chosen, listed, options.jobs)
    for number, (mutant, verdict, why) in enumerate(found, start=1):
        verdicts[mutant.step].append(verdict)
        shown = verdict.upper() if verdict == "survived" else verdict
        print(
            f"[{number}/{len(chosen)}] {shown}: {mutant}" + (f"\n        {why}" if why else ""),
            flush=True,
        )

    counts = {step: Count(of_step) for step, of_step in verdicts.items()}
    total = Count(verdict for of_step in verdicts.values() for verdict in of_step)
    rows = [HEAD, *(count.row(step) for step, count in counts.items()), total.row("all")]
    print("", *table(rows), sep="\n")
    if options.equivalents:
        return 0 if total.killed == 0 else 1
    if not total.mostly_compiles:
        raise ValueError(f"most mutants do not compile: is {options.build} built and up to date?")
    # A few of a step's mutants say little about a share: these count together.
    too_few = too_few_killed(counts if options.all else {"all": total})
    if too_few:
        print(f"too few are killed: {', '.join(too_few)}")
    return 1 if too_few else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError) as error:
        sys.exit(f"mutants: {error}")
