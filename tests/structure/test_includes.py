"""includes.py finds what it must find, and nothing else."""

import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDES = Path(__file__).parent / "includes.py"


def messages(files):
    """What includes.py says of a repository of these files: name -> what it includes."""
    with tempfile.TemporaryDirectory() as root:
        for name, included in files.items():
            file = Path(root, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(f'#include "{other}"\n' for other in included))
        command = [sys.executable, "-B", INCLUDES, root]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode == 0) == (ended.stdout + ended.stderr == ""), ended
        return ended.stdout + ended.stderr


SIMT = {"simt/run/a.cpp": ["simt/executor/log/b.h"], "simt/executor/log/b.h": []}

assert messages(SIMT) == ""
assert messages(SIMT | {"simt/executor/c.h": ["simt/executor/log/b.h"]}) == ""

# A folder and those within it are apart, as are these from each other.
assert messages(SIMT | {"simt/executor/c.h": ["simt/executor/d.h"], "simt/executor/d.h": []}) == ""
TO_AND_FRO = {"simt/executor/c.h": ["simt/executor/log/b.h"], "simt/executor/d.h": []}
PARENT = SIMT | TO_AND_FRO | {"simt/executor/log/b.h": ["simt/executor/d.h"]}
assert "simt/executor and simt/executor/log include each other" in messages(PARENT)
SIBLINGS = {
    "simt/executor/log/b.h": ["simt/executor/memory/e.h"],
    "simt/executor/memory/f.h": ["simt/executor/log/b.h"],
    "simt/executor/memory/e.h": [],
}
assert "simt/executor/log and simt/executor/memory include each" in messages(SIMT | SIBLINGS)

assert "has no sources of simt/" in messages({"common/step/a.h": []})

AT_ONCE = {"common/step/a.h": ["common/cuda/b.h"], "common/cuda/b.h": ["common/step/a.h"]}
assert "common/cuda and common/step include each other" in messages(SIMT | AT_ONCE)

BY_OTHERS = {
    "common/step/a.h": ["common/cuda/b.h"],
    "common/cuda/b.h": ["bench/c.h"],
    "bench/c.h": ["common/step/d.h"],
    "common/step/d.h": [],
}
assert messages(SIMT | BY_OTHERS).count("by way of others") == 3

OUTSIDE = {"simt/run/a.cpp": ["common/step/a.h"], "common/step/a.h": []}
assert "simt/ is a project of its own, but simt/run/a.cpp" in messages(SIMT | OUTSIDE)
