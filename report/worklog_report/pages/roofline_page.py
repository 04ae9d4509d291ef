"""The tables of docs/pages/roofline.md: what the bytes cost, and where each step stands."""

from ..pictures.roofline_picture import Bar, Panel, picture
from ..results.ladder import access_text, bandwidth_text, percent_text, ratio_text, time_text
from ..results.recorded_run import RecordedRun, label, machine_text, table
from ..results.records import Shape

SHAPES = (Shape("f32", 4000, 4000), Shape("f32", 4000, 25000))
_LONG_ROW = Shape("f32", 1, 16777216)
_TOP_K = Shape("f32", 4000, 25000, 5)
TABLE_ROWS = (4000, 10, 1)
TABLE_COLS = (10, 100, 1000, 4000, 10000, 25000, 100000, 16777216)
_FLOAT_BYTES = 4

# What an H200's units can do, by NVIDIA's data sheet (67 TFLOPS of fp32, a fused multiply-add being
# two) and the CUDA C++ Programming Guide (16 special functions a clock and SM, where fp32 has 128).
_FP32_PER_US = 67e12 / 2 / 1e6
_SPECIAL_PER_US = _FP32_PER_US * 16 / 128
# Each of an SM's four schedulers issues an instruction per clock for one warp of 32 lanes: as many
# as there are units for fp32.
_ISSUED_PER_US = _FP32_PER_US
_INSTRUCTIONS_OF = (
    (Shape("f32", 4000, 4000), ("03", "04", "05", "06", "12", "14")),
    (Shape("f32", 4000, 25000), ("05", "06", "12", "15")),
    (Shape("f16", 4000, 4000), ("06", "12", "14")),
    (
        Shape("f16", 4000, 25000),
        ("06", "12", "14", "14/exponentials_twice", "14/packed_exponentials", "15"),
    ),
)
# What softmax needs of each logit, at least: compare, subtract, exponential, add, divide.
OPERATIONS = 5


def sections(recorded: RecordedRun) -> dict[str, str]:
    return {
        "copies": _copies(recorded),
        "limits": _limits(recorded),
        "instructions": _instructions(recorded),
        "standings": "".join(_standing(recorded, shape) for shape in SHAPES),
        "standings-of-top-k": _top_k(recorded),
        "standings-of-a-long-row": _standing(recorded, _LONG_ROW),
        "fewer-accesses": _fewer_accesses(recorded),
    }


def roofline_svg(recorded: RecordedRun, standalone: bool) -> str:
    panels = []
    for shape in (*SHAPES, _LONG_ROW):
        bars = [
            Bar(label(unit), time["gbps"], time["copy_us"] / time["median_us"])
            for unit in recorded.softmaxes()
            if not unit.variant and (time := recorded.time(unit.name, shape)) and "copy_us" in time
        ]
        copy = recorded.time("copy", shape)
        pytorch = recorded.time("pytorch/softmax", shape)
        if copy and pytorch:
            share = copy["median_us"] / pytorch["median_us"]
            bars.append(Bar("PyTorch", pytorch["gbps"], share))
        if copy:
            bars.append(Bar("copy", copy["gbps"], 1.0))
        if bars:
            panels.append(Panel(shape.size(), tuple(bars)))
    title = f"Share of the copy's speed, fp32, {machine_text(recorded.run)}"
    return picture(panels, title, standalone)


def _copies(recorded: RecordedRun) -> str:
    rows = []
    for row in sorted(recorded.run.baselines, key=lambda row: (-row.shape.rows, row.shape.cols)):
        shape = row.shape
        wanted = row.name == "copy" and shape.dtype == "f32"
        wanted = wanted and shape.rows in TABLE_ROWS and shape.cols in TABLE_COLS
        if wanted and row.cache == "cold":
            moved = 2 * _FLOAT_BYTES * shape.rows * shape.cols
            time = row.times
            rows.append(
                [
                    shape.size(),
                    f"{moved / 1e6:,.0f} MB" if moved >= 1e7 else f"{moved / 1e6:.2g} MB",
                    time_text(time["median_us"]),
                    bandwidth_text(time["gbps"]),
                ]
            )
    head = ["fp32", "read and written", "time", "GB/s"]
    where = f"The fastest copy of each size, cold L2, on {machine_text(recorded.run)}."
    return f"\n{table(head, rows)}\n{where}\n\n"


def _limits(recorded: RecordedRun) -> str:
    rows = []
    for shape in SHAPES:
        copy = recorded.time("copy", shape)
        if copy is None:
            continue
        logits = shape.rows * shape.cols
        rows.append(
            [
                shape.size(),
                time_text(copy["median_us"]),
                time_text(OPERATIONS * logits / _FP32_PER_US),
                time_text(2 * logits / _SPECIAL_PER_US),
            ]
        )
    head = ["fp32", "the copy", f"{OPERATIONS} operations per logit", "2 exponentials per logit"]
    return (
        f"\n{table(head, rows)}\nThe copy as measured on {machine_text(recorded.run)}; the other "
        "two computed: operations and exponentials\nover the most that the units take.\n\n"
    )


