#!/usr/bin/env python3
"""run_all.py MANIFEST FOLDER: runs a collection's programs with `simt run`, and records what came
of each.

FOLDER holds the collection's sources, as its repository has them; nothing is fetched, and nothing
in it is changed: each program is compiled and run in a copy of its folder. README.md explains the
manifest and the record.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent

PASSES, RUNS, WRONG = "passes its own check", "runs", "wrong"
REFUSED, SLOW, NO_COMPILE, LEFT_OUT = "refused", "too slow", "does not compile", "left out"
OWN_MISTAKE = "its own mistake"
# From the best to the worst.
ORDER = [PASSES, RUNS, LEFT_OUT, OWN_MISTAKE, SLOW, REFUSED, NO_COMPILE, WRONG]
# How simt begins a line about something that it does not have.
REFUSAL = re.compile(r"not available on the CPU executor|cannot run on a CPU")
ERROR = re.compile(r"^.*\b(?:error|undefined reference)\b.*$", re.M)
# Compilers may take longer than the program, but not for ever.
COMPILE_LIMIT = 600
PROGRAM_KEYS = {
    "folder", "directory", "sources", "include", "define", "options", "arguments", "runs", "input",
    "passes", "fails", "no_check", "size", "smaller", "inputs", "exit_code", "note",
    "mistake",
}  # fmt: skip
MANIFEST_KEYS = {"collection", "url", "folder", "include", "define", "options", "passes", "fails",
                 "programs", "left_out"}  # fmt: skip


class InputError(Exception):
    """What is given cannot be run; the message names it."""


@dataclasses.dataclass
class Ended:
    """What `simt run` did: record is what --json wrote, None if the program did not run."""

    exit_code: int
    output: str
    record: dict | None


def main(arguments=None):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        manifest = read_manifest(options.manifest)
        record = run_collection(manifest, options)
        write_whole(options.record, json.dumps(record, indent=1) + "\n")
        if options.table:
            write_whole(options.table, table(record))
    except InputError as error:
        print(f"run_all: {error}", file=sys.stderr)
        return 2
    print(f"{record['collection']}: {summary(record)}")
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("manifest", type=pathlib.Path, metavar="MANIFEST")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--simt", default="simt", help="the command; 'simt' unless set")
    parser.add_argument("--record", type=pathlib.Path, required=True, metavar="FILE.json")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE.md")
    parser.add_argument("--commit", help="of the collection, where FOLDER is no git checkout")
    parser.add_argument("--time-limit", type=float, default=60, metavar="S", help="a program")
    parser.add_argument(
        "-I", dest="include", action="append", default=[], metavar="DIR",
        help="look for included files there, too, as for headers of another collection",
    )  # fmt: skip
    parser.add_argument("--only", nargs="+", metavar="NAME", help="the record keeps the others")
    parser.add_argument("--show", action="store_true", help="each program's output")
    return parser.parse_args(arguments)


def read_manifest(path):
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error
    refuse_other_keys(path, manifest, MANIFEST_KEYS)
    for key in ("collection", "url", "programs"):
        if key not in manifest:
            raise InputError(f"{path}: has no '{key}'")
    for name, program in manifest["programs"].items():
        refuse_other_keys(f"{path}: {name}", program, PROGRAM_KEYS)
        if not program.get("sources"):
            raise InputError(f"{path}: {name}: has no 'sources'")
        if name in manifest.get("left_out", {}):
            raise InputError(f"{path}: {name}: is both run and left out")
        refuse_mistakes_of_no_run(f"{path}: {name}", program)
    return manifest


def refuse_other_keys(where, given, known):
    if not isinstance(given, dict):
        raise InputError(f"{where}: is no object")
    for key in given:
        if key not in known:
            raise InputError(f"{where}: unknown key '{key}'; known are {', '.join(sorted(known))}")


def refuse_mistakes_of_no_run(where, program):
    mistakes = program.get("mistake", "")
    if isinstance(mistakes, dict) != ("runs" in program) and mistakes:
        raise InputError(f"{where}: 'mistake' is a text, or has those of 'runs' by their arguments")
    known = [" ".join(arguments) for arguments in program.get("runs", [])]
    for run in mistakes if isinstance(mistakes, dict) else []:
        if run not in known:
            raise InputError(f"{where}: 'mistake' has '{run}', which is none of 'runs'")


def commit_of(folder, given):
    if given:
        return given
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise InputError(f"{folder}: is no git checkout; name its commit with --commit")
    return asked.stdout.strip()


def run_collection(manifest, options):
    if not options.folder.is_dir():
        raise InputError(f"{options.folder}: is no folder")
    command = shutil.which(options.simt)
    if command is None:
        raise InputError(f"{options.simt}: no such command")
    options.simt = str(pathlib.Path(command).resolve())
    commit = commit_of(options.folder, options.commit)
    for name in options.only or []:
        if name not in manifest["programs"]:
            raise InputError(f"{options.manifest}: has no program '{name}'")
    kept = kept_results(options, commit) if options.only else {}
    names = options.only or list(manifest["programs"])
    results = {}
    for number, name in enumerate(names, 1):
        print(f"[{number}/{len(names)}] {name} ", end="", flush=True)
        results[name] = result_of(name, manifest, options)
        print(in_words(results[name]), flush=True)
    programs = {
        name: results.get(name, kept.get(name))
        for name in manifest["programs"]
        if name in results or name in kept
    }
    for name, reason in manifest.get("left_out", {}).items():
        programs[name] = {"verdict": LEFT_OUT, "reason": reason, "launches": 0, "findings": []}
    return {
        "collection": manifest["collection"],
        "url": manifest["url"],
        "commit": commit,
        "time_limit": options.time_limit,
        "programs": programs,
    }


def kept_results(options, commit):
    """Those of an earlier run of the same commit."""
    if not options.record.exists():
        return {}
    earlier = json.loads(options.record.read_text("utf-8"))
    if earlier["commit"] != commit:
        raise InputError(f"{options.record}: is of commit {earlier['commit']}, not {commit}")
    return earlier["programs"]


def result_of(name, manifest, options):
    """One program's failure does not end the run, whatever it is."""
    program = manifest["programs"][name]
    result = {"verdict": None, "reason": "", "launches": 0, "findings": []}
    with tempfile.TemporaryDirectory() as scratch:
        add_runs(result, program, manifest, options, pathlib.Path(scratch))
    for key in ("size", "note"):
        if key in program:
            result[key] = program[key]
    return result


