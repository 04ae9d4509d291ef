"""No page holds a measured number that somebody typed: with other results, all of them change.

And what pages say of results in words is no longer accepted (worklog_report.claims).
"""

import json
import re
import shutil
from pathlib import Path

import pytest
from planted import plant
from repository import ROOT

from worklog_report.claims import claims
from worklog_report.results.steps import read_units
from worklog_report.site import site

# A time, a rate, a size, a share, a ratio, an error, a number of registers; the day of a run.
MEASURED = re.compile(
    r"\d[\d.,]*\s?(?:ns|µs|ms|(?:nano|micro|milli)seconds?|[GT]B/s|[KMG]i?B|%|×(?! ?\d)|ulp"
    r"|registers|times (?:the|as|more|less|longer|faster|slower|this|that|those)\b)"
    r"|\d[\d.,]*x\b|\b(?:one|two|three|four|five|ten) and a half times"
    r"|(?<![_\d])20\d\d-\d\d-\d\d"
)
# Numbers of these kinds that nobody measured here: why -> page -> what their line has. A section
# "Prediction" may have any.
NOT_MEASURED = {
    "counted and verified on the executor, and compared with what its program prints now": {
        "readme": ["64 x 4096  random     verified"],
    },
    "a definition": {
        "library": [
            "Where two quotients are within 2 % of each other",
            "| more than 5 % behind |",
        ],
        "tables": ["A share a little above 100 % is the spread"],
        "readme": [
            "100 % is the speed at which a copy moves the same bytes",
            "100 % still passes, and in f16 and bf16 the rounding",
        ],
        "many_rows": ["is 100 % in every table and picture here"],
        "numerics": [
            "1 ulp is the distance to the next", "that may be off by 30 ulp",
            "the error of exp(r), about 1 ulp", "to 3 ulp in fp32", "to 0.51 ulp in fp16",
            "a unit's power is up to 1.3 ulp", "as much as 2.5 ulp",
            "to 6 ulp on a GPU",
        ],
        "step_13_row_in_a_warp": ["exp(x) / 2^k, to 1 ulp", "a result may be off [by 6 ulp]"],
        "step_14_row_in_registers": [
            "within 3 ulp.", "be within 0.51 ulp for all", "4 to 8 ulp. In bf16",
        ],
        "step_15_row_in_shared_memory": ["3 ulp.", "The aim was 1.03 times"],
        "step_16_cluster": ["results are at most 3 ulp off", "[by 6 ulp]"],
        "step_21_many_gpus": ["which is 1 ulp of a", "With the 3 ulp of the steps before"],
        "step_19_backward": ["with y: 2.5 ulp at most, in units"],
        "step_17_long_row_one_launch": ["An fp32 result is at most 3 ulp"],
        "step_01_naive_three_kernels": ["1 ulp is the distance from a number to the next"],
        "python": ["That is 1 ulp at most, but a probability"],
        "counters": ["32 times as many if each loads its own"],
    },
    "an example of a message": {
        "curand": ["`Of libraries, not counted: curandGenerateUniform (2x)`"],
        "cublas": ["`Of libraries, not counted: cublasSgemm (2x)`"],
        "thrust_and_cub": ["thrust::sort (1x)`)"],
    },
    "the name of a GPU": {
        "executor": ["On NVIDIA H100 80GB HBM3:"],
        "library": ["The tables of the NVIDIA H100 80GB HBM3"],
        "step_12_bytes_in_flight": ["verified, on NVIDIA H100 80GB HBM3, not this GPU"],
        "step_16_cluster": ["verified, on NVIDIA H100 80GB HBM3, not this GPU"],
    },
    "a limit of CUDA, of the GPU or of the executor": {
        "checkers": ["64 MB more", "64 KB", "48 KB", "8 GB here"],
        "step_21_many_gpus": ["multiprocessors of a GPU hold together, 128 KB"],
        "devices": ["share the 8 GB that a single one"],
        "exercise_09_long_row_one_block": ["227 KB of shared memory each", "132 x 227 KB"],
        "glossary": ["60 MB on an H200"],
        "library": ["227 KB of shared memory for a block"],
        "diff_07_18": ["a block of an H200 has 227 KB"],
        "diff_12_13": ["the 64 registers that a thread"],
        "diff_12_22": ["has 64 registers, which are too"],
        "diff_13_14": ["the 64 registers that a thread"],
        "diff_14_15": ["a block of an H200 may have 227 KB"],
        "diff_17_21": ["a block of an H200 may have 227 KB"],
        "diff_16_19": ["the 64 registers that a thread"],
        "diff_19_20": ["of the 64 registers that a"],
        "python": ["8 GiB together"],
        "roofline": ["The H200's 60 MB"],
        "step_06_vectorized": ["The L2 cache holds 60 MB"],
        "step_12_bytes_in_flight": ["may have 64 registers", "would give it 128 registers"],
        "speed_of_light": ["33 MiB of registers and 29 MiB of shared memory"],
        "step_13_row_in_a_warp": ["has 256 KB of registers", "the 64 registers of a thread"],
        "step_14_row_in_registers": ["has 65,536 registers"],
        "step_15_row_in_shared_memory": ["hold 256 KB", "has 228 KB", "may have 227 KB"],
        "readme": ["the 227 KB of shared memory per block"],
        "step_18_topk_by_threshold": ["the maxima of its 55,296 sectors fill 216 KB"],
    },
    "where Little's law puts it": {
        "step_17_long_row_one_launch": ["latency (some 30 KB"],
    },
    "an instruction's operands": {
        "tensor_cores": ["{%0, %1}"],
        "diff_15_16": ["max.NaN.f32"],
        "diff_16_17": ["max.NaN.f32"],
    },
    "what was measured of the executor, on the CPU that the page names": {
        "code": ["takes 4.1 ns of a core's time", "takes 5.6 ns, and took 10.0"],
    },
    "what the bench is set to": {
        "bench": [
            "within 5 % of the best", "below 0.25 %", "for 10 milliseconds at most",
        ],
    },
    "arithmetic from shapes": {
        "step_22_attention": ["In fp32 that is another 17 KB per block"],
        "errata": ["8 GiB of fp32"],
        "step_09_long_row_one_block": ["4,096 bytes under way are 4 to 8 GB/s"],
        "step_11_long_row_online": ["256 pairs are 2 KB"],
        "step_13_row_in_a_warp": [
            "2^64 times as large", "16 times as many warps", "16 KB for the 2048 threads",
            "32 KB are just enough",
        ],
        "step_16_cluster": ["128 KB of registers for the row", "and 226 KB more", "would be 20 µs"],
        "step_17_long_row_one_launch": [
            "the next 226 KB", "hold 48 MB of fp32", "67 MB are read again", "226 KB at once",
            "220 MB are left", "60 of 757 MB", "4 to 8 % faster there", "each with 226 KB",
            "up to 128 KB", "18 to 36 KB of step", "six more take 3 µs", "1.8 µs at ten rows",
        ],
        "step_12_bytes_in_flight": [
            "18 to 36 KB must be under way", "2048 x 4 bytes = 8 KB under way",
            "A tile takes 32 registers",
            "bytes each are 128 KB in flight", "2048 x 32 bytes = 64 KB in flight",
            "above the 18 to 36 KB",
        ],
    },
    "a data sheet, or an article that is quoted and sums of its figures": {
        "roofline": [
            "for 4.8 TB/s, 67 / 4.8 = 14", "5 / 8 x 336 GB/s", "8 x 16,777,216 / 336 GB/s",
            "0.40 / 1.88 = 21 %", "reaches 32 %", "divides a row's 16 KB by 2 TB/s",
            "32 KB take 16 ns",
        ],
        "step_12_bytes_in_flight": ["An H200 moves 4.8 TB/s by its data sheet"],
        "step_18_topk_by_threshold": ["one and a half times the bandwidth of an H100"],
        "step_21_many_gpus": ["which has nearly one and a half times the bandwidth"],
    },
}  # fmt: skip
# Figures and sections in which nothing is a result.
WITHOUT_RESULTS = {
    "ranks_exchange.svg",
    "reduction_tree_04.svg",
    "reduction_tree_05.svg",
    "steps.svg",
}
DEFINITION = "their gain is 1.00×"  # on every page of a difference
# The last are held by tests/library/page.cpp.
WORDS_ONLY = {"executor: parity-not-compared", "syllabus: steps", "library: limits"}
SECTION = re.compile(r"^<!-- ([\w-]+):begin -->$(.*?)^<!-- \1:end -->$", re.S | re.M)
PREDICTION = re.compile(r"^## Prediction\b.*?(?=^## )", re.S | re.M)
STYLE = re.compile(r"<style>.*?</style>", re.S)


