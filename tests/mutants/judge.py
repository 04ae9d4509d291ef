"""Builds the test program of a step with a mutant in the place of its softmax.cu, and runs it."""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import threading
import time

from earlier import seconds_of_suites
from programs import ROUNDS_OF_THE_TESTS, failed_check, program_of

# Seconds for one launch, by round: those of the first take a fraction of one, but later there is a
# row of 2^24 columns, which takes one block ten.
LAUNCH_LIMITS = [10, 100, 100]
OUT_OF_TIME = "[time-limit]"  # what the executor says of a launch that it ends
ROUND_LIMIT = 600  # seconds
# A mistake in a host's loop may never end, and no launch's limit stops it: a round gets this many
# times what the step itself takes there.
PATIENCE = 5
LEAST_LIMIT = 30  # seconds, for a machine that is busy with other work by then
NOTHING_CHECKED = 77  # the exit code of a program whose suites have nothing to test of a step

KERNELS = "softmax.cu.cpp"  # as the translator writes it


def words_of(command):
    """The words of a shell command as Ninja prints it, maybe between `: &&` and `&& :`."""
    words = shlex.split(command)
    if words[:2] == [":", "&&"] and words[-2:] == ["&&", ":"]:
        words = words[2:-2]
    return words[words.index("&&") + 1 :] if "&&" in words else words


def with_output(command, output):
    """The same command of a compiler with another file for its output."""
    at = command.index("-o") + 1
    return [*command[:at], str(output), *command[at + 1 :]]


def without_variants(links):
    """A linker's command with no object of the step's variants, which are not what is judged."""
    return [word for word in links if "/translated/variants/" not in word]


def limit_for(took):
    """Seconds that a mutant has where the step itself takes so many."""
    return min(ROUND_LIMIT, max(LEAST_LIMIT, PATIENCE * took))


