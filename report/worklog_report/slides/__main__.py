"""python -m worklog_report.slides: a deck of slides for each session of the course.

Each is made of the syllabus and of its steps' pages, and written as session_N.md, session_N.html
and, where there is a Chromium, session_N.pdf. Pandoc makes the HTML: one file, without a network.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..results.records import InputError
from ..results.steps import read_units
from ..support import arguments as common
from ..support.generated_files import text_of
from ..support.output import write_whole
from .deck import deck
from .sessions import Session, read_sessions

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_STYLE = Path(__file__).with_name("slides.css")
_SECONDS = 120  # more than enough for either program


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 2 bad input or usage."""
    parser = common.parser("slides", __doc__, ("--root", "--out"))
    return common.run(parser, arguments, _write)


def _write(options: argparse.Namespace) -> int:
    root, out = options.root.resolve(), options.out.resolve()
    if shutil.which("pandoc") is None:
        raise InputError("pandoc is missing: it makes the slides of the pages")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    for session, text in decks(root).items():
        source = out / f"session_{session.number}.md"
        write_whole(source, text)
        html = source.with_suffix(".html")
        _run(_pandoc(session, source, html, root))
        if browser:
            _print(browser, html)
        print(f"{html}{' and .pdf' if browser else ''}: {session.title}", flush=True)
    if browser is None:
        print(f"no PDF: there is none of {', '.join(BROWSERS)} here to print it")
    return 0


def decks(root: Path) -> dict[Session, str]:
    """The slides of every session, in Markdown."""
    steps = {
        unit.label: root / "steps" / unit.step / "README.md"
        for unit in read_units(root / "steps")
        if not unit.variant
    }
    sessions = read_sessions(text_of(root / "docs/pages/syllabus.md"))
    for session in sessions:
        if missing := [step for step in session.steps if step not in steps]:
            raise InputError(f"syllabus.md: {session.title} has step {missing[0]}, which is none")
    return {session: deck(session, steps, root) for session in sessions}


def _pandoc(session: Session, source: Path, html: Path, root: Path) -> list[str]:
    return [
        "pandoc", "--from=gfm+tex_math_dollars", "--to=dzslides", "--standalone",
        "--self-contained", "--slide-level=1", "--mathml", f"--css={_STYLE}", "--metadata=lang:en",
        f"--metadata=pagetitle:{session.title}", f"--resource-path={root}",
        f"--output={html}", str(source),
    ]  # fmt: skip


def _print(browser: str, html: Path) -> None:
    with tempfile.TemporaryDirectory() as profile:
        options = ["--headless=new", "--disable-gpu", "--no-sandbox", f"--user-data-dir={profile}"]
        to = ["--no-pdf-header-footer", f"--print-to-pdf={html.with_suffix('.pdf')}"]
        _run([browser, *options, *to, html.as_uri()])


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise InputError(f"{command[0]} has not ended after {_SECONDS} seconds") from None
    if done.returncode != 0 or "[WARNING]" in done.stderr:
        raise InputError(f"{command[0]} could not make the slides: {done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main())
