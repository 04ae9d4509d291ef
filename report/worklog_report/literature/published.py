"""What the worklog's sources published: published.json, and which of its values are figures."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "published.json"


@dataclass(frozen=True)
class Published:
    """One published figure, and where it stands in the file: "visser/times/0/published/naive"."""

    path: str
    value: float | str

    def __str__(self) -> str:
        return self.value if isinstance(self.value, str) else f"{self.value:g}"


def read() -> dict[str, Any]:
    """The file's content, with a Published for every value that stands under `published`."""
    return _marked(json.loads(FILE.read_text(encoding="utf-8")), "", inside=False)


def figures(data: Any) -> Iterator[Published]:
    """All that `read` marked, in the file's order."""
    if isinstance(data, Published):
        yield data
    elif isinstance(data, dict | list):
        for value in data.values() if isinstance(data, dict) else data:
            yield from figures(value)


def _marked(data: Any, path: str, inside: bool) -> Any:
    def below(name: Any, value: Any) -> Any:
        return _marked(value, f"{path}/{name}".lstrip("/"), inside or name == "published")

    if isinstance(data, dict):
        return {name: below(name, value) for name, value in data.items()}
    if isinstance(data, list):
        return [below(index, value) for index, value in enumerate(data)]
    return Published(path, data) if inside else data
