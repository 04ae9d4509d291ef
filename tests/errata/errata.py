"""What each program here shows: the lines that it prints and what the executor finds, as it makes
its mistake and corrected."""

import dataclasses


@dataclasses.dataclass
class Form:
    """`says`: lines of the program's output. `counters`: of its first launch."""

    says: list
    exit_code: int = 0
    findings: list = dataclasses.field(default_factory=list)
    counters: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Erratum:
    """`logits`: how many there are, where loads are counted for each."""

    mistake: Form
    corrected: Form
    logits: int = 0


def wrong_number(mistake, corrected):
    """The executor finds nothing: what the program prints is not what it should."""
    return Erratum(Form(mistake, exit_code=1), Form(corrected))


def finding(kind, mistake, corrected):
    """The program itself may or may not notice; the executor finds it, which makes the exit 1."""
    return Erratum(Form(mistake, exit_code=1, findings=[kind]), Form(corrected))


ERRATA = {
    "finite_start_of_the_maximum": wrong_number(
        ["row -inf, -inf, from -3.40282347e+38: maximum: -3.40282347e+38, expected -inf",
         "row -inf, -inf, from -3.40282347e+38: probabilities: NaN, NaN, expected NaN, NaN",
         "row -100000, -100000, from -65504: probabilities: NaN, NaN, expected 0.5, 0.5"],
        ["row -inf, -inf, from -inf: maximum: -inf, expected -inf",
         "row -100000, -100000, from -inf: probabilities: 0.5, 0.5, expected 0.5, 0.5"]),
    "index_of_minus_one": wrong_number(
        ["the 3 best of -inf, 3, -inf, 1: 1, 3, -1, expected 1, 3, 0"],
        ["the 3 best of -inf, 3, -inf, 1: 1, 3, 0, expected 1, 3, 0"]),
    "last_stage_in_one_block": wrong_number(
        ["sum of 262144 ones in 2 launches: 4096, expected 262144"],
        ["sum of 262144 ones in 3 launches: 262144, expected 262144"]),
    "log_of_a_probability": wrong_number(
        ["log-softmax of 0, -80: 0, -80, expected 0, -80",
         "log-softmax of 0, -105: 0, -inf, expected 0, -105"],
        ["log-softmax of 0, -103: 0, -103, expected 0, -103",
         "log-softmax of 0, -105: 0, -105, expected 0, -105"]),
    "log_d_lost": wrong_number(
        ["log-softmax of 0, 0: -0.693147182, -0.693147182, expected -0.693147182, -0.693147182",
         "log-softmax of 16777216, 16777216: 0, 0, expected -0.693147182, -0.693147182"],
        ["log-softmax of 16777216, 16777216: -0.693147182, -0.693147182, "
         "expected -0.693147182, -0.693147182"]),
    "masked_first_column": wrong_number(
        ["d of the row 0, -inf: 1, expected 1", "d of the row -inf, 0: NaN, expected 1"],
        ["d of the row 0, -inf: 1, expected 1", "d of the row -inf, 0: 1, expected 1"]),
    "no_thread_index": finding(
        "uninitialized-copy",
        ["rows whose probabilities sum to 1: 1, expected 4"],
        ["rows whose probabilities sum to 1: 4, expected 4"]),
    "plain_formula": wrong_number(
        ["softmax of 88, 88: 0.5, 0.5, expected 0.5, 0.5",
         "softmax of 88.5, 88.5: 0, 0, expected 0.5, 0.5",
         "softmax of 89, -20: NaN, 0, expected 1, 0",
         "softmax of -105, -105: NaN, NaN, expected 0.5, 0.5"],
        ["softmax of 88.5, 88.5: 0.5, 0.5, expected 0.5, 0.5",
         "softmax of 89, -20: 1, 0, expected 1, 0",
         "softmax of -105, -105: 0.5, 0.5, expected 0.5, 0.5"]),
    "precedence_of_division": finding(
        "shared-out-of-bounds",
        ["maximum of -1 to -256:"],
        ["maximum of -1 to -256: -1, expected -1"]),
    "reduction_without_result": wrong_number(
        ["maximum of 0 to 31: 0, expected 31"],
        ["maximum of 0 to 31: 31, expected 31"]),
    "serial_sum_of_ones": wrong_number(
        ["d of 2^25 equal logits by one thread: 16777216, expected 33554432"],
        ["d of 2^25 equal logits by 256 threads and a tree: 33554432, expected 33554432"]),
    # The result is right: what is wrong is how often the row is read, C + 1 times instead of 2.
    "sum_for_every_column": Erratum(
        Form(["log-softmax of 64 equal logits: -4.15888309, expected -4.15888309"],
             counters={"global_load_elements": 32 * 64 * (64 + 1)}),
        Form(["log-softmax of 64 equal logits: -4.15888309, expected -4.15888309"],
             counters={"global_load_elements": 32 * 64 * 2}),
        logits=32 * 64),
    "warp_tail_beyond_the_array": finding(
        "shared-out-of-bounds",
        ["sum of 32 ones, and of whatever lies behind them"],
        ["sum of 32 ones: 32, expected 32"]),
    "warp_tail_without_barrier": finding(
        "shared-race",
        ["sum of 64 ones:"],
        ["sum of 64 ones: 64, expected 64"]),
}  # fmt: skip
