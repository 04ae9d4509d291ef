"""run_both.py SIMT NAME OUT: runs one program here as `./worklog run` does, as it makes its
mistake and corrected, compares both with errata.py, and writes what they said to OUT (JSON).

`run_both.py --list` prints the names.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from errata import ERRATA  # noqa: E402

HERE = pathlib.Path(__file__).parent


def run(simt, name, arguments):
    """The exit code, the program's own output, and what --json wrote (None: it did not run)."""
    with tempfile.TemporaryDirectory() as folder:
        json_file = pathlib.Path(folder) / "run.json"
        command = [simt, "run", str(HERE / f"{name}.cu"), "--json", str(json_file), *arguments]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if not json_file.exists():
            sys.exit(f"{name}: did not run\n{ended.stdout}{ended.stderr}")
        output = ended.stdout.split("\n== ")[0].rstrip("\n")
        return ended.returncode, output, json.loads(json_file.read_text())


def differences(expected, exit_code, output, record):
    if exit_code != expected.exit_code:
        yield f"exit code {exit_code} instead of {expected.exit_code}"
    for line in expected.says:
        if line not in output:
            yield f"it does not say: {line}"
    kinds = [finding["kind"] for finding in record["findings"]]
    if kinds != expected.findings:
        yield f"findings {record['findings']} instead of {expected.findings}"
    counters = record["launches"][0]["counters"]
    for counter, value in expected.counters.items():
        if counters[counter] != value:
            yield f"{counter} is {counters[counter]} instead of {value}"


def said(output, record, logits):
    """What a page shows of a run."""
    loads = sum(launch["counters"]["global_load_elements"] for launch in record["launches"])
    return {
        "output": output.splitlines(),
        "findings": [finding["message"].splitlines() for finding in record["findings"]],
        "loads_per_logit": loads / logits if logits else None,
    }


def main():
    if sys.argv[1:] == ["--list"]:
        print(*ERRATA, sep="\n")
        return 0
    simt, name, out = sys.argv[1:]
    erratum = ERRATA[name]
    found, forms = [], {}
    for form, arguments in (("mistake", []), ("corrected", ["--", "corrected"])):
        exit_code, output, record = run(simt, name, arguments)
        expected = getattr(erratum, form)
        for difference in differences(expected, exit_code, output, record):
            found.append(f"{form}: {difference}")
        forms[form] = said(output, record, erratum.logits)
    if found:
        print(*found, sep="\n")
        return 1
    path = pathlib.Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"program": name, **forms}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
