"""What a kernel loads, beside what of it the caches did not catch: why a ratio of loads may be none
of times."""

from ..results.profiles import Hardware
from ..results.records import Shape
from .cells import Cell, Head, Missing, Table, measured, missing, text
from .here import Here


def build(kernels: list[tuple[str, str]], shapes: list[Shape], here: Here) -> Table | Missing:
    """`kernels`: (what the source calls it, ours). Shapes that were not profiled have no column."""
    hardware = here.hardware
    names = [name for _, name in kernels]
    profiled = [shape for shape in shapes if hardware and _profiled(hardware, names, shape)]
    if not profiled:
        return Missing("what is read from DRAM was not profiled on any recorded GPU yet")
    heads = [Head("Kernel", is_number=False), Head("Loads", "per element, counted")]
    heads += [Head(f"Read from DRAM at {shape.size()}", hardware.gpu) for shape in profiled]
    rows = []
    for what, name in kernels:
        loads = here.accesses(name, shapes[0].dtype)
        counted = missing(loads) if isinstance(loads, Missing) else measured(f"{loads.loads:.3g}")
        dram = (_read(hardware, name, shape) for shape in profiled)
        rows.append((text(what, here.title(name)), counted, *dram))
    return Table(tuple(heads), tuple(rows))


def _profiled(hardware: Hardware, names: list[str], shape: Shape) -> bool:
    return any(_launches(hardware, name, shape) for name in names)


def _launches(hardware: Hardware, name: str, shape: Shape) -> list:
    return [launch for launch in hardware.at(shape) if launch.unit == name]


def _read(hardware: Hardware, name: str, shape: Shape) -> Cell:
    """By all of its launches, in elements for each logit."""
    launches = _launches(hardware, name, shape)
    if not launches:
        return missing(Missing("not profiled", (name,)))
    return measured(f"{sum(launch.arrays('dram_read_bytes') for launch in launches):.2f}")
