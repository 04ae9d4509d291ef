"""Where the repository is, for tests that read its pages, steps and results."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
