"""python -m worklog_report.site: writes what Doxygen makes the site of.

Into --out go the pages (pages/*.md), the figures (figures/*.svg), each step's kernel with marks for
\\snippet (marked/*.cu) and, of the steps whose pages --players has, the players (players/*.html).
"""

import argparse
import shutil
from pathlib import Path

from ..claims import claims
from ..claims.measurements import read_measurements
from ..pages.code_blocks import marked
from ..results.recorded_run import files_of
from ..results.steps import Unit
from ..support import arguments as common
from ..support.output import write_whole
from . import diff_pages, figures, ladder_picture, players, steps_graph
from .book import STEPS, Book, read_book, steps_of, titled
from .navigation import list_of_steps, with_subpages, with_turns
from .page_text import Site, converted
from .renewed import Renewed, renewed_pages
from .step_pages import listing, sources_of, with_code

_ROOT = Path(__file__).resolve().parents[3]


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 2 bad input or usage."""
    required = ("--records", "--annotations", "--recorded", "--out")
    parser = common.parser("site", __doc__, required, {"--root": _ROOT, "--players": ()})
    return common.run(parser, arguments, _write_site)


def _write_site(options: argparse.Namespace) -> int:
    root, out = options.root, options.out
    renewed = renewed_pages(
        root, options.records, options.annotations, options.recorded, out / "renewed"
    )
    held = read_measurements(files_of(options.recorded), root / "steps")
    claims.require(claims.read_claims(root), held)
    drawn = _figures(renewed)
    texts = titled(renewed.texts)
    book = read_book(texts, [unit.step for unit in renewed.steps])
    site = Site(book.pages, _headers(root), book.parents, set(drawn), root)
    played = {file.stem for file in options.players}
    pages = {
        name: _page(file, texts, renewed, book, site, played) for file, name in book.pages.items()
    }
    pages |= {name: listing(file) for file, name in site.listed.items()}
    pages |= diff_pages.pages(renewed.run.units, renewed.results, renewed.run.annotations)
    kernels = {f"{unit.step}.cu": marked(unit.files["softmax.cu"]) for unit in renewed.steps}
    _replace(out / "pages", {f"{name}.md": text for name, text in pages.items()})
    _replace(out / "figures", drawn)
    _replace(out / "marked", kernels)
    _replace(
        out / "players",
        players.pages(list(options.players), players.steps_before(renewed.table.rows)),
    )
    print(f"{out}: {len(pages)} pages")
    return 0


def _figures(renewed: Renewed) -> dict[str, str]:
    return figures.figures(renewed.run) | {
        "ladder.svg": ladder_picture.picture(renewed.table, renewed.run),
        "steps.svg": steps_graph.picture(renewed.table),
    }


def _headers(root: Path) -> set[Path]:
    """Those whose API the site documents."""
    folders = [root / "common", root / "simt"]
    found = [path for folder in folders for kind in ("*.h", "*.cuh") for path in folder.rglob(kind)]
    inside = {path.relative_to(root) for path in found}
    left_out = ("simt/include", "simt/tests")
    return {path for path in inside if not any(map(path.is_relative_to, left_out))}


def _page(
    file: Path, texts: dict[Path, str], renewed: Renewed, book: Book, site: Site, played: set[str]
) -> str:
    text, names = texts[file], [unit.step for unit in renewed.steps]
    unit = next((unit for unit in renewed.steps if file == _readme(unit)), None)
    if unit:
        sources = sources_of(site.root / "steps" / unit.step)
        text = with_code(text, unit, _before(unit, renewed), sources, unit.step in played)
    part = [unit for unit in renewed.steps if unit.step in steps_of(text, names)]
    text = STEPS.sub(lambda _: list_of_steps(part), converted(text, file, site))
    return with_turns(with_subpages(text, file, book), file, book, texts)


def _readme(unit: Unit) -> Path:
    return Path("steps", unit.step, "README.md")


def _before(unit: Unit, renewed: Renewed) -> Unit | None:
    """The step, or the variant of one, that it builds on."""
    name = next(row.builds_on for row in renewed.table.rows if row.unit == unit)
    return next((other for other in renewed.run.units if other.name == name), None)


def _replace(folder: Path, texts: dict[str, str]) -> None:
    """The folder holds these files and no others."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in texts.items():
        write_whole(folder / name, text)
