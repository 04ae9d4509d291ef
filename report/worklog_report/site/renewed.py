"""The repository's pages: tables and values of results made anew, claims taken out."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from ..claims import claims, values
from ..claims.measurements import Measurements, read_measurements
from ..pages import annotated_pages, doc_pages, library_choices, markdown
from ..results import ladder
from ..results.ladder import Ladder
from ..results.library_candidates import read_operations
from ..results.profiles import read_profiles
from ..results.recorded_run import RecordedRun, files_of, read_recorded_run
from ..results.records import Results, read_results
from ..results.steps import Unit
from ..support.generated_files import text_of
from ..support.output import write_whole

# Where the repository has pages, besides its root.
_FOLDERS = ("bench", "common", "docs", "notebooks", "python", "report", "simt", "steps")


@dataclass(frozen=True)
class Renewed:
    """What was read, and the pages: files as named from the repository's root."""

    results: Results
    run: RecordedRun
    table: Ladder
    texts: dict[Path, str]

    @property
    def steps(self) -> list[Unit]:
        """The ladder's own, in its order."""
        return [unit for unit in self.run.units if not unit.variant]


def renewed_pages(
    root: Path, records: list[Path], annotations: list[Path], recorded: list[Path], copy: Path
) -> Renewed:
    """Works in `copy`, a folder of its own: what the report offers renews pages where they are."""
    recorded = files_of(recorded)
    results = read_results(records, [], recorded)
    run = read_recorded_run(recorded, annotations, root / "steps")
    shutil.rmtree(copy, ignore_errors=True)
    for file in pages_of(root):
        write_whole(copy / file, text_of(root / file))
    steps, profiles = copy / "steps", read_profiles(recorded)
    _write(markdown.updated_files(run.units, results, profiles, steps, copy / "README.md"))
    _write(annotated_pages.updated_files(run.units, run.annotations, steps))
    _write(doc_pages.updated_files(run, copy / "docs/pages"))
    library = copy / "docs/pages/library.md"
    if library.is_file():
        made = library_choices.tables(results.runs, run.libraries, read_operations(root))
        _write({library: library_choices.updated_page(made, library)})
    held = read_measurements(recorded, root / "steps")
    texts = {file: _without_comments(file, text_of(copy / file), held) for file in pages_of(copy)}
    return Renewed(results, run, ladder.build(run.units, results, "f32"), texts)


def _without_comments(file: Path, text: str, held: Measurements) -> str:
    """With the values that were measured, and without what only this repository's tools read."""
    return claims.stripped(values.stripped(file, values.renewed(file, text, held)))


def pages_of(root: Path) -> list[Path]:
    """The repository's Markdown, named from its root."""
    found = list(root.glob("*.md"))
    for folder in _FOLDERS:
        found += (root / folder).rglob("*.md")
    return sorted(path.relative_to(root) for path in found)


def _write(texts: dict[Path, str]) -> None:
    for path, text in texts.items():
        write_whole(path, text)
