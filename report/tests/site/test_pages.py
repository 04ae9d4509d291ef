"""The parts that make pages of the repository's Markdown and CUDA sources."""

import re
from pathlib import Path

import pytest
from repository import ROOT

from worklog_report.pages.code_blocks import code_blocks, label, marked, new_blocks
from worklog_report.results.records import InputError
from worklog_report.site.book import INDEX, read_book
from worklog_report.site.formulas import rendered
from worklog_report.site.navigation import with_subpages
from worklog_report.site.page_text import Site, converted, slug

PAGE = Path("docs/pages/a.md")
STEP = Path("steps/05_warp_shuffle/README.md")

KERNEL = """#include <cuda_runtime.h>

namespace {

constexpr int kWarpSize = 32;

// A pair.
struct Pair {
  float m;

  float d;
};

template <typename T>
__global__ void __launch_bounds__(kWarpSize)
    softmax(const T* x) {
  if (x) {
    return;

  }
}

// Launches it.
void launch(int rows) {
  softmax<<<rows, 32>>>(nullptr);
}

}  // namespace
"""


@pytest.fixture
def site():
    pages = {PAGE: "a", Path("docs/pages/b.md"): "b", STEP: "step_05_warp_shuffle"}
    headers = {Path("common/step/step.h")}
    return Site(pages, headers, {INDEX}, {"access_05.svg", "tree.svg"}, ROOT)


# ---- code ----


def test_blocks_are_functions_and_types_with_their_comments():
    blocks = code_blocks(KERNEL)
    assert [block.name for block in blocks] == ["Pair", "softmax", "launch"]
    assert [(block.first, block.last) for block in blocks] == [(7, 12), (14, 21), (23, 26)]
    assert blocks[0].text.startswith("// A pair.")


def test_marks_stand_on_blank_lines_and_move_no_line():
    before, after = KERNEL.splitlines(), marked(KERNEL).splitlines()
    changed = [old for old, new in zip(before, after, strict=True) if old != new]
    assert changed == ["", "", "", ""]
    for block in code_blocks(KERNEL):
        marks = [number for number, line in enumerate(after, 1) if f"[{label(block)}]" in line]
        assert marks == [block.first - 1, block.last + 1]


def test_new_blocks_are_those_whose_code_differs():
    other = KERNEL.replace("// Launches it.", "// Another comment.").replace("float d", "double d")
    assert [block.name for block in new_blocks(other, KERNEL)] == ["Pair"]
    assert new_blocks(KERNEL, KERNEL) == []


@pytest.mark.parametrize("kernel", sorted(ROOT.glob("steps/*/softmax.cu")))
def test_every_kernel_of_a_step_is_a_block(kernel):
    source = kernel.read_text("utf-8")
    inside = "\n".join(block.text for block in code_blocks(source))
    assert inside.count("__global__") == source.count("__global__") > 0
    assert "launch" in {block.name for block in code_blocks(source)}


# ---- text ----


def test_links_become_references(site):
    step = "../../steps/05_warp_shuffle/README.md"
    assert converted("[b](b.md), [part](b.md#the-part)", PAGE, site) == (
        "[b](@ref b), [part](@ref b-the-part)"
    )
    assert converted(f"[own](#here), [step]({step})", PAGE, site) == (
        "[own](@ref a-here), [step](@ref step_05_warp_shuffle)"
    )


def test_a_number_that_begins_a_line_is_no_list(site):
    sentence = "as many but at most\n256. A pair counts once.\n"
    assert converted(sentence, PAGE, site) == sentence.replace("256.", "256\\.")
    items = "1. one\n2. two, which\n   goes on\n3. three\n"
    assert converted(items, PAGE, site) == items
    assert converted(f"    {items}", PAGE, site) == f"    {items}"


def test_bold_words_may_be_code(site):
    assert converted("**`b` gains\nnothing.** a **c `d`**", PAGE, site) == (
        "<b>`b` gains\nnothing.</b> a <b>c `d`</b>"
    )
    assert converted("2 ** 3, `a ** b`\n\n4 ** 5", PAGE, site) == "2 ** 3, `a ** b`\n\n4 ** 5"


