"""The figures beside the pages that show them."""

import pytest

from worklog_report.site import page_figures

SVG = (
    '<svg class="worklog-figure" viewBox="0 0 360 100">\n<title>T</title>\n'
    "<desc>A tree of eight [values], Milakov&#x27;s.</desc>\n</svg>\n"
)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "docs/pages").mkdir(parents=True)
    (tmp_path / "steps/04_fourth").mkdir(parents=True)
    (tmp_path / "docs/pages/a.md").write_text("# A\n\n![old](figures/tree.svg)\n\n![x](own.svg)\n")
    (tmp_path / "steps/04_fourth/README.md").write_text("# 04\n\n![](../../docs/tree.svg) End.\n")
    return tmp_path


def test_each_page_gets_the_file_where_it_names_it_and_its_words(root):
    texts = page_figures.updated_files({"tree.svg": SVG}, root)
    words = "![A tree of eight (values), Milakov's.]"
    assert texts == {
        root / "docs/pages/a.md": f"# A\n\n{words}(figures/tree.svg)\n\n![x](own.svg)\n",
        root / "docs/pages/figures/tree.svg": page_figures.as_file(SVG),
        root / "steps/04_fourth/README.md": f"# 04\n\n{words}(../../docs/tree.svg) End.\n",
        root / "docs/tree.svg": page_figures.as_file(SVG),
    }


def test_what_is_written_once_stays(root):
    for path, text in page_figures.updated_files({"tree.svg": SVG}, root).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    again = page_figures.updated_files({"tree.svg": SVG}, root)
    assert all(path.read_text() == text for path, text in again.items())


def test_a_file_has_a_size():
    assert '<svg width="540" height="150" class="worklog-figure" viewBox' in page_figures.as_file(
        SVG
    )
