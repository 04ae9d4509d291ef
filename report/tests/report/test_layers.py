"""The folders of the package depend one way."""

import ast
from pathlib import Path

import worklog_report

PACKAGE = Path(worklog_report.__file__).parent
FOLDERS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file())


def uses(folder: str) -> set[str]:
    """The other folders that a folder's modules import from."""
    found = set()
    for path in (PACKAGE / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                names = [node.module] if node.module else [alias.name for alias in node.names]
                found |= {name.split(".")[0] for name in names}
    return found


def test_no_two_folders_import_each_other_not_even_through_others():
    below = {folder: uses(folder) - {folder} for folder in FOLDERS}
    # support has the one error type, of results, and nothing that measures.
    assert below.pop("support") <= {"results"}
    below = {folder: names - {"support"} for folder, names in below.items()}
    while below:
        lowest = {folder for folder, names in below.items() if not names}
        assert lowest, f"these import each other: {below}"
        below = {folder: names - lowest for folder, names in below.items() if folder not in lowest}


def test_the_test_sees_imports():
    assert {"results", "pictures"} <= uses("html")
