"""Reads what ncu printed (--csv --page raw) beside the list of launches that worklog_profile
wrote."""

import csv
import json
import re
from pathlib import Path

from figures import FIGURES, OPCODES

# Beside OPCODES ncu prints its source, the count of every instruction of the kernel.
csv.field_size_limit(1 << 28)


class InputError(Exception):
    """A file that can't be used; the message names it."""


def read_json(path: Path) -> dict:
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: broken or truncated JSON: {error}") from None


def read_ncu(path: Path) -> list[dict[str, str]]:
    """A row a launch, in order. Above the table ncu prints messages, below its head the units."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    head = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if head is None:
        said = next((line for line in lines if "ERROR" in line), "no table")
        raise InputError(f"{path}: ncu profiled nothing: {said}")
    names, _, *rows = csv.reader(lines[head:])
    return [dict(zip(names, row, strict=True)) for row in rows]


def number(text: str) -> int | float:
    """195,300 and 12.5, also with the values of its instances behind it: 195,300 (58,500; ...)."""
    value = float(text.split(" (")[0].replace(",", ""))
    return int(value) if value.is_integer() else value


def instances(text: str) -> dict[str, int]:
    """58,500 (IMAD: 40,000; SHFL: 18,500) by name; {} where ncu gave values without names."""
    inside = re.search(r"\((.*)\)$", text)
    parts = [part.rpartition(":") for part in inside[1].split(";")] if inside else []
    return {name.strip(): int(number(value)) for name, colon, value in parts if colon}


def _shape(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]


def _values(row: dict[str, str], wanted: list[str]) -> dict[str, int | float]:
    values = {}
    opcodes = [name for figure in FIGURES for name in figure.metrics if name.isupper()]
    for name in wanted:
        if name == OPCODES:
            executed = instances(row.get(name, ""))
            values |= {opcode: executed.get(opcode, 0) for opcode in opcodes} if executed else {}
        elif row.get(name, "") not in ("", "n/a", "nan", "no data"):
            values[name] = number(row[name])
    return values


def join(profile_path: Path, ncu_path: Path, wanted: list[str]) -> dict:
    """The profile with kernel and metrics in each launch. They must match, launch by launch."""
    profile, rows = read_json(profile_path), iter(read_ncu(ncu_path))
    for case in profile["cases"]:
        for launch in case["launches"]:
            row = next(rows, None)
            name = (
                f"{case['step']}/{case['variant']}, {case['dtype']} {case['rows']} x {case['cols']}"
            )
            if row is None:
                raise InputError(f"{ncu_path}: ends before the launch of {name}")
            seen = (_shape(row["Grid Size"]), _shape(row["Block Size"]))
            if seen != (launch["grid"], launch["block"]):
                raise InputError(
                    f"{ncu_path}: the launch of {name} has a grid and a block of {launch['grid']} "
                    f"and {launch['block']}, the row for it {seen[0]} and {seen[1]}"
                )
            launch["kernel"] = row["Kernel Name"]
            launch["metrics"] = _values(row, wanted)
    if next(rows, None) is not None:
        raise InputError(f"{ncu_path}: has more launches than {profile_path} lists")
    return profile


def same_launches(first: dict, second: dict) -> bool:
    def shapes(profile):
        return [
            (
                *(case[name] for name in ("step", "variant", "dtype", "rows", "cols", "k")),
                [
                    (launch["kernel"], launch["grid"], launch["block"])
                    for launch in case["launches"]
                ],
            )
            for case in profile["cases"]
        ]

    return shapes(first) == shapes(second)
