"""The reduction trees: every pair that stands in them is that of the values below it."""

import re
from math import exp
from xml.etree import ElementTree

import pytest
from repository import ROOT

from worklog_report.site import normalizer
from worklog_report.site.normalizer import ROW, Normalizer, of_value

SVG = "{http://www.w3.org/2000/svg}"
STEPS = ROOT / "steps"
WARPS = (ROW[:4], ROW[4:])


def of_values(values) -> tuple[float, float]:
    """(m, d) by its definition, in double precision."""
    m = max(values)
    return m, sum(exp(x - m) for x in values)


def d_text(d: float) -> str:
    return f"{d:g}" if d in (0, 1) else f"{d:.4f}"


def pairs_text(pairs) -> list[str]:
    """As the figures have a row of pairs: the maxima, and below them the sums."""
    return [f"{m:g}" for m, _ in pairs], [d_text(d) for _, d in pairs]


def lines_of(svg: str) -> list[list[str]]:
    """The numbers of a figure, line by line, from the left."""
    lines: dict[float, list] = {}
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        if text.get("text-anchor") == "middle" and text.get("font-size") == "10":
            lines.setdefault(float(text.get("y")), []).append((float(text.get("x")), text.text))
    return [[words for _, words in sorted(lines[y])] for y in sorted(lines)]


def test_the_tree_of_step_04(drawn):
    expected = []
    for active in (8, 4, 2, 1):  # pair t is of all values at t, t + active, t + 2 active, ...
        maxima, sums = pairs_text([of_values(ROW[t::active]) for t in range(active)])
        expected += [maxima, sums]
    assert lines_of(drawn["reduction_tree_04.svg"]) == expected


def test_the_exchanges_of_step_05(drawn):
    def joined(of_warp) -> list[str]:
        return [text for warp in WARPS for text in of_warp(warp)]

    def maxima(distance):
        """Lane i has exchanged with i xor 2, and then with i xor 1."""
        return joined(lambda w: [f"{max(seen(w, i, distance)):g}" for i in range(4)])

    def sums(distance):
        return joined(
            lambda w: [d_text(sum(exp(x - max(w)) for x in seen(w, i, distance))) for i in range(4)]
        )

    def seen(warp, lane, distance):
        others = {lane} if distance > 2 else {lane, lane ^ 2}
        others |= {other ^ 1 for other in others} if distance == 1 else set()
        return [warp[other] for other in others]

    nothing = (float("-inf"), 0.0)
    expected = [*pairs_text([of_values([x]) for x in ROW])]
    expected += [maxima(2), maxima(1), sums(4), sums(2), sums(1)]
    expected += [*pairs_text([*map(of_values, WARPS), nothing, nothing])]
    expected += [*pairs_text([of_values(ROW)] * 4)]
    assert lines_of(drawn["reduction_tree_05.svg"]) == expected


def test_the_hierarchy_combines_pairs_of_two_at_each_level(drawn):
    values, *lines = lines_of(drawn["memory_hierarchy.svg"])
    row = [int(x) for x in values]
    assert len(row) == 16
    for level, (maxima, sums) in enumerate(zip(lines[::2], lines[1::2], strict=True), start=1):
        size = 2**level
        pairs = [of_values(row[first : first + size]) for first in range(0, 16, size)]
        assert maxima == [f"{m:g}" for m, _ in pairs]
        assert sums == [f"{d:.2f}" for _, d in pairs]
    assert level == 4


@pytest.mark.parametrize("name", ["04_shared_memory", "05_warp_shuffle"])
def test_the_steps_pages_have_the_same_numbers(drawn, name):
    """Their tables by hand."""
    page = (STEPS / name / "README.md").read_text("utf-8")
    by_hand = page.partition("## Eight values by hand")[2].partition("##")[0]
    figure = {word for line in lines_of(drawn[f"reduction_tree_{name[:2]}.svg"]) for word in line}
    numbers = set(re.findall(r"\d\.\d{4}", by_hand))
    assert len(numbers) >= 5 and numbers <= figure


def test_the_kernel_goes_the_same_distances(run):
    """Of the first rounds of step 04's tree the trace has the addresses."""
    trace = run.annotations["04_shared_memory"].trace
    first = [
        request
        for request in trace.requests
        if (request.block, request.warp) == (0, 0) and request.lanes[0].array == -1
    ]
    stored = next(request for request in first if request.kind == "shared store")
    start = stored.lanes[0].offset  # of thread 0's m
    line = next(request.line for request in first if request.of > 1)
    loads = [r for r in first if r.line == line and r.kind == "shared load"]
    distances = list(
        dict.fromkeys((r.lanes[0].offset - start) // 4 % len(stored.lanes) for r in loads)
    )
    tree = normalizer.tree([of_value(0)] * len(stored.lanes))
    assert len(distances) >= 4
    assert distances == [round_.distance for round_ in tree][: len(distances)]
    assert [r.lanes[-1].number + 1 for r in loads[::2]] == distances


def test_odd_numbers_of_threads_and_nothing():
    for count in range(1, 40):
        rounds = normalizer.tree([of_value(x % 7) for x in range(count)])
        result = rounds[-1].pairs[0] if rounds else of_value(0)
        m, d = of_values([x % 7 for x in range(count)])
        assert result.m == m and result.d == pytest.approx(d, rel=1e-6)
    assert normalizer.combine(Normalizer(), Normalizer()) == Normalizer()
    assert normalizer.combine(Normalizer(), of_value(3)) == of_value(3)
