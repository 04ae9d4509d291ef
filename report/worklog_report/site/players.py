"""The pages that play what a step's warps do, each beside the step that it builds on.

A step's program writes a page of its own kernels (its --html FILE), which holds its data as JSON;
simt/docs/record.md describes that. Here the launches of two such pages come together in one.
"""

import json
import re
from pathlib import Path
from typing import Any

from ..results.ladder import Row
from ..results.records import InputError
from ..support.generated_files import text_of

_RECORD = re.compile(r'(<script type="application/json" id="record">)(.*?)(</script>)', re.S)


def page_name(step: str) -> str:
    """player_05_warp_shuffle"""
    return f"player_{step}"


def pages(files: list[Path], builds_on: dict[str, str]) -> dict[str, str]:
    """By file name, of these pages, which are named after their steps: 05_warp_shuffle.html."""
    made = {}
    by_step = {file.stem: file for file in files}
    for step, file in by_step.items():
        other = by_step.get(builds_on.get(step, "").split("/")[0])
        text = text_of(file)
        if other is not None:
            together = beside(record_of(file, text), record_of(other, text_of(other)))
            text = with_record(text, together)
        made[f"{page_name(step)}.html"] = text
    return made


def steps_before(rows: list[Row]) -> dict[str, str]:
    """Of each step the one that it builds on, or a variant of that."""
    return {row.unit.step: row.builds_on for row in rows if not row.unit.variant}


def record_of(file: Path, text: str) -> dict[str, Any]:
    """The data of a page."""
    found = _RECORD.search(text)
    if found is None:
        raise InputError(f"{file}: is no page of a step's --html: it has no record")
    return json.loads(found[2])


def with_record(text: str, record: dict[str, Any]) -> str:
    """The page with this data."""
    # As simt writes it: no text of a program ends the script.
    data = json.dumps(record, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return _RECORD.sub(lambda found: found[1] + data + found[3], text, count=1)


def beside(own: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The launches of one step, then those of another, whose first the second player plays."""
    first, second = (_with_own_names(record) for record in (own, other))
    return own | {
        "sources": first["sources"] + second["sources"],
        "launches": first["launches"] + second["launches"],
        "files": first["files"] + second["files"],
        "beside": len(first["launches"]),
    }


def _with_own_names(record: dict[str, Any]) -> dict[str, Any]:
    """Every step has a softmax.cu: files are named with their step."""
    step = record["title"]

    def named(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [place | {"file": f"{step}/{place['file']}"} for place in places]

    launches = []
    for launch in record["launches"]:
        recorded = launch["recorded"] | {"places": named(launch["recorded"]["places"])}
        launches.append(launch | {"lines": named(launch["lines"]), "recorded": recorded})
    files = [file | {"name": f"{step}/{file['name']}"} for file in record["files"]]
    return record | {"launches": launches, "files": files}
