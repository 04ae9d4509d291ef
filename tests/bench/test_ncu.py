"""bench/ncu reads what Nsight Compute prints, and holds the executor's counts against it."""

import contextlib
import functools
import io
import json
import runpy
import subprocess
import sys
import unittest.mock
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_NCU = _ROOT / "bench/ncu"
_CASE = {
    "step": "05_warp_shuffle",
    "variant": "",
    "dtype": "f32",
    "rows": 144,
    "cols": 1024,
    "k": 0,
}
_SHAPE = {"grid": [144, 1, 1], "block": [128, 1, 1]}

# What the executor counts of that launch, and what ncu printed of it on an H200.
_COUNTERS = {
    "global_load_requests": 9216, "global_load_sectors": 36864,
    "global_store_requests": 4608, "global_store_sectors": 18432, "global_load_bytes": 1179648,
    "global_store_bytes": 589824, "global_atomic_requests": 0, "global_atomic_sectors": 0,
    "shared_load_requests": 1440, "shared_load_wavefronts": 1440, "shared_load_bank_conflicts": 0,
    "shared_store_requests": 1440, "shared_store_wavefronts": 1440,
    "shared_store_bank_conflicts": 0, "shuffles": 7200, "votes": 0, "block_barriers": 288,
    "async_copy_requests": 0, "async_copy_bytes": 0,
}  # fmt: skip
_METRICS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "9,216",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "36,864",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "4,608",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "18,432",
    "smsp__sass_data_bytes_mem_global_op_ld.sum": "1,179,648",
    "smsp__sass_data_bytes_mem_global_op_st.sum": "589,824",
    "smsp__inst_executed_op_shared_ld.sum": "864",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "864",
    "smsp__inst_executed_op_shared_st.sum": "1,296",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "1,296",
    "sass__inst_executed_per_opcode": "15,000 (IMAD: 6,639; SHFL: 7,200; BAR: 1,152; ISETP.U32: 9)",
}


def ncu(*arguments):
    """Runs it in this process: a hundred of its own would take most of the tests' time."""
    said, complained = io.StringIO(), io.StringIO()
    command = ["bench/ncu", *map(str, arguments)]
    with (
        unittest.mock.patch.object(sys, "argv", command),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
        pytest.raises(SystemExit) as ended,
    ):
        runpy.run_path(str(_NCU), run_name="__main__")
    code = ended.value.code
    if isinstance(code, str):  # as the interpreter ends a program with words
        print(code, file=complained)
        code = 1
    return subprocess.CompletedProcess(command, code, said.getvalue(), complained.getvalue())


@functools.cache
def asked_for():
    return ncu("metrics", "parity").stdout.strip().split(",")


