"""The site that `./worklog docs` built: no dead link, and nothing that needs a network."""

import re

from links import dead_links, read_page


def test_no_link_is_dead(built):
    dead, looked_at = dead_links(built / "html")
    assert looked_at > 1000
    assert dead == []


def test_no_anchor_comes_twice(built):
    twice = {
        path.name: sorted(page.repeated)
        for path in sorted((built / "html").glob("*.html"))
        if (page := read_page(path)).repeated
    }
    assert twice == {}


def test_nothing_is_loaded_from_a_network(built):
    """Pages may link to others' sites; what they load lies beside them."""
    loading = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*")
    for path in (built / "html").glob("*.html"):
        assert not loading.findall(path.read_text("utf-8")), path
    for path in (built / "html").glob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)
        assert not re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", text), path


def test_every_page_of_the_book_is_there(built):
    """Each has a title, and a way on; every step has its code, its figure and its neighbours."""
    for page in sorted((built / "pages").glob("*.md")):
        name = "index" if page.stem == "mainpage" else page.stem
        assert (built / "html" / f"{name}.html").is_file(), name
    for page in sorted((built / "html").glob("step_[0-9][0-9]_*.html")):
        text = page.read_text("utf-8")
        assert "What is new since" in text or "The kernels." in text, page.name
        assert '<div class="fragment">' in text and "<svg" in text, page.name
        assert 'class="previous"' in text and 'class="next"' in text, page.name


def test_the_checker_finds_dead_links(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a id="here"></a><a href="#here">1</a><a href="#gone">2</a><a href="b.html">3</a>'
        '<a href="c.html#x">4</a><img src="d.svg"><a href="https://example.org">5</a>'
        '<svg><a xlink:href="e.html"></a></svg>'
    )
    (tmp_path / "c.html").write_text('<p id="y"></p><p id="y"></p>')
    (tmp_path / "tree.js").write_text('var T = [ "c", "c.html#z", null ];')
    dead, looked_at = dead_links(tmp_path)
    assert dead == [
        "a.html: #gone", "a.html: b.html", "a.html: c.html#x", "a.html: d.svg", "a.html: e.html",
        "tree.js: c.html#z",
    ]  # fmt: skip
    assert looked_at == 8
    assert read_page(tmp_path / "c.html").repeated == {"y"}