def test_in_a_table_a_number_keeps_its_unit(site):
    assert converted("| L2, 29 % | 3 ms |\n\n29 % `| 1 %`", PAGE, site) == (
        "| L2, 29\u00a0% | 3\u00a0ms |\n\n29 % `| 1 %`"
    )


def test_links_to_headers_and_sources(site):
    text = "[step.h](../../common/step/step.h) [k](../../steps/05_warp_shuffle/softmax.cu)"
    found = converted(text, PAGE, site)
    assert "[step.h](@ref common/step/step.h)" in found
    assert '\\subpage code_steps_05_warp_shuffle_softmax_cu "k"' in found
    again = converted("[k](../../steps/05_warp_shuffle/softmax.cu)", PAGE, site)
    assert again == "[k](@ref code_steps_05_warp_shuffle_softmax_cu)"


@pytest.mark.parametrize("target", ["missing.md", "../../missing.cu", "../../LICENSE"])
def test_a_link_that_leads_nowhere_is_an_error(site, target):
    with pytest.raises(InputError, match=f"a.md: links to {target}"):
        converted(f"[x]({target})", PAGE, site)


def test_headings_have_the_anchors_of_code_hosts(site):
    assert slug("The `best` list, and its cost") == "the-best-list-and-its-cost"
    text = converted("# Title\n\n## What is slow\n", PAGE, site)
    assert text == "# Title {#a}\n\n## What is slow {#a-what-is-slow}\n"


def test_code_is_left_alone(site):
    text = "`[x](y.md) $a$`\n\n    $ ./worklog [x](y.md)\n\n```\n# no [x](y.md)\n```\n"
    assert converted(text, PAGE, site) == text


def test_quoted_code_gets_doxygens_name_of_its_language(site):
    assert converted("```cuda\nf();\n```\n", PAGE, site) == "```{.cpp}\nf();\n```\n"


def test_figures_stand_in_the_page(site):
    assert "\\htmlinclude[block] tree.svg" in converted("![A tree.](figures/tree.svg)", PAGE, site)
    assert "\\htmlinclude[block] access_05.svg" in converted("![text](access.svg)", STEP, site)
    with pytest.raises(InputError, match="no such figure"):
        converted("![](none.svg)", PAGE, site)


# ---- folds ----


def test_a_fold_is_kept_from_doxygen(site):
    text = "<details><summary>Open it</summary>\n\nAn *answer*.\n\n</details>\n"
    assert converted(text, PAGE, site) == (
        "\\htmlonly[block]\n<details><summary>Open it</summary>\n\\endhtmlonly\n\nAn *answer*.\n\n"
        "\\htmlonly[block]\n</details>\n\\endhtmlonly\n"
    )
    assert converted("Not `<details>` in code.\n", PAGE, site) == "Not `<details>` in code.\n"


# ---- formulas ----


def test_formulas_become_mathml():
    inline, display = rendered("a $x_i$ b"), rendered("$$\\frac{a}{b}$$")
    assert inline.startswith("a \\htmlonly<math") and "<msub>" in inline and "$" not in inline
    assert 'display="block"' in display and "<mfrac>" in display


@pytest.mark.parametrize("text", ["costs 5$ or 6$", "a $ b", "$HOME and $PATH"])
def test_other_dollars_stay(text):
    assert rendered(text) == text


def test_a_formula_does_not_end_a_cell():
    assert "|" not in rendered("$|x|$")


@pytest.mark.parametrize("formula", ["\\frac{a", "\\nosuchcommand x", "\\frac"])
def test_a_broken_formula_is_an_error(formula):
    with pytest.raises(InputError, match="cannot be rendered"):
        rendered(f"${formula}$")


# ---- the book ----


