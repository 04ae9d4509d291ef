"""What `./worklog test` has found out: that a step's own tests pass, and how long they take."""

STAMP = ".tests_passed"  # of a build folder, written when all tests have passed
COSTS = "Testing/Temporary/CTestCostData.txt"


def seconds_of_suites(build, step, suites):
    """Seconds that these suites of a step take in ctest, or None unless all tests have passed since
    the step's program was linked. A suite that the step does not have takes none."""
    stamp, program = build / STAMP, build / "bin" / f"step_{step}_tests"
    if not (stamp.exists() and program.exists()):
        return None
    if program.stat().st_mtime > stamp.stat().st_mtime:
        return None
    costs = read_costs(build / COSTS)
    found = [costs[f"{step}.{suite}"] for suite in suites if f"{step}.{suite}" in costs]
    return sum(found) if found else None


def read_costs(path):
    """Seconds by test, as ctest keeps them: lines of a name, how often it ran, and seconds."""
    if not path.exists():
        return {}
    lines = (line.split() for line in path.read_text().splitlines())
    return {words[0]: float(words[2]) for words in lines if len(words) == 3}
