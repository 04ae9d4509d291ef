"""What each program here does, launch by launch. The figures follow from the source by hand: a
warp's load of 32 neighbouring floats is one request of 4 sectors, and so on."""

import dataclasses
import pathlib
from math import ceil

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass
class Expected:
    """`kernels` None: it is refused before it runs; ANY_NUMBER: it launches until it is ended.
    `counters`: {(launch, counter or quotient): value}."""

    sources: list
    kernels: list | str | None
    counters: dict = dataclasses.field(default_factory=dict)
    findings: list = dataclasses.field(default_factory=list)
    exit_code: int = 0
    says: list = dataclasses.field(default_factory=list)
    omits: list = dataclasses.field(default_factory=list)  # what it must not say
    options: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)
    # Of a finding by its place in the list: how often it was made, and in which launches.
    repeated: dict = dataclasses.field(default_factory=dict)
    timed_out: bool = False
    # The kinds of what is no mistake.
    notes: list = dataclasses.field(default_factory=list)
    # What Nsight Compute counted of it, launch by launch (record_hardware.py), and why that of some
    # kernels differs.
    hardware: str | None = None
    differs: dict = dataclasses.field(default_factory=dict)
    # The part of the figures that must be equal, of those that are not 0 on both sides.
    least_equal: float = 0.95
    # Headers of packages without which simt builds, but not this.
    headers: list = dataclasses.field(default_factory=list)


def program(name, kernels, counters=None, **others):
    return Expected([name + ".cu"], kernels, counters or {}, **others)


def refused(name, *says, **others):
    return Expected([f"bad/{name}.cu"], None, exit_code=1, says=list(says), **others)


# Instead of the kernels of a program that launches until its time is up.
ANY_NUMBER = "any number"
CONFLICTS = "shared_load_bank_conflicts / shared_load_requests"
LOADS, STORES, ATOMICS = "global_load_requests", "global_store_requests", "global_atomic_requests"
SECTORS_A_LOAD = "global_load_sectors / global_load_requests"
SECTORS_A_STORE = "global_store_sectors / global_store_requests"
BARRIERS, SHUFFLES = "block_barriers", "shuffles"
TENSOR = "tensor_instructions"

