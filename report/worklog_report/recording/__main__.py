"""python -m worklog_report.recording FOLDER: puts a recorded run where it belongs.

FOLDER is what bench/run_on_gpu.sh wrote. Each file is read as the report will read it; only when
all are sound, of one GPU and of parts that went well, are they put in place, under the GPU's name
and the run's date. What an earlier run of that GPU left of the same kind goes: git has it.
"""

import argparse
import sys
from pathlib import Path

from ..results.records import InputError
from ..support import arguments as common
from ..support.output import write_all
from .run_folder import KINDS, NEVER_FILES, RunFolder


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 2 bad input or usage."""
    parser = common.parser("worklog_report.recording", __doc__, ("--root",))
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--parity",
        type=Path,
        metavar="FILE",
        help="the executor's counts held against FOLDER/ncu_parity.json (bench/ncu compare)",
    )
    parser.add_argument(
        "--unfinished",
        action="store_true",
        help="take results of parts that have not gone well, too",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would go where, only")
    return common.run(parser, arguments, _record)


def _record(options: argparse.Namespace) -> int:
    folder = RunFolder(options.folder, options.parity)
    unfinished = [kind for kind in folder.kinds if not folder.went_well(kind)]
    if unfinished and not options.unfinished:
        raise InputError(
            f"{options.folder}: has not gone well: {', '.join(_parts(unfinished))}; log.txt says "
            "why. Run it again with this folder, which runs no more than that, or take it as it "
            "is: --unfinished"
        )
    files = {
        options.root / kind.target(folder.gpu, folder.date): folder.texts[kind]
        for kind in folder.kinds
    }
    old = [path for kind in folder.kinds for path in kind.earlier(options.root, folder.gpu)]
    old = [path for path in old if path not in files]
    if not options.dry_run:
        write_all(files)
        for path in old:
            path.unlink()
    _say(options, files, old)
    for kind in [*KINDS, *NEVER_FILES]:
        if not folder.went_well(kind):
            print(f"not run, or not well: {', '.join(kind.parts)}")
    for step in folder.steps_without_times(options.root / "steps"):
        print(f"no times of {step}")
    return 0


def _parts(kinds) -> list[str]:
    return [part for kind in kinds for part in kind.parts]


def _say(options: argparse.Namespace, files: dict[Path, str], old: list[Path]) -> None:
    would = "would be " if options.dry_run else ""
    for path in files:
        print(f"{would}written: {path.relative_to(options.root)}")
    for path in old:
        print(f"{would}removed: {path.relative_to(options.root)}, of an earlier run")


if __name__ == "__main__":
    sys.exit(main())