def add_runs(result, program, manifest, options, scratch):
    """Some have a variant for each argument: they pass if each variant does."""
    for arguments in program.get("runs", [program.get("arguments", [])]):
        one = {**program, "arguments": arguments}
        verdict, reason, record = verdict_of(one, manifest, options, scratch)
        verdict, reason = blame(mistake_of(program, arguments), verdict, reason)
        if "runs" in program and reason:
            reason = f"{' '.join(arguments)}: {reason}"
        result["reason"] = "; ".join(text for text in (result["reason"], reason) if text)
        if result["verdict"] is None or ORDER.index(verdict) > ORDER.index(result["verdict"]):
            result["verdict"] = verdict
        result["launches"] += len(record["launches"])
        command = command_line(one, manifest)
        add_findings(result["findings"], record["findings"], command)
        if verdict in (NO_COMPILE, REFUSED):
            break  # so would the others


def mistake_of(program, arguments):
    mistakes = program.get("mistake", "")
    return mistakes.get(" ".join(arguments), "") if isinstance(mistakes, dict) else mistakes


def blame(mistake, verdict, reason):
    """Whoever says that the program is wrong must be right about that, too."""
    if not mistake:
        return verdict, reason
    if verdict == WRONG:
        return OWN_MISTAKE, f"{mistake} ({reason})"
    if verdict in (PASSES, RUNS):
        return WRONG, f"it does not fail, although {mistake}"
    return verdict, reason