def changed(folder: Path, built: Path, seed: int) -> dict[str, list[Path]]:
    """Changed results, as the site's options."""
    sources = {"results": ROOT / "bench/results", "sweeps": ROOT / "bench/sweeps"}
    sources |= {kind: built / kind for kind in ("records", "annotations")}
    for name, source in sources.items():
        plant(source, folder / name, seed)
    given = {"recorded": [folder / "results", folder / "sweeps"]}
    for kind in ("records", "annotations"):
        given[kind] = sorted((folder / kind).glob("*.json"))
    return given


@pytest.fixture(scope="module")
def given(tmp_path_factory, built) -> dict[str, list[Path]]:
    return changed(tmp_path_factory.mktemp("planted"), built, seed=0)


def make(given: dict[str, list[Path]], out: Path) -> int:
    options = ["--root", ROOT, "--out", out]
    for name, paths in given.items():
        options += [f"--{name}", *paths]
    return site.main([str(option) for option in options])


def site_of(given: dict[str, list[Path]], out: Path) -> Path:
    """The pages that the changed results give, were their words not held against them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(claims, "require", lambda found, measurements: None)
        assert make(given, out) == 0
    return out


@pytest.fixture(scope="module")
def planted(given, tmp_path_factory) -> Path:
    return site_of(given, tmp_path_factory.mktemp("site") / "docs")


@pytest.fixture(scope="module")
def planted_again(tmp_path_factory, built) -> Path:
    """With other changes: of hundreds of ratios one or two stay what they are by chance."""
    given = changed(tmp_path_factory.mktemp("planted"), built, seed=2)
    return site_of(given, tmp_path_factory.mktemp("site") / "docs")


def texts(built: Path, planted: Path, files: str) -> list[tuple[str, str, str]]:
    """Of each file its name, its text, and that which the changed results give."""
    paths = sorted(built.glob(files))
    return [
        (path.name, path.read_text("utf-8"), (planted / path.relative_to(built)).read_text("utf-8"))
        for path in paths
        if not path.name.startswith("code_")  # the sources themselves
    ]


def test_pages_with_results_change(built, planted):
    pages = {name for name, before, after in texts(built, planted, "pages/*.md") if before != after}
    steps = {path.name for kind in ("step", "diff") for path in built.glob(f"pages/{kind}_*.md")}
    # A step of several GPUs has a record of its own, or none.
    of_ranks = [unit for unit in read_units(ROOT / "steps") if unit.is_of_ranks]
    steps -= {f"step_{unit.step}.md" for unit in of_ranks}
    steps -= {f"diff_17_{unit.label}.md" for unit in of_ranks}
    others = {f"{name}.md" for name in ("readme", "roofline", "numerics", "executor", "errata")}
    assert len(steps) > 20 and steps | others <= pages
    figures = texts(built, planted, "figures/*.svg")
    assert {name for name, before, after in figures if before == after} == WITHOUT_RESULTS


def test_every_generated_section_changes(built, planted):
    """Whatever it shows: times, errors, profiles, figures that agree, counts by line."""
    same, looked_at = set(), 0
    for name, before, after in texts(built, planted, "pages/*.md"):
        sections, changed = (dict(SECTION.findall(text)) for text in (before, after))
        looked_at += len(sections)
        stem = name.removesuffix(".md")
        same |= {f"{stem}: {title}" for title in sections if sections[title] == changed[title]}
    assert looked_at > 35
    assert same == WORDS_ONLY


def test_no_measured_number_stays(built, planted, planted_again):
    """Every exception is one: what is listed above must be there."""
    listed = {
        (page, words)
        for pages in NOT_MEASURED.values() for page, lines in pages.items() for words in lines
    }  # fmt: skip
    stay, needed = [], set()
    for name, before, after in texts(built, planted, "pages/*.md"):
        again = (planted_again / "pages" / name).read_text("utf-8")
        page, after = name.removesuffix(".md"), set(after.splitlines()) & set(again.splitlines())
        for line in STYLE.sub("", PREDICTION.sub("", before)).splitlines():
            if MEASURED.search(line) and line in after:
                plain = line.replace("\u00a0", " ")  # in a table a number keeps its unit
                known = {(page, words) for of, words in listed if of == page and words in plain}
                needed |= known
                stay += [] if known or DEFINITION in line else [f"{page}: {line}"]
    assert stay == [], "\n".join(stay)
    assert listed - needed == set()


def test_no_measured_number_stands_in_a_notebook():
    """They read results when they run, and their words are held like those of pages."""
    arithmetic = ["rows, 4 KiB apart", "hold 90 %?"]
    notebooks = sorted(ROOT.glob("notebooks/*.ipynb"))
    assert len(notebooks) >= 5
    for notebook in notebooks:
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        prose = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
        for line in (line for lines in prose for line in lines):
            known = any(words in line for words in arithmetic)
            assert known or not MEASURED.search(line), f"{notebook.name}: {line}"


def test_claims_are_not_on_the_site(planted):
    for path in (planted / "pages").glob("*.md"):
        if path.stem != "contributing":  # which shows how to write one
            assert "<!-- holds" not in path.read_text("utf-8").replace("`<!-- holds", ""), path


@pytest.mark.parametrize(
    "text",
    [
        "3.2 µs", "12 ms", "12 milliseconds", "4.8 TB/s", "1,234 GB/s", "94 %", "64 MB", "2 KB",
        "1.5 MiB", "1.43×", "1.95x as fast", "1.5 times the copy", "3 times slower", "0.5 ulp",
        "64 registers", "one and a half times the copy", "on 2026-11-22",
    ],
)  # fmt: skip
def test_what_a_measured_number_looks_like(text):
    assert MEASURED.search(f"It is {text}.")


@pytest.mark.parametrize(
    "text", ["64 x 4096", "4000 × 4000", "f32/64x10", "32 lanes", "step 05", "h200_2026-11-22"]
)
def test_what_it_does_not_look_like(text):
    assert not MEASURED.search(f"It is {text}.")


def test_words_that_are_no_longer_true_are_refused(given, tmp_path, capsys):
    """The site of the changed results is not built: their claims are named, with page and line."""
    assert make(given, tmp_path / "docs") == 2
    refused = capsys.readouterr().err
    assert not (tmp_path / "docs/pages").exists()
    for page in ("steps/07_topk_fusion/README.md", "docs/pages/roofline.md"):
        assert re.search(rf"^{page}:\d+: \".*\": .*: does not hold at .* = ", refused, re.M), page


# One result of each kind, and the claim that it makes false: which row of which file, what of it.
BREAKS = [
    ("results/h200_2*[0-9].json", "benchmarks", {"name": "03_online/f32/10x4000/cold"},
     ["median_us"], 1.0,
     "time(03) > time(02) at 10 x *: does not hold at 10 × 4000, f32: time(03) = 1, time(02) ="),
    ("results/h200_2*[0-9].json", "benchmarks", {"name": "copy/f32/4000x4000/cold"}, ["gbps"], 1.0,
     "gbps(copy) < 4800 at 4000 x 4000..100000: does not hold at 4000 × 4000, f32: gbps(copy) = 1"),
    ("results/h200_2*[0-9].json", "baseline_accuracy",
     {"baseline": "pytorch/softmax", "input": "random_f32_256x1000.bin"}, ["max_ulp"], 90.0,
     "10 x 25000 and 2 x 100000: does not hold at 64 × 1000, f32: error(pytorch/softmax) = 90"),
    ("results/h200_*_records.json", "records", {"step": "02_fused", "dtype": "f16", "cols": 1000},
     ["max_ulp"], 0.7, "error(02) < 0.6 at any shape, f16: does not hold at f16: error(02) = 0.7"),
    ("results/hardware_*.json", "cases", {"step": "02_fused", "dtype": "f32", "cols": 4000},
     ["launches", 0, "dram_read_bytes"], 0,
     "2.9 < dram_read(02) < 3.1 at 4000 x 4000: does not hold at 4000 × 4000, f32: dram_read(02)"),
    ("results/hardware_*.json", "cases", {"step": "02_fused", "dtype": "f32", "cols": 4000},
     ["launches", 0, "limiter_percent"], 90,
     "nearest_limit(02) < 40 at 4000 x 4000: does not hold at 4000 × 4000, f32"),
    ("results/hardware_*.json", "cases",
     {"step": "12_bytes_in_flight", "dtype": "f32", "cols": 4000},
     ["launches", 0, "throughput_percent", "DRAM"], 1,
     "dram_limit(12) > 60 at 4000 x 4000: does not hold at 4000 × 4000, f32: dram_limit(12) = 1"),
    ("results/parity_*.json", "cases", {"step": "02_fused"},
     ["launches", 0, "differ", "shuffles"], {"ours": 1, "ncu": 2, "reason": ""},
     "figures(unexplained) == 0: does not hold"),
    ("sweeps/*.json", "sweep", {"step": "12_bytes_in_flight", "variant": "", "cols": 100000},
     ["block_sizes", "512", "median_us"], 1.0,
     "swept(12, 1024) == swept(12) at 4000 x 100000: does not hold at 4000 × 100000, f32"),
    ("sweeps/*.json", "sweep", {"step": "12_bytes_in_flight", "variant": "", "cols": 30000},
     ["block_sizes", "1024", "median_us"], 1.0,
     "at 256 x 30000: does not hold at 256 × 30000, f32: swept(12, 1024) = 1, swept(12, 256) ="),
]  # fmt: skip


def test_one_result_of_each_kind_can_break_a_claim(tmp_path, capsys):
    for name in ("results", "sweeps"):
        shutil.copytree(ROOT / "bench" / name, tmp_path / name)
    for files, table, which, field, value, _ in BREAKS:
        changed = [change(file, table, which, field, value) for file in tmp_path.glob(files)]
        assert any(changed), f"{files}: no file has {which}"
    options = ["--recorded", tmp_path / "results", tmp_path / "sweeps", "--root", ROOT]
    assert claims.main([str(option) for option in options]) == 1
    refused = capsys.readouterr().err
    for *_, claim in BREAKS:
        assert claim in refused


def change(file: Path, table: str, which: dict, field: list, value) -> int:
    """Returns how many rows are such; a step's sweep is in one of several files."""
    data = json.loads(file.read_text("utf-8"))
    rows = [row for row in data[table] if which.items() <= row.items()]
    for row in rows:
        for name in field[:-1]:
            row = row[name]
        row[field[-1]] = value
    file.write_text(json.dumps(data), "utf-8")
    return len(rows)
