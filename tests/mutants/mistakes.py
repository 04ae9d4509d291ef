"""The one-token mistakes that somebody may make in a kernel file, and where a file has room for
them."""

import dataclasses
import hashlib
import re


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One line of a step's softmax.cu with one mistake in it."""

    step: str
    kind: str  # such as "comparison"
    number: int  # of the line, from 1
    line: str  # as it stands, without the blanks around it and without a comment
    becomes: str  # the same of the mutant; "" for a line that is left out

    @property
    def rank(self):
        """Decides which mutants a part of all of them has: the same ones today and tomorrow."""
        text = f"{self.step}\n{self.line}\n{self.becomes}\n{self.kind}"
        return hashlib.sha256(text.encode()).hexdigest()

    def applied_to(self, source):
        lines = source.split("\n")
        at = self.number - 1
        blanks = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines[at] = blanks + self.becomes
        return "\n".join(lines)

    def __str__(self):
        becomes = self.becomes or "(left out)"
        return f"{self.step}:{self.number} {self.kind}: {self.line}  ->  {becomes}"


# Kind, what is looked for in a line without its comment, and what stands there instead. The blanks
# that clang-format puts around binary operators tell comparisons from the brackets of templates.
TOKENS = [
    ("comparison", r"(?<= )<(?= )", "<="),
    ("comparison", r"(?<= )<=(?= )", "<"),
    ("comparison", r"(?<= )>(?= )", ">="),
    ("comparison", r"(?<= )>=(?= )", ">"),
    ("comparison", r"(?<= )==(?= )", "!="),
    ("comparison", r"(?<= )!=(?= )", "=="),
    ("direction", r"(?<=\.m )>(?= )", "<"),
    ("arithmetic", r"(?<= )\+(?= )", "-"),
    ("arithmetic", r"(?<= )-(?= )", "+"),
    ("arithmetic", r"(?<=[\w)\]] )\*(?= )", "/"),
    ("arithmetic", r"(?<= )/(?= )", "*"),
    ("arithmetic", r"(?<= )%(?= )", "/"),
    ("arithmetic", r"(?<= )\+=(?= )", "-="),
    ("logic", r"&&", "||"),
    ("logic", r"(?<= )\|\|(?= )", "&&"),
    ("off by one", r"(?<![\w.])0(?![\w.]|, stream>>>)", "1"),
    ("off by one", r"(?<![\w.])1(?![\w.])", "0"),
    ("off by one", r"(?<![\w.])2(?![\w.])", "3"),
    ("constant", r"\b0\.0f", "1.0f"),
    ("constant", r"\b1\.0f", "0.0f"),
    ("identity", r"\bkNegativeInfinity\b", "0.0f"),
    ("identity", r"-std::numeric_limits<float>::infinity\(\)", "0.0f"),
    ("identity", r"\b\w+::kIdentity\b", "0.0f"),
    ("identity", r"\bkNobody\b", "entry_of(kNegativeInfinity, 0)"),
    ("maximum", r"\bfmaxf\b", "fminf"),
    ("correction", r"\bfmaf\(([^,()]*), ([^,()]*), ([^,()]*)\)", r"\3"),
    ("exponential", r"(?<!_)\bexpf\b", "exp2f"),
    ("index", r"\bblockIdx\.x\b", "blockDim.x"),
    ("index", r"\bthreadIdx\.x\b", "blockIdx.x"),
    ("block size", r"\bblockDim\.x\b", "gridDim.x"),
    ("block size", r"\bproblem\.block_size\b", "256"),
    ("32 bits", r"std::int64_t\{([^{}]*)\}", r"\1"),
    ("32 bits", r"\bstd::int64_t (?=\w+ = )", "int "),
    ("mask", r"\bkAllLanes\b(?! =)", "0x7fffffff"),
    ("lane", r"\bkWarpSize / 2\b", "kWarpSize / 4"),
    ("member", r"\.m\b(?!\w)", ".d"),
    ("member", r"\.d\b(?!\w)", ".m"),
    ("other side", r"\ba\.(?=[md]\b)", "b."),
    ("other side", r"\bb\.(?=[md]\b)", "a."),
    ("stream", r", stream>>>", ">>>"),
    ("grid", r"(?<=dim3 grid\()problem\.rows(?=\))", "1"),
]

# What shows beyond 2^31 elements only, where the executor cannot go: the suites `full_size` and
# `huge` of tests/steps look there.
NEEDS_GPU = {"32 bits"}

# Whole statements of a line that somebody may forget.
STATEMENTS = [
    ("barrier", r"__sync\w+\([^;]*\);"),
    ("fence", r"__threadfence\w*\(\);"),
    ("guard", r"if \(.*\) (return|continue|break).*;"),
    ("forgotten", r"[a-z_]\w*(\[[^;=]*\]|\.\w+)* [-+*/]?= .*;"),
]

# What holds no mistake of a kernel: other files' names, what a compiler checks, how a launch that
# CUDA refuses is told, how fast something is, and the text of a page.
NO_PLACE = re.compile(
    r"^(#|template|using|static_assert|worklog::check_launch|enum|struct|namespace|\}  //)"
    r"|__launch_bounds__|^constexpr (?!unsigned)"
)


def code_of(line):
    """The line with blanks instead of its comment and the text of its strings."""
    line = re.sub(r'"[^"]*"', lambda text: '"' + " " * (len(text[0]) - 2) + '"', line)
    return re.sub(r"//.*", lambda comment: " " * len(comment[0]), line)


def without_comment(line):
    return line[: len(code_of(line).rstrip())].strip()


def lines_of_code(source):
    """Number and text of the lines between the file's first `namespace {` and its registration."""
    inside = False
    for number, line in enumerate(source.split("\n"), start=1):
        if line.startswith(("WORKLOG_STEP(", "WORKLOG_RANK_STEP(")):
            return
        if inside and code_of(line).strip() and not NO_PLACE.search(line.strip()):
            yield number, line
        inside = inside or line.startswith("namespace {")


def mistakes_in(line):
    """Kind and text of every mistake that there is room for in a line."""
    code = code_of(line)
    for kind, pattern, replacement in TOKENS:
        for found in re.finditer(pattern, code):
            instead = found.expand(replacement)
            yield kind, line[: found.start()] + instead + line[found.end() :]
    for kind, pattern in STATEMENTS:
        if re.fullmatch(pattern, code.strip()):
            yield kind, ""


def mutants_of(step, source):
    """All mutants of a step's softmax.cu, by line."""
    return [
        Mutant(step, kind, number, without_comment(line), without_comment(becomes))
        for number, line in lines_of_code(source)
        for kind, becomes in mistakes_in(line)
    ]


def some_of(mutants, count):
    """As many of them, of as many kinds as there are: a mutant of each kind in turn."""
    by_kind = {}
    for mutant in sorted(mutants, key=lambda mutant: mutant.rank):
        by_kind.setdefault(mutant.kind, []).append(mutant)
    queues = sorted(by_kind.values(), key=lambda queue: queue[0].rank)
    chosen = []
    while queues and len(chosen) < count:
        queues = [queue for queue in queues if queue]
        for queue in queues[: count - len(chosen)]:
            chosen.append(queue.pop(0))
    return chosen
