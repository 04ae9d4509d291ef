"""The accesses that a source claims, beside those of the code that it prints and those counted."""

from ..results.ladder import Accesses, access_text
from .cells import Cell, Head, Missing, Table, answered, dash, measured, missing, shown, text
from .here import Here
from .published import Published, figures

# Claims leave out the terms in 1/N, and one load for each block of a long row; both are below this.
_LEFT_OUT = 0.02


def build(document: dict, here: Here) -> Table:
    rows = document["accesses"]
    prints_code = any("its_code" in row["published"] for row in rows)
    heads = [Head("Kernel", is_number=False), Head("Claimed", "per element")]
    if prints_code:
        heads.append(Head("Its code, as printed", "loads + stores"))
    heads += [
        Head("Counted here", "loads + stores"),
        Head("At", is_number=False),
        Head("The claim", is_number=False),
    ]
    return Table(
        tuple(heads), tuple(_row(row, document["dtype"], prints_code, here) for row in rows)
    )


def ratios(document: dict, here: Here) -> Table:
    """How many times fewer accesses the source says that a kernel needs."""
    heads = (Head("Accesses", is_number=False), Head("Claimed"), Head("Counted here"))
    return Table(
        heads, tuple(_ratio(row, document["dtype"], here) for row in document["fewer_accesses"])
    )


def _ratio(row: dict, dtype: str, here: Here) -> tuple[Cell, ...]:
    published = row["published"]
    counted = [here.accesses(row[name], dtype) for name in ("slower", "faster")]
    absent = [found for found in counted if isinstance(found, Missing)]
    if absent:
        ours = missing(absent[0], published)
    else:
        more, fewer = (found.loads + found.stores for found in counted)
        what = f"{access_text(more)} over {access_text(fewer)}"
        ours = measured(f"{more / fewer:.2f}×", published, note=what)
    return text(row["what"]), shown(published, "×"), ours


def _row(row: dict, dtype: str, prints_code: bool, here: Here) -> tuple[Cell, ...]:
    published = row["published"]
    every = list(figures(published))
    counted = here.accesses(row["ours"], dtype)
    cells = [text(row["what"], here.title(row["ours"])), shown(*_sum_of(published["claimed"]))]
    if prints_code:
        code = published.get("its_code")
        cells.append(shown(*_sum_of(code)) if code else text("not printed"))
    if isinstance(counted, Missing):
        return *cells, missing(counted, *every), dash(), dash()
    sums = f"{access_text(counted.loads)} + {access_text(counted.stores)}"
    return (
        *cells,
        measured(sums, *every),
        text(str(counted.shape)),
        answered("agrees" if _agrees(published["claimed"], counted) else "differs"),
    )


def _sum_of(figure: Published | dict) -> tuple[str | Published, ...]:
    return (figure["loads"], " + ", figure["stores"]) if isinstance(figure, dict) else (figure,)


def _agrees(claimed: Published | dict, counted: Accesses) -> bool:
    if isinstance(claimed, dict):
        pairs = ((counted.loads, claimed["loads"]), (counted.stores, claimed["stores"]))
    else:
        pairs = ((counted.loads + counted.stores, claimed),)
    return all(abs(count - claim.value) < _LEFT_OUT for count, claim in pairs)
