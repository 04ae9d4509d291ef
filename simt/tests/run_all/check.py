"""check.py SIMT: runs ../../programs/run_all.py on programs of ../programs as a collection, and
expects the verdict of each."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
RUN_ALL = HERE.parent.parent / "programs/run_all.py"
PROGRAMS = HERE.parent / "programs"
COMMIT = "0123456789abcdef"
# What a test may copy: the collection's folder is copied for each program.
SOURCES = ("reduction.cu", "bad/library_headers.cu", "bad/does_not_compile.cu")

MANIFEST = {
    "collection": "tests",
    "url": "https://example.org",
    "passes": r"sum (\d+), expected \1\n",
    "fails": "sum 0,",
    "programs": {
        "right": {"sources": ["reduction.cu"]},
        "racing": {"sources": ["reduction.cu"], "define": ["RACE"]},
        "blamed": {
            "sources": ["reduction.cu"],
            "define": ["RACE"],
            "mistake": "a barrier is missing",
        },
        "blamed in one run": {
            "sources": ["reduction.cu"],
            "define": ["RACE"],
            "runs": [["1"], ["2"]],
            "mistake": {"1": "a barrier is missing", "2": "the same"},
        },
        "blamed wrongly": {"sources": ["reduction.cu"], "mistake": "a barrier is missing"},
        "other words": {"sources": ["reduction.cu"], "passes": "correct"},
        "no check": {"sources": ["reduction.cu"], "no_check": True},
        "changed": {
            "sources": ["reduction.cu"],
            "smaller": [{"file": "reduction.cu", "from": "not there", "to": ""}],
            "size": "none",
        },
        "library": {"sources": ["library_headers.cu"]},
        "broken": {"sources": ["does_not_compile.cu"]},
        "gone": {"sources": ["gone.cu"]},
    },
    "left_out": {"windows": "OpenGL"},
}
# Program: verdict, launches, kinds of findings, what the reason has.
EXPECTED = {
    "right": ("passes its own check", 1, [], ""),
    "racing": ("wrong", 1, ["shared-race"], "it does not say"),
    "blamed": ("its own mistake", 1, ["shared-race"], "a barrier is missing (it does not say"),
    "blamed in one run": ("its own mistake", 2, ["shared-race"], "2: the same (it does not say"),
    "blamed wrongly": ("wrong", 1, [], "it does not fail, although a barrier is missing"),
    "other words": ("wrong", 1, [], "correct"),
    "no check": ("runs", 1, [], "no check"),
    "changed": ("does not compile", 0, [], "reduction.cu: does not have 'not there' once"),
    "library": ("refused", 0, [], "<cub/no_such_header.cuh>"),
    "broken": ("does not compile", 0, [], "does_not_compile.cu:"),
    "gone": ("does not compile", 0, [], "gone.cu"),
    "windows": ("left out", 0, [], "OpenGL"),
}


def run_all(simt, folder, *options):
    command = [sys.executable, str(RUN_ALL), str(folder / "manifest.json"), str(folder / "sources")]
    command += ["--simt", simt, "--record", str(folder / "record.json"), "--commit", COMMIT]
    command += ["--table", str(folder / "table.md"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def differences(ended, folder):
    if ended.returncode != 0:
        yield f"exit code {ended.returncode}\n{ended.stdout}{ended.stderr}"
        return
    record = json.loads((folder / "record.json").read_text())
    if record["commit"] != COMMIT:
        yield f"the commit is {record['commit']}"
    found = {}
    for name, program in record["programs"].items():
        kinds = [finding["kind"] for finding in program["findings"]]
        found[name] = (program["verdict"], program["launches"], kinds, program["reason"])
    for name, (*expected, reason) in EXPECTED.items():
        *got, because = found.pop(name)
        if got != expected or reason not in because or bool(reason) != bool(because):
            yield f"{name}: {got}, {because} instead of {expected}, {reason}"
    yield from (f"{name}: is not expected" for name in found)
    table = (folder / "table.md").read_text()
    if "| racing | wrong | 1 | 1 |" not in table:
        yield f"the table has no row of 'racing':\n{table}"
    if not re.search(
        r"\| racing .*<summary>1 left out, and why</summary>.*\| windows ", table, re.S
    ):
        yield f"what was left out does not stand last, and folded:\n{table}"
    if "[1/11] right passes its own check, 1 launch, 0 findings" not in ended.stdout:
        yield f"it shows no progress:\n{ended.stdout}"


def sentences():
    """What the page says above a table."""
    sys.path.insert(0, str(RUN_ALL.parent))
    sys.dont_write_bytecode = True
    import page

    verdicts = ["passes its own check", "runs", "runs", "wrong", "left out"]
    of_all = "4 were run: 1 passes its own check, 2 run without a check and 1 comes out wrong."
    for versions, own, expected in (
        (5, 5, f"Of its 5 programs {of_all}"),
        (5, 3, f"Its 3 programs are 5 here, because some have several versions. Of these {of_all}"),
        (1, 1, "Of its 1 programs 1 were run: 1 passes its own check."),
    ):
        programs = {str(n): {"verdict": verdict} for n, verdict in enumerate(verdicts[:versions])}
        told = page.outcome({"programs": programs}, own)
        if told != expected:
            yield f"{told} instead of {expected}"


def refusals(simt, folder):
    """Nothing is written where the manifest is wrong: what was there stays."""
    before = (folder / "record.json").read_text()
    wrong = {**MANIFEST, "programs": {"right": {"sources": ["reduction.cu"], "sizes": "1"}}}
    (folder / "manifest.json").write_text(json.dumps(wrong))
    ended = run_all(simt, folder)
    if ended.returncode != 2 or "right: unknown key 'sizes'" not in ended.stderr:
        yield f"an unknown key is not refused: {ended.returncode}, {ended.stderr}"
    blames = {"sources": ["reduction.cu"], "runs": [["1"]], "mistake": {"3": "is none"}}
    wrong = {**MANIFEST, "programs": {"right": blames}}
    (folder / "manifest.json").write_text(json.dumps(wrong))
    ended = run_all(simt, folder)
    if ended.returncode != 2 or "'mistake' has '3', which is none of 'runs'" not in ended.stderr:
        yield f"a mistake of no run is not refused: {ended.returncode}, {ended.stderr}"
    if (folder / "record.json").read_text() != before or list(folder.glob("*.partial")):
        yield "a refused run has written"


def main():
    simt = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "sources").mkdir()
        for source in SOURCES:
            path = PROGRAMS / source
            (folder / "sources" / path.name).write_text(path.read_text())
        (folder / "manifest.json").write_text(json.dumps(MANIFEST))
        found = list(differences(run_all(simt, folder), folder))
        found += sentences()
        if not found:
            found += refusals(simt, folder)
    if found:
        print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
