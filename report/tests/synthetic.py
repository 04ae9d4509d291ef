"""Made-up results for the tests: every number follows from a formula, on a "Synthetic GPU"."""

import json
from math import log2
from pathlib import Path

GPU = "Synthetic GPU"
WIDTHS = (1, 10, 100, 128, 1000, 4000, 4096, 25000, 100000)
DTYPES = ("f32", "f16", "bf16")

# name, variant, builds_on, loads and stores per column, per row and per k, relative time, top-k?
UNITS = [
    ("01_first", "", "", (4, 1, 0), (2, 1, 0), 9.0, False),
    ("01_first", "half", "01_first", (4, 1, 0), (2, 1, 0), 8.5, False),
    ("02_second", "", "01_first", (3, 0, 0), (1, 0, 0), 5.0, False),
    ("03_third", "", "02_second", (2, 0, 0), (1, 0, 0), 5.5, False),  # slower: must be shown
    ("03_third", "unsafe", "03_third", (2, 0, 0), (1, 0, 0), 1.5, False),
    ("04_fourth", "", "03_third", (2, 0, 0), (1, 0, 0), 1.05, False),
    ("05_topk", "", "04_fourth", (1, 0, 0), (0, 0, 2), 0.6, True),
    ("05_topk", "then", "05_topk", (4, 0, 0), (1, 0, 2), 2.4, True),
]
# Made-up times of the third step by block size.
SWEEP = {
    "context": {"gpu": GPU},
    "sweep": [
        {"step": "03_third", "variant": "", "dtype": "f32", "rows": 10, "cols": cols, "k": 0,
         "block_sizes": {"32": {"median_us": 4.0}, "256": {"median_us": 5.0}}}
        for cols in (10, 100)
    ],
}  # fmt: skip


def record(unit, dtype="f32", rows=64, cols=4000, **changes):
    step, variant, builds_on, loads, stores, _, top_k = unit
    k = min(5, cols) if top_k else 0
    elements = rows * cols
    loads_each = rows * (loads[0] * cols + loads[1] + loads[2] * k) / elements
    stores_each = rows * (stores[0] * cols + stores[1] + stores[2] * k) / elements
    row = {
        "step": step,
        "variant": variant,
        "builds_on": builds_on,
        "dtype": dtype,
        "rows": rows,
        "cols": cols,
        "machine": "cpu",
        "verified": True,
        "expected_failure": "exp overflows above 88" if variant == "unsafe" else "",
        "max_ulp": (1 + 0.5 * int(step[:2]) + log2(cols + 1)) if dtype == "f32" else 0.51,
        "launches": 3 if step == "01_first" else 1,
        "loads_per_element": loads_each,
        "stores_per_element": stores_each,
        "predicted_loads": loads_each,
        "predicted_stores": stores_each,
        "sectors_per_load_request": 32.0 if int(step[:2]) < 4 else 16.0,
        "counters": {"block_barriers": 2 * rows, "global_load_requests": round(elements / 32)},
    }
    if top_k:
        row["k"] = k
    return row | changes


def records(**changes):
    return {
        "records": [
            record(unit, dtype, rows=64 if cols < 25000 else 4, cols=cols, **changes)
            for unit in UNITS
            for dtype in DTYPES
            for cols in WIDTHS
        ]
    }


def _copy_us(dtype, rows, cols):
    return 2.0 + 2 * rows * cols * (4 if dtype == "f32" else 2) / 4e6


def case(subject, dtype, rows, cols, k=0, cache="cold"):
    """What a row of the bench is of. The subject is a step, a step/variant or a baseline."""
    name = f"{subject}/{dtype}/{rows}x{cols}{f'/k{k}' if k else ''}/{cache}"
    step, _, variant = subject.partition("/")
    of = {"step": step, "variant": variant} if step[:2].isdigit() else {"baseline": subject}
    shape = {"dtype": dtype, "rows": rows, "cols": cols, "k": k, "cache": cache}
    return {"name": name, **of, **shape}


def benchmark(case, median_us, moved_bytes, **extra):
    return {
        **case,
        "real_time": median_us,
        "median_us": median_us,
        "spread": 0.01,
        "gbps": moved_bytes / median_us / 1e3,
        **extra,
    }