def verdict_of(program, manifest, options, scratch):
    """Of one run: the verdict, why, and its record."""
    nothing = {"launches": [], "findings": []}
    try:
        ended = run(program, manifest, options, scratch)
    except (InputError, OSError, ValueError, subprocess.SubprocessError) as error:
        return NO_COMPILE, str(error), nothing
    if options.show:
        print(ended.output)
    verdict, reason = judge(program, manifest, ended)
    return verdict, reason, ended.record or nothing


def add_findings(findings, more, command):
    """Those at the same places, of several runs, are one; the command is that of the first."""
    for finding in more:
        places = [line["place"] for line in finding["lines"]]
        known = [f for f in findings if f["kind"] == finding["kind"] and f["places"] == places]
        if known:
            known[0]["count"] += finding["count"]
            continue
        kept = {key: finding[key] for key in ("kind", "message", "kernel", "count")}
        findings.append({**kept, "places": places, "command": command})


def folder_of(program, manifest, root):
    return root / manifest.get("folder", "") / program.get("folder", "")


def words_of(program, manifest, own, root):
    """What follows `simt run` but for where to write. Folders that all programs share are relative
    to the collection's, a program's to its own; {here} is the folder of this script."""
    words = [placed(source, own) for source in program["sources"]]
    for folder in program.get("include", []):
        words += ["-I", placed(folder, own)]
    for folder in manifest.get("include", []):
        words += ["-I", placed(folder, root)]
    for key in (manifest, program):
        for macro in key.get("define", []):
            words += ["-D", macro]
        words += key.get("options", [])
    return words


def placed(folder, base):
    if folder.startswith("{here}"):
        return folder.replace("{here}", str(HERE) if base else "simt/programs")
    return str(base / folder) if base else folder


def command_line(program, manifest):
    """How a person runs it, in the program's folder (or below the collection's for -I)."""
    folder = folder_of(program, manifest, pathlib.PurePosixPath())
    words = ["simt", "run"]
    words += [named(source, folder) for source in program["sources"]]
    for name in program.get("include", []):
        words += ["-I", named(name, folder)]
    rest = words_of({**program, "sources": [], "include": []}, manifest, None, None)
    words += rest
    if program.get("arguments"):
        words += ["--", *program["arguments"]]
    return " ".join(words)


def named(name, folder):
    return placed(name, None) if name.startswith("{here}") else str(folder / name)


def run(program, manifest, options, scratch):
    source = folder_of(program, manifest, options.folder.resolve())
    if not source.is_dir():
        raise InputError(f"the collection has no folder {source}")
    copy = scratch / source.name
    if not copy.exists():  # else simt need not compile again, either
        make_copy(source, copy, program)
    json_file = scratch / "run.json"
    json_file.unlink(missing_ok=True)
    command = [options.simt, "run", *words_of(program, manifest, copy, options.folder.resolve())]
    for folder in options.include:
        command += ["-I", str(pathlib.Path(folder).resolve())]
    command += ["--json", str(json_file), "--time-limit", f"{options.time_limit:g}"]
    if program.get("arguments"):
        command += ["--", *program["arguments"]]
    directory = copy / program.get("directory", "")
    exit_code, output = run_group(command, directory, program.get("input", ""), options.time_limit)
    record = json.loads(json_file.read_text("utf-8")) if json_file.exists() else None
    # Where the copy lay says nothing to anybody, and differs each time.
    output = output.replace(f"{copy}/", "").replace(f"{options.folder.resolve()}/", "")
    return Ended(exit_code, output, without_paths(record, f"{copy}/"))


def make_copy(source, copy, program):
    shutil.copytree(source, copy)
    make_smaller(program.get("smaller", []), copy)
    for command in program.get("inputs", []):
        words = [word.replace("{here}", str(HERE)) for word in command]
        directory = copy / program.get("directory", "")
        subprocess.run(words, cwd=directory, check=True, timeout=COMPILE_LIMIT, capture_output=True)


def without_paths(record, prefix):
    return json.loads(json.dumps(record).replace(prefix, ""))


