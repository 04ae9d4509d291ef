"""Milakov and Gimelshein's paper: its figures redrawn, its ratios, its accesses."""

from typing import Any

from ..results.records import Shape
from . import access_table, dram_table, paper_figures, timed_cells
from .cells import Cell, Head, Missing, Table, measured, missing, shown, text
from .here import Here


def build(document: dict, here: Here) -> dict[str, Any]:
    return {
        "figures": paper_figures.by_width(document, here),
        "by_k": paper_figures.by_k(document, here),
        "ratios": _ratios(document, here),
        "accesses": access_table.build(document, here),
        "fewer_accesses": access_table.ratios(document, here),
        "dram": dram_table.build(_kernels(document), _profiled_shapes(document), here),
    }


def _kernels(document: dict) -> list[tuple[str, str]]:
    return [(row["what"], row["ours"]) for row in document["accesses"]]


def _profiled_shapes(document: dict) -> list[Shape]:
    """The sizes at which the paper has ratios, large batch first."""
    entries = document["softmax"] + document["softmax_and_top_k"]
    sizes = {(entry["rows"], entry["cols"]): None for entry in entries if "cols" in entry}
    return [Shape(document["dtype"], *size) for size in sizes]


def _ratios(document: dict, here: Here) -> Table:
    heads = (
        Head("Time over time", is_number=False),
        Head("Published", document["gpu"]),
        Head("Here", here.gpu),
        Head("Our kernels", is_number=False),
    )
    entries = document["softmax"] + document["softmax_and_top_k"] + document["by_k"]
    return Table(heads, tuple(_ratio(entry, document, here) for entry in entries))


def _ratio(entry: dict, document: dict, here: Here) -> tuple[Cell, ...]:
    where = f"figure {entry['figure']}" if "figure" in entry else "section 5.2"
    return (
        text(entry["what"], f"{where}, {_shape_text(entry)}"),
        _published(entry["published"]),
        _ours(entry, document["dtype"], here),
        text(f"{here.title(entry['slower'])}, over {here.title(entry['faster'])}"),
    )


def _shape_text(entry: dict) -> str:
    k = f", K = {entry['k']}" if "k" in entry else ""
    size = f"{entry['rows']} × {entry['cols']}" if "cols" in entry else f"{entry['rows']} rows"
    return size + k


def _published(figure: Any) -> Cell:
    if isinstance(figure, dict):
        return shown(figure["from"], "× to ", figure["to"], "×")
    return shown(figure) if isinstance(figure.value, str) else shown(figure, "×")


def _ours(entry: dict, dtype: str, here: Here) -> Cell:
    """The ratio at the entry's shape, or its range over all widths of which it speaks."""
    figure = entry["published"]
    beside = tuple(figure.values()) if isinstance(figure, dict) else (figure,)
    slower, faster = entry["slower"], entry["faster"]
    if "cols" in entry:
        shape = Shape(dtype, entry["rows"], entry["cols"], entry.get("k", 0))
        return timed_cells.ratio(slower, faster, shape, here, *beside)
    timed = here.sizes((slower, faster), Shape(dtype, entry["rows"], 0, entry.get("k", 0)), "cols")
    ratios = {
        cols: ratio
        for cols, ratio in timed.ratio(slower, faster).items()
        if entry.get("from_cols", 0) <= cols <= entry.get("to_cols", cols)
    }
    if entry.get("at") == "smallest":
        ratios = dict(list(ratios.items())[:1])
    if not ratios:
        return missing(_not_timed(entry, dtype), *beside)
    low, high = f"{min(ratios.values()):.2f}×", f"{max(ratios.values()):.2f}×"
    sizes = f"{len(ratios)} V, {min(ratios)} to {max(ratios)}"
    note = timed_cells.noted(sizes if len(ratios) > 1 else f"V = {min(ratios)}", timed.gpu, here)
    return measured(low if low == high else f"{low} to {high}", *beside, note=note)


def _not_timed(entry: dict, dtype: str) -> Missing:
    k = f"/k{entry['k']}" if "k" in entry else ""
    shapes = f"{dtype}/{entry['rows']}x…{k}/cold"
    names = tuple(f"{kernel}/{shapes}" for kernel in (entry["slower"], entry["faster"]))
    return Missing("not timed on any recorded GPU yet", names)
