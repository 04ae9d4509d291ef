"""The mutants that are no mistakes, and why: equivalents.json."""

import json
import pathlib

FILE = pathlib.Path(__file__).parent / "equivalents.json"
FIELDS = {"steps", "line", "becomes", "reason"}


def read_equivalents(mutants_of, file=FILE):
    """A function that returns why a mutant is equivalent, and None of one that is not listed.

    `mutants_of` has all mutants by the step's name. Throws ValueError for an entry that is about no
    mutant of one of its steps, because the code has changed, or that is not whole.
    """
    reasons = {}
    for entry in json.loads(file.read_text()):
        if set(entry) != FIELDS or not entry["steps"] or not entry["reason"]:
            raise ValueError(
                f"{file.name}: an entry has {', '.join(sorted(FIELDS))}, and none is "
                f"empty but 'becomes': {entry}"
            )
        for step in entry["steps"]:
            key = (step, entry["line"], entry["becomes"])
            if not any(key == key_of(mutant) for mutant in mutants_of.get(step, [])):
                raise ValueError(
                    f"{file.name}: no mutant of {step} turns\n    {entry['line']}\n"
                    f"into\n    {entry['becomes'] or '(left out)'}"
                )
            if key in reasons:
                raise ValueError(f"{file.name}: two entries of {step} for\n    {entry['line']}")
            reasons[key] = entry["reason"]
    return lambda mutant: reasons.get(key_of(mutant))


def key_of(mutant):
    return mutant.step, mutant.line, mutant.becomes