class Judge:
    """Compiles and links as Ninja does in the build folder, where the steps' tests are built."""

    def __init__(self, build, sources, ninja="ninja"):
        """`sources` has the text of each step's softmax.cu."""
        self._build_folder = build
        self._sources = sources
        self._programs = {step: program_of(step, text) for step, text in sources.items()}
        self._ninja = ninja
        self._commands = {}
        self._asking = {}  # a lock, by step
        self._limits = {}  # seconds and what fails in the step itself, by step and round

    def verdict(self, mutant):
        """What was said of it: ("killed", by what), ("killed by time", after how long), ("does not
        compile", why), ("survived", ""). Throws ValueError if the step itself fails in a round."""
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            program = pathlib.Path(folder) / "tests"
            refused = self._build(mutant, pathlib.Path(folder), program)
            if refused:
                return "does not compile", refused
            for number in range(len(self._programs[mutant.step].rounds)):
                limit = self._limit(mutant.step, number)
                verdict, why = self._run(program, mutant.step, number, folder, limit)
                if verdict != "survived":
                    return verdict, why
        return "survived", ""

    def prepare(self, steps, jobs=1):
        """Asks Ninja how it makes each step's test program, of `jobs` steps at once. Throws
        ValueError if it cannot tell, or if a test of a step fails in the first round, which would
        kill all its mutants."""
        pool = concurrent.futures.ThreadPoolExecutor(jobs)
        try:
            list(pool.map(self._prepare_step, steps))  # throws what one of them threw
        finally:
            pool.shutdown(cancel_futures=True)

    def _prepare_step(self, step):
        target = self._programs[step].target
        done = subprocess.run(
            [self._ninja, "-C", self._build_folder, "-t", "commands", target],
            capture_output=True,
            text=True,
            check=False,
        )
        commands = [words_of(line) for line in done.stdout.split("\n") if line]
        ours = [words for words in commands if words[-1].endswith(f"/{step}/translated/{KERNELS}")]
        if done.returncode != 0 or len(ours) < 2:
            raise ValueError(
                f"{self._build_folder}: Ninja cannot tell how it builds {target}: "
                f"{done.stdout[-500:]}{done.stderr}"
            )
        self._commands[step] = (ours[0][0], ours[-1], without_variants(commands[-1]))
        self._asking[step] = threading.Lock()
        self._limit(step, 0)

    def _limit(self, step, number):
        """Seconds that a mutant has for a round. The step itself has to pass it: it is tried when
        the first of its mutants gets there, unless its tests have passed already."""
        with self._asking[step]:
            if (step, number) not in self._limits:
                self._limits[step, number] = self._passed_before(step, number) or self._try_step(
                    step, number
                )
            limit, failed = self._limits[step, number]
        if failed:
            raise ValueError(f"{step} itself, without a mistake, fails: {failed}")
        return limit

    def _passed_before(self, step, number):
        """What _limit() keeps, or None where nothing is known of the step's present program."""
        suites = self._programs[step].suites
        if number >= len(suites):
            return None
        took = seconds_of_suites(pathlib.Path(self._build_folder), step, suites[number])
        return None if took is None else (limit_for(took), "")

    def _try_step(self, step, number):
        """Links the step as its mutants are linked, and runs it: what _limit() keeps."""
        with tempfile.TemporaryDirectory(prefix="step-") as folder:
            program = pathlib.Path(folder) / "tests"
            linked = subprocess.run(
                with_output(self._commands[step][-1], program),
                cwd=self._build_folder,
                capture_output=True,
                text=True,
                check=False,
            )
            if linked.returncode != 0:
                raise ValueError(f"{self._build_folder}: cannot link {step}: {linked.stderr}")
            began = time.monotonic()
            _, failed = self._run(program, step, number, folder, ROUND_LIMIT)
        return limit_for(time.monotonic() - began), failed

    def _build(self, mutant, folder, program):
        """The first line of what a compiler says against it; "" if it takes it."""
        translate, compiles, links = self._commands[mutant.step]
        kernels, translated, compiled = (
            folder / "softmax.cu",
            folder / KERNELS,
            folder / "softmax.o",
        )
        kernels.write_text(mutant.applied_to(self._sources[mutant.step]))
        own = f"/translated/{KERNELS}.o"
        links = [str(compiled) if word.endswith(own) else word for word in links]
        for command in (
            [translate, str(kernels), str(translated)],
            [*with_output(compiles, compiled)[:-1], "-w", str(translated)],
            with_output(links, program),
        ):
            done = subprocess.run(
                command,
                cwd=self._build_folder,
                capture_output=True,
                text=True,
                env=os.environ | {"CCACHE_DISABLE": "1"},
                check=False,
            )
            if done.returncode != 0:
                said = (done.stderr + done.stdout).strip().split("\n")
                return next((line for line in said if "error" in line), said[0] or "the compiler")
        return ""

    def _run(self, program, step, number, folder, limit):
        """The verdict of a round, and why: the test that fails, or how the program ends."""
        for asked in self._programs[step].rounds[number]:
            began = time.monotonic()
            verdict, why = self._run_once(program, asked, number, folder, limit)
            if verdict != "survived":
                return verdict, why
            limit -= time.monotonic() - began
        return "survived", ""

    def _run_once(self, program, asked, number, folder, limit):
        environment = os.environ | {
            "SIMT_WORKERS": "1",
            "SIMT_TIME_LIMIT": str(LAUNCH_LIMITS[number]),
        }
        if number >= ROUNDS_OF_THE_TESTS:
            environment["WORKLOG_THOROUGH"] = "1"
        try:
            done = subprocess.run(
                [program, *asked.options],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=max(limit, 0),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "killed by time", f"longer than {limit:.0f} s in {' '.join(asked.options)}"
        if done.returncode in (0, NOTHING_CHECKED):
            if re.search(asked.answer, done.stdout, re.MULTILINE):
                return "survived", ""
            return "killed", f"{' '.join(asked.options)} does not say '{asked.answer}'"
        verdict = "killed by time" if OUT_OF_TIME in done.stdout + done.stderr else "killed"
        if done.returncode < 0:
            return verdict, f"ended by signal {-done.returncode}"
        why = failed_check(done.stdout + done.stderr)
        return verdict, why or f"exit code {done.returncode}"
