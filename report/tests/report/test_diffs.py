"""The diff of two kernels."""

from html.parser import HTMLParser

from worklog_report.html import diffs
from worklog_report.results.steps import read_units


def test_stretches_rebuild_the_other_source():
    before = "a\nb\nc\nd\ne\n"
    after = "a\nB\nc\ne\nf\n"
    assert diffs.stretches(before, after) == [(1, 1, 1), (1, 1, 0), (1, 0, 1)]


def test_stretches_count_every_line_once(workplace):
    sources = [unit.files["softmax.cu"] for unit in read_units(workplace.steps)]
    for before in sources:
        for after in sources:
            found = diffs.stretches(before, after)
            assert sum(equal + gone for equal, gone, _ in found) == len(before.splitlines())
            assert sum(equal + new for equal, _, new in found) == len(after.splitlines())


def test_same_source_has_no_change():
    assert diffs.stretches("a\nb\n", "a\nb\n") == [(2, 0, 0)]
    assert [line.kind for line in diffs.unified("a\nb\n", "a\nb\n")] == ["…"]


def test_unified_shows_changes_with_context():
    before = "".join(f"line{n};\n" for n in range(30))
    lines = diffs.unified(before, before.replace("line15;", "changed;"))
    assert [line.kind for line in lines] == ["…", *"===", "-", "+", *"===", "…"]
    assert lines[0].html == "12 unchanged lines"
    assert (lines[4].before, lines[4].after) == (16, None)
    assert (lines[5].before, lines[5].after) == (None, 16)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = 0, ""

    def handle_starttag(self, tag, attrs):
        assert tag == "span"
        self.open += 1

    def handle_endtag(self, tag):
        self.open -= 1

    def handle_data(self, data):
        self.text += data


def test_coloured_lines_keep_the_text_and_close_their_elements():
    source = (
        '#include "a<b>.h"\n\n/* two\n   lines */ int x = 1 < 2 && "&amp;"; // é\n\tf<<<1, 2>>>();'
    )
    lines = diffs.coloured_lines(source)
    assert len(lines) == len(source.splitlines())
    for line, original in zip(lines, source.splitlines(), strict=True):
        tags = Tags()
        tags.feed(line)
        tags.close()
        assert tags.text == original
        assert tags.open == 0


def test_a_script_in_a_source_stays_text():
    assert diffs.coloured_lines("x<script>") == ("x&lt;script&gt;",)


def test_every_pair_is_in_the_page_once(workplace):
    units = read_units(workplace.steps)
    pairs = diffs.for_page(units)["pairs"]
    assert len(pairs) == len(units) * (len(units) - 1) // 2
