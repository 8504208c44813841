"""Write the formula of a model as equations in MathML, which browsers typeset without a script.

The formula itself is run on symbols, as it is to write SQL: the equations are the code.
"""

import copy
from collections.abc import Mapping
from dataclasses import fields
from html import escape
from typing import Any

from howsure.formulas.model import Model, row_and_steps
from howsure.sql.expression import SYMBOLS, Expression

LONGEST = 80
"""Symbols of one equation up to which it is shown; a longer one is easier to read as code."""
_SUM, _PRODUCT, _ATOM = 1, 2, 3
_COMPARISONS = ("<", "<=", ">", ">=")
_SIGNS = {"<": "&lt;", "<=": "&le;", ">": "&gt;", ">=": "&ge;", "*": "&middot;", "-": "&minus;"}
_TOLERANCE = 1e-9


def equations(model: Model[Any]) -> str:
    """Return the steps of a model as a block of HTML; "" if it has none that can be read as equations."""
    steps = _trace(model)
    lines = [_equation(name, value, steps) for name, value in steps.items()]
    shown = [line for line in lines if line]
    return f'<div class="equations">\n{"".join(shown)}</div>\n' if shown else ""


def _trace(model: Model[Any]) -> dict[str, Any]:
    """Run the formula on symbols: the parameters too, unless the formula does more than arithmetic with them."""
    shape, _ = row_and_steps(type(model))
    row = shape(*(Expression.column(name) for name in shape._fields))
    named = copy.copy(model)
    for field in fields(model):  # type: ignore[arg-type]  # every model is one
        if type(getattr(model, field.name)) is float:
            object.__setattr__(named, field.name, Expression("parameter", field.name))
    for candidate in (named, model):
        try:
            return dict(candidate.formula(row, SYMBOLS)._asdict())
        except (TypeError, AttributeError, ValueError):
            continue
    return {}


def _equation(name: str, value: Any, steps: Mapping[str, Any]) -> str:
    names = {id(step): other for other, step in steps.items() if other != name and isinstance(step, Expression)}
    if not isinstance(value, Expression) or _size(value, names) > LONGEST:
        return ""
    body, _ = _write(value, names)
    return f'<math display="block"><mrow>{_name(name)}<mo>=</mo>{body}</mrow></math>\n'


def _size(value: Any, names: Mapping[int, str]) -> int:
    if not isinstance(value, Expression) or id(value) in names:
        return 1
    return 1 + sum(_size(argument, names) for argument in value.arguments)


def _name(name: str, *, italic: bool = False) -> str:
    words = escape(name.replace("_", "\u00a0"))
    style = ' style="font-style: italic"' if italic else ""
    return f"<mtext{style}>{words}</mtext>"


def _write(value: Any, names: Mapping[int, str], *, top: bool = True) -> tuple[str, int]:
    """Return MathML of an expression, and how tightly its outermost operation binds."""
    if not isinstance(value, Expression):
        return f"<mn>{float(value):g}</mn>", _ATOM
    if not top and id(value) in names:
        return _name(names[id(value)]), _ATOM
    operator, arguments = value.operator, value.arguments
    if operator == "column":
        return _name(arguments[0]), _ATOM
    if operator == "parameter":
        return _name(arguments[0], italic=True), _ATOM
    if (bounded := _bounded(value)) is not None:
        return f"<msubsup><mrow>{_brackets(_inner(bounded, names), '[]')}</mrow><mn>0</mn><mn>1</mn></msubsup>", _ATOM
    if operator in ("min", "max", "log"):
        inside = "<mo>,</mo>".join(_inner(argument, names) for argument in arguments)
        return f"<mi>{'ln' if operator == 'log' else operator}</mi>{_brackets(inside)}", _ATOM
    if operator == "power":
        base, binding = _write(arguments[0], names, top=False)
        base = base if binding == _ATOM else _brackets(base)
        return f"<msup><mrow>{base}</mrow><mrow>{_inner(arguments[1], names)}</mrow></msup>", _ATOM
    if operator == "where":
        return _cases(arguments, names), _ATOM
    if operator == "/":
        return (
            f"<mfrac><mrow>{_inner(arguments[0], names)}</mrow><mrow>{_inner(arguments[1], names)}</mrow></mfrac>",
            _ATOM,
        )
    return _infix(operator, arguments, names)


def _infix(operator: str, arguments: tuple[Any, ...], names: Mapping[int, str]) -> tuple[str, int]:
    if operator in _COMPARISONS:
        left, right = (_inner(_without_tolerance(argument), names) for argument in arguments)
        return f"{left}<mo>{_SIGNS[operator]}</mo>{right}", 0
    binding = _PRODUCT if operator == "*" else _SUM
    parts = []
    for place, argument in enumerate(arguments):
        text, inner = _write(argument, names, top=False)
        tight = inner > binding if operator == "-" and place else inner >= binding
        parts.append(text if tight else _brackets(text))
    return f"<mo>{_SIGNS.get(operator, operator)}</mo>".join(parts), binding


def _inner(value: Any, names: Mapping[int, str]) -> str:
    return _write(value, names, top=False)[0]


def _brackets(text: str, kind: str = "()") -> str:
    return f"<mrow><mo>{kind[0]}</mo>{text}<mo>{kind[1]}</mo></mrow>"


def _bounded(value: Expression) -> Any | None:
    """Return what is limited to [0, 1]; None if this is something else."""
    if value.operator == "min" and value.arguments[1] == 1.0 and isinstance(value.arguments[0], Expression):
        inner = value.arguments[0]
        if inner.operator == "max" and inner.arguments[1] == 0.0:
            return inner.arguments[0]
    return None


def _without_tolerance(value: Any) -> Any:
    """Return a threshold without the tolerance within which scores count as equal."""
    if isinstance(value, Expression) and value.operator in "+-" and not isinstance(value.arguments[1], Expression):
        return value.arguments[0] if value.arguments[1] < _TOLERANCE else value
    return value


def _cases(arguments: tuple[Any, ...], names: Mapping[int, str]) -> str:
    rows = []
    while True:
        condition, yes, no = arguments
        rows.append((_inner(yes, names), f"<mtext>if&nbsp;</mtext>{_inner(condition, names)}"))
        if not (isinstance(no, Expression) and no.operator == "where" and id(no) not in names):
            break
        arguments = no.arguments
    rows.append((_inner(no, names), "<mtext>else</mtext>"))
    cells = "".join(
        f'<mtr><mtd class="left"><mrow>{left}</mrow></mtd><mtd class="left"><mrow>{right}</mrow></mtd></mtr>'
        for left, right in rows
    )
    # A line instead of a brace: braces grow only with a mathematical font, which few machines have.
    return f'<mtable class="cases">{cells}</mtable>'
