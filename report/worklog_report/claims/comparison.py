"""A comparison of what was measured, such as "time(03) > 1.1 * time(02)", that a page states."""

import ast
import operator
import re
from functools import partial

from ..results.records import InputError
from .measurements import Measurements, Where

_CALL = re.compile(r"(?P<name>[a-z]\w*)\((?P<arguments>[^()]*)\)")
_OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.USub: operator.neg, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq,
}  # fmt: skip
_FUNCTIONS = {"min": min, "max": max, "abs": abs}


class Comparison:
    """A comparison, read once and evaluated at many shapes, in which only listed names may be."""

    def __init__(self, text: str, measurements: Measurements):
        self._measurements = measurements
        self._calls: dict[str, tuple[str, list[str]]] = {}  # place holder -> function, arguments
        self._texts: dict[str, str] = {}
        plain = _CALL.sub(self._aside, text)
        try:
            tree = ast.parse(plain.strip(), mode="eval").body
        except SyntaxError:
            raise InputError("is no comparison that can be read") from None
        if not isinstance(tree, ast.Compare):
            raise InputError("is no comparison: it has none of < <= > >= ==")
        if not self._calls:
            raise InputError("names nothing that was measured")
        self._tree = tree

    def _aside(self, call: re.Match) -> str:
        arguments = [part.strip() for part in call["arguments"].split(",")]
        if call["name"] in _FUNCTIONS:
            return call[0]
        holder = f"_{len(self._calls)}"
        self._calls[holder] = (call["name"], arguments)
        self._texts[holder] = call[0]
        return holder

    def missing(self, where: Where) -> list[str]:
        return [self._texts[name] for name, value in self._values(where).items() if value is None]

    def at(self, where: Where) -> tuple[bool, str]:
        """Whether it holds, and the values that decide."""
        values = self._values(where)
        shown = dict(zip(self._texts.values(), values.values(), strict=True))
        evaluate = partial(_evaluated, values=values)
        try:
            operands = [evaluate(node) for node in (self._tree.left, *self._tree.comparators)]
            pairs = zip(self._tree.ops, operands, operands[1:], strict=False)
            holds = all(_operator(op)(left, right) for op, left, right in pairs)
        except ZeroDivisionError:
            raise InputError(f"divides by 0 at {where}") from None
        return holds, ", ".join(f"{text} = {value:.5g}" for text, value in shown.items())

    def _values(self, where: Where) -> dict[str, float | None]:
        return {
            holder: self._measurements.value(name, arguments, where)
            for holder, (name, arguments) in self._calls.items()
        }


def _evaluated(node: ast.expr, values: dict[str, float]) -> float:
    evaluate = partial(_evaluated, values=values)
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _operator(op)(evaluate(left), evaluate(right))
        case ast.UnaryOp(op=op, operand=operand):
            return _operator(op)(evaluate(operand))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(evaluate(argument) for argument in arguments))
    raise InputError(f"'{ast.unparse(node)}' is none of what a claim may contain")


def _operator(op: ast.AST):
    if type(op) not in _OPERATORS:
        raise InputError(f"'{type(op).__name__}' is none of + - * / < <= > >= ==")
    return _OPERATORS[type(op)]
