"""quoted.py NVCC CUOBJDUMP: the machine code that pages of steps quote is what nvcc makes of them.

A quotation stands between fences, below a comment that names the kernel and the instructions that
it shows, which are those of its fp32 instance, for sm_90, with no other between them:

    <!-- machine code: row_maxima, LDG|FMNMX|BRA -->

Another version of nvcc may choose otherwise, so that nothing is compared unless it is the one that
the page names. Exit codes: 0 all are as quoted, 1 one is not or there is none, 2 bad usage.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUOTED = re.compile(
    r"^<!-- machine code: (?P<kernel>\w+), (?P<wanted>\S+) -->\n\n```text\n(?P<code>.*?)\n```$",
    re.M | re.S,
)
VERSION = re.compile(r"\bnvcc (\d+\.\d+)")


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    nvcc, cuobjdump = arguments
    version = re.search(r"release (\d+\.\d+)", output([nvcc, "--version"]))[1]
    wrong, compared = [], 0
    for page in sorted(ROOT.glob("steps/*/README.md")):
        text = page.read_text("utf-8")
        quotations = list(QUOTED.finditer(text))
        if not quotations or VERSION.search(text)[1] != version:
            continue
        sass = machine_code(page.with_name("softmax.cu"), nvcc, cuobjdump)
        for quoted in quotations:
            compared += 1
            made = instructions(sass, quoted["kernel"], quoted["wanted"])
            if f"\n{quoted['code']}\n" not in f"\n{made}\n":
                wrong.append(
                    f"{page}: nvcc {version} makes other code of {quoted['kernel']}:\n{made}"
                )
    print(*wrong, f"{compared} quotations of machine code by nvcc {version}", sep="\n")
    return 1 if wrong or not compared else 0


def machine_code(source: Path, nvcc: str, cuobjdump: str) -> str:
    """As the pages say that it is made."""
    names = ["-D", 'WORKLOG_STEP_NAME=""', "-D", 'WORKLOG_STEP_VARIANT=""']
    with tempfile.TemporaryDirectory() as folder:
        cubin = f"{folder}/step.cubin"
        options = ["-std=c++20", "-arch=sm_90", "-I", str(ROOT), *names]
        output([nvcc, *options, "-cubin", "-o", cubin, str(source)])
        return output([cuobjdump, "-sass", cubin])


def instructions(sass: str, kernel: str, wanted: str) -> str:
    """The wanted ones of the kernel's fp32 instance, a line each, without their addresses."""
    functions = re.split(r"Function : (\S+)", sass)[1:]
    own = next(
        code
        for name, code in zip(functions[::2], functions[1::2], strict=True)
        if f"{kernel}If" in name
    )
    found = re.findall(rf"/\*[0-9a-f]{{4,}}\*/\s+((?:@!?U?P\d )?(?:{wanted})\b[^;]*?) *;", own)
    return "\n".join(found)


def output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
