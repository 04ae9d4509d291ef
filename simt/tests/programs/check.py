"""check.py SIMT NAME: runs a program of expectations.py with `SIMT run`, and compares.

`check.py --list` prints the names. Ends with 77 where a package is missing that the program needs.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from expectations import ANY_NUMBER, PROGRAMS  # noqa: E402

HERE = pathlib.Path(__file__).parent
# Where `simt run` looks for headers of libraries.
SYSTEM_FOLDERS = (pathlib.Path("/usr/local/include"), pathlib.Path("/usr/include"))
MISSING = 77  # what CTest takes for a skipped test


def is_installed(header):
    return any((folder / header).exists() for folder in SYSTEM_FOLDERS)


def run(simt, expected):
    """The exit code, the standard output and error, and what --json wrote, with what --sarif did
    as its "sarif"."""
    with tempfile.TemporaryDirectory() as folder:
        json_file = pathlib.Path(folder) / "run.json"
        sources = [str(HERE / source) for source in expected.sources]
        sarif_file = pathlib.Path(folder) / "run.sarif"
        command = [simt, "run", *sources, *expected.options, "--json", str(json_file)]
        command += ["--sarif", str(sarif_file)]
        if expected.arguments:
            command += ["--", *expected.arguments]
        environment = {
            name: value for name, value in os.environ.items() if name != "SIMT_TIME_LIMIT"
        }
        ended = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=300, check=False
        )
        record = json.loads(json_file.read_text()) if json_file.exists() else None
        if record is not None:
            record["sarif"] = json.loads(sarif_file.read_text())
        return ended, record


def value_of(counters, formula):
    """A counter, or one divided by another: "shared_load_bank_conflicts / shared_load_requests"."""
    parts = [counters[name.strip()] for name in formula.split("/")]
    return parts[0] if len(parts) == 1 else parts[0] / parts[1]


def differences(expected, ended, record):
    if ended.returncode != expected.exit_code:
        yield f"exit code {ended.returncode} instead of {expected.exit_code}"
    for text in expected.says:
        if text not in ended.stdout + ended.stderr:
            yield f"it does not say: {text}"
    for text in expected.omits:
        if text in ended.stdout + ended.stderr:
            yield f"it says: {text}"
    if expected.kernels is None:
        if record is not None:
            yield "it ran"
        return
    if record is None:
        yield "it did not run"
        return
    if record["timed_out"] != expected.timed_out:
        yield f"timed_out is {record['timed_out']}"
    launched = [launch["kernel"] for launch in record["launches"]]
    if expected.kernels != ANY_NUMBER and launched != list(expected.kernels):
        yield f"launched {launched} instead of {list(expected.kernels)}"
        return
    counted = [launch for launch in record["launches"] if not launch.get("plain", False)]
    ended_early = any(launch.get("ended", False) for launch in counted)
    if ended_early != ("\n(ended): a finding" in ended.stdout):
        yield f"that a launch was ended is {ended_early} in the JSON, and not in the table"
    kinds = [finding["kind"] for finding in record["findings"]]
    if kinds != list(expected.findings):
        yield f"findings {record['findings']} instead of {list(expected.findings)}"
    notes = [note["kind"] for note in record["notes"]]
    if notes != list(expected.notes):
        yield f"notes {record['notes']} instead of {list(expected.notes)}"
    results = record["sarif"]["runs"][0]["results"]
    told = [(result["ruleId"], result["level"]) for result in results]
    if told != [(kind, "error") for kind in kinds] + [(kind, "note") for kind in notes]:
        yield f"SARIF has {told} instead of {kinds} and notes {notes}"
    for index, (count, launches) in expected.repeated.items():
        finding = record["findings"][index]
        if (finding["count"], finding["launches"]) != (count, launches):
            yield f"found {finding['count']} times, in launches {finding['launches']}"
    for (index, formula), value in expected.counters.items():
        counted = value_of(record["launches"][index]["counters"], formula)
        if counted != value:
            yield f"launch {index} ({launched[index]}): {formula} is {counted} instead of {value}"


def differences_from_hardware(expected, record):
    """Of launches whose kernels are not said to differ, and of these if they do not. Nearly all
    figures must be equal, those that differ counted in."""
    measured = json.loads((HERE / expected.hardware).read_text())
    gpu = measured["gpu"]
    equal, of = 0, 0
    differing = set()
    pairs = zip(record["launches"], measured["launches"], strict=True)
    for index, (launch, hardware) in enumerate(pairs):
        kernel = hardware["kernel"]
        for figure, value in hardware["figures"].items():
            counted = launch["counters"][figure]
            if value == counted == 0:
                continue
            of += 1
            equal += value == counted
            if value == counted:
                continue
            differing.add(kernel)
            if kernel not in expected.differs:
                yield f"launch {index} ({kernel}): {figure} is {counted}, {value} on {gpu}"
    for kernel in expected.differs.keys() - differing:
        yield f"{kernel} is said to differ from {gpu}, and does not"
    print(f"{equal} of {of} figures are those of {gpu}")
    if equal < expected.least_equal * of:
        yield f"only {equal} of {of} figures are those of {gpu}"


def main():
    if sys.argv[1:] == ["--list"]:
        print(*PROGRAMS, sep="\n")
        return 0
    simt, name = sys.argv[1:]
    missing = [header for header in PROGRAMS[name].headers if not is_installed(header)]
    if missing:
        print("not installed:", *missing)
        return MISSING
    ended, record = run(simt, PROGRAMS[name])
    found = list(differences(PROGRAMS[name], ended, record))
    if not found and PROGRAMS[name].hardware:
        found = list(differences_from_hardware(PROGRAMS[name], record))
    if found:
        print(ended.stdout, ended.stderr, *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
