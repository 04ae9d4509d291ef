"""Runs SciPy's own tests of softmax and log_softmax, with ours in their place."""

import sys
from functools import partial

import pytest

import softmax_worklog

TESTS = "scipy.special.tests.test_logsumexp"


class OursInTheirPlace:
    def pytest_collection_modifyitems(self, items):
        for module in {item.module for item in items}:
            # SciPy's default is all axes, ours the last.
            module.softmax = partial(softmax_worklog.softmax, axis=None)
            module.log_softmax = partial(softmax_worklog.log_softmax, axis=None)


def main() -> int:
    arguments = ["-q", "-p", "no:cacheprovider", "--pyargs", TESTS, "-k", "Softmax"]
    return pytest.main(arguments, plugins=[OursInTheirPlace()])


if __name__ == "__main__":
    sys.exit(main())
