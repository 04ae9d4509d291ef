#!/usr/bin/env python3
"""Tests one exercise: check.py PROGRAM steps/NN_slug/exercise [--other-counts]

PROGRAM is the check of all exercises (tests/exercises/CMakeLists.txt). With --other-counts another
compiler built it than the one that the pages were written with: numbers of counters may differ.
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BEGIN = "// ---- your part begins ----\n"
END = "// ---- your part ends ----\n"
HEAD = "counter yours at most"
COUNTER = re.compile(r" reached$| not reached: x | too early to say$")
WRONG = pathlib.Path(__file__).parent / "wrong"
RIGHT = pathlib.Path(__file__).parent / "right"


def parts(source: pathlib.Path) -> tuple[str, str]:
    """What is outside of the gap, with a line for it, and the gap."""
    text = source.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        marks = f"'{BEGIN.strip()}' and then '{END.strip()}'"
        raise AssertionError(f"{source}: must have {marks}, once")
    before, rest = text.split(BEGIN)
    gap, after = rest.split(END)
    return f"{before}(the gap)\n{after}", gap


def test_that_solution_only_fills_the_gap(exercise: pathlib.Path) -> None:
    skeleton, skeleton_gap = parts(exercise / "skeleton.cu")
    solution, solution_gap = parts(exercise / "solution.cu")
    difference = difflib.unified_diff(
        skeleton.splitlines(), solution.splitlines(), "skeleton.cu", "solution.cu", lineterm=""
    )
    assert skeleton == solution, "differ outside of the gap:\n" + "\n".join(difference)
    assert skeleton_gap != solution_gap, "the skeleton is the solution"


def name_of(exercise: pathlib.Path) -> str:
    """05_warp_shuffle for steps/05_warp_shuffle/exercise, 05b_warp_shuffle for its exercise_b."""
    number, slug = exercise.parent.name.split("_", 1)
    return f"{number}{exercise.name.removeprefix('exercise').removeprefix('_')}_{slug}"


def run(program: str, exercise: pathlib.Path, role: str, limit: str = "") -> tuple[int, str]:
    """The exit code and what was said, after a look at the JSON of the same check."""
    environment = os.environ | ({"SIMT_TIME_LIMIT": limit} if limit else {})
    with tempfile.TemporaryDirectory() as folder:
        json_file = pathlib.Path(folder) / "check.json"
        done = subprocess.run(
            [program, name_of(exercise), role, "--json", json_file],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"---- {role}, exit code {done.returncode}\n{done.stdout}")
        look_at_json(json.loads(json_file.read_text()), role, done.returncode)
        assert os.listdir(folder) == [json_file.name], "the check leaves files behind"
    return done.returncode, done.stdout


def look_at_json(found: dict, role: str, code: int) -> None:
    """What holds of any check: a kernel that is not right has reached nothing yet."""
    states = {counter["state"] for counter in found["counters"]}
    parts = {part["state"] for part in found["parts"]}
    right, reached = found["right"], found["reached"]
    assert states and parts, f"{role}: JSON without counters or parts"
    assert reached == (code == 0), f"{role}: reached is {reached}, and the exit code {code}"
    assert reached == (right and states == {"reached"}), f"{role}: reached is {reached}: {states}"
    assert right == (parts == {"right"} and found["verdict"] not in ("wrong", "ended")), role
    assert right or "reached" not in states, f"{role}: not right, and a counter is called reached"
    assert right == (found["first_wrong"] is None), f"{role}: first_wrong is {found['first_wrong']}"


def squeezed(line: str) -> str:
    return " ".join(line.split())


def says(output: str, words: str) -> bool:
    return f" {squeezed(words)} " in f" {squeezed(output)} "  # whole words: 1.5 is no part of 1.56


def quoted_lines(page: pathlib.Path, of: str) -> list[str]:
    """The lines that the page says the check prints of the skeleton, or of a solution: counters
    under the head of their table."""
    block = re.search(
        rf"^Some of what the check says of {of}\b.*:\n\n((?:    .*\n)+)",
        page.read_text(),
        re.MULTILINE,
    )
    assert block, f"{page}: has no lines after 'Some of what the check says of {of}'"
    lines = [squeezed(line) for line in block[1].splitlines()]
    first = next((at for at, line in enumerate(lines) if COUNTER.search(line)), None)
    assert first is None or lines[first - 1 : first] == [HEAD], f"{page}: counters without '{HEAD}'"
    return lines


def test_that_skeleton_fails_as_its_page_says(program: str, exercise: pathlib.Path) -> None:
    code, output = run(program, exercise, "skeleton")
    assert code == 1, "the skeleton passes its check, or ends it"
    for line in quoted_lines(exercise / "README.md", "the skeleton"):
        assert says(output, line), f"README.md quotes what the check does not say: {line}"


def test_that_solution_passes_as_its_page_says(
    program: str, exercise: pathlib.Path, other_counts: bool
) -> None:
    """Its counters are on the page, all of them: or a solution that got worse would go unseen, as
    the check compares it with itself. So are the block sizes that it tries."""
    code, output = run(program, exercise, "solution")
    assert code == 0, "the solution does not pass its check"
    said = [squeezed(line) for line in output.splitlines()]
    counters = [line for line in said if line.endswith(" reached")]
    quoted = quoted_lines(exercise / "README.md", "a solution")
    wanted = [HEAD, *counters, "All reached."]
    if other_counts:
        quoted, wanted = (
            [re.sub(r"\d+", "n", line) for line in lines] for lines in (quoted, wanted)
        )
    assert quoted == wanted, "README.md must quote of it\n    " + "\n    ".join(wanted)
    assert HEAD in said, f"the check prints no '{HEAD}'"

    tried = re.search(r"^Results, (in blocks of .*)$", output, re.MULTILINE)
    assert tried, "the check does not say which block sizes it tries"
    page = squeezed((exercise / "README.md").read_text())
    assert tried[1] in page, f"README.md does not say that the check tries '{tried[1]}'"


def test_that_wrong_solutions_are_refused(program: str, exercise: pathlib.Path) -> None:
    """Each names the words that the check must say of it, and maybe a time limit in seconds."""
    sources = sorted((WRONG / name_of(exercise)).glob("*.cu"))
    assert sources, f"{WRONG / name_of(exercise)}: has no wrong solution"
    for source in sources:
        text = source.read_text()
        limit = re.search(r"^// limit: (.+)$", text, re.MULTILINE)
        code, output = run(program, exercise, source.stem, limit[1] if limit else "")
        assert code == 1, f"{source}: passes the check"
        wanted = re.findall(r"^// says: (.+)$", text, re.MULTILINE)
        assert wanted, f"{source}: does not tell what the check says of it"
        for words in wanted:
            assert says(output, words), f"{source}: the check does not say: {words}"


def test_that_other_right_solutions_are_accepted(program: str, exercise: pathlib.Path) -> None:
    for source in sorted((RIGHT / name_of(exercise)).glob("*.cu")):
        code, _ = run(program, exercise, source.stem)
        assert code == 0, f"{source}: does not pass the check"


def test_that_answers_are_folded(exercise: pathlib.Path) -> None:
    """Who predicts must not see them, nor the counters of a solution."""
    page = (exercise / "README.md").read_text()
    fold = "## Answers\n\n<details><summary>Open it when you have predicted</summary>\n\n"
    assert page.count(fold) == 1, f"README.md lacks\n{fold}"
    before, answers = page.split(fold)
    assert answers.endswith("\n\n</details>\n"), "README.md must end with '</details>'"
    assert "## " not in answers, "README.md has more than answers behind its fold"
    assert HEAD not in squeezed(before), "README.md shows counters before its fold"


def test_that_page_tells_its_effort(exercise: pathlib.Path) -> None:
    """In the line that `./worklog exercise` reads."""
    page = (exercise / "README.md").read_text()
    efforts = re.findall(
        r"^Difficulty: (?:easy|medium|hard), about [1-9]\d* minutes\.$", page, re.M
    )
    assert len(efforts) == 1, "README.md must say 'Difficulty: easy, about 20 minutes.', once"


def hints_of(exercise: pathlib.Path) -> list[str]:
    page = (exercise / "README.md").read_text()
    section = re.search(r"^## Hints\n(.*?)^## Answers$", page, re.MULTILINE | re.DOTALL)
    assert section, "README.md lacks '## Hints' before its answers"
    return re.findall(
        r"^<details><summary>The (?:first|second|third) hint</summary>\n\n(.*?)\n\n</details>$",
        section[1],
        re.MULTILINE | re.DOTALL,
    )


def test_that_hints_come_in_three_layers(exercise: pathlib.Path) -> None:
    """Only the last may have code: a line of it stands behind four blanks, or ends in ';'."""
    hints = hints_of(exercise)
    assert len(hints) == 3, f"README.md has {len(hints)} hints, not three"
    assert all(hint.strip() for hint in hints), "README.md has a hint without words"
    assert len(set(hints)) == 3, "README.md has a hint twice"
    for hint in hints[:2]:
        code = re.search(r"^    .*|.*;$", hint, re.MULTILINE)
        assert not code, f"README.md gives code away before the third hint: {code and code[0]}"


def test_that_pages_lead_to_each_other(exercise: pathlib.Path) -> None:
    page = (exercise / "README.md").read_text()
    name = name_of(exercise)
    number = name.split("_")[0]
    title = f"# Exercise {number}: "
    assert page.startswith(title), f"README.md must begin with '{title}'"
    copy = f"work/{name}/softmax.cu"
    for part in ("## What to do\n", "## Predict first\n", "](../README.md)", copy):
        assert part in page, f"README.md lacks '{part.strip()}'"
    step = (exercise.parent / "README.md").read_text()
    assert f"]({exercise.name}/README.md)" in step, "the step's page has no link to its exercise"


def main() -> int:
    program, folder, *options = sys.argv[1:]
    exercise = pathlib.Path(folder)
    try:
        test_that_solution_only_fills_the_gap(exercise)
        test_that_solution_passes_as_its_page_says(program, exercise, "--other-counts" in options)
        test_that_skeleton_fails_as_its_page_says(program, exercise)
        test_that_wrong_solutions_are_refused(program, exercise)
        test_that_other_right_solutions_are_accepted(program, exercise)
        test_that_answers_are_folded(exercise)
        test_that_page_tells_its_effort(exercise)
        test_that_hints_come_in_three_layers(exercise)
        test_that_pages_lead_to_each_other(exercise)
    except AssertionError as failure:
        print(f"{exercise}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