def _instructions(recorded: RecordedRun) -> str:
    """What Nsight Compute counted, and what issuing it would take, beside the copy."""
    rows = []
    for shape, wanted in _INSTRUCTIONS_OF:
        copy = recorded.time("copy", shape)
        logits = shape.rows * shape.cols
        for unit in recorded.units:
            number, _, variant = unit.name.partition("/")
            if number[:2] + (f"/{variant}" if variant else "") not in wanted:
                continue
            launches = recorded.hardware.of(unit.name, shape) if recorded.hardware else []
            time = recorded.time(unit.name, shape)
            if not (copy and launches and time):
                continue
            executed = sum(launch.a_logit("warp_instructions") for launch in launches)
            special = sum(launch.a_logit("special_instructions") for launch in launches)
            rows.append(
                [
                    label(unit),
                    f"{shape.size()}, {shape.dtype}",
                    time_text(copy["median_us"]),
                    f"{executed:.0f}",
                    time_text(executed * logits / _ISSUED_PER_US),
                    f"{special:.2g}",
                    time_text(special * logits / _SPECIAL_PER_US),
                    time_text(time["median_us"]),
                ]
            )
    if not rows:
        return "\nNo instructions are recorded yet.\n\n"
    head = [
        "step", "shape", "the copy", "instructions per logit", "time to issue them",
        "special ones", "time on their units", "time",
    ]  # fmt: skip
    return (
        f"\n{table(head, rows, words=2)}\nInstructions of a lane for each logit, all of them and "
        "those of the special function units, as Nsight\nCompute counted them; times as measured "
        f"on {machine_text(recorded.run)}. The other two are computed: the\ninstructions over the "
        "most that schedulers issue and units take.\n\n"
    )


def _accesses(recorded: RecordedRun, unit: str, shape: Shape) -> list[str]:
    found = recorded.predicted(unit, shape)
    return ["–", "–"] if found is None else [access_text(value) for value in found]


def _dram(recorded: RecordedRun, unit: str, shape: Shape) -> list[str]:
    found = recorded.dram(unit, shape)
    return ["–", "–"] if found is None else [f"{value:.2f}" for value in found]


_HEAD = ["loads", "from DRAM", "stores", "to DRAM", "time", "GB/s", "of the limit"]


def _cells(recorded: RecordedRun, unit: str, shape: Shape, limit: str) -> list[str] | None:
    time = recorded.time(unit, shape)
    if time is None:
        return None
    loads, stores = _accesses(recorded, unit, shape)
    read, written = _dram(recorded, unit, shape)
    limit_us = (recorded.time(limit, Shape(shape.dtype, shape.rows, shape.cols)) or {}).get(
        "median_us"
    )
    fraction = limit_us / time["median_us"] if limit_us else None
    return [
        loads,
        read,
        stores,
        written,
        time_text(time["median_us"]),
        bandwidth_text(time["gbps"]),
        percent_text(fraction) or "–",
    ]


def _standing(recorded: RecordedRun, shape: Shape) -> str:
    rows = []
    for unit in recorded.units:
        cells = _cells(recorded, unit.name, shape, "copy")
        if cells and recorded.operation(unit) in ("softmax", "log_softmax"):
            rows.append([label(unit), *cells])
    for name, text in (("pytorch/softmax", "PyTorch"), ("copy", "copy")):
        cells = _cells(recorded, name, shape, "copy")
        if cells:
            rows.append([text, *cells])
    if not rows:
        return f"\n{shape.size()} is not timed on a recorded GPU yet.\n\n"
    missing = [label(unit) for unit in recorded.unmeasured() if not unit.variant]
    not_yet = f"Not timed in this run: {'; '.join(missing)}.\n" if missing else ""
    return (
        f"\n{table([shape.size(), *_HEAD], rows)}\nfp32, cold L2, {machine_text(recorded.run)}.\n"
        f"{not_yet}\n"
    )


def _top_k(recorded: RecordedRun) -> str:
    rows = []
    for unit in recorded.units:
        if recorded.operation(unit) == "softmax and top-k":
            cells = _cells(recorded, unit.name, _TOP_K, "read")
            if cells:
                rows.append([label(unit), *cells])
    cells = _cells(recorded, "pytorch/softmax_then_topk", _TOP_K, "read")
    if cells:
        rows.append(["PyTorch softmax, then topk", *cells])
    if not rows:
        return "\n"
    where = f"fp32, cold L2, {machine_text(recorded.run)}."
    return f"\n{table([_TOP_K.size(), *_HEAD], rows)}\n{where}\n\n"


def _fewer_accesses(recorded: RecordedRun) -> str:
    """The paper's comparisons of algorithms that differ in accesses, where every reason shows."""
    rows = [
        _ratios(recorded, "05_warp_shuffle/safe", "05_warp_shuffle", Shape("f32", 4000, cols))
        for cols in TABLE_COLS
    ]
    rows.append(_ratios(recorded, "07_topk_fusion/safe_then_top_k", "07_topk_fusion", _TOP_K))
    head = ["", "accesses", "DRAM bytes", "time"]
    return (
        f"\n{table(head, [row for row in rows if row])}\nfp32, cold L2, "
        f"{machine_text(recorded.run)}: more accesses over fewer, in steps 05 and 07 and their "
        "variants.\nDRAM bytes where they were profiled.\n\n"
    )


def _ratios(recorded: RecordedRun, more: str, fewer: str, shape: Shape) -> list[str] | None:
    both = (more, fewer)
    times = [recorded.time(unit, shape) for unit in both]
    if not all(times):
        return None
    accesses = [recorded.predicted(unit, shape) or recorded.accesses(unit) for unit in both]
    moved = [recorded.dram(unit, shape) for unit in both]
    what = "safe, then top-k, over fused" if shape.k else "safe over online"
    return [
        f"{what}, {shape.size()}",
        ratio_text(sum(accesses[0]) / sum(accesses[1])) if all(accesses) else "–",
        ratio_text(sum(moved[0]) / sum(moved[1])) if all(moved) else "–",
        ratio_text(times[0]["median_us"] / times[1]["median_us"]),
    ]
