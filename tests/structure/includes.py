"""includes.py ROOT: no two folders include each other, and simt/ includes nothing outside itself.

Every folder counts by itself, at any depth: simt/executor stands for the files directly in it, and
not for those of simt/executor/log. So a folder may include those within it, or they may include it,
but not both. Only #include lines with a path from the repository's root are looked at; those of
neighbours name no folder.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

TOPS = ("bench", "common", "library", "python", "simt", "steps", "tests")
SOURCES = {".h", ".cuh", ".cpp", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def folder_of(path):
    """simt/executor/log/access_log.h lies in simt/executor/log."""
    return path.parent.as_posix()


def includes(root):
    """(folder, included folder) -> an example: "file includes file"."""
    found = defaultdict(list)
    for top in TOPS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SOURCES:
                continue
            own = file.relative_to(root)
            for name in INCLUDE.findall(file.read_text("utf-8", errors="replace")):
                if name.split("/")[0] in TOPS and (root / name).is_file():
                    found[folder_of(own), folder_of(Path(name))].append(f"{own} includes {name}")
    return found


def circles(found):
    """Folders that include each other, at once or by way of others: one message each."""
    below = defaultdict(set)
    for by, included in found:
        if by != included:
            below[by].add(included)
    for _ in list(below):  # a way leads through no folder twice
        for folder in list(below):
            below[folder] |= set().union(*(below[included] for included in list(below[folder])))
    for (by, included), examples in sorted(found.items()):
        if by != included and by in below[included]:
            how = "at once or by way of others"
            yield f"{by} and {included} include each other, {how}: {examples[0]}"


def outside(found, top):
    for (by, included), examples in sorted(found.items()):
        if by.split("/")[0] == top and included.split("/")[0] != top:
            yield from examples


def main():
    found = includes(Path(sys.argv[1]))
    if not any(by.startswith("simt/") for by, _ in found):
        sys.exit(f"{sys.argv[1]}: has no sources of simt/")
    wrong = [f"simt/ is a project of its own, but {example}" for example in outside(found, "simt")]
    wrong += circles(found)
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
