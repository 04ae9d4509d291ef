"""tidy_database.py BUILD: writes BUILD/tidy/compile_commands.json, and prints the sources in it.

Of sources that CMake compiles several at once, BUILD/compile_commands.json names only the file that
includes them. Here each has that file's command for itself, as clang-tidy wants it.

tidy_database.py --as-compiled BUILD FOLDER..: prints what is compiled of the folders' sources, the
files that include several of them among it. clang-tidy reads the same headers once for all of them.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def by_themselves(entry):
    """The entry, or one for each source that its file includes."""
    file = pathlib.Path(entry["file"])
    if file.parent.name != "Unity":
        return [entry]
    sources = re.findall(r'^#include "(.*\.cpp)"$', file.read_text(), re.MULTILINE)
    return [
        entry | {"file": source, "command": entry["command"].replace(str(file), source)}
        for source in sources
    ]


def as_compiled(entries, folders):
    """The files that the compiler is given until each of the folders' sources has been in one."""
    seen = set()
    for entry in entries:
        sources = {one["file"] for one in by_themselves(entry)}
        new = {one for one in sources - seen if is_in(pathlib.Path(one), folders)}
        seen |= new
        if new:
            yield entry["file"]


def is_in(source, folders):
    """Whether it is one of the repository's own, in these folders and not in a test's."""
    if source.suffix != ".cpp" or not source.is_relative_to(ROOT):
        return False
    parts = source.relative_to(ROOT).parts
    return parts[0] in folders and "tests" not in parts


def entries_of(build):
    """What is compiled, as CMake has written it."""
    return json.loads((build / "compile_commands.json").read_text())


def write_database(build):
    """Prints the sources that are in it."""
    expanded = [one for entry in entries_of(build) for one in by_themselves(entry)]
    (build / "tidy").mkdir(exist_ok=True)
    (build / "tidy/compile_commands.json").write_text(json.dumps(expanded, indent=1))
    print("\n".join(sorted({one["file"] for one in expanded})))


def main():
    """As this file's first lines say."""
    if sys.argv[1] == "--as-compiled":
        print("\n".join(as_compiled(entries_of(pathlib.Path(sys.argv[2])), sys.argv[3:])))
    else:
        write_database(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
