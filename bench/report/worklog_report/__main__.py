"""python -m worklog_report: writes index.html and report.json, or the tables in README files."""

import argparse
import json
import sys
from pathlib import Path

from . import markdown, page
from .annotations import read_annotations
from .output import write_whole
from .profiles import Profiles, read_profiles
from .records import InputError, Results, read_results
from .steps import Unit, read_units


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check-readme found tables out of date; 2 bad input or usage."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except InputError as error:
        print(f"worklog_report: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="worklog_report", description=__doc__)
    parser.add_argument(
        "--records",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="records of the step programs (their --records FILE)",
    )
    parser.add_argument(
        "--bench",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="Google Benchmark JSON of this run, on this machine's GPU",
    )
    parser.add_argument(
        "--recorded",
        type=Path,
        nargs="+",
        default=[],
        metavar="PATH",
        help="results of earlier runs: files, or directories of *.json",
    )
    parser.add_argument(
        "--annotations",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="counts by line and traced requests (the step programs' --annotations FILE)",
    )
    parser.add_argument(
        "--steps", type=Path, required=True, metavar="DIR", help="the directory of the steps"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where index.html and report.json go"
    )
    parser.add_argument(
        "--readme",
        type=Path,
        metavar="FILE",
        help="the README.md with the ladder's table (default: beside --steps)",
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument(
        "--update-readme",
        action="store_true",
        help="regenerate the tables between the markers, from recorded results",
    )
    action.add_argument(
        "--check-readme", action="store_true", help="fail if --update-readme would change a file"
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    readme_only = options.update_readme or options.check_readme
    if options.out is None and not readme_only:
        raise InputError("--out DIR is missing: where should the report go?")
    recorded = _files(options.recorded)
    units = read_units(options.steps)
    profiles = read_profiles(recorded)
    if readme_only:
        results = read_results(options.records, [], recorded)
        readme = options.readme or options.steps.parent / "README.md"
        if not _update_tables(units, results, profiles, readme, options):
            return 1
    if options.out is not None:
        results = read_results(options.records, options.bench, recorded)
        _write_report(units, results, profiles, options)
    return 0


def _files(paths: list[Path]) -> list[Path]:
    """Files as they are; of directories their *.json, which may be none."""
    return [
        file
        for path in paths
        for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])
    ]


def _update_tables(
    units: list[Unit],
    results: Results,
    profiles: Profiles,
    readme: Path,
    options: argparse.Namespace,
) -> bool:
    texts = markdown.updated_files(units, results, profiles, options.steps, readme)
    stale = [path for path, text in texts.items() if path.read_text("utf-8") != text]
    if options.check_readme:
        for path in stale:
            print(f"{path}: its table is out of date; run --update-readme", file=sys.stderr)
        return not stale
    for path in stale:
        write_whole(path, texts[path])
        print(f"{path}: table renewed")
    return True


def _write_report(
    units: list[Unit], results: Results, profiles: Profiles, options: argparse.Namespace
) -> None:
    print("drawing the plots and laying out the page", flush=True)
    annotations = read_annotations(options.annotations)
    html = page.render(units, results, annotations, profiles, page.current_commit(options.steps))
    report = {
        "records": [record.as_json() for record in results.records],
        "lines": [annotation.as_json() for annotation in annotations.values()],
        "machines": [
            {
                "name": run.machine.name,
                "date": run.machine.date,
                "recorded": run.machine.recorded,
                "files": list(run.machine.files),
                "context": run.machine.context,
            }
            for run in results.runs
        ],
    }
    write_whole(
        options.out / "report.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    )
    write_whole(options.out / "index.html", html)
    print(
        f"{options.out / 'index.html'}: {len(units)} steps and variants, "
        f"{len(results.records)} measurements"
    )


if __name__ == "__main__":
    sys.exit(main())
