"""What was measured, put into a formula such as "time(03) / time(04)", of which pages tell."""

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


class Expression:
    """A formula, read once and evaluated at many shapes, in which only listed names may be."""

    def __init__(self, text: str, measurements: Measurements):
        self._measurements = measurements
        self._calls: dict[str, tuple[str, list[str]]] = {}  # place holder -> function, arguments
        self._texts: dict[str, str] = {}
        plain = _CALL.sub(self._aside, text)
        try:
            self.tree = ast.parse(plain.strip(), mode="eval").body
        except SyntaxError:
            raise InputError("is no formula that can be read") from None
        if not self._calls:
            raise InputError("names nothing that was measured")

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

    def evaluated(self, nodes: list[ast.expr], where: Where) -> list[float]:
        """Parts of the formula's tree as numbers."""
        evaluate = partial(_evaluated, values=self._values(where))
        try:
            return [evaluate(node) for node in nodes]
        except ZeroDivisionError:
            raise InputError(f"divides by 0 at {where}") from None

    def shown(self, where: Where) -> str:
        """Each measured value, by how the formula names it."""
        shown = dict(zip(self._texts.values(), self._values(where).values(), strict=True))
        return ", ".join(f"{text} = {value:.5g}" for text, value in shown.items())

    def _values(self, where: Where) -> dict[str, float | None]:
        return {
            holder: self._measurements.value(name, arguments, where)
            for holder, (name, arguments) in self._calls.items()
        }


def operator_of(op: ast.AST):
    if type(op) not in _OPERATORS:
        raise InputError(f"'{type(op).__name__}' is none of + - * / < <= > >= ==")
    return _OPERATORS[type(op)]


def _evaluated(node: ast.expr, values: dict[str, float]) -> float:
    evaluate = partial(_evaluated, values=values)
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.BinOp(left=left, op=op, right=right):
            return operator_of(op)(evaluate(left), evaluate(right))
        case ast.UnaryOp(op=op, operand=operand):
            return operator_of(op)(evaluate(operand))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(evaluate(argument) for argument in arguments))
    raise InputError(f"'{ast.unparse(node)}' is none of what a formula may contain")
