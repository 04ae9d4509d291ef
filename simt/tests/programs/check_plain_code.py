"""check_plain_code.py SIMT: builds a program with `SIMT run`, and looks which hooks the copies of
its functions call that launches run plain: those at which a thread that waits in a loop gives way,
and no others. Ends with 77 where the compiler is one for which no copies are made."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
HOOK = re.compile(r"<__(?:tsan|sanitizer_cov)_(\w+)(?:@plt)?>")


def hooks_called(program):
    """The hooks that each function calls, by its name."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", str(program)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    functions = {}
    for line in text.splitlines():
        name = re.fullmatch(r"[0-9a-f]+ <(.*)>:", line)
        if name:
            hooks = functions.setdefault(name[1], set())
        elif HOOK.search(line):
            hooks.add(HOOK.search(line)[1])
    return functions


def main(simt):
    (toolchain,) = pathlib.Path(simt).resolve().parent.parent.glob("lib*/**/simt/toolchain.txt")
    if "plain_copies" not in toolchain.read_text().splitlines():
        return 77
    with tempfile.TemporaryDirectory() as cache:
        command = [simt, "run", str(HERE / "plain_launches.cu")]
        environment = {**os.environ, "SIMT_CACHE": cache}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=300)
        (program,) = pathlib.Path(cache).glob("programs/*/plain_launches")
        functions = hooks_called(program)
    kernel = next(name for name in functions if re.match(r"_Z4sumsPKfPf$", name))
    assert {"trace_pc", "read4", "write4"} <= functions[kernel], functions[kernel]
    copies = {name: hooks for name, hooks in functions.items() if name.endswith(".plain")}
    assert kernel + ".plain" in copies
    called = set().union(*copies.values())
    assert called == {"volatile_read4", "volatile_write4"}, called
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
