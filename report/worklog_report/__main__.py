"""python -m worklog_report: writes index.html and report.json, or the tables in README files."""

import argparse
import json
import sys
from pathlib import Path

from .html import page
from .pages import doc_pages, library_choices, markdown
from .results import ladder
from .results.annotations import read_annotations
from .results.library_candidates import read_operations
from .results.library_times import read_library_runs
from .results.profiles import Profiles, read_profiles
from .results.ranks import RankTimes, read_rank_times
from .results.recorded_run import files_of, read_recorded_run
from .results.records import InputError, Results, read_results
from .results.steps import Unit, read_units
from .site import players
from .support import arguments as common
from .support.generated_files import is_current
from .support.output import write_whole


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check-readme found tables out of date; 2 bad input or usage."""
    return common.run(_parser(), arguments, _run)


def _parser() -> argparse.ArgumentParser:
    optional = {"--recorded": [], "--annotations": [], "--players": [], "--out": None}
    parser = common.parser("worklog_report", __doc__, ("--records", "--steps"), optional)
    parser.add_argument(
        "--bench",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="Google Benchmark JSON of this run, on this machine's GPU",
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
    recorded = files_of(options.recorded)
    units = read_units(options.steps)
    profiles = read_profiles(recorded)
    if readme_only:
        results = read_results(options.records, [], recorded)
        readme = options.readme or options.steps.parent / "README.md"
        texts = markdown.updated_files(units, results, profiles, options.steps, readme)
        texts |= _doc_pages(recorded, options)
        if not _update_tables(texts, options):
            return 1
    if options.out is not None:
        results = read_results(options.records, options.bench, recorded)
        _write_report(units, results, profiles, read_rank_times(recorded), options)
    return 0


def _doc_pages(recorded: list[Path], options: argparse.Namespace) -> dict[Path, str]:
    """Those of docs/pages, whose counts are of the annotations."""
    pages = options.steps.parent / "docs/pages"
    if not (recorded and options.annotations and pages.is_dir()):
        return {}
    run = read_recorded_run(recorded, options.annotations, options.steps)
    return doc_pages.updated_files(run, pages)


def _update_tables(texts: dict[Path, str], options: argparse.Namespace) -> bool:
    stale = [path for path, text in texts.items() if not is_current(path, text)]
    if options.check_readme:
        for path in stale:
            print(
                f"{path}: its table is out of date; ./worklog tables writes it anew",
                file=sys.stderr,
            )
        return not stale
    for path in stale:
        write_whole(path, texts[path])
        print(f"{path}: table renewed")
    return True


def _write_players(
    units: list[Unit], results: Results, options: argparse.Namespace
) -> dict[str, str]:
    """The pages that play warps, beside the report; returns the link to each step's."""
    before = players.steps_before(ladder.build(units, results, "f32").rows)
    for name, text in players.pages(options.players, before).items():
        write_whole(options.out / "players" / name, text)
    return {file.stem: f"players/{players.page_name(file.stem)}.html" for file in options.players}


def _write_report(
    units: list[Unit],
    results: Results,
    profiles: Profiles,
    of_ranks: RankTimes | None,
    options: argparse.Namespace,
) -> None:
    print("drawing the plots and laying out the page", flush=True)
    annotations = read_annotations(options.annotations)
    links = _write_players(units, results, options)
    commit = page.current_commit(options.steps)
    # The library's table is made of recorded runs, whatever was timed just now.
    operations = read_operations(options.steps.parent)
    libraries = read_library_runs(files_of(options.recorded))
    served = library_choices.served_cold(results.runs, libraries, operations)
    html = page.render(units, results, annotations, profiles, commit, links, of_ranks, served)
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
