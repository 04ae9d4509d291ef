"""A section of the report for each source document: its figures beside ours.

Times of another GPU say nothing here, so ratios stand beside ratios; a published time stands only
where its GPU is named. Every figure of published.json is shown, beside a measured value or the
reason why there is none.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..results.profiles import Profiles
from ..results.records import Results
from ..results.steps import Unit
from . import cuda_softmax_guide, log_softmax_note, milakov_gimelshein, published, somik, visser
from .here import Here

TEMPLATES = Path(__file__).parent / "templates"  # one for each document

# In the order of the steps that they led to.
_MODULES = (visser, cuda_softmax_guide, milakov_gimelshein, log_softmax_note, somik)


@dataclass(frozen=True)
class Section:
    """`key` names the document in published.json and its template."""

    key: str
    document: dict[str, Any]
    parts: dict[str, Any]  # the tables and figures that the template lays out

    @property
    def template(self) -> str:
        return f"{self.key}.html.j2"

    @property
    def anchor(self) -> str:
        return self.key.replace("_", "-")


def sections(units: list[Unit], results: Results, profiles: Profiles) -> list[Section]:
    figures = published.read()
    here = Here(units, results, profiles.hardware)
    return [_section(module, figures, here) for module in _MODULES]


def _section(module, figures: dict[str, Any], here: Here) -> Section:
    key = module.__name__.rpartition(".")[2]
    return Section(key, figures[key], module.build(figures[key], here))