def bench(gpu=GPU, date="2026-01-01T00:00:00+00:00"):
    rows_out = []
    shapes = [("f32", 4000), ("f32", 10), ("f16", 64)]
    for dtype, rows in shapes:
        size = 4 if dtype == "f32" else 2
        for cols in WIDTHS[1:]:
            copy_us = _copy_us(dtype, rows, cols)
            moved = 2 * rows * cols * size
            shape = (dtype, rows, cols)
            rows_out.append(benchmark(case("copy", *shape), copy_us, moved))
            rows_out.append(benchmark(case("read", *shape), copy_us / 2, moved / 2))
            if dtype == "f32":
                rows_out.append(benchmark(case("pytorch/softmax", *shape), copy_us * 1.6, moved))
            for step, variant, _, _, _, slowness, top_k in UNITS:
                unit = step + (f"/{variant}" if variant else "")
                of = case(unit, *shape, min(5, cols) if top_k else 0)
                limit = {"read_us": copy_us / 2} if top_k else {"copy_us": copy_us}
                rows_out.append(
                    benchmark(of, copy_us * slowness, moved / (2 if top_k else 1), **limit)
                )
    for k in (10, 30, 100):
        of = case("05_topk", "f32", 4000, 25000, k)
        rows_out.append(benchmark(of, 100.0 + 2 * k, 4e8, read_us=101.0))
    rows_out.append(
        {
            **case("04_fourth", "f32", 40000, 1000000),
            "error_occurred": True,
            "error_message": "needs 320 GB, 139 GB are free",
        }
    )
    rows_out.append(
        {
            **case("cudnn/softmax_accurate", "bf16", 32768, 65536),  # a name wider than a phone
            "error_occurred": True,
            "error_message": "error 3000",
        }
    )
    return {
        "context": {"gpu": gpu, "date": date},
        "benchmarks": rows_out,
        "baseline_accuracy": [
            {"baseline": name, "input": f"{cols}.bin", "cols": cols, "max_ulp": max_ulp}
            for name, max_ulp in (("pytorch/softmax", 6.0), ("cudnn/softmax_fast", 9.0))
            for cols in (1000, 4096, 25000)
        ],
    }


def gpu_records():
    rows = []
    for unit in UNITS:
        row = record(unit, rows=4000, cols=4000, machine=GPU)
        rows.append({k: v for k, v in row.items() if "loads" not in k and "stores" not in k})
    return {"records": rows}


def annotations():
    return {"annotations": [annotation(unit) for unit in UNITS]}


def annotation(unit):
    """The first two steps read a row a lane, the others a row a warp."""
    step, variant, *_, top_k = unit
    file = f"{variant}.cu" if variant else "softmax.cu"
    stride = 512 if int(step[:2]) < 3 else 4
    sectors = 32 if stride == 512 else 4
    counts = [
        (5, {"global_load_requests": 8192, "global_load_sectors": 8192 * sectors}),
        (6, {"shared_store_requests": 512, "shared_store_wavefronts": 1024,
             "shared_store_bank_conflicts": 512, "block_barriers": 64}),
        (7, {"shuffles": 5760}),
    ]  # fmt: skip
    lines = [{"file": file, "line": line, "counters": counters} for line, counters in counts]
    requests = [
        {
            "launch": 0, "kernel": "softmax", "block": 0, "warp": 0, "file": file, "line": 5,
            "kind": kind, "bytes": 4, "number": number, "of": 128, "sectors": sectors,
            "wavefronts": 0,
            "lanes": [[lane, array, lane * stride + 4 * (number - 1)] for lane in range(32)],
        }
        for array, kind in enumerate(["global load", "global store"])
        for number in (1, 2)
    ]  # fmt: skip
    arrays = [
        {"name": name, "bytes": 16384, "element_bytes": 4} for name in ("logits", "probabilities")
    ]
    row = {"step": step, "variant": variant, "dtype": "f32", "rows": 64, "cols": 4096}
    row["block_size"] = 256
    of_k = {"k": 5} if top_k else {}
    row["predictions"] = [
        {"rows": 4000, "cols": cols, "loads": 8000 * cols, "stores": 4000 * cols} | of_k
        for cols in (4000, 25000)
    ]
    row |= of_k
    trace = {"rows": 32, "cols": 128, "block_size": 32, "arrays": arrays, "requests": requests}
    return row | {"lines": lines, "trace": trace}


def kernel(step, variant):
    body = "".join(
        f"  y[{i}] = expf(x[{i}] - m) / d;  // {step} {variant}\n"
        if i % 4 == 0
        else f"  step({i});\n"
        for i in range(int(step[:2]), 14)
    )
    return f"// {step}\n#include <cuda_runtime.h>\n\n__global__ void softmax() {{\n{body}}}\n"