def book_of(steps, **texts):
    pages = {Path("docs/pages", f"{name}.md"): text for name, text in texts.items()}
    pages |= {Path("steps", step, "README.md"): f"# {step}\n" for step in steps}
    return read_book(pages, steps)


def test_steps_stand_under_their_parts_in_the_order_of_the_index():
    book = book_of(
        ["01_a", "02_b", "12_c"],
        index="# I\n[one](one.md) [two](two.md) [step](../../steps/01_a/README.md)\n",
        one="# One\n<!-- steps: 01 to 01 -->\n",
        two="# Two\n<!-- steps: 02 on -->\n",
    )
    names = [book.pages[file] for file in book.order]
    assert names == ["mainpage", "one", "step_01_a", "two", "step_02_b", "step_12_c"]
    assert book.neighbours(Path("docs/pages/two.md")) == (
        Path("steps/01_a/README.md"),
        Path("steps/02_b/README.md"),
    )


def test_an_exercise_stands_under_its_step():
    pages = {
        INDEX: "# I\n[one](one.md)\n",
        Path("docs/pages/one.md"): "# One\n<!-- steps: 01 on -->\n",
        Path("steps/01_a/README.md"): "# 01 A\n",
        Path("steps/01_a/exercise/README.md"): "# Exercise 01\n",
    }
    book = read_book(pages, ["01_a"])
    assert book.under(Path("steps/01_a/README.md")) == ["exercise_01_a"]
    text = with_subpages("[x](@ref exercise_01_a), [x](@ref b)", Path("steps/01_a/README.md"), book)
    assert text == '\\subpage exercise_01_a "x", [x](@ref b)'


def test_a_second_exercise_stands_under_its_step_too():
    step = Path("steps/01_a/README.md")
    second = step.parent / "exercise_b" / "README.md"
    pages = {
        INDEX: "# I\n[one](one.md)\n",
        Path("docs/pages/one.md"): "# One\n<!-- steps: 01 on -->\n",
        step: "# 01 A\n",
        second: "# Exercise 01b\n",
        step.parent / "exercise" / "README.md": "# Exercise 01\n",
    }
    book = read_book(pages, ["01_a"])
    assert book.under(step) == ["exercise_01_a", "exercise_b_01_a"]
    assert book.neighbours(second) == (step, None)


def test_previous_and_next_pass_by_the_exercises():
    first, second = Path("steps/01_a/README.md"), Path("steps/02_b/README.md")
    of_first, of_second = (step.parent / "exercise" / "README.md" for step in (first, second))
    part, last = Path("docs/pages/one.md"), Path("docs/pages/two.md")
    pages = dict.fromkeys([first, of_first, second, of_second], "# Page\n") | {
        INDEX: "# I\n[one](one.md) [two](two.md)\n",
        part: "# One\n<!-- steps: 01 on -->\n",
        last: "# Two\n",
    }
    book = read_book(pages, ["01_a", "02_b"])
    assert book.neighbours(first) == (part, second)
    assert book.neighbours(of_first) == (first, second)
    assert book.neighbours(second) == (first, last)
    assert book.neighbours(of_second) == (second, last)
    assert book.neighbours(last) == (second, None)
    assert book.neighbours(INDEX) == (None, part)


def test_a_step_in_no_part_is_an_error():
    with pytest.raises(InputError, match="02_b"):
        book_of(["01_a", "02_b"], index="[one](one.md)", one="# One\n<!-- steps: 01 to 01 -->\n")


def test_the_index_must_link_to_pages_that_are_there():
    with pytest.raises(InputError, match="missing.md"):
        book_of([], index="[one](missing.md)")


# ---- the inputs ----


def test_every_input_is_explained():
    source = (ROOT / "common/verify/inputs.cpp").read_text("utf-8")
    page = (ROOT / "docs/pages/numerics.md").read_text("utf-8")
    section = page.partition("\n## The inputs\n")[2].partition("\n## ")[0]
    names = re.findall(r'\{Input::k\w+, "(\w+)"', source)
    assert names and re.findall(r"^\| `(\w+)` \|", section, re.M) == names
