"""The sessions of the course, as docs/pages/syllabus.md has them."""

import re
from dataclasses import dataclass

from ..results.records import InputError

_ROW = re.compile(
    r"^\| (?P<number>\d+)\. (?P<name>[^|]+) \| (?P<steps>[\d, ]+) \| (?P<afterwards>[^|]+) \|.*\|$",
    re.M,
)
_QUESTIONS = re.compile(
    r"^### After session (\d+)\n+(.*?)\n+<details><summary>Answers</summary>\n+(.*?)\n+</details>",
    re.M | re.S,
)


@dataclass(frozen=True)
class Session:
    number: int
    name: str
    steps: tuple[str, ...]  # "03", "04"
    afterwards: str  # what a student can do then
    questions: str  # Markdown, a numbered list, and its answers
    answers: str

    @property
    def title(self) -> str:
        return f"Session {self.number}: {self.name}"


def read_sessions(syllabus: str) -> list[Session]:
    """Raises InputError for a syllabus without sessions, or a session without questions."""
    asked = {int(number): (text, answers) for number, text, answers in _QUESTIONS.findall(syllabus)}
    sessions = []
    for row in _ROW.finditer(syllabus):
        number = int(row["number"])
        if number not in asked:
            raise InputError(f"syllabus.md: has no questions after session {number}")
        steps = tuple(step.strip() for step in row["steps"].split(","))
        sessions.append(Session(number, row["name"], steps, row["afterwards"], *asked[number]))
    if not sessions:
        raise InputError("syllabus.md: has no table of sessions")
    return sessions