PROGRAMS = {
    "transpose": program(
        "transpose",
        ["transpose_conflicts", "transpose_padded"],
        {
            (0, CONFLICTS): 31,
            (1, CONFLICTS): 0,
            (0, LOADS): 128 * 128 / 32,
            (1, LOADS): 128 * 128 / 32,
            (0, SECTORS_A_LOAD): 4,
            (1, SECTORS_A_STORE): 4,
            (0, BARRIERS): 16,
            (0, "shared_store_bank_conflicts"): 0,
        },
    ),
    "many_launches": program(
        "many_launches", ["increment"] * 12, {(0, LOADS): 8, (9, LOADS): 8, (10, LOADS): 8}
    ),
    "many_launches_of_which_the_first_is_counted": program(
        "many_launches",
        ["increment"] * 12,
        {(0, LOADS): 8, (10, LOADS): 8},
        options=["--count", "first", "--on", "h200"],
        says=[
            "many_launches: passed",
            "12 launches, 0 findings",
            "10 launches ran plain, neither counted nor checked, after others of the same kernel "
            "and shape\nhad been (--count all counts every one):\n\n"
            "  kernel     launches  grid  block\n"
            "  increment        10     2    128\n",
            "1 increment",
            "11 increment",
        ],
    ),
    "plain_launches": program(
        "plain_launches",
        ["element"] * 3
        + ["sums"] * 3
        + ["some_wait"] * 3
        + ["atomics"] * 3
        + ["in_turn"] * 3
        + ["calls"] * 3
        + (["parent"] + ["child"] * 6) * 3
        + ["by_pointer"] * 3
        + ["+sums"] * 3
        + ["copy"] * 4,
        options=["--count", "first"],
        says=["plain_launches: passed", "37 launches ran plain"],
    ),
    "vector_add": program(
        "vector_add",
        ["vector_add"],
        {
            (0, LOADS): 2 * ceil(50000 / 32),
            (0, STORES): ceil(50000 / 32),
            (0, "global_load_sectors"): 2 * 50000 / 8,
            (0, "global_load_bytes"): 2 * 50000 * 4,
            (0, "threads"): 196 * 256,
        },
    ),
    "saxpy_grid_stride": program(
        "saxpy_grid_stride",
        ["saxpy"],
        {
            (0, LOADS): 2 * 65536 / 32,
            (0, STORES): 65536 / 32,
            (0, SECTORS_A_LOAD): 4,
            (0, "blocks"): 132,
        },
    ),
    "reduction": program(
        "reduction", ["reduce"], {(0, LOADS): 16 * 2 * 8, (0, STORES): 16, (0, BARRIERS): 16 * 9}
    ),
    "reduction_race": Expected(
        ["reduction.cu"],
        ["reduce"],
        {(0, BARRIERS): 16},
        ["shared-race"],
        exit_code=1,
        says=["reduction.cu:18"],
        options=["-D", "RACE"],
    ),
    "equal_stores": program(
        "equal_stores",
        ["find"] * 3,
        says=["7 occurs", "77 occurs", "8 occurs", "3 launches, 0 findings, 2 notes"],
        notes=["global-race", "shared-race"],
    ),
    # Of one launch the blocks differ; those of the others all say the same, or it is block 0 alone.
    "equal_stores_but_one": Expected(
        ["equal_stores.cu"],
        ["find"] * 3,
        findings=["global-race"],
        exit_code=1,
        says=["equal_stores.cu:17: error: ", "equal_stores.cu:17: note: "],
        options=["-D", "ONE_BLOCK_SAYS_NO"],
        notes=["global-race", "shared-race"],
    ),
    "histogram": program(
        "histogram",
        ["histogram_global", "histogram_shared"],
        {
            (0, LOADS): 32768 / 32,
            (0, ATOMICS): 32768 / 32,
            (1, "shared_atomic_requests"): 32768 / 32,
            (1, ATOMICS): 32 * 64 / 32,
            (0, SECTORS_A_LOAD): 1,
        },
    ),
    "softmax_cooperative_groups": program(
        "softmax_cooperative_groups",
        ["softmax"],
        {
            (0, LOADS): 8 * 3 * ceil(1000 / 32),
            (0, STORES): 8 * ceil(1000 / 32),
            # Two reductions, each of 5 shuffles in 4 warps, twice.
            (0, SHUFFLES): 8 * 2 * 2 * 4 * 5,
            (0, BARRIERS): 8 * 4,
        },
    ),
    "stencil_1d": program(
        "stencil_1d",
        ["stencil_1d"],
        {
            # The halo: two more loads in the first warp of each block.
            (0, LOADS): 8 * (4 + 2),
            (0, STORES): 8 * 4,
            (0, BARRIERS): 8,
            (0, "shared_load_requests"): 8 * 4 * 7,
            (0, "shared_store_requests"): 8 * (4 + 2),
        },
    ),
    "heat_2d": program("heat_2d", ["step"] * 20, {(0, STORES): 115, (19, STORES): 115}),
    "scan_blelloch": program(
        "scan_blelloch",
        ["scan"],
        {(0, LOADS): 32, (0, STORES): 32, (0, BARRIERS): 21, (0, "shared_load_bank_conflicts"): 0},
    ),
    "scan_warp_shuffle": program(
        "scan_warp_shuffle",
        ["scan_blocks", "scan_blocks", "add_totals"],
        {(0, SHUFFLES): 40 * 9 * 5, (0, BARRIERS): 40 * 2, (1, SHUFFLES): 9 * 5},
    ),
    "matrix_multiply": program(
        "matrix_multiply",
        ["matmul_naive", "matmul_tiled"],
        {
            # 100 warps of 2 x 16 threads have a thread inside: each reads a row of A, a column of B
            (0, LOADS): 100 * 2 * 50,
            (1, LOADS): 2 * 4 * 100,
            (1, BARRIERS): 16 * 4 * 2,
            (1, "shared_store_requests"): 16 * 8 * 4 * 2,
        },
    ),
    "dot_last_block": program(
        "dot_last_block",
        ["dot", "dot"],
        {
            # Every block's ticket, and in the last block one more load of the partial sums.
            (0, LOADS): 2 * ceil(20000 / 32) + 1,
            (0, STORES): 24 + 1,
            (0, SHUFFLES): 25 * (4 + 1) * 5,
            (0, ATOMICS): 24,
            (1, ATOMICS): 24,
        },
    ),
    "n_body": program(
        "n_body",
        ["accelerations"],
        {
            # A float4 a thread: 16 sectors per request. Its own, and one of each tile.
            (0, LOADS): 8 * (1 + 4),
            (0, SECTORS_A_LOAD): 16,
            (0, "shared_load_requests"): 8 * 256,
        },
    ),
    "monte_carlo_pi": program(
        "monte_carlo_pi", ["count_hits"], {(0, ATOMICS): 32, (0, SHUFFLES): 32 * 5}
    ),
    "bitonic_sort": program(
        "bitonic_sort",
        ["sort_in_shared"] + ["merge_global"] * 30,
        {(1, LOADS): 1024 / 32 * 2, (1, STORES): 1024 / 32 * 2, (0, BARRIERS): 8 * 37},
    ),
    "game_of_life": program(
        "game_of_life", ["life_kernel"] * 28, {(0, STORES): 48 * 32 / 32, (27, STORES): 48}
    ),
    "convolution_constant": program(
        "convolution_constant",
        ["convolve"],
        {
            # Of the 96 warps, two rows of a tile each, 76 have a thread inside. All lanes want the
            # same weight at a time.
            (0, BARRIERS): 12,
            (0, "shared_load_requests"): 25 * 76,
            (0, "constant_load_requests"): 25 * 76,
            (0, "constant_load_words"): 25 * 76,
            (0, "constant_load_bytes"): 25 * 50 * 37 * 4,
            (0, ATOMICS): 12,
        },
    ),
    "filter_warp_aggregated": program(
        "filter_warp_aggregated",
        ["filter<false>", "filter<true>"],
        {
            # One atomic operation for each of the 157 warps that find something.
            (0, ATOMICS): 157,
            (1, ATOMICS): 157,
            (0, SHUFFLES): 157,
            (1, SHUFFLES): 157,
        },
    ),
    # One operation for each side of each branch, in each of two warps.
    "aggregate_twice": program("aggregate_twice", ["split"], {(0, ATOMICS): 8}, says=["passed"]),
    "parted_lanes": program(
        "parted_lanes",
        ["each.kernel"] * 96,
        {  # of those that differ
            (26, LOADS): 516,
            (26, STORES): 18,
            (74, LOADS): 548,
            (74, STORES): 16,
            (36, LOADS): 240,
            (36, STORES): 4,
            (84, LOADS): 240,
            (84, STORES): 4,
            (39, LOADS): 1200,
            (87, LOADS): 1200,
        },
        hardware="parted_lanes.h200.json",
        differs={
            "recursion": "a function that calls itself clears the registers by which its callers' "
            "lanes would meet, and puts them back; only the former is done here",
            "add_by_exchange": "ptxas lets others of the warp go on in a loop of atomicCAS (YIELD)",
            "virtual_calls": "tables of virtual functions lie in the host's memory here",
        },
    ),
    "everyday_loops": program(
        "everyday_loops",
        ["kernel"] * 24,
        {  # of those that differ
            (0, LOADS): 5281,
            (12, LOADS): 6151,
            (2, LOADS): 1332,
            (14, LOADS): 1342,
            (3, "global_load_sectors"): 737,
            (15, "global_load_sectors"): 796,
        },
        hardware="everyday_loops.h200.json",
        differs={
            "find_pattern": "nvcc keeps what the inner loop's test has read",
            "run_lengths": "nvcc reads the value of a run only if another one may follow",
            "expand_frontier": "nvcc reads where edges begin only of nodes that have some, and "
            "adds once for all lanes, so that they store side by side",
        },
        least_equal=0.87,
    ),
    "streams_pinned": program(
        "streams_pinned",
        ["kernel"] * 4,
        {(0, LOADS): 32, (0, STORES): 32},
        says=["(ms): nan", "0 wrong"],
    ),
    "managed_list": program(
        "managed_list",
        ["search"],
        {(0, "global_atomic_lanes"): 100, (0, "global_atomic_unique_bytes"): 4},
    ),
    "histogram_cluster": program(
        "histogram_cluster",
        ["cluster_histogram"],
        {(0, LOADS): 8000 / 32, (0, "cluster_barriers"): 4 * 2},
    ),
    "conjugate_gradient_grid": program(
        "conjugate_gradient_grid", ["solve"], {(0, "cluster_barriers"): 12 * 6, (0, "blocks"): 8}
    ),
    "half2_axpy": program(
        "half2_axpy",
        ["axpy_half2", "sum_half2", "axpy_bf16"],
        {
            (0, LOADS): 2 * 512 / 32,
            (0, SECTORS_A_LOAD): 4,
            (2, LOADS): 2 * 1024 / 32,
            (2, SECTORS_A_LOAD): 2,
            (1, ATOMICS): 2,
        },
    ),
    "template_map_reduce": program(
        "template_map_reduce",
        [
            "algorithms::reduce<float, Op, 128>",
            "algorithms::reduce<float, Op, 128>",
            "algorithms::transform<float, Scale>",
            "add_one",
            "kernel",
            "kernel",
            "algorithms::reduce<float, Op, 128>",
        ],
        {(0, LOADS): 32, (2, STORES): 32},
    ),
    "printf_assert": program(
        "printf_assert",
        ["hello"],
        says=[
            "Hello from block 1, thread 16 of a kernel",
            "  hello",
            "\n  line                divergences\n  printf_assert.cu:8            2\n",
        ],
    ),
    "radix_sort_ballot": program(
        "radix_sort_ballot",
        ["intrinsics", "sort_warps"],
        {(1, "votes"): 4 * 32, (1, SHUFFLES): 4 * 32},
    ),
    "spmv_csr": program(
        "spmv_csr",
        ["spmv_scalar", "spmv_vector"],
        {
            # A double takes two shuffles.
            (0, STORES): 5,
            (1, SHUFFLES): 150 * 5 * 2,
        },
    ),
    "spin_lock": program(
        "spin_lock",
        ["critical_sections"],
        {(0, LOADS): 2 * 50, (0, STORES): 2 * 50, (0, "global_load_unique_bytes"): 2 * 4},
    ),
    # It tries a launch that no device takes.
    "device_query": program(
        "device_query",
        ["kernel"],
        {(0, LOADS): 8, (0, BARRIERS): 1},
        findings=["refused-launch"],
        exit_code=1,
        says=["blocks of (2048,1,1) threads"],
    ),
    "textures": program(
        "textures",
        ["kernel"] * 11 + ["fetch", "kernel", "twice"],
        {(0, STORES): 1},
        says=["textures: 111 values, passed"],
    ),
    "memory_pool": program("memory_pool", ["fill"], {(0, STORES): 1}, says=["memory_pool: passed"]),
    "random_numbers": program(
        "random_numbers",
        ["kernel"] * 12,
        {(0, STORES): 12},
        says=["random_numbers: 540 numbers, passed"],
    ),
    "random_generators": program(
        "random_generators",
        ["count_below_half"],
        {(0, LOADS): 4096 / 32},
        says=[
            "random_generators: 4448 numbers, passed",
            "Of libraries, not counted: curandGenerate (95x), curandGenerateLogNormal (57x)",
        ],
    ),
    "cublas_vectors": program(
        "cublas/vectors",
        [],
        says=["vectors: 20494 comparisons, 0 wrong", "not counted: cublasCaxpy (9x), cublasCcopy"],
    ),
    "cublas_matrices": program(
        "cublas/matrices",
        ["add"],
        {(0, LOADS): 16},
        says=["matrices: 231676 comparisons, 0 wrong", "cublasHgemm (4x)"],
    ),
    "cublas_solvers": program(
        "cublas/solvers",
        [],
        says=["solvers: 7586 comparisons, 0 wrong", "cublasSgetriBatched (3x)"],
    ),
    "cublas_without_handles": program(
        "cublas/without_handles", [], says=["without_handles: 0 wrong", "cublasSgemm (1x)"]
    ),
    "cublas_forks": program("cublas/forks", ["fill"], says=["forks: 0 wrong"]),
    "thrust_algorithms": program(
        "libraries/thrust_algorithms",
        ["double_all"],
        {(0, LOADS): ceil(1000 / 32), (0, STORES): ceil(1000 / 32)},
        says=[
            "thrust_algorithms: 0 failures",
            "thrust::reduce_by_key (1x)",
            "thrust::stable_sort_by_key (1x)",
        ],
        headers=["thrust/version.h"],
    ),
    "thrust_mistakes": program(
        "libraries/thrust_mistakes",
        ["store_one_too_many"],
        findings=[
            "global-out-of-bounds",
            "uninitialized-global-read",
            "global-out-of-bounds",
            "host-pointer",
            "copy-out-of-bounds",
        ],
        notes=["failed-allocation"],
        exit_code=1,
        says=[
            "a copy past the end: thrust::copy: cudaErrorInvalidValue",
            "too much: std::bad_alloc: cudaErrorMemoryAllocation",
            "the host's: thrust::reduce: cudaErrorIllegalAddress",
            "thrust_mistakes.cu:11: error: store of 4 bytes at byte 124 of an allocation of 124",
            "thrust_mistakes.cu:25: note: allocated here",
            "thrust_mistakes.cu:29: error: load of 4 bytes at byte 0 of an allocation of 64 bytes",
            "thrust_mistakes.cu:31: error: load of 4 bytes at byte 124",
            "thrust_mistakes.cu:33: error: cudaMemcpy of 128 bytes",
            "thrust_mistakes.cu:34: note: cudaMalloc of 4503599627370496 bytes fails",
            "thrust_mistakes.cu:35: error: load of 4 bytes of the host's memory",
        ],
        headers=["thrust/version.h"],
    ),
    "cub_blocks": program(
        "libraries/cub_blocks",
        [
            "warp_sums",
            "warp_scans",
            "block_reductions",
            "block_scan",
            "block_histogram",
            "block_sort",
        ],
        {
            # Five rounds of four warps; four of two halves of 16 lanes each, side by side.
            (0, SHUFFLES): 4 * 5,
            (1, SHUFFLES): 4 * 4,
            # Of 8 bytes, twice. The first warp's results meet in shared memory.
            (2, SHUFFLES): 2 * 2 * 4 * 5,
            (2, BARRIERS): 3,
            (2, "shared_store_requests"): 2 * 4,
            (2, "shared_load_requests"): 2 * 3,
            (4, "shared_atomic_requests"): 4 * 8,
            (5, LOADS): 4 * 8,
            (5, SECTORS_A_LOAD): 4,
            (5, SECTORS_A_STORE): 4,
        },
        says=["cub_blocks: 0 failures"],
        headers=["cub/version.cuh"],
    ),
    "cub_race": program(
        "libraries/cub_blocks",
        [
            "warp_sums",
            "warp_scans",
            "block_reductions",
            "block_scan",
            "block_histogram",
            "block_sort",
        ],
        findings=["shared-race"],
        exit_code=1,
        says=["cub_blocks.cu:45: error: store after load", "cub_blocks.cu:41: note: the load"],
        options=["-D", "FORGET_BARRIER"],
        headers=["cub/version.cuh"],
    ),
    "cub_device": program(
        "libraries/cub_device",
        [
            "cub::single_tile_kernel",
            "cub::init_kernel",
            "cub::scan_kernel",
            "cub::scan_init_kernel",
            "cub::select_if_kernel",
            "cub::single_tile_kernel",
        ],
        {(0, LOADS): ceil(3000 / 32), (5, STORES): ceil(3000 / 32)},
        says=["sum: 4498500", "scan: 0 4496219", "selected: 1000", "sorted: 0 failures"],
        headers=["cub/version.cuh"],
    ),
    "libcudacxx": program(
        "libcudacxx",
        ["sum_tiles", "count_evens", "standard_library"],
        {
            # Each of 16 tiles is 128 floats, which the first warp copies in pieces of 16 bytes.
            (0, LOADS): 16,
            (0, "async_copy_bytes"): 16 * 128 * 4,
            (0, "shared_load_requests"): 16 * 4,
            # 1000 values in 8 rounds of 4 warps, each of which has even ones, and the sum.
            (1, "shared_atomic_requests"): 32,
            (1, ATOMICS): 1,
        },
        says=["libcudacxx: passed"],
        notes=["unfreed-memory"],
    ),
    # A capture that runs three times, five nodes that run twice, and a capture of another launch.
    "graphs": program(
        "graphs",
        ["scale", "add", "add"] * 3 + ["scale<int>"] * 2 + ["scale"],
        {(0, STORES): 8, (9, STORES): 8},
        says=["graphs: passed"],
    ),
    "graph_conditions": program(
        "graph_conditions",
        [
            *("choose", "add<1>", "choose"),
            *("choose", "add<1>", "choose", "add<10>"),
            *("choose", "add<1>", "choose", "add<100>", "choose"),
            *("add<1000>", "count_down", "count_down", "count_down", "count_down", "add<2000>"),
            *("add<1000>", "count_down", "add<2000>"),
        ],
        says=["graph_conditions: passed"],
    ),
    "graph_memory": program(
        "graph_memory",
        ["count_up", "add"] * 6,
        {(0, STORES): 8, (1, LOADS): 16},
        says=["graph_memory: passed"],
    ),
    "graph_memory_mistakes": program(
        "graph_memory",
        ["add", "add", "add", "add"],
        findings=["uninitialized-global-read", "use-after-free"],
        exit_code=1,
        options=["-D", "MISTAKES"],
    ),
    "dynamic_parallelism": program(
        "dynamic_parallelism",
        [
            *("parent", "parent", "leaf", "leaf", "leaf", "leaf"),
            *("parent", "leaf", "leaf", "leaf", "leaf", "leaf", "leaf"),
            *("halves", "twice", "halves", "twice", "halves", "twice", "halves", "twice"),
            *("halves", "twice", "halves", "twice", "halves"),
        ],
        says=["dynamic_parallelism: passed"],
    ),
    "dynamic_parallelism_unordered": program(
        "dynamic_parallelism",
        ANY_NUMBER,
        findings=["uninitialized-global-read"],
        exit_code=1,
        options=["-D", "UNORDERED"],
        says=["in kernel too_early"],
    ),
    # 16 warps in four steps, or eight of tf32; 64 warps in sixteen steps of doubles. The 8 rows of
    # a tile lie in as many sectors.
    "tensor_cores": program(
        "tensor_cores",
        ["halves", "bfloats", "bytes", "tf32", "doubles", "from_shared", "instructions"],
        {
            (0, LOADS): 16 * 4 * 8,
            (0, SECTORS_A_LOAD): 8,
            (0, STORES): 16 * 4,
            (0, SECTORS_A_STORE): 8,
            (0, TENSOR): 16 * 4 * 2,
            (1, LOADS): 16 * 4 * 8,
            (1, TENSOR): 16 * 4 * 2,
            (2, LOADS): 16 * 4 * 4,
            (2, SECTORS_A_LOAD): 8,
            (2, TENSOR): 16 * 4 * 2,
            (3, LOADS): 16 * 8 * 8,
            (3, SECTORS_A_LOAD): 8,
            (3, TENSOR): 16 * 8 * 4,
            (4, LOADS): 64 * 16 * 2,
            (4, SECTORS_A_STORE): 16,
            (4, TENSOR): 64 * 16,
            (5, LOADS): 16 * 4 * 2,
            (5, SECTORS_A_LOAD): 16,
            (5, "shared_load_requests"): 16 * 4 * 2,
            (5, CONFLICTS): 0,
            (5, "shared_load_wavefronts / shared_load_requests"): 4,
            (5, TENSOR): 16 * 4 * 2,
            (6, LOADS): 16 * 4 * 2,
            (6, "shared_load_requests"): 16 * 4 * 2,
            (6, CONFLICTS): 0,
            (6, STORES): 16 * 8,
            (6, TENSOR): 16 * 4 * 2,
        },
        says=["tensor_cores: passed"],
    ),
    "ptx_registers": program(
        "ptx_registers",
        ["ask", "wait_for", "compare", "hand_over"],
        {(0, STORES): 3 * 2, (1, LOADS): 0, (3, LOADS): 2, (3, STORES): 1 + 2},
        says=["ptx_registers: passed"],
        notes=["unfreed-memory"] * 4,
    ),
    # Shuffles: a reduction and two scans in each of 8 warps; a tile's barrier is none of the block.
    "tiles_of_warps": program(
        "tiles_of_warps",
        ["use_tiles<64>", "use_tiles<128>"],
        {(0, SHUFFLES): 8 * 3 * 5, (1, SHUFFLES): 8 * 3 * 5, (0, BARRIERS): 0, (0, "votes"): 16},
        says=["tiles_of_warps: passed"],
    ),
    "tiles_of_warps_race": program(
        "tiles_of_warps",
        ["use_tiles<64>", "use_tiles<128>"],
        # The tile behind has stored what is read; the one ahead has not even done that.
        findings=["shared-race", "uninitialized-shared-read"],
        exit_code=1,
        options=["-D", "RACE"],
        repeated={0: (2, [1, 2])},
    ),
    "openmp": program("openmp", ["fill"], {(0, STORES): 2}, says=["openmp: passed"]),
    "architecture": program(
        "architecture", ["ask", "fill"], {(0, STORES): 5}, says=["host 0 device 1", "passed"]
    ),
    "own_names": program("own_names", ["blend"], {(0, STORES): 1}, says=["passed, C++17"]),
    "own_macros": Expected(
        ["own_macros/main.cu"], ["kernel"], options=["-D", "T", "-D", "value=2"], says=["passed"]
    ),
    "concepts": program("concepts", ["scale"], options=["-std=c++20"], says=["passed"]),
    "optional_parts": program(
        "optional_parts",
        ["scale", "scale"],
        {(0, STORES): 2, (1, STORES): 1, (0, LOADS): 0},
        says=["passed"],
    ),
    "optional_parts_missing": Expected(
        ["optional_parts.cu"],
        None,
        exit_code=1,
        options=["-D", "WITH_CUDNN"],
        says=["optional_parts.cu:7: error: <cudnn_frontend.h>: not available", "(cuDNN)"],
    ),
    "rounding": program("rounding", ["round_all"], {(0, STORES): 16}, says=["passed"]),
    "own_api_names": program("own_api_names", ["fill"], {(0, STORES): 1}, says=["passed"]),
    "beside_other_cuda": program(
        "vector_add", ["vector_add"], options=["-I", str(HERE / "bad/other_cuda")]
    ),
    "with_header": Expected(
        ["with_header/main.cu"],
        ["sum", "scale"],
        {(0, "shared_store_requests"): 2 * 1 + 6 + 1, (0, BARRIERS): 8},
        says=["passed"],
    ),
    "with_c": Expected(
        ["with_c/main.cu", "with_c/sum.c", "with_c/copies.c", "with_c/undeclared.c"],
        ["count_up"],
        {(0, STORES): 1},
        # 101: there is no such device.
        says=["sum 496\nsum on the device 496\nerror 101\n"],
    ),
    "two_files": Expected(
        ["two_files/vector.cu", "two_files/main.cpp"],
        ["scale_kernel", "sum_kernel"],
        {(0, LOADS): 3, (1, SHUFFLES): 5},
        options=["-D", "FACTOR=2", "-I", "."],
        arguments=["77"],
        says=["154"],
    ),
    # What is refused, and what ends badly.
    "missing_file": refused("nowhere", "nowhere.cu: there is no such file"),
    "folder": Expected(["bad"], None, exit_code=1, says=["bad: is a directory"]),
    "other_file": Expected(
        ["check.py"], None, exit_code=1, says=["check.py: is neither CUDA (.cu) nor C++"]
    ),
    "binary": refused("binary", "binary.cu: is not a text file"),
    "not_a_program": refused("not_a_program", "not_a_program.cu:1:"),
    "does_not_compile": refused("does_not_compile", "does_not_compile.cu:1:", "not_declared"),
    "inline_ptx": refused("inline_ptx", "inline_ptx.cu:3: error: inline PTX"),
    "inline_ptx_macro": refused(
        "inline_ptx_macro", "inline_ptx_macro.cu:9", "inline PTX in the macro 'LANE' cannot run"
    ),
    "library_headers": refused(
        "library_headers",
        "library_headers.cu:2: error: <cub/no_such_header.cuh>: not available",
        "the package libcub-dev brings it",
        "library_headers.cu:3: error: <thrust/async/reduce.h>: not available",
        "library_headers.cu:4: error: <thrust/no_such_header.h>: not available",
        "the package libthrust-dev brings it",
    ),
    "missing_std": refused(
        "missing_std", "missing_std.cu:2: error: <cuda/std/mdspan>", "(libcu++)"
    ),
    "sub_byte_matrices": refused(
        "sub_byte_matrices", "sub_byte_matrices.cu:5", "sub-byte types (wmma::experimental)"
    ),
    "bulk_names": refused(
        "bulk_names", "bulk_names.cu:3: error: 'memcpy_async_tx'", "(bulk copies)"
    ),
    "ptx_names": refused(
        "ptx_names",
        "ptx_names.cu:5: error: 'fence_proxy_async': not available on the CPU executor "
        "(a part of <cuda/ptx>)",
        "ptx_names.cu:6: error: 'mapa'",
        *(
            f"ptx_names.cu:{line}: error: '{name}' with sem_relaxed: not available"
            for line, name in enumerate(
                [
                    "mbarrier_arrive",
                    "mbarrier_arrive_expect_tx",
                    "mbarrier_test_wait",
                    "mbarrier_test_wait_parity",
                    "mbarrier_try_wait",
                    "mbarrier_try_wait_parity",
                ],
                start=7,
            )
        ),
    ),
    "texture_object": refused(
        "texture_object", "texture_object.cu:2: error: 'tex2DLod'", "textures"
    ),
    "unknown_names": refused(
        "unknown_names",
        "unknown_names.cu:3: error: '__vimax3_s32': not available on the CPU executor",
        "unknown_names.cu:5: error: 'CUcontext': not available on the CPU executor "
        "(the driver API)",
        "unknown_names.cu:6: error: 'cudaFutureFeature_t': not available",
        "unknown_names.cu:7: error: 'cudaFutureFeatureStart': not available",
        "unknown_names.cu:10: error: 'cudaFutureMember': not available",
    ),
    "bad_compiler_atomics": refused(
        "compiler_atomics",
        "__nv_atomic_fetch_and and __nv_atomic_and take integers of 4 or 8 bytes",
        "this built-in atomic operation takes 4 or 8 bytes",
        "takes integers; its form without _n any type",
        "__nv_atomic_fetch_add and __nv_atomic_add take int, unsigned, unsigned integers of "
        "8 bytes",
        "this built-in atomic operation takes 1, 2, 4 or 8 bytes",
        "on 16 bytes is not available on the CPU executor, which has 1, 2, 4 or 8 bytes",
        "a pointer to const or volatile memory",
        "compiler_atomics.cu:10:",
        "compiler_atomics.cu:16:",
    ),
    "other_cuda": refused(
        "other_cuda",
        "other_cuda.cu:1: error: <cuda_fp4.h>: not available on the CPU executor (a part of CUDA)",
        options=["-I", str(HERE / "bad/other_cuda")],
    ),
    "graph": refused("graph", "graph.cu:7: error: 'cudaGraphAddEventRecordNode'", "(graphs)"),
    "graph_in_c": Expected(
        ["bad/graph_in_c.c"],
        None,
        exit_code=1,
        says=["graph_in_c.c:5: error: 'cudaGraphCreate': not available", "(graphs)"],
    ),
    "no_source": Expected(
        [], None, exit_code=2, says=["no file to run is named", "--help lists the options"]
    ),
    "unknown_option": Expected(
        ["vector_add.cu"], None, exit_code=2, options=["-O3"], says=["'-O3' is nvcc's option"]
    ),
    "bad_standard": Expected(
        ["vector_add.cu"],
        None,
        exit_code=2,
        options=["-std=c++98"],
        says=["--std", "c++98 not in {c++11,c++14,c++17,c++20}"],
    ),
    "floors": program(
        "vector_add",
        ["vector_add"],
        options=["--on", "h200"],
        says=[
            "Floors on NVIDIA H200, in microseconds: at the data sheet's clock no launch takes "
            "less there that\naccesses memory as the source does; a compiler may merge accesses.",
            "1 vector_add",
            "L1 and shared  vector_add.cu:9",
        ],
    ),
    "unknown_device": Expected(
        ["vector_add.cu"],
        None,
        exit_code=2,
        options=["--on", "h2000"],
        says=["--on", "h2000 not in {h200,h100,a100,l4,rtx4090}"],
    ),
    "bad_time_limit": Expected(
        ["vector_add.cu"],
        None,
        exit_code=2,
        options=["--time-limit", "soon"],
        says=["--time-limit: 'soon' is not a number of seconds from 0 to 86400"],
    ),
    "crashes": Expected(
        ["bad/crashes.cu"],
        ["kernel"],
        {(0, STORES): 2},
        ["global-out-of-bounds"],
        exit_code=134,
        says=["ended by signal 6", "crashes.cu:4", "printed before"],
    ),
    "host_segfault": Expected(
        ["bad/host_segfault.cu"],
        [],
        {},
        ["uninitialized-copy"],
        exit_code=139,
        says=["ended by signal 11", "host_segfault.cu:7", "printed before"],
    ),
    "bad_random_generators": Expected(
        ["bad/random_generators.cu"],
        [],
        {},
        ["copy-out-of-bounds", "host-access", "host-pointer", *["not-available"] * 4],
        exit_code=1,
        says=[
            "memory of the host: 201\nmemory of the device: 999\ntoo long: 201\n",
            "destroyed: 101",
            "random_generators.cu:15: error: curandGenerateUniform: the generator is of device 0",
            "random_generators.cu:16: error: curandGenerateUniform: the generator is of the host",
            "curandGenerateUniform of 404 bytes at byte 0 of an allocation of 400 bytes",
            "CURAND_ORDERING_PSEUDO_DYNAMIC: not available on the CPU executor (cuRAND)",
            "curandGeneratePoisson: Poisson numbers: not available",
            "20000 dimensions, more than 337: not available",
            "CURAND_RNG_QUASI_SCRAMBLED_SOBOL32: not available",
        ],
    ),
    "bad_cublas": Expected(
        ["bad/cublas.cu"],
        [],
        {},
        [
            "uninitialized-copy",
            "copy-out-of-bounds",
            "host-access",
            "host-pointer",
            "copy-out-of-bounds",
            "host-pointer",
            *["not-available"] * 2,
        ],
        exit_code=1,
        says=[
            "negative: 7\ntoo small an ld: 7\nno alpha: 7\nunwritten: 0\ntoo large: 13\n",
            "of the host: 13\nalpha of the device: 14\npast the end: 13\nno increment: 7\n",
            "result of the host: 13\nintegers: 15\ntypes: 15\ncaptured: 15\n",
            "destroyed: 1 CUBLAS_STATUS_NOT_INITIALIZED, the library was not initialized",
            "Of libraries, not counted: cublasSgemm (1x)",
            "cublasSgemm reads byte 0 of an allocation of 256 bytes, which was never written",
            "cublasSgemm of 324 bytes at byte 0 of an allocation of 256 bytes reaches byte 256",
            "cublasSdot of 60 bytes at byte 240 of an allocation of 256 bytes reaches byte 256",
            "cublasSgemm: in a stream that is captured: not available on the CPU executor (cuBLAS)",
            "cublasGemmEx: products of integers: not available on the CPU executor (cuBLAS)",
        ],
    ),
    "cublas_without_openblas": refused(
        "cublas",
        "cuBLAS: not available, because simt was built without OpenBLAS (Debian: libopenblas-dev)",
        options=["-D", "SIMT_WITHOUT_OPENBLAS"],
    ),
    "cublas_names": refused(
        "cublas_names",
        "cublas_names.cu:8: error: 'cublasStbsv': not available on the CPU executor",
        "cublas_names.cu:9: error: 'cublasLtHandle_t': not available",
        "(cuBLASLt)",
    ),
    "host_pointers": Expected(
        ["bad/host_pointers.cu"],
        ["reads", "reads", "adds", "reads_pair", "reads", "reads", "allocates"],
        {},
        ["host-pointer"] * 3,
        exit_code=1,
        says=[
            "cudaErrorIllegalAddress\ncudaSuccess",
            "host_pointers.cu:11: error: load of 4 bytes of the host's memory (from malloc "
            "or new), where an argument of the kernel points: ",
            "host_pointers.cu:13: error: load of 4 bytes of the stack",
            "host_pointers.cu:12: error",
            "host_pointers.cu:42: note: a copy with cudaMemcpyHostToDevice from memory of the "
            "device to memory of the host fails with cudaErrorInvalidValue",
        ],
        repeated={0: (2, [1, 2])},
        notes=["copy-direction"],
    ),
    "later_out_of_bounds": Expected(
        ["bad/later_launches.cu"],
        ["store"] * 2,
        findings=["global-out-of-bounds"],
        exit_code=1,
        says=["later_launches.cu:8: error: store of 4 bytes at byte 124 of an allocation"],
        options=["--count", "all", "-D", "OUT_OF_BOUNDS"],
        notes=["global-race"],  # two threads store the last element
    ),
    "later_out_of_bounds_unseen": Expected(
        ["bad/later_launches.cu"],
        ["store"] * 2,
        says=["error 0", "1 launch ran plain"],
        options=["--count", "first", "-D", "OUT_OF_BOUNDS"],
        notes=["global-race"],  # two threads store the last element
    ),
    "later_crash": Expected(
        ["bad/later_launches.cu"],
        ["store"] * 2,
        findings=["illegal-address"],
        exit_code=1,
        says=[
            "error 700",
            "later_launches.cu:8: error: access of an address that is neither the device's nor the "
            "host's; this launch ran plain, unchecked [illegal-address]\n"
            "  in kernel store, block (0,0,0), thread (0,0,0)",
        ],
        options=["--count", "first", "-D", "CRASH"],
        notes=["global-race"],  # two threads store the last element
    ),
    "later_endless": Expected(
        ["bad/later_launches.cu"],
        ["store"] * 2,
        findings=["time-limit"],
        exit_code=1,
        says=["error 702", "later_launches.cu:7: error: ", "running: thread 31 [time-limit]"],
        options=["--count", "first", "--time-limit", "2", "-D", "ENDLESS"],
        notes=["global-race"],  # two threads store the last element
    ),
    "later_unwritten": Expected(
        ["bad/later_launches.cu"],
        ["store", "store", "read"],
        findings=["uninitialized-global-read"],
        exit_code=1,
        says=["later_launches.cu:12: error: load of 4 bytes at byte 120 of an allocation of 124"],
        options=["--count", "first", "-D", "UNWRITTEN"],
        notes=["global-race"],  # two threads store the last element
    ),
    "managed_unwritten": Expected(
        ["bad/managed_unwritten.cu"],
        ["count"] * 3,
        {(2, ATOMICS): 2},
        ["uninitialized-global-read"],
        exit_code=1,
        says=["managed_unwritten.cu:5: error", "at byte 8 of an allocation of 12 bytes"],
        repeated={0: (1, [3])},
    ),
    "same_mistake_often": Expected(
        ["bad/same_mistake_often.cu"],
        ["late"] * 6,
        {},
        ["uninitialized-shared-read"],
        exit_code=1,
        says=["6 launches, 1 finding", "found in 3 launches: 3, 5 and 6; above is the first"],
        repeated={0: (3, [3, 5, 6])},
    ),
    "null_pointer": Expected(
        ["bad/null_pointer.cu"],
        ["kernel"],
        {},
        ["null-access"],
        exit_code=1,
        says=["null_pointer.cu:2"],
    ),
    "null_literals": Expected(
        ["bad/null_literals.cu"],
        ["store", "twice", "own"],
        {},
        ["null-access"] * 3,
        exit_code=1,
        says=["null_literals.cu:2", "null_literals.cu:4", "null_literals.cu:8"],
    ),
    "own_exit_code": Expected(
        ["bad/own_exit_code.cu"], [], exit_code=7, arguments=["7"], says=["No kernel was run"]
    ),
    "frees_twice": Expected(
        ["bad/frees_twice.cu"],
        [],
        {},
        ["double-free"],
        exit_code=1,
        says=[
            "frees_twice.cu:8: error",
            "frees_twice.cu:7: note: freed here",
            "out of memory",
            "frees_twice.cu:9: note: cudaMalloc of 4398046511104 bytes fails",
            "frees_twice.cu:6: note: 4096 bytes of device memory in 1 allocation were never",
        ],
        notes=["failed-allocation", "unfreed-memory"],
    ),
    "kernel_never_ends": Expected(
        ["bad/kernel_never_ends.cu"],
        ["kernel"],
        {},
        ["time-limit"],
        exit_code=1,
        options=["--time-limit", "1"],
        says=["kernel_never_ends.cu:4", "running: thread 0", "at the block's barrier"],
    ),
    # A compiler that takes each loop to end deletes it, and the result is a wrong one.
    "spins_on_plain_flag": Expected(
        ["bad/spins_on_plain_flag.cu"],
        ["kernel"],
        {(0, LOADS): 1},
        ["time-limit"],
        exit_code=1,
        options=["--time-limit", "1"],
        says=["spins_on_plain_flag.cu:7: error: the program takes longer than 1 s"],
    ),
    "kernel_waits_in_a_library": Expected(
        ["bad/kernel_waits_in_a_library.cu"],
        ["kernel"],
        {(0, LOADS): 0},
        ["time-limit"],
        exit_code=137,
        timed_out=True,
        options=["--time-limit", "1"],
        says=[
            "the program takes longer than 1 s, the time limit, and kernel kernel does not react",
            "block (0,0,0), thread (0,0,0)",
            "The program did not end within 1 s and was ended",
        ],
    ),
    "loops_without_access": Expected(
        ["bad/loops_without_access.cu"],
        ["kernel"],
        {(0, LOADS): 0},
        ["time-limit"],
        exit_code=137,
        timed_out=True,
        options=["--time-limit", "1"],
        says=[
            "loops_without_access.cu:4: error: the program takes longer than 1 s, the time limit, "
            "and kernel kernel does not react: it waits in a library, or loops without an access",
        ],
    ),
    "missing_texture": Expected(
        ["bad/missing_texture.cu"],
        ["read", "write", "read_freed"],
        {},
        ["bad-texture", "bad-texture", "bad-texture"],
        exit_code=1,
        says=[
            "missing_texture.cu:4: error: there is no texture object 1",
            "missing_texture.cu:12: error: outside of the surface: byte 32 of row 0",
            "read: cudaErrorIllegalAddress",
            "write: cudaErrorIllegalAddress",
            "missing_texture.cu:8: error: the array of texture object 2 was freed",
        ],
    ),
    "kernel_asserts": Expected(
        ["bad/kernel_asserts.cu"],
        ["kernel"],
        {},
        ["assertion"],
        exit_code=1,
        says=[
            "kernel_asserts.cu:4",
            "block (1,0,0), thread (7,0,0)",
            "device-side assert triggered",
            "\n  kernel (ended)         1",
            "(ended): a finding",
        ],
        # Nothing is counted of it.
        omits=["\n  line", "requests of a warp"],
    ),
    "never_ends": Expected(
        ["bad/never_ends.cu"],
        ["kernel"],
        exit_code=137,
        options=["--time-limit", "1"],
        timed_out=True,
        says=["did not end within 1 s", "printed in C\nprinted in C++\n"],
    ),
    "ended_by_alarm": Expected(
        ["bad/ended_by_alarm.cu"],
        ["kernel"],
        {(0, STORES): 1},
        ["uninitialized-copy"],
        exit_code=142,
        says=["ended by signal 14", "ended_by_alarm.cu:12", "printed in C\nprinted in C++\n"],
    ),
    "ended_by_signals": Expected(
        ["bad/ended_by_signals.cu"],
        ["kernel"],
        exit_code=130,
        says=[
            # What the copy would print if it went on comes before the second line.
            "printed by the copy\n",
            "handled\n",
            "the copy ended by signal 15\nprinted before\nprinted meanwhile\n",
            "ended by signal 2",
        ],
    ),
    "ended_from_outside": Expected(
        ["bad/ended_from_outside.cu"],
        ["kernel"],
        exit_code=143,
        says=["printed before", "ended by signal 15"],
    ),
    "launches_forever": Expected(
        ["bad/launches_forever.cu"],
        ANY_NUMBER,
        exit_code=137,
        options=["--time-limit", "1"],
        says=["did not end within 1 s", "printed before"],
        timed_out=True,
    ),
}
