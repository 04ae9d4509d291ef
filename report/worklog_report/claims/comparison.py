"""A comparison of what was measured, such as "time(03) > 1.1 * time(02)", that a page states."""

import ast

from ..results.records import InputError
from .expression import Expression, operator_of
from .measurements import Measurements, Where


class Comparison(Expression):
    """Such as a claim states."""

    def __init__(self, text: str, measurements: Measurements):
        super().__init__(text, measurements)
        if not isinstance(self.tree, ast.Compare):
            raise InputError("is no comparison: it has none of < <= > >= ==")

    def at(self, where: Where) -> tuple[bool, str]:
        """Whether it holds, and the values that decide."""
        operands = self.evaluated([self.tree.left, *self.tree.comparators], where)
        pairs = zip(self.tree.ops, operands, operands[1:], strict=False)
        holds = all(operator_of(op)(left, right) for op, left, right in pairs)
        return holds, self.shown(where)