def write_steps(directory: Path):
    for step, variant, *_ in UNITS:
        folder = directory / step
        (folder / "variants").mkdir(parents=True, exist_ok=True)
        path = folder / (f"variants/{variant}.cu" if variant else "softmax.cu")
        path.write_text(kernel(step, variant))
        number, title = step.split("_", 1)
        (folder / "README.md").write_text(
            f"# {number} {title.title()}\n\nOne idea of {step}, in one line.\n\n## Result\n\n"
            "<!-- results:begin -->\n<!-- results:end -->\n\n## Line by line\n\n"
            "<!-- lines:begin -->\n<!-- lines:end -->\n\nThe end.\n"
        )
    return directory


def write(directory: Path, name: str, data) -> Path:
    path = directory / name
    path.write_text(json.dumps(data))
    return path


def profile_case(unit, launches, dtype="f32", rows=4000, cols=4000):
    k = 5 if unit[-1] else 0
    return {
        "step": unit[0], "variant": unit[1], "dtype": dtype, "rows": rows, "cols": cols, "k": k,
        "launches": launches,
    }  # fmt: skip


def hardware(date="2026-01-02T00:00:00Z"):
    """The array is read once from DRAM, however often it is loaded."""
    cases = []
    for unit in UNITS:
        top_k = unit[-1]
        cols = 25000 if top_k else 4000
        array = 4000 * cols * 4
        launch = {
            "kernel": "softmax", "grid": [4000, 1, 1], "block": [256, 1, 1],
            "dram_read_bytes": array, "dram_write_bytes": 0 if top_k else array // 2,
            "l1_hit_percent": 25, "l2_hit_percent": 50.4, "registers": 20 + int(unit[0][:2]),
            "local_load_requests": 0, "local_store_requests": 7 if top_k else 0,
            "warp_instructions": 4000 * cols, "special_instructions": 4000 * cols // 8,
            "occupancy_percent": 45.6, "occupancy_limit_percent": 50, "limiter": "L2",
            "limiter_percent": 81.5, "stall": "long_scoreboard", "stall_share": 0.375,
        }  # fmt: skip
        several = [launch | {"kernel": name} for name in ("maxima", "sums")]
        launches = several if unit[0] == "01_first" else [launch]
        cases.append(profile_case(unit, launches, cols=cols))
    return {"hardware": 1, "context": {"gpu": GPU, "date": date}, "cases": cases}


def parity(reason="", date="2026-01-02T00:00:00Z"):
    """Every unit: two figures equal, one by a rule, one that differs for `reason`."""
    launch = {
        "kernel": "softmax",
        "equal": {"global_load_requests": 4096, "shuffles": 90},
        "ruled": {"shared_load_requests": {"ours": 640, "ncu": 512, "rules": ["merged"]}},
        "differ": {"shared_store_wavefronts": {"ours": 64, "ncu": [65, 66], "reason": reason}},
        "zero": 3,
    }
    return {
        "parity": 1,
        "context": {"gpu": GPU, "date": date},
        "figures": {"shuffles": ["SHFL"], "global_load_requests": ["l1tex__loads"]},
        "not_compared": {"divergences": "predicates"},
        "reasons": {"merged": {"what": "two loads at once", "sass": "LDS.64"},
                    "varies": {"what": "hardware", "sass": "none"}},
        "cases": [profile_case(unit, [launch]) for unit in UNITS],
    }  # fmt: skip


def one_row_results():
    """(records, bench) where 04_fourth takes one row alone, and 03_third is timed there as well."""
    third, fourth = UNITS[3], UNITS[5]
    rows = [record(third, cols=cols) for cols in (1000, 4000)]
    rows += [record(fourth, rows=1, cols=4**power, max_ulp=90.0) for power in (6, 8, 10)]
    times = [benchmark(case("03_third", "f32", 4000, 4000), 100.0, 1e6, copy_us=50.0)]
    for size in (2**16, 2**20, 2**24):
        copy_us = _copy_us("f32", 1, size)
        for name, slowness in (
            ("03_third", 30.0), ("04_fourth", 1.5), ("copy", 1.0), ("pytorch/softmax", 99.0),
            ("cudnn/softmax_accurate", 500.0), ("torch_copy", 1.1),
        ):  # fmt: skip
            of = case(name, "f32", 1, size)
            times.append(benchmark(of, copy_us * slowness, 1e6, copy_us=copy_us))
    context = {"gpu": GPU, "date": "2026-01-01T00:00:00+00:00"}
    return {"records": rows}, {"context": context, "benchmarks": times}


