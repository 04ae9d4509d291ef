"""The kernel's lines in a page, taken from its source."""

from pathlib import Path

import pytest

from worklog_report.pages.quoted_code import quoted
from worklog_report.results.records import InputError

SOURCE = """#include "common.h"

// Adds what all lanes have.
__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += shuffle(value, offset);  // everyone takes part
    }
    return value;
}

template <typename T>
__global__ void softmax(const T* x, T* y,
                        int cols) {
    float sum = 0.0f;
    if (cols > 0) {
        for (int col = threadIdx.x; col < cols; col += blockDim.x)
            sum += x[col];
    }
    y[0] = warp_sum(
        sum);
}
"""
PAGE = Path("steps/01_first/README.md")


def page(quote, between=""):
    return f"# A\n\nLook:\n{quote}\n{between}<!-- code:end -->\n\nThe end.\n"


def shown(quote, between=""):
    return quoted(page(quote, between), PAGE, {"softmax.cu": SOURCE})


def test_a_function_stands_in_the_page_with_its_comment():
    quote = "<!-- code: softmax.cu, warp_sum -->"
    code = SOURCE[SOURCE.index("// Adds") : SOURCE.index("\n\ntemplate")]
    assert shown(quote) == page(quote, f"\n```cuda\n{code}\n```\n\n")


def test_what_stood_there_is_replaced():
    quote = "<!-- code: softmax.cu, warp_sum -->"
    once = shown(quote)
    assert shown(quote, "\nOld lines.\n\n") == once
    assert quoted(once, PAGE, {"softmax.cu": SOURCE}) == once


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "if (cols",
            "if (cols > 0) {\n"
            "    for (int col = threadIdx.x; col < cols; col += blockDim.x)\n"
            "        sum += x[col];\n"
            "}",
        ),
        ("float sum", "float sum = 0.0f;"),
        ("sum += x", "sum += x[col];"),
        ("y[0]", "y[0] = warp_sum(\n    sum);"),
    ],
)
def test_a_statement_of_it_ends_where_its_brackets_do(text, lines):
    assert f"```cuda\n{lines}\n```" in shown(f'<!-- code: softmax.cu, softmax, "{text}" -->')


def test_a_page_without_quotes_stays():
    text = "# A\n\nNo code.\n"
    assert quoted(text, PAGE, {}) == text


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("<!-- code: other.cu, warp_sum -->", "README.md:4: there is no other.cu, only softmax.cu"),
        ("<!-- code: softmax.cu, block_sum -->", "has 0 blocks named 'block_sum', not one"),
        ("<!-- code: softmax.cu -->", "a quote is <!-- code: FILE, NAME -->"),
        ('<!-- code: softmax.cu, softmax, "maximum" -->', "'maximum' is on 0 lines"),
        ('<!-- code: softmax.cu, softmax, "sum" -->', "'sum' is on 4 lines of 'softmax', not on"),
    ],
)
def test_what_cannot_be_quoted_is_named(quote, reason):
    with pytest.raises(InputError, match=reason):
        shown(quote)


def test_a_quote_needs_its_end():
    for text in (
        "<!-- code: softmax.cu, warp_sum -->\n",
        "<!-- code: softmax.cu, warp_sum -->\n<!-- code: softmax.cu, softmax -->\n"
        "<!-- code:end -->\n",
    ):
        with pytest.raises(InputError, match="README.md:1: needs a line '<!-- code:end -->'"):
            quoted(text, PAGE, {"softmax.cu": SOURCE})