class Session:
    """The files of a profiling session in which one launch was made."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.measured = folder / "measured.json"
        self.counted = self.write("cpu.json", self.profile(kernel="softmax", counters=_COUNTERS))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    def profile(self, machine="H200", **launch):
        head = {"part": "parity", "machine": machine, "date": "2026-01-01T00:00:00Z"}
        head |= {"cuda_driver": "13.0", "cuda_runtime": "13.0"}
        return head | {"cases": [_CASE | {"launches": [_SHAPE | launch]}]}

    def table(self, name="ncu.csv", grid="(144, 1, 1)", rows=1, **changed):
        metrics = dict.fromkeys(asked_for(), "0") | _METRICS | changed
        head = ["ID", "Kernel Name", "Block Size", "Grid Size", *metrics]
        row = ["0", "softmax", "(128, 1, 1)", grid, *metrics.values()]
        lines = [head, [""] * len(head), *[row] * rows]
        table = "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines)
        return self.write(name, f"==PROF== Connected to process 1\n{table}\n")

    def gather(self, *tables):
        profile = self.write("gpu.json", self.profile())
        pairs = [part for table in tables for part in ("--profile", profile, "--ncu", table)]
        return ncu("gather", "parity", *pairs, "--out", self.measured)

    def compare(self, *options):
        return ncu("compare", "--measured", self.measured, "--counted", self.counted, *options)


@pytest.fixture
def session(tmp_path):
    return Session(tmp_path)


def test_a_launch_as_an_h200_saw_it(session):
    assert session.gather(session.table()).returncode == 0
    result = session.compare()
    assert result.returncode == 0, result.stdout + result.stderr
    # Shared loads and stores, requests and wavefronts, by the rule that m and d are moved together.
    assert "12 figures: 8 equal, 4 equal by a rule" in result.stdout


def test_a_comparison_that_cannot_be_written_is_named(session, tmp_path):
    session.gather(session.table())
    result = session.compare("--out", tmp_path / "nowhere/parity.json")
    assert result.returncode == 1
    assert f"{tmp_path}/nowhere/parity.json: cannot be written: No such file" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("metric", "figure"),
    [
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_load_sectors"),
        ("smsp__inst_executed_op_shared_ld.sum", "shared_load_requests"),
        ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared_load_bank_conflicts"),
        ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_store_wavefronts"),
        ("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "local_store_requests"),
        ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "global_atomic_requests"),
    ],
)
def test_a_figure_that_is_off_by_one_fails(session, metric, figure):
    one_more = int(_METRICS.get(metric, "0").replace(",", "")) + 1
    session.gather(session.table(**{metric: f"{one_more:,}"}))
    result = session.compare()
    assert result.returncode == 1
    assert f"{figure} is " in result.stdout
    assert " 1 without one" in result.stdout


def test_an_instruction_too_many_fails(session):
    changed = _METRICS["sass__inst_executed_per_opcode"].replace("7,200", "7,201")
    session.gather(session.table(sass__inst_executed_per_opcode=changed))
    assert "shuffles is 7200 on the executor and 7201 by ncu" in session.compare().stdout


@pytest.mark.parametrize(("op", "by_rule"), [("ld", 864), ("st", 1296)])
def test_wavefronts_that_are_conflicts_vary(session, op, by_rule):
    wavefronts = f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
    conflicts = f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"

    def compared(more, of_them_conflicts):
        changed = {wavefronts: str(by_rule + more), conflicts: str(of_them_conflicts)}
        session.gather(session.table(**changed))
        return session.compare()

    assert "2 listed with their reason, 0 without" in compared(3, 3).stdout
    most = by_rule * 15 // 100
    assert compared(most, most).returncode == 0
    assert compared(most + 1, most + 1).returncode == 1  # that many are no noise
    assert compared(3, 2).returncode == 1
    assert compared(-3, 0).returncode == 1
    assert compared(-3, -3).returncode == 1


def test_of_two_runs_that_differ_neither_is_taken_for_equal(session):
    changed = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "1,299",
               "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "3"}  # fmt: skip
    session.gather(session.table("first.csv", **changed), session.table("second.csv"))
    assert "3 equal by a rule of what nvcc did, 2 listed" in session.compare().stdout


def test_a_recorded_comparison_is_checked_again(session):
    session.gather(session.table())
    recorded = session.folder / "parity.json"
    session.compare("--out", recorded)
    check = ("check", "--recorded", recorded, "--counted", session.counted)
    assert ncu(*check).returncode == 0
    session.write("cpu.json", session.profile(kernel="softmax", counters=_COUNTERS | {"votes": 1}))
    result = ncu(*check)
    assert result.returncode == 1
    assert "05_warp_shuffle/, f32 144 x 1024: the executor's figures are no longer" in result.stdout


def test_what_was_compared_is_counted_again_step_by_step(session):
    variants = [("16_cluster", "one_pass"), ("19_backward", "plain_sum"), ("19_backward", "")]
    cases = [_CASE | {"step": step, "variant": variant} for step, variant in variants]
    recorded = session.write("recorded.json", {"cases": cases})
    assert ncu("steps", "--recorded", recorded).stdout == "16_cluster/one_pass\n19_backward\n"


def test_a_comparison_is_checked_with_all_that_was_counted(session):
    session.gather(session.table())
    recorded = session.folder / "parity.json"
    session.compare("--out", recorded)
    other = session.profile(kernel="softmax", counters=_COUNTERS | {"votes": 1})
    other["cases"][0]["step"] = "06_vectorized"  # which was not compared
    more = session.write("more.json", other)
    check = ("check", "--recorded", recorded, "--counted", more)
    assert ncu(*check, "--counted", session.counted).returncode == 0
    result = ncu(*check)
    assert result.returncode == 2
    assert "the executor's profile has no 05_warp_shuffle/, f32 144 x 1024" in result.stderr


# What an H200, or of steps 19 and 20 and of newer variants an H100, counted of launches in which
# nvcc made something else of the source, by the names of the executor's figures: the launch, what
# the executor counts and what ncu counted, less the wavefronts that vary.
_SHARED_LOADS = ("shared_load_requests", "shared_load_wavefronts")
_SHARED_STORES = ("shared_store_requests", "shared_store_wavefronts")
_RULED = [
    ("08_log_softmax", "log_softmax", "f32", 40, 20, 0, 40, 128,
     {_SHARED_LOADS: (400, 240), _SHARED_STORES: (400, 360)}),
    ("08_log_softmax/negative_log_likelihood", "negative_log_likelihood",
     "bf16", 40, 20, 0, 40, 256,
     {_SHARED_LOADS: (720, 120), _SHARED_STORES: (720, 680)}),
    ("08_log_softmax/log_of_softmax", "log_of_softmax", "f32", 40, 20, 0, 40, 1024,
     {_SHARED_LOADS: (1320, 80)}),
    ("09_long_row_one_block", "softmax", "f16", 1, 20, 0, 1, 1024, {_SHARED_LOADS: (66, 35)}),
    ("10_long_row_many_launches", "exponentiate", "f32", 1, 131072, 0, 128, 1024,
     {("shared_store_requests",): (128, 4096), ("shared_store_wavefronts",): (128, 128)}),
    ("11_long_row_online", "reduce", "f32", 1, 100003, 0, 98, 1024,
     {_SHARED_LOADS: (6468, 294), _SHARED_STORES: (6468, 6370)}),
    ("11_long_row_online", "reduce", "f32", 1, 1050001, 0, 256, 1024,
     {("global_load_sectors",): (131251, 131255),
      _SHARED_LOADS: (16896, 768), _SHARED_STORES: (16896, 16640)}),
    ("11_long_row_online", "divide", "f32", 1, 100003, 0, 98, 1024,
     {("global_load_requests",): (3910, 3518), ("global_load_sectors",): (17401, 14951),
      _SHARED_LOADS: (6468, 3322), _SHARED_STORES: (6468, 6370)}),
    ("11_long_row_online/three_launches", "combine_blocks", "f32", 1, 100003, 0, 1, 512,
     {("global_load_requests",): (14, 7), ("global_load_sectors",): (98, 49),
      _SHARED_LOADS: (34, 3), _SHARED_STORES: (34, 33)}),
    ("11_long_row_online/three_launches", "divide", "f32", 1, 100003, 0, 196, 512,
     {("global_load_requests",): (3518, 3322), ("global_load_sectors",): (12893, 12697),
      _SHARED_LOADS: (6272, 3126), ("shared_store_requests",): (392, 3136),
      ("shared_store_wavefronts",): (392, 196)}),
    ("07_topk_fusion/safe_then_top_k", "softmax", "f32", 40, 20, 5, 40, 1024,
     {_SHARED_LOADS: (2640, 1400)}),
    ("07_topk_fusion/online_then_top_k", "softmax", "f32", 40, 20, 5, 40, 1024,
     {_SHARED_LOADS: (2640, 120), _SHARED_STORES: (2640, 2600)}),
    ("07_topk_fusion", "softmax_top_k", "f32", 36, 4096, 100, 36, 512,
     {("shared_load_requests",): (1090998, 1089882),
      ("shared_load_wavefronts",): (1813890, 1812774),
      ("shared_store_requests",): (484256, 484220),
      ("shared_store_wavefronts",): (846530, 846494)}),
    ("13_row_in_a_warp", "softmax", "f16", 4000, 32, 0, 63, 128, {("shuffles",): (756, 504)}),
    ("13_row_in_a_warp/four_vectors", "softmax", "f16", 40, 20, 0, 10, 32,
     {("shuffles",): (90, 80)}),
    ("15_row_in_shared_memory/shared_memory_alone", "softmax", "f16", 40, 20, 0, 40, 128,
     {("shuffles",): (4800, 4640)}),
    ("15_row_in_shared_memory/plain_difference", "softmax", "f32", 3, 50001, 0, 3, 512,
     {("shared_load_requests",): (4830, 4782), ("shared_store_requests",): (885, 837),
      ("shared_store_wavefronts",): (3249, 3201), ("shared_load_wavefronts",): (9555, 9507)}),
    ("16_cluster", "softmax", "f32", 3, 50001, 0, 48, 512,
     {("global_store_bytes",): (600012, 609228), ("shared_load_requests",): (4608, 4800),
      ("shared_store_requests",): (2448, 2304)}),
    ("16_cluster/barriers_with_fences", "softmax", "f32", 36, 4096, 0, 72, 128,
     {("global_store_bytes",): (589824, 591552), ("shared_load_requests",): (1728, 4032),
      ("shared_store_requests",): (1080, 864)}),
    ("16_cluster/through_global_memory", "softmax", "f32", 36, 4096, 0, 72, 128,
     {("shared_load_requests",): (864, 1152)}),
    ("16_cluster/four_blocks", "softmax", "bf16", 1, 100003, 0, 4, 512,
     {("global_load_sectors",): (6251, 6790), ("global_store_bytes",): (200006, 200198),
      ("shared_load_requests",): (1200, 1216), ("shared_store_requests",): (204, 192)}),
    ("16_cluster/one_pass", "softmax", "f16", 3, 50001, 0, 48, 256,
     {("global_store_bytes",): (300006, 309222), ("shared_load_requests",): (2304, 2496),
      ("shared_store_requests",): (1296, 1152)}),
    ("13_row_in_a_warp/warp_reduce", "softmax", "f16", 40, 20, 0, 10, 128,
     {("shuffles",): (3840, 0)}),
    ("16_cluster/log_softmax", "log_softmax", "f32", 3, 50001, 0, 48, 512,
     {("global_store_bytes",): (600012, 606156), ("shared_load_requests",): (3072, 1728),
      ("shared_load_wavefronts",): (3072, 1536), ("shared_store_requests",): (1632, 768),
      ("shared_store_wavefronts",): (1632, 864)}),
    ("16_cluster/messages", "softmax", "f32", 1, 1050001, 0, 16, 512,
     {("global_load_sectors",): (131251, 155872), ("shared_load_requests",): (43098, 41050),
      ("shared_load_wavefronts",): (98439, 82055), ("shared_load_bank_conflicts",): (18432, 0),
      ("local_load_requests",): (0, 7937), ("local_store_requests",): (0, 8704),
      ("shuffles",): (29696, 5120)}),
    ("16_cluster/messages", "softmax", "f16", 36, 4096, 0, 144, 128,
     {("shared_load_requests",): (1152, 2304), ("shared_load_wavefronts",): (1152, 576),
      ("shuffles",): (42624, 5760)}),
    ("17_long_row_one_launch", "softmax", "f32", 1, 20, 0, 1, 128,
     {("global_load_requests",): (4, 5), ("global_load_sectors",): (6, 7),
      ("global_load_bytes",): (92, 96), ("global_atomic_requests",): (0, 1),
      ("global_atomic_sectors",): (0, 1), ("shared_load_requests",): (24, 28),
      ("shuffles",): (260, 261), ("block_barriers",): (2, 16)}),
    ("17_long_row_one_launch/registers_alone", "softmax", "f32", 1, 20, 0, 1, 256,
     {("global_load_requests",): (4, 5), ("global_load_sectors",): (6, 7),
      ("global_load_bytes",): (92, 96), ("global_atomic_requests",): (0, 1),
      ("global_atomic_sectors",): (0, 1), ("local_store_requests",): (0, 8),
      ("shuffles",): (520, 521), ("block_barriers",): (2, 32)}),
    ("17_long_row_one_launch/forward_again", "softmax", "f32", 1, 100003, 0, 98, 512,
     {("global_atomic_requests",): (0, 98), ("global_atomic_sectors",): (0, 98),
      ("global_load_requests",): (1959, 2057), ("global_load_sectors",): (23379, 23477),
      ("global_load_bytes",): (515260, 515652), ("shared_load_requests",): (9408, 9800),
      ("local_load_requests",): (0, 2), ("local_store_requests",): (0, 3136),
      ("shuffles",): (101920, 102018), ("block_barriers",): (196, 6272)}),
    ("17_long_row_one_launch/plain_difference", "softmax", "f32", 1, 20, 0, 1, 128,
     {("global_load_requests",): (3, 4), ("global_load_sectors",): (5, 6),
      ("global_load_bytes",): (88, 92), ("global_atomic_requests",): (0, 1),
      ("global_atomic_sectors",): (0, 1), ("shared_load_requests",): (16, 12),
      ("shared_store_requests",): (16, 8), ("shared_load_wavefronts",): (16, 8),
      ("shared_store_wavefronts",): (16, 8), ("shuffles",): (180, 181),
      ("block_barriers",): (2, 16)}),
    ("19_backward", "softmax_backward", "f16", 3, 50001, 0, 24, 256,
     {("global_store_bytes",): (300006, 301542), _SHARED_LOADS: (768, 384),
      ("shared_store_requests",): (432, 192), ("shared_store_wavefronts",): (432, 240)}),
    ("19_backward", "softmax_backward", "f16", 288, 1024, 0, 288, 128,
     {_SHARED_LOADS: (2304, 1152), _SHARED_STORES: (2304, 1152)}),
    ("19_backward/log_softmax", "log_softmax_backward", "f32", 1, 131072, 0, 8, 1024,
     {("global_store_bytes",): (524288, 524800), ("shared_load_requests",): (1024, 512),
      ("shared_load_wavefronts",): (1536, 768), ("shared_load_bank_conflicts",): (512, 0),
      ("shared_store_requests",): (528, 256), ("shared_store_wavefronts",): (528, 272)}),
    ("19_backward/plain_sum", "softmax_backward", "bf16", 1, 100003, 0, 8, 512,
     {("global_store_bytes",): (200006, 200262), ("shared_store_requests",): (136, 128)}),
    ("19_backward/reads_twice", "softmax_backward", "bf16", 36, 4096, 0, 36, 512,
     {_SHARED_LOADS: (1152, 576), _SHARED_STORES: (1152, 576)}),
    ("19_backward/shared_memory", "softmax_backward", "f16", 300, 777, 0, 300, 128,
     {("global_load_sectors",): (33600, 30900), ("shared_load_requests",): (12150, 10950),
      ("shared_load_wavefronts",): (17100, 15900), _SHARED_STORES: (2400, 1200)}),
    ("19_backward/shared_memory", "softmax_backward", "f16", 3, 50001, 0, 12, 256,
     {("global_load_sectors",): (19540, 18952), ("global_store_bytes",): (300006, 300390),
      ("shared_load_requests",): (6264, 6120), ("shared_load_wavefronts",): (9768, 9576),
      ("shared_store_requests",): (216, 96), ("shared_store_wavefronts",): (216, 120)}),
    ("19_backward/short_rows", "softmax_backward", "bf16", 300, 777, 0, 75, 128,
     {("local_load_requests",): (0, 900), ("local_store_requests",): (0, 900)}),
    ("20_cross_entropy", "cross_entropy", "f32", 36, 4096, 0, 72, 512,
     {("global_store_bytes",): (590112, 592416), ("shared_load_requests",): (9216, 2592),
      ("shared_load_wavefronts",): (13824, 3456), ("shared_load_bank_conflicts",): (4608, 0),
      ("shared_store_requests",): (4896, 1152), ("shared_store_wavefronts",): (4896, 1224)}),
    ("20_cross_entropy", "cross_entropy", "f32", 1, 1050001, 0, 16, 1024,
     {("global_store_bytes",): (4200012, 4204108), ("shared_load_requests",): (28762, 25755),
      ("shared_load_wavefronts",): (61575, 52360), ("shared_load_bank_conflicts",): (8192, 0),
      ("shared_store_requests",): (6223, 4624), ("shared_store_wavefronts",): (18541, 16958)}),
    ("20_cross_entropy", "cross_entropy", "bf16", 1, 1050001, 0, 16, 1024,
     {("global_store_bytes",): (2100010, 2104106), ("shared_load_requests",): (16468, 13460),
      ("shared_load_wavefronts",): (36933, 27717), ("shared_load_bank_conflicts",): (8192, 0),
      ("shared_store_requests",): (2112, 512), ("shared_store_wavefronts",): (2112, 528)}),
    ("20_cross_entropy/loss_alone", "negative_log_likelihood", "f16", 36, 4096, 0, 36, 512,
     {_SHARED_LOADS: (1224, 108), _SHARED_STORES: (1224, 1188)}),
]  # fmt: skip


def metric_of(figure):
    """The first, if there are several; and all others are 0."""
    opcodes = {"shuffles": "SHFL", "votes": "VOTE", "block_barriers": "BAR"}
    if figure in opcodes:
        return opcodes[figure]
    memory, kind, what = figure.split("_", 2)
    op = {"load": "ld", "store": "st", "atomic": "atom"}[kind]
    if what == "bytes":
        return f"smsp__sass_data_bytes_mem_{memory}_op_{op}.sum"
    if memory != "shared":
        return f"l1tex__t_{what}_pipe_lsu_mem_{memory}_op_{op}.sum"
    if what == "requests":
        return f"smsp__inst_executed_op_shared_{op}.sum"
    if what == "bank_conflicts":
        return f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
    return f"l1tex__data_pipe_lsu_{what}_mem_shared_op_{op}.sum"


def compared(session, launch, ours, theirs, **told):
    """One launch whose other figures are all 0, of which the executor may have told more."""
    unit, kernel, dtype, rows, cols, k, blocks, threads = launch
    step, _, variant = unit.partition("/")
    about = {"step": step, "variant": variant, "dtype": dtype, "rows": rows, "cols": cols, "k": k}
    shape = {"kernel": kernel, "grid": [blocks, 1, 1], "block": [threads, 1, 1]}
    names = [*(name for name in asked_for() if "." in name), "SHFL", "VOTE", "BAR"]
    metrics = dict.fromkeys(names, 0) | {metric_of(name): n for name, n in theirs.items()}
    counters = dict.fromkeys(_COUNTERS, 0) | ours
    for name, figures in (
        ("measured", {"metrics": metrics}),
        ("cpu", {"counters": counters} | told),
    ):
        case = about | {"launches": [shape | figures]}
        session.write(f"{name}.json", {"context": {}, "cases": [case]})
    return session.compare()


@pytest.mark.parametrize("ruled", _RULED, ids=lambda ruled: f"{ruled[0]}-{ruled[1]}-{ruled[2]}")
def test_a_rule_foretells_what_a_gpu_counted(session, ruled):
    *launch, changed = ruled
    ours = {name: value[0] for names, value in changed.items() for name in names}
    theirs = {name: value[1] for names, value in changed.items() for name in names}
    assert compared(session, launch, ours, theirs).returncode == 0
    for name, value in theirs.items():
        if launch[0].startswith("17") and name.startswith("global_load"):
            continue  # more of them are listed, see below
        result = compared(session, launch, ours, theirs | {name: value + 1})
        warps = launch[-1] // 32 if name == "block_barriers" else 1
        assert f"{name} is {ours[name] * warps} on the executor" in result.stdout
        assert result.returncode == 1


@pytest.mark.parametrize(
    ("figure", "each"),
    [("global_load_requests", 1), ("global_load_sectors", 1), ("global_load_bytes", 4)],
)
def test_threads_that_wait_for_a_grid_look_at_most_five_times(session, figure, each):
    (ruled,) = (ruled for ruled in _RULED if ruled[0] == "17_long_row_one_launch")
    *launch, changed = ruled
    ours = {name: value[0] for names, value in changed.items() for name in names}
    theirs = {name: value[1] for names, value in changed.items() for name in names}

    def with_more(more):
        return compared(session, launch, ours, theirs | {figure: theirs[figure] + more})

    assert "1 listed with their reason, 0 without" in with_more(4 * each).stdout
    assert with_more(5 * each).returncode == 1
    assert with_more(-each).returncode == 1


@pytest.mark.parametrize(
    ("runs", "explained"), [([11, 19], True), ([0, 48], True), ([0, 49], False), ([19], False)]
)
def test_stores_that_meet_arriving_loads_vary_by_half_at_most(session, runs, explained):
    launch = ("19_backward/reads_twice", "softmax_backward", "f32", 3, 50001, 0, 3, 1024)
    ours = {"shared_store_requests": 192, "shared_store_wavefronts": 192,
            "shared_load_requests": 192, "shared_load_wavefronts": 384,
            "shared_load_bank_conflicts": 192}  # fmt: skip
    theirs = {"shared_store_requests": 96, "shared_load_requests": 96,
              "shared_load_wavefronts": 192, "shared_store_bank_conflicts": runs,
              "shared_store_wavefronts": [96 + more for more in runs]}  # fmt: skip
    assert (compared(session, launch, ours, theirs).returncode == 0) == explained
    other = ("12_bytes_in_flight/exact", "softmax", *launch[2:])  # without a rule
    stores = ("shared_store_requests", "shared_store_wavefronts")
    of_stores = {name: value for name, value in theirs.items() if "store" in name}
    result = compared(session, other, dict.fromkeys(stores, 96), of_stores)
    assert "2 without one" in result.stdout


# Step 18 in f16, of 40 rows of 20 columns: half of them begin in the middle of a sector and have no
# whole one. What the warps of a block did, at each line that rules look at.
_TOP_K = ("18_topk_by_threshold", "softmax_top_k", "f16", 40, 20, 5, 40, 64)
_OF_EACH_WARP = {"first < told.chosen; first += threads shared load": [1]}
_OF_A_FIRST_WARP = {
    "place += entries[i] > mine; shared load": [20],
    "told.chosen = min(k, told.few); shared store": [1],
    "int place = atomicAdd(&told.listed, those); shared atomic": [1],
    "list[place++] = entry_of(rank, col + i); shared store": [1],
    "i < told.listed; i += threads shared load": [1],
    "place_of(list[i], list, told.listed); shared load": [1],
}
_ALONE_WITH_A_SECTOR = {"if (first + thread < told.chosen) { shared load": [1]}
_WITH_A_SECTOR = _ALONE_WITH_A_SECTOR | {
    "first < told.chosen; first += threads shared load": [1, 1],
    "place += entries[i] > mine; shared load": [1, 20],
    "const int place = atomicAdd(&told.few, 1); shared atomic": [1],
    "if (place < kFew) few[place] = entry_of(ranks[i], sector + i); shared store": [1],
    "i < told.few; i += blockDim.x shared load": [1],
    "place_of(few[i], few, told.few); shared load": [1],
    "if (place < k) numbers[place] = shared store": [1],
    "int place = atomicAdd(&told.listed, those); shared atomic": [2],
    "list[place++] = entry_of(rank, col + i); shared store": [1, 16],
    "sectors + thread] = kNoRank; shared store": [1],
    "const int vector = numbers[first + thread] * kVectorsPerSector; shared load": [1],
}
_WARPS = [
    _OF_EACH_WARP | _OF_A_FIRST_WARP | _WITH_A_SECTOR,
    _OF_EACH_WARP | _OF_A_FIRST_WARP,
    _OF_EACH_WARP | _ALONE_WITH_A_SECTOR,
    _OF_EACH_WARP,
]
_TOP_K_OURS = {
    "shared_load_requests": 1520, "shared_load_wavefronts": 1560, "shared_store_requests": 840,
    "shared_store_wavefronts": 860, "shuffles": 5600,
}  # fmt: skip
_TOP_K_THEIRS = {
    "shared_load_requests": 960, "shared_load_wavefronts": 1400, "shared_store_requests": 920,
    "shared_store_wavefronts": 740, "shuffles": 3100, "votes": 20, "local_load_requests": 120,
    "local_store_requests": 320,
}  # fmt: skip


def by_line(warps, counters=None):
    """As worklog_profile_cpu --by-line tells it: by the numbers of the lines."""
    source = _ROOT / "steps/18_topk_by_threshold/softmax.cu"

    def place(text):
        (number,) = (
            number
            for number, line in enumerate(source.read_text().splitlines(), start=1)
            if text in line
        )
        return f"softmax.cu:{number}"

    def named(requests):
        split = {text: text.rsplit(" ", 2) for text in requests}
        return {
            f"{place(line)} {memory} {kind}": requests[text]
            for text, (line, memory, kind) in split.items()
        }

    return {
        "by_line": {place(text): values for text, values in (counters or {}).items()},
        "by_warp": [{"warps": 20, "requests": named(requests)} for requests in warps],
    }


def test_rules_of_step_18_take_what_the_executor_counted_at_each_line(session):
    told = by_line(_WARPS)
    result = compared(session, _TOP_K, _TOP_K_OURS, _TOP_K_THEIRS, **told)
    assert "8 figures: 0 equal, 8 equal by a rule" in result.stdout
    for name, value in _TOP_K_THEIRS.items():
        result = compared(session, _TOP_K, _TOP_K_OURS, _TOP_K_THEIRS | {name: value + 1}, **told)
        assert f"{name} is {_TOP_K_OURS.get(name, 0)} on the executor" in result.stdout
        assert result.returncode == 1


def test_another_turn_at_a_line_changes_what_a_rule_foretells(session):
    for line in _WARPS[0]:
        # Of these two a rule takes the smaller one: g++ may make two copies of the first.
        is_limit = "told.listed, those" in line or "numbers[first + thread]" in line
        other = -1 if is_limit else 1
        last = _WARPS[0][line][-1] + other
        more = [_WARPS[0] | {line: [*_WARPS[0][line][:-1], last]}, *_WARPS[1:]]
        result = compared(session, _TOP_K, _TOP_K_OURS, _TOP_K_THEIRS, **by_line(more))
        assert result.returncode in (1, 2), line  # another figure, or no warp does that


def test_a_profile_without_lines_is_named_where_a_rule_needs_them(session):
    result = compared(session, _TOP_K, _TOP_K_OURS, _TOP_K_THEIRS)
    assert result.returncode == 2
    assert "of 18_topk_by_threshold has no lines: see --by-line" in result.stderr


@pytest.mark.parametrize(
    ("wavefronts", "conflicts", "explained"),
    [
        (-20, 0, True),  # one warp of each block stores a number, not two
        (-21, 0, False),  # in one block none
        (1, 0, False),  # three in a block
        (-20, 20, False),  # and in one wavefront no conflict
        (0, 20, True),  # both numbers of a block by one warp, in two wavefronts
    ],
)
def test_how_warps_store_depends_on_their_order(session, wavefronts, conflicts, explained):
    """In the 20 blocks that have sectors, both warps look for the place of one and store a number
    here."""
    second = _WARPS[2] | {
        "place += entries[i] > mine; shared load": [1],
        "place_of(few[i], few, told.few); shared load": [1],
        "if (place < k) numbers[place] = shared store": [1],
    }
    numbers = {"shared_store_requests": 40, "shared_store_wavefronts": 40}
    told = by_line(
        [_WARPS[0], _WARPS[1], second, _WARPS[3]], {"if (place < k) numbers[place] =": numbers}
    )
    theirs = _TOP_K_THEIRS | {
        "shared_store_wavefronts": _TOP_K_THEIRS["shared_store_wavefronts"] + wavefronts,
        "shared_store_bank_conflicts": conflicts,
    }
    result = compared(session, _TOP_K, _TOP_K_OURS, theirs, **told)
    assert ("shared_store_wavefronts is 860" not in result.stdout) == explained


def test_asynchronous_copies_are_shared_loads_without_bytes(session):
    launch = ("15_row_in_shared_memory", "softmax", "f32", 288, 1024, 0, 288, 32)
    ours = {
        "global_load_requests": 2304, "global_load_bytes": 1179648, "shared_load_requests": 7776,
        "async_copy_requests": 2304, "async_copy_bytes": 1179648,
    }  # fmt: skip
    theirs = {"global_load_requests": 2304, "shared_load_requests": 14688}
    assert compared(session, launch, ours, theirs).returncode == 0
    assert compared(session, launch, ours | {"async_copy_bytes": 0}, theirs).returncode == 1


def test_launches_must_match(session):
    result = session.gather(session.table(grid="(145, 1, 1)"))
    assert result.returncode == 2
    assert "has a grid and a block of [144, 1, 1]" in result.stderr
    assert "has more launches than" in session.gather(session.table(rows=2)).stderr
    assert "ends before the launch" in session.gather(session.table(rows=0)).stderr


def test_a_kernel_of_another_name_is_no_match(session):
    session.gather(session.table())
    session.write("cpu.json", session.profile(kernel="other", counters=_COUNTERS))
    result = session.compare()
    assert result.returncode == 2
    assert "makes other launches on the GPU" in result.stderr


def test_ncu_that_profiled_nothing_is_quoted(session):
    path = session.write("ncu.csv", "==ERROR== ERR_NVGPUCTRPERM - no permission for counters\n")
    result = session.gather(path)
    assert result.returncode == 2
    assert "ncu.csv: ncu profiled nothing: ==ERROR== ERR_NVGPUCTRPERM" in result.stderr


def test_a_metric_that_is_missing_is_named(session):
    session.gather(session.table(**{"smsp__inst_executed_op_shared_ld.sum": "n/a"}))
    result = session.compare()
    assert result.returncode == 2
    assert "the metric smsp__inst_executed_op_shared_ld.sum is missing" in result.stderr


def recorded_comparisons():
    files = (_ROOT / "bench/results").glob("parity_*.json")
    return [json.loads(path.read_text()) for path in files]


def test_the_recorded_comparison_explains_every_difference():
    for recorded in recorded_comparisons():
        totals = recorded["totals"]
        figures = sum(totals[name] for name in ("equal", "ruled", "listed", "unexplained"))
        assert totals["unexplained"] == 0
        # Of those that are not 0 on both sides, and depend neither on when blocks come to a barrier
        # nor on the order in which warps come to a list.
        assert totals["equal"] + totals["ruled"] >= 0.92 * (figures - timed(recorded))


def timed(recorded):
    return sum(
        difference["reason"] in ("polling", "order_of_lists")
        for case in recorded["cases"]
        for launch in case["launches"]
        for difference in launch["differ"].values()
    )


def shapes_by_unit_and_type(recorded):
    found = {}
    for case in recorded["cases"]:
        shapes = found.setdefault((case["step"], case["variant"]), {})
        shapes.setdefault(case["dtype"], set()).add((case["rows"], case["cols"]))
    return found


def timed_units():
    records = [
        record
        for path in (_ROOT / "bench/results").glob("*_records.json")
        for record in json.loads(path.read_text())["records"]
    ]
    return {(record["step"], record["variant"]) for record in records}


def test_every_step_and_variant_that_ran_on_a_gpu_was_held_against_it():
    """A step that no recorded run has yet says so on its page, and has no times there."""
    recorded = [case for comparison in recorded_comparisons() for case in comparison["cases"]]
    found = shapes_by_unit_and_type({"cases": recorded})
    units = timed_units()
    assert len({step for step, _ in units}) > 10
    for unit in units:
        shapes = found.get(unit, {})
        assert set(shapes) == {"f32", "f16", "bf16"}, unit
        assert min(len(of_type) for of_type in shapes.values()) >= 3, unit
