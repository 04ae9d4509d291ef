"""The table in a step's page of what only hardware knows."""

from ..results.ladder import Row
from ..results.profiles import Hardware, Measured
from ..results.records import Shape

_HEAD = [
    "", "read from DRAM", "written to DRAM", "L1 hits", "L2 hits", "registers", "occupancy",
    "limiter", "waits for",
]  # fmt: skip


def render(rows: list[Row], hardware: Hardware, explained: str) -> str:
    """Of each row's shape, those that were profiled; "" if none was. The table's caption ends in
    `explained`, where to read what its columns mean."""
    shapes = sorted({shape for row in rows if (shape := _profiled_shape(row, hardware))})
    lines = [
        _line(row, launch, with_shape=len(shapes) > 1)
        for row in rows
        for launch in hardware.of(row.unit.name, _profiled_shape(row, hardware))
    ]
    if not lines:
        return ""
    table = [_HEAD, ["---"] + ["---:"] * (len(_HEAD) - 3) + ["---", "---"], *lines]
    where = f"On {hardware.gpu}, {hardware.date[:10]}, {shapes[0].dtype} at "
    where += " and ".join(shape.size() for shape in shapes)
    text = "".join(f"| {' | '.join(line)} |\n" for line in table)
    return f"\n{text}\n{where}. {explained}\n"


def _profiled_shape(row: Row, hardware: Hardware) -> Shape | None:
    """The one whose time is shown, else the first that was profiled."""
    shapes = [launch.shape for launch in hardware.launches if launch.unit == row.unit.name]
    wanted = row.timing.shape if row.timing else None
    return wanted if wanted in shapes else next(iter(shapes), None)


def _line(row: Row, launch: Measured, with_shape: bool) -> list[str]:
    values = launch.values
    name = f"{row.unit.label} {row.unit.title}"
    if with_shape:
        name += f", {launch.shape.size()}"
    several = launch.of > 1
    return [
        f"{name}, `{launch.kernel}`" if several else name,
        f"{launch.arrays('dram_read_bytes'):.2f}",
        f"{launch.arrays('dram_write_bytes'):.2f}",
        f"{values['l1_hit_percent']:.0f} %",
        f"{values['l2_hit_percent']:.0f} %" if values["l2_hit_percent"] <= 100 else "–",
        f"{values['registers']}" + (" and local memory" if launch.spills else ""),
        f"{values['occupancy_percent']:.0f} of {values['occupancy_limit_percent']:.0f} %",
        f"{values['limiter']}, {values['limiter_percent']:.0f} %",
        launch.waits_for,
    ]