# ---- the kernels that the sections of the source documents ask for, by their real names ----

# name, loads and stores per element, relative time
DOCUMENT_KERNELS = [
    ("01_naive_three_kernels", 4, 2, 6.0),
    ("01_naive_three_kernels/half_arithmetic", 4, 2, 5.0),
    ("02_fused", 3, 1, 4.0),
    ("03_online", 2, 1, 3.0),
    ("04_shared_memory", 2, 1, 1.8),
    ("05_warp_shuffle", 2, 1, 1.5),
    ("05_warp_shuffle/safe", 3, 1, 1.8),
    ("05_warp_shuffle/unsafe", 2, 1, 1.44),
    ("07_topk_fusion", 1, 0, 0.8),
    ("07_topk_fusion/safe_fused", 2, 0, 1.6),
    ("07_topk_fusion/safe_then_top_k", 4, 1, 3.2),
    ("07_topk_fusion/online_then_top_k", 3, 1, 2.4),
    ("08_log_softmax", 2, 1, 1.2),
    ("08_log_softmax/log_of_softmax", 2, 1, 1.3),
    ("08_log_softmax/serial", 3, 1, 9.0),
    ("08_log_softmax/three_passes", 3, 1, 1.6),
    ("09_long_row_one_block", 3, 1, 90.0),
    ("10_long_row_many_launches", 4, 2, 5.0),
    ("11_long_row_online", 2, 1, 1.25),
]
VECTOR_SIZES = tuple(4**power for power in range(5, 14))
K_SWEEP = (5, 10, 15, 30, 64, 128)


def document_cases():
    """(what a row is of, relative time), all that the sections ask for."""
    slowness = {name: time for name, _, _, time in DOCUMENT_KERNELS}
    slowness |= {
        "copy": 1.0, "read": 0.5, "pytorch/softmax": 2.0, "cudnn/softmax_accurate": 20.0,
        "pytorch/log_softmax": 1.4, "cudnn/log_softmax": 4.0,
    }  # fmt: skip

    def rows(subjects, dtype, sizes, k=0):
        return [
            (case(subject, dtype, *size, k), slowness[subject])
            for subject in subjects
            for size in sizes
        ]

    kernels = [name for name, *_ in DOCUMENT_KERNELS]
    block, top_k = kernels[5:8], kernels[8:12]
    names = rows(kernels[:4], "f16", [(r, 2**c) for r in (32, 64) for c in range(9, 14)])
    names += rows(kernels[2:6], "f32", [(1024, 1024), (1024, 32768), (128, 131072)])
    names += rows(block, "f32", [(r, cols) for r in (4000, 10) for cols in WIDTHS[1:]])
    names += rows(top_k, "f32", [(r, cols) for r in (4000, 10) for cols in WIDTHS[1:]], 5)
    for k in K_SWEEP[1:]:
        names += rows(top_k, "f32", [(4000, 25000)], k)
    note = [*kernels[12:16], "pytorch/log_softmax", "cudnn/log_softmax", "copy"]
    names += rows(note, "f32", [(256, 30000)])
    vector = [*kernels[16:], "pytorch/softmax", "cudnn/softmax_accurate", "copy"]
    return names + rows(vector, "f32", [(1, size) for size in VECTOR_SIZES])


def documents_bench(gpu=GPU, date="2026-01-01T00:00:00+00:00", keep=lambda name: True):
    """Times of all that the sections ask for; every ratio is that of the relative times."""
    rows = []
    for of, slowness in document_cases():
        copy_us = _copy_us(of["dtype"], of["rows"], of["cols"])
        if keep(of["name"]):
            rows.append(benchmark(of, copy_us * slowness, 1e6, copy_us=copy_us))
    return {"context": {"gpu": gpu, "date": date}, "benchmarks": rows}


def documents_records():
    """Counts of the same kernels, in fp32 and fp16."""
    rows = []
    for name, loads, stores, _ in DOCUMENT_KERNELS:
        step, _, variant = name.partition("/")
        top_k = step.startswith("07")
        unit = (step, variant, "", (loads, 0, 0), (stores, 0, 2 if top_k else 0), 1.0, top_k)
        fails = "overflows" if variant == "log_of_softmax" else ""
        rows += [
            record(unit, dtype, rows=4, cols=100000, expected_failure=fails) for dtype in DTYPES[:2]
        ]
    return {"records": rows}
