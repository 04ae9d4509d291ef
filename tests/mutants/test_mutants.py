"""Tests of the program that makes mutants: what is a mistake, what is none, and its list of
equivalents."""

import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from counts import HEAD, Count, too_few_killed  # noqa: E402
from equivalents import read_equivalents  # noqa: E402
from judge import Judge, with_output, without_variants, words_of  # noqa: E402
from mistakes import Mutant, mistakes_in, mutants_of, some_of  # noqa: E402
from programs import ROUNDS, failed_check, program_of  # noqa: E402

STEPS = pathlib.Path(__file__).resolve().parents[2] / "steps"

SOURCE = """// a < b
#include <limits>
namespace {
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
template <typename T>
__global__ void softmax(const T* x) {
  if (row >= rows) return;  // row + 1 < rows
  m = fmaxf(m, x[col]);
  __syncthreads();
}
}  // namespace
WORKLOG_STEP(launch, {.loads = {2 + 1}});
"""


def become(line):
    return {(kind, mistake.strip()) for kind, mistake in mistakes_in(line)}


class Mistakes(unittest.TestCase):
    def test_tokens_are_replaced_one_at_a_time(self):
        self.assertEqual(
            become("const T* x = logits + blockIdx.x * cols;"),
            {
                ("arithmetic", "const T* x = logits - blockIdx.x * cols;"),
                ("arithmetic", "const T* x = logits + blockIdx.x / cols;"),
                ("index", "const T* x = logits + blockDim.x * cols;"),
            },
        )

    def test_statements_are_left_out(self):
        self.assertIn(("barrier", ""), become("__syncthreads();"))
        self.assertIn(("guard", ""), become("if (row >= rows) return;"))
        self.assertIn(("forgotten", ""), become("shared_m[thread] = mine.m;"))

    def test_a_cast_to_64_bits_is_dropped(self):
        self.assertIn(
            ("32 bits", "const auto row = blockIdx.x + 1;"),
            become("const auto row = std::int64_t{blockIdx.x} + 1;"),
        )

    def test_an_identity_becomes_another_value_however_it_is_spelled(self):
        for line, mistake in (
            ("float m = kNegativeInfinity;", "float m = 0.0f;"),
            ("float m = Max::kIdentity;", "float m = 0.0f;"),
            ("mine = has ? x : Operation::kIdentity;", "mine = has ? x : 0.0f;"),
            (
                "static constexpr float kIdentity = -std::numeric_limits<float>::infinity();",
                "static constexpr float kIdentity = 0.0f;",
            ),
            ("best[place] = kNobody;", "best[place] = entry_of(kNegativeInfinity, 0);"),
        ):
            self.assertIn(("identity", mistake), become(line))

    def test_the_stream_is_forgotten(self):
        self.assertIn(
            ("stream", "softmax<<<grid, block, 0>>>(x);"),
            become("softmax<<<grid, block, 0, stream>>>(x);"),
        )

    def test_brackets_comments_and_strings_are_left_alone(self):
        self.assertEqual(become("static_cast<float>(y);  // a < b, 1 + 1"), set())
        self.assertEqual(become('print("a < b + 1");'), set())

    def test_a_comment_is_no_part_of_a_mutant(self):
        guards = [mutant for mutant in mutants_of("00_none", SOURCE) if mutant.number == 7]
        self.assertEqual({mutant.line for mutant in guards}, {"if (row >= rows) return;"})
        self.assertEqual({mutant.becomes for mutant in guards}, {"if (row > rows) return;", ""})

    def test_only_the_kernels_and_their_launch_have_mutants(self):
        lines = {mutant.number for mutant in mutants_of("00_none", SOURCE)}
        self.assertEqual(lines, {7, 8, 9})

    def test_a_mutant_differs_in_one_line_and_keeps_the_others(self):
        for mutant in mutants_of("00_none", SOURCE):
            before, after = SOURCE.split("\n"), mutant.applied_to(SOURCE).split("\n")
            differ = [at for at in range(len(before)) if before[at] != after[at]]
            self.assertEqual(len(before), len(after))
            self.assertEqual(differ, [mutant.number - 1])


class Steps(unittest.TestCase):
    def test_every_step_has_ten_of_many_kinds(self):
        for file in STEPS.glob("*/softmax.cu"):
            mutants = mutants_of(file.parent.name, file.read_text())
            chosen = some_of(mutants, 12)
            self.assertGreaterEqual(len(chosen), 10, file)
            self.assertGreaterEqual(len({mutant.kind for mutant in chosen}), 6, file)
            self.assertEqual(len(set(chosen)), len(chosen), file)

    def test_every_step_with_a_maximum_has_one_of_its_identity(self):
        for file in STEPS.glob("*/softmax.cu"):
            kinds = {mutant.kind for mutant in mutants_of(file.parent.name, file.read_text())}
            if kinds & {"maximum", "direction"}:
                self.assertIn("identity", kinds, file)

    def test_the_choice_does_not_depend_on_other_lines(self):
        mutants = mutants_of("00_none", SOURCE)
        longer = mutants_of("00_none", SOURCE.replace("// a < b\n", "// a\n// b\n"))
        self.assertEqual(
            [(m.line, m.becomes) for m in some_of(mutants, 4)],
            [(m.line, m.becomes) for m in some_of(longer, 4)],
        )


