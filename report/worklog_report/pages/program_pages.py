"""python -m worklog_report.pages.program_pages: what small programs print, in docs/pages.

Between the lines <!-- run NAME:begin --> and <!-- run NAME:end --> of a page stands what
tests/errata/NAME.cu said when tests/errata/run_both.py ran it, as it makes its mistake and
corrected.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from ..results.ladder import access_text
from ..results.records import InputError, read_json, validate
from ..support import arguments as common
from ..support.generated_files import check, renew, text_of
from .markdown import replace_between

_MARKER = re.compile(r"^<!-- run ([a-z0-9_]+):begin -->$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What one form of a program said."""

    output: tuple[str, ...]
    findings: tuple[tuple[str, ...], ...]  # lines of each
    loads_per_logit: float | None  # where that is what the program is about


@dataclass(frozen=True)
class Program:
    name: str
    mistake: Run
    corrected: Run


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check found pages out of date; 2 bad input or usage."""
    parser = common.parser("program_pages", __doc__, ("--pages",))
    parser.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="what tests/errata/run_both.py wrote",
    )
    common.add_check(parser)
    return common.run(parser, arguments, _renew_or_check)


def _renew_or_check(options: argparse.Namespace) -> int:
    texts = updated_pages(read_runs(options.runs), options.pages)
    return check(texts, "program_pages") if options.check else renew(texts)


def read_runs(paths: list[Path]) -> dict[str, Program]:
    programs = {}
    for path in paths:
        data = read_json(path)
        validate(path, data, "program_run.schema.json")
        program = Program(data["program"], _run(data["mistake"]), _run(data["corrected"]))
        programs[program.name] = program
    return programs


def _run(form: dict) -> Run:
    findings = tuple(tuple(lines) for lines in form["findings"])
    return Run(tuple(form["output"]), findings, form["loads_per_logit"])


def updated_pages(programs: dict[str, Program], pages: Path) -> dict[Path, str]:
    """The pages that show a run. Raises InputError unless each run is shown and each that a page
    asks for is there."""
    texts, shown = {}, set()
    for page in sorted(pages.glob("*.md")):
        text = text_of(page)
        names = _MARKER.findall(text)
        for name in names:
            if name not in programs:
                raise InputError(f"{page}: shows '{name}', which none of the files is a run of")
            markers = (f"<!-- run {name}:begin -->", f"<!-- run {name}:end -->")
            text = replace_between(text, markers, _shown(programs[name]), page)
        if names:
            texts[page] = text
            shown.update(names)
    for name in programs:
        if name not in shown:
            raise InputError(f"{pages}: no page shows the run of '{name}'")
    return texts


def _shown(program: Program) -> str:
    command = f"./worklog run tests/errata/{program.name}.cu"
    lines = [
        *_form(command, program.mistake),
        "",
        *_form(f"{command} -- corrected", program.corrected),
    ]
    return "\n" + "".join(f"    {line}".rstrip() + "\n" for line in lines) + "\n"


def _form(command: str, run: Run) -> list[str]:
    lines = [f"$ {command}", *run.output]
    if run.loads_per_logit is not None:
        lines.append(f"loads for each logit: {access_text(run.loads_per_logit)}")
    for finding in run.findings:
        lines += finding
    return lines if run.findings else [*lines, "0 findings"]


if __name__ == "__main__":
    sys.exit(main())
