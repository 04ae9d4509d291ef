"""tidy_database.py BUILD: writes BUILD/tidy/compile_commands.json, and prints the sources in it.

Of sources that CMake compiles several at once, BUILD/compile_commands.json names only the file that
includes them. Here each has that file's command for itself, as clang-tidy wants it.
"""

import json
import pathlib
import re
import sys


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


def main():
    build = pathlib.Path(sys.argv[1])
    entries = json.loads((build / "compile_commands.json").read_text())
    expanded = [one for entry in entries for one in by_themselves(entry)]
    (build / "tidy").mkdir(exist_ok=True)
    (build / "tidy/compile_commands.json").write_text(json.dumps(expanded, indent=1))
    print("\n".join(sorted({one["file"] for one in expanded})))


if __name__ == "__main__":
    main()