class Equivalents(unittest.TestCase):
    def read(self, *entries):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "equivalents.json"
            file.write_text(json.dumps(entries))
            return read_equivalents({"00_none": self.mutants}, file)

    def setUp(self):
        self.mutants = mutants_of("00_none", SOURCE)
        self.barrier = next(mutant for mutant in self.mutants if mutant.kind == "barrier")
        self.entry = {
            "steps": ["00_none"],
            "line": "__syncthreads();",
            "becomes": "",
            "reason": "One thread.",
        }

    def test_an_entry_is_known_by_its_text(self):
        listed = self.read(self.entry)
        self.assertEqual([mutant for mutant in self.mutants if listed(mutant)], [self.barrier])
        self.assertEqual(listed(self.barrier), "One thread.")

    def test_an_entry_about_nothing_is_an_error(self):
        for wrong in (
            {"line": "__syncwarp();"},
            {"becomes": "x"},
            {"steps": ["99_none"]},
            {"reason": ""},
            {"more": ""},
        ):
            with self.assertRaises(ValueError, msg=str(wrong)):
                self.read(self.entry | wrong)
        with self.assertRaises(ValueError):
            self.read(self.entry, self.entry)

    def test_the_repositorys_own_match(self):
        sources = {
            file.parent.name: mutants_of(file.parent.name, file.read_text())
            for file in STEPS.glob("*/softmax.cu")
        }
        read_equivalents(sources)


class Judging(unittest.TestCase):
    """With shell scripts for kernels, which a build copies, and for the step's test program."""

    PASSES = "exit 0"
    FAILS_LAST = f"case $1 in *={','.join(ROUNDS[-1])}) exit 1;; esac"
    NEVER_ENDS = "exec sleep 60"

    def setUp(self):
        self.source = f"#!/bin/sh\n{self.PASSES}\n"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        self.script("compile", 'for input; do :; done; cp "$input" "$2"')
        self.script("link", 'cp "$3" "$2" && chmod +x "$2"')
        kernels = "steps/00_none/translated/softmax.cu.cpp"
        (self.build / kernels).parent.mkdir(parents=True)
        self.object = f"{kernels}.o"
        self.script(
            "ninja",
            f"echo cp softmax.cu {kernels}",
            f"echo {self.build}/compile -o {self.object} {kernels}",
            f"echo {self.build}/link -o step {self.object}",
        )

    def script(self, name, *lines):
        file = self.build / name
        file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        file.chmod(0o755)

    def verdicts(self, step, *mutants):
        """Of several at once; `self.rounds` has the suites that the step itself went through."""
        self.script(self.object, f'echo "$1" >> {self.build}/rounds', step)
        judge = Judge(self.build, {"00_none": self.source}, self.build / "ninja")
        judge.prepare(["00_none"])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = pool.map(
                lambda becomes: judge.verdict(Mutant("00_none", "", 2, self.PASSES, becomes)),
                mutants,
            )
            return [verdict for verdict, _ in found]

    @property
    def rounds(self):
        return len((self.build / "rounds").read_text().split())

    def test_the_step_goes_through_a_round_once_and_when_a_mutant_gets_there(self):
        self.assertEqual(self.verdicts(self.PASSES, "exit 1", "exit 1"), ["killed"] * 2)
        self.assertEqual(self.rounds, 1)
        (self.build / "rounds").unlink()
        self.assertEqual(self.verdicts(self.PASSES, *[self.PASSES] * 8), ["survived"] * 8)
        self.assertEqual(self.rounds, len(ROUNDS))

    def pass_tests(self, seconds, programs_age):
        """As if `./worklog test` had, so many seconds after the step's program was linked."""
        (self.build / "bin").mkdir()
        program, stamp = self.build / "bin/step_00_none_tests", self.build / ".tests_passed"
        for file in (program, stamp):
            file.write_text("")
        os.utime(program, (stamp.stat().st_mtime - programs_age,) * 2)
        costs = self.build / "Testing/Temporary/CTestCostData.txt"
        costs.parent.mkdir(parents=True)
        costs.write_text(f"00_none.counts 1 {seconds}\n00_none.inputs 1 {seconds}\n---\n")

    def test_a_step_whose_tests_have_passed_goes_through_the_last_round_alone(self):
        self.pass_tests(seconds=1, programs_age=5)
        self.assertEqual(self.verdicts(self.PASSES, self.PASSES, "exit 1"), ["survived", "killed"])
        self.assertEqual((self.build / "rounds").read_text().split()[0][:12], "--test-suite")
        self.assertEqual(self.rounds, 1)

    def test_a_step_whose_program_is_newer_than_its_tests_goes_through_all_rounds(self):
        self.pass_tests(seconds=1, programs_age=-5)
        self.assertEqual(self.verdicts(self.PASSES, self.PASSES), ["survived"])
        self.assertEqual(self.rounds, len(ROUNDS))

    def test_what_tests_took_limits_a_mutant(self):
        self.pass_tests(seconds=0.1, programs_age=5)
        with unittest.mock.patch("judge.LEAST_LIMIT", 0.2):
            self.assertEqual(self.verdicts(self.PASSES, self.NEVER_ENDS), ["killed by time"])

    def test_a_step_that_fails_in_a_later_round_kills_no_mutant(self):
        with self.assertRaisesRegex(ValueError, "00_none itself"):
            self.verdicts(self.FAILS_LAST, self.FAILS_LAST)

    def test_a_step_that_is_too_slow_is_an_error(self):
        with (
            unittest.mock.patch("judge.ROUND_LIMIT", 0.2),
            self.assertRaisesRegex(ValueError, "00_none itself.*longer than"),
        ):
            self.verdicts(self.NEVER_ENDS)

    def test_a_mutant_that_takes_too_long_is_killed_by_time(self):
        with unittest.mock.patch("judge.LEAST_LIMIT", 0.2):
            self.assertEqual(self.verdicts(self.PASSES, self.NEVER_ENDS), ["killed by time"])

    def test_a_launch_that_takes_too_long_is_killed_by_time(self):
        ended = "echo 'error: longer than 10 s [time-limit]' >&2; exit 1"
        self.assertEqual(self.verdicts(self.PASSES, ended), ["killed by time"])

    @unittest.mock.patch("programs.RANK_ROUNDS", [[("--one", "^right$")], [("--two", "")]])
    def test_a_step_of_several_devices_is_asked_what_its_program_knows(self):
        self.source = f"#!/bin/sh\n{self.PASSES}\nWORKLOG_RANK_STEP(launch, {{}});\n"
        passes = "echo right; exit 0"
        fails_last = f"case $* in '--variant none --two') exit 1;; esac; {passes}"
        mutants = [passes, fails_last, "echo wrong; exit 0"]
        self.assertEqual(self.verdicts(passes, *mutants), ["survived", "killed", "killed"])
        self.assertEqual(self.rounds, 2)


