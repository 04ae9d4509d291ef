"""The programs that judge the mutants of a step, and what each of them is asked."""

import dataclasses
import re

# The suites of a step, those that are quickest to find most mistakes first; a mutant that they let
# through meets every case, and the sweep of all widths. The first failed check ends a program.
ROUNDS = [
    ["counts", "exact", "launches", "identities"],
    ["inputs", "shapes", "top_k", "cross_entropy", "attention", "bad_input"],
    [
        "every_width_f32",
        "every_k",
        "inputs",
        "shapes",
        "identities",
        "top_k",
        "attention",
        "counts",
    ],
]
# The first rounds are those of `./worklog test`; in the last one every case is tried.
ROUNDS_OF_THE_TESTS = 2

# What tests/ranks asks of a step of several devices, of the step itself, and what must be said
# then: shapes, splits and inputs of all kinds, and that a softmax tells 8 bytes a row in one call;
# then half types, one rank alone, few rows that several blocks share, and counts.
RANK_ROUNDS = [
    [
        ("--ranks 3 --type f32", ""),
        ("--ranks 3 --type f32 --rows 5 --cols 100 --result softmax", r" 8 +1$"),
    ],
    [
        ("--ranks 2", ""),
        ("--ranks 1 --type f32", ""),
        ("--ranks 2 --type f32 --rows 32 --cols 16384", ""),
        ("--ranks 2 --type bf16 --rows 1 --cols 200003", ""),
        (
            "--ranks 2 --counters --rows 33 --cols 67584 --block-size 64",
            r"(?s)^blocks\t2178$.*^global_store_elements\t2231460$",
        ),
        (
            "--ranks 3 --counters --rows 5 --cols 100 --result cross_entropy",
            r"^global_store_elements\t575$",
        ),
        ("--ranks 3 --type f32 --rows 5 --cols 2000 --block-size 64", ""),
    ],
]


@dataclasses.dataclass(frozen=True)
class Asked:
    """One run of a program."""

    options: list[str]
    answer: str = ""  # a pattern of what it must say beside ending well


@dataclasses.dataclass(frozen=True)
class Program:
    """How a step's own tests are built and run."""

    target: str  # of Ninja
    rounds: list[list[Asked]]
    suites: list[list[str]]  # of each round that `./worklog test` has, too: their names in ctest


def program_of(step, source):
    if is_of_ranks(source):
        asked = [
            [Asked(["--variant", "none", *options.split()], answer) for options, answer in of_round]
            for of_round in RANK_ROUNDS
        ]
        return Program(f"step_{step}_cpu", asked, [])
    options = ["--abort-after=1", "--no-colors"]
    asked = [[Asked([f"--test-suite={','.join(suites)}", *options])] for suites in ROUNDS]
    return Program(f"step_{step}_tests", asked, ROUNDS[:ROUNDS_OF_THE_TESTS])


def is_of_ranks(source):
    """Whether its rows are split among devices: its own program verifies it, as no suite can."""
    return re.search(r"^WORKLOG_RANK_STEP\(", source, re.MULTILINE) is not None


def failed_check(said):
    """What a program says of its first failed check; None where it says nothing."""
    case = re.search(r"^TEST CASE:  (.*)$", said, re.MULTILINE)
    wrong = re.search(r" WRONG .*\n +(.*)$", said, re.MULTILINE)
    rank = re.search(r"^rank \d+: (.*)$", said, re.MULTILINE)
    found = case or wrong or rank
    return found[1] if found else None
