#!/usr/bin/env python3
"""page.py [--check] PAGE ...: shows results/*.json in pages.

Between `<!-- programs NAME:begin -->` and `<!-- programs NAME:end -->` of a page stands the table
of results/NAME.json. `<!-- programs all:... -->` has a row for each record. Between
`<!-- finding NAME PROGRAM PLACE:begin -->` and its end stands what the tool said first of that
place (file:line) or of that kind, with the command.
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import run_all  # noqa: E402

MANIFESTS = pathlib.Path(__file__).parent
RESULTS = MANIFESTS / "results"
# Of one program, and of several.
OUTCOMES = {
    run_all.PASSES: ("passes its own check", "pass their own check"),
    run_all.RUNS: ("runs without a check", "run without a check"),
    run_all.OWN_MISTAKE: ("fails by its own mistake", "fail by their own mistake"),
    run_all.SLOW: ("is too slow", "are too slow"),
    run_all.REFUSED: ("is refused", "are refused"),
    run_all.NO_COMPILE: ("does not compile", "do not compile"),
    run_all.WRONG: ("comes out wrong", "come out wrong"),
}
SECTION = re.compile(
    r"(?P<begin><!-- (?P<what>programs|finding) (?P<words>.+?):begin -->\n).*?"
    r"(?P<end><!-- (?P=what) (?P=words):end -->)",
    re.S,
)


def main(arguments):
    check = arguments[:1] == ["--check"]
    stale = 0
    for name in arguments[1:] if check else arguments:
        path = pathlib.Path(name)
        text = path.read_text("utf-8")
        try:
            renewed = SECTION.sub(section, text)
        except run_all.InputError as error:
            print(f"page: {path}: {error}", file=sys.stderr)
            return 2
        if renewed == text:
            continue
        if check:
            print(f"page: {path} is out of date", file=sys.stderr)
            stale = 1
        else:
            run_all.write_whole(path, renewed)
    return stale


def section(match):
    words = match["words"].split()
    if match["what"] == "programs":
        body = summary_of_all() if words == ["all"] else table_of(*words)
    else:
        body = finding_of(*words)
    return f"{match['begin']}\n{body}\n{match['end']}"


def record_of(name):
    path = RESULTS / f"{name}.json"
    if not path.exists():
        raise run_all.InputError(f"there is no {path.name} in results")
    return json.loads(path.read_text("utf-8"))


def table_of(name):
    record = record_of(name)
    head = f"Of [{record['collection']}]({record['url']}), commit `{record['commit'][:12]}`."
    return f"{head} {outcome(record, own_programs(name))}\n\n{run_all.table(record)}"


def own_programs(name):
    """How many programs a collection has: one may be run in several versions of its sources."""
    manifest = json.loads((MANIFESTS / f"{name}.json").read_text("utf-8"))
    run = {(p.get("folder"), *p["sources"]) for p in manifest["programs"].values()}
    return len(run) + len(manifest.get("left_out", {}))


def outcome(record, programs):
    """What came of a collection's programs, in a sentence."""
    verdicts = [program["verdict"] for program in record["programs"].values()]
    ran = len(verdicts) - verdicts.count(run_all.LEFT_OUT)
    parts = [
        f"{count} {words[count != 1]}"
        for verdict, words in OUTCOMES.items()
        if (count := verdicts.count(verdict))
    ]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
    if programs == len(verdicts):
        return f"Of its {programs} programs {ran} were run: {listed}."
    made = f"Its {programs} programs are {len(verdicts)} here, because some have several versions."
    return f"{made} Of these {ran} were run: {listed}."


def summary_of_all():
    shown = [verdict for verdict in run_all.ORDER if verdict != run_all.LEFT_OUT]
    shown.append(run_all.LEFT_OUT)
    lines = ["| collection | " + " | ".join(shown) + " | places with findings |"]
    lines.append("| --- |" + " ---: |" * (len(shown) + 1))
    for path in sorted(RESULTS.glob("*.json")):
        record = record_of(path.stem)
        programs = record["programs"].values()
        verdicts = [program["verdict"] for program in programs]
        cells = [record["collection"], *(str(verdicts.count(verdict)) for verdict in shown)]
        cells.append(str(sum(len(program["findings"]) for program in programs)))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def finding_of(name, program, place):
    """Words of the tool, as they stand in the record."""
    findings = record_of(name)["programs"].get(program, {}).get("findings", [])
    found = [f for f in findings if place in (f["kind"], f["places"][0].split("/")[-1])]
    found += [f for f in findings if place in f["message"].split("\n")[0]]
    if not found:
        raise run_all.InputError(f"{name}: {program} has no finding at {place}")
    lines = [f"$ {found[0]['command']}", *found[0]["message"].splitlines()]
    return "".join(f"    {line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