def make_smaller(changes, folder):
    """Sizes that a program has in its source: each is {"file", "from", "to"}, once in the file, or
    as often as "times" says."""
    for change in changes:
        path = folder / change["file"]
        text = path.read_text("utf-8", "surrogateescape")
        times = change.get("times", 1)
        if text.count(change["from"]) != times:
            how_often = "once" if times == 1 else f"{times} times"
            raise InputError(f"{change['file']}: does not have '{change['from']}' {how_often}")
        text = text.replace(change["from"], change["to"])
        path.write_text(text, "utf-8", "surrogateescape")


def run_group(command, folder, given, time_limit):
    """The exit code and all output. A compiler or program that hangs is ended with all its
    children; 137 is then the code, as of what simt ends itself."""
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(given.encode(), timeout=time_limit + COMPILE_LIMIT)
            exit_code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            exit_code = 137
        except BaseException:  # whoever ends this script ends what it has started
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return exit_code, output.decode("utf-8", "replace")


def judge(program, manifest, ended):
    """The verdict, and why it is not that the program passes."""
    if ended.record is None:
        return judge_unbuilt(ended)
    kinds = [finding["kind"] for finding in ended.record["findings"]]
    if ended.record["timed_out"] or "time-limit" in kinds:
        # What a kernel left undone when it was ended is nobody's mistake.
        ended.record["findings"].clear()
        return SLOW, "its time was up"
    fails = program.get("fails", manifest.get("fails"))
    said = re.search(fails, ended.output) if fails else None
    if said:
        return WRONG, f"it says: {said.group(0)}"
    exit_code = ended.record["exit_code"]
    if exit_code != program.get("exit_code", 0):
        return WRONG, f"exit code {exit_code}"
    if program.get("no_check"):
        return RUNS, "it has no check of its own"
    passes = program.get("passes", manifest.get("passes"))
    if passes and not re.search(passes, ended.output):
        return WRONG, f"it does not say: {passes}"
    return PASSES, ""


def judge_unbuilt(ended):
    if ended.exit_code == 137:
        return SLOW, "the compiler did not end"
    errors = ERROR.findall(ended.output)
    reason = errors or ended.output.strip().splitlines()[-1:] or [f"exit code {ended.exit_code}"]
    refusals = [error for error in errors if REFUSAL.search(error)]
    return (REFUSED, refusals[0]) if refusals else (NO_COMPILE, reason[0])


def count_of(number, what):
    plural = "" if number == 1 else "es" if what.endswith("ch") else "s"
    return f"{number} {what}{plural}"


def in_words(result):
    words = f"{result['verdict']}, {count_of(result['launches'], 'launch')}, "
    words += count_of(len(result["findings"]), "finding")
    return f"{words}: {result['reason']}" if result["reason"] else words


def summary(record):
    verdicts = [program["verdict"] for program in record["programs"].values()]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in ORDER if verdict in verdicts]
    return ", ".join(counts)


def table(record):
    """Markdown: a row for each program. Those that were left out come last, and folded."""
    programs = record["programs"]
    left_out = {n: program for n, program in programs.items() if program["verdict"] == LEFT_OUT}
    run = {name: program for name, program in programs.items() if name not in left_out}
    text = table_of(run) if run else ""
    if left_out:
        title = f"{len(left_out)} left out, and why"
        rows = table_of(left_out)
        text += f"\n<details><summary>{title}</summary>\n\n{rows}\n</details>\n"
    return text


def table_of(programs):
    lines = ["| program | verdict | launches | findings | |", "| --- | --- | ---: | ---: | --- |"]
    for name, program in programs.items():
        remarks = [program["reason"], program.get("size", ""), program.get("note", "")]
        remark = "; ".join(text for text in remarks if text)
        cells = [name, program["verdict"], str(program["launches"]), str(len(program["findings"]))]
        lines.append("| " + " | ".join([*cells, in_a_cell(remark)]) + " |")
    return "\n".join(lines) + "\n"


def in_a_cell(text):
    """A # before a word would be a link for Doxygen."""
    for character, written in (("|", "\\|"), ("<", "&lt;"), ("#", "\\#"), ("\n", " ")):
        text = text.replace(character, written)
    return text


def write_whole(path, text):
    """What is there stays until the new file is complete."""
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, "utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise InputError(f"{path}: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