class Programs(unittest.TestCase):
    def test_what_a_program_says_is_wrong(self):
        self.assertEqual(failed_check("a\nTEST CASE:  a row\nb\n"), "a row")
        self.assertEqual(failed_check("f32  even  WRONG  9.00\n    row 3\n"), "row 3")
        self.assertEqual(failed_check("a\nrank 2: no word\n"), "no word")
        self.assertIsNone(failed_check("a\n"))

    def test_what_stands_in_a_comment_registers_nothing(self):
        program = program_of("00_none", "// WORKLOG_RANK_STEP(\nWORKLOG_STEP(")
        self.assertEqual(program.target, "step_00_none_tests")
        self.assertEqual(len(program.rounds), len(ROUNDS))


class Counts(unittest.TestCase):
    def test_those_killed_by_time_are_some_of_those_killed(self):
        row = Count(["killed", "killed by time", "survived", "equivalent"]).row("00_none")
        told = dict(zip(HEAD, row, strict=True))
        self.assertEqual(
            [told[name] for name in ("judged", "killed", "of them by time", "survived")],
            [3, 2, 1, 1],
        )

    def test_a_step_of_which_too_few_are_killed_is_named(self):
        counts = {
            "00_enough": Count(["killed"] * 19 + ["survived"]),
            "01_too_few": Count(["killed"] * 18 + ["survived"]),
            "02_none": Count(["equivalent"]),
        }
        self.assertEqual(too_few_killed(counts), ["01_too_few", "02_none"])


class Commands(unittest.TestCase):
    def test_words_of_what_ninja_prints(self):
        self.assertEqual(words_of(": && c++ -o a 'b c' && :"), ["c++", "-o", "a", "b c"])
        self.assertEqual(words_of("cd /somewhere && translate a b"), ["translate", "a", "b"])

    def test_no_variants(self):
        links = ["c++", "a/translated/softmax.cu.cpp.o", "a/translated/variants/b.cu.cpp.o"]
        self.assertEqual(without_variants(links), links[:2])

    def test_another_output(self):
        self.assertEqual(with_output(["c++", "-o", "a", "b"], "c"), ["c++", "-o", "c", "b"])


if __name__ == "__main__":
    unittest.main()
