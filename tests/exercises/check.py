#!/usr/bin/env python3
"""Tests one exercise: check.py PROGRAM steps/NN_slug

PROGRAM is the check of all exercises (tests/exercises/CMakeLists.txt).
"""

import difflib
import pathlib
import re
import subprocess
import sys

BEGIN = "// ---- your part begins ----\n"
END = "// ---- your part ends ----\n"


def parts(source: pathlib.Path) -> tuple[str, str]:
    """What is outside of the gap, with a line for it, and the gap."""
    text = source.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise AssertionError(f"{source}: must have '{BEGIN.strip()}' and then '{END.strip()}', once")
    before, rest = text.split(BEGIN)
    gap, after = rest.split(END)
    return f"{before}(the gap)\n{after}", gap


def test_that_solution_only_fills_the_gap(exercise: pathlib.Path) -> None:
    skeleton, skeleton_gap = parts(exercise / "skeleton.cu")
    solution, solution_gap = parts(exercise / "solution.cu")
    difference = difflib.unified_diff(skeleton.splitlines(), solution.splitlines(),
                                      "skeleton.cu", "solution.cu", lineterm="")
    assert skeleton == solution, "differ outside of the gap:\n" + "\n".join(difference)
    assert skeleton_gap != solution_gap, "the skeleton is the solution"


def run(program: str, exercise: pathlib.Path, role: str) -> tuple[int, str]:
    done = subprocess.run([program, exercise.parent.name, role],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(f"---- {role}, exit code {done.returncode}\n{done.stdout}")
    return done.returncode, done.stdout


def squeezed(line: str) -> str:
    return " ".join(line.split())


def quoted_lines(page: pathlib.Path) -> list[str]:
    """The lines that the page says the check of the skeleton prints."""
    section = re.search(r"^## What the check says of the skeleton\n(.*?)(?=^## |\Z)",
                        page.read_text(), re.MULTILINE | re.DOTALL)
    assert section, f"{page}: has no section 'What the check says of the skeleton'"
    lines = [line for line in section[1].splitlines() if line.startswith("    ")]
    assert lines, f"{page}: quotes nothing of what the check says of the skeleton"
    return lines


def test_that_skeleton_fails_as_its_page_says(program: str, exercise: pathlib.Path) -> None:
    code, output = run(program, exercise, "skeleton")
    assert code == 1, "the skeleton passes its check, or ends it"
    said = f" {squeezed(output)} "  # whole words: 1.5 is no quote of 1.56
    for line in quoted_lines(exercise / "README.md"):
        assert f" {squeezed(line)} " in said, f"README.md quotes what the check does not say: {line}"


def test_that_solution_passes(program: str, exercise: pathlib.Path) -> None:
    code, _ = run(program, exercise, "solution")
    assert code == 0, "the solution does not pass its check"


def test_that_pages_lead_to_each_other(exercise: pathlib.Path) -> None:
    page = (exercise / "README.md").read_text()
    number = exercise.parent.name[:2]
    assert page.startswith(f"# Exercise {number}: "), f"README.md must begin with '# Exercise {number}: '"
    for part in ("## What to do\n", "## Predict first\n", "](../README.md)"):
        assert part in page, f"README.md lacks '{part.strip()}'"
    step = (exercise.parent / "README.md").read_text()
    assert "](exercise/README.md)" in step, "the step's page has no link to its exercise"


def main() -> int:
    program, step = sys.argv[1:]
    exercise = pathlib.Path(step) / "exercise"
    try:
        test_that_solution_only_fills_the_gap(exercise)
        test_that_solution_passes(program, exercise)
        test_that_skeleton_fails_as_its_page_says(program, exercise)
        test_that_pages_lead_to_each_other(exercise)
    except AssertionError as failure:
        print(f"{exercise}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
