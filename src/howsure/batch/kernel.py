"""A kernel: a formula as source code over arrays, compiled by numba, one pass for all claims.

The formula is run once on symbols, and what it did is written down as two loops: one that folds the sources of each
claim and says what it lends to others, one that folds what its neighbours lend and takes every step. Between the two,
what is lent is fetched in a loop of its own, without branches, since that waits for memory. Constants are arguments,
so that other parameters need no other kernel.
"""

from collections.abc import Iterable
from typing import Any

from howsure.core.claim import ClaimFormula
from howsure.core.decay import half_lives
from howsure.core.folds import SMALLEST_PRODUCT, Fold
from howsure.sql.expression import SYMBOLS, Expression

HEAD = "from math import inf, sqrt\n\nfrom numba import njit\nfrom numpy import exp2\n"
_JIT = '@njit(nogil=True, cache=True, error_model="numpy")'
_INFIX = frozenset(("+", "-", "*", "/", "<", "<=", ">", ">="))


class Source:
    """Lines of code, with the constants that they read."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.lines: list[str] = []
        self.constants: list[float] = []
        self._known: dict[int, str] = {}
        self._held: list[Any] = []

    def add(self, depth: int, line: str) -> None:
        """Add a line."""
        self.lines.append("    " * depth + line)

    def constant(self, value: float) -> str:
        """Return the name of a constant. Each has its own, so that the text does not depend on their values."""
        self.constants.append(float(value))
        return f"k{len(self.constants) - 1}"

    def write(self, expression: Any, depth: int) -> str:
        """Add the lines that compute an expression, and return the name of the result."""
        if not isinstance(expression, Expression):
            return self.constant(expression)
        if expression.operator in ("column", "sql"):
            return str(expression.arguments[0])
        if id(expression) not in self._known:
            text = self._operation(expression, depth)
            name = f"v{len(self._known)}"
            self._known[id(expression)] = name
            self._held.append(expression)  # or its id might be given to another
            self.add(depth, f"{name} = {text}")
        return self._known[id(expression)]

    def _operation(self, expression: Expression, depth: int) -> str:
        operator, parts = expression.operator, expression.arguments
        if operator == "power" and parts[0] == 0.5:  # noqa: PLR2004
            return f"exp2(-{self.write(parts[1], depth)})"
        if operator == "power" and parts[1] == 0.5:  # noqa: PLR2004
            return f"sqrt({self.write(parts[0], depth)})"
        written = [self.write(part, depth) for part in parts]
        if operator == "where":
            return f"{written[1]} if {written[0]} else {written[2]}"
        if operator in ("min", "max"):
            sign = "<=" if operator == "min" else ">="
            return f"{written[0]} if {written[0]} {sign} {written[1]} else {written[1]}"
        if operator == "power":
            return f"{written[0]} ** {written[1]}"
        if operator in _INFIX:
            return f"{written[0]} {operator} {written[1]}"
        raise TypeError(f"a kernel has no {operator}")

    def function(self, name: str, arguments: Iterable[str]) -> str:
        """Return the lines as a compiled function of two places, constants and arrays."""
        signature = ", ".join(["first", "last", "constants", *arguments])
        constants = [f"    k{index} = constants[{index}]" for index in range(len(self.constants))]
        return "\n".join([_JIT, f"def {name}({signature}):", *constants, *self.lines, ""])


class Fused:
    """The source of one formula's two loops."""

    def __init__(self, formula: ClaimFormula, wanted: Iterable[str]) -> None:
        """Take the formula, and which numbers of its row and steps are wanted."""
        self.formula = formula
        self.folds: dict[str, Any] = formula.folds()._asdict()
        self.row_type: Any = type(formula.folds())
        self.kept = [name for name, by in self.folds.items() if isinstance(by, Fold) and by.over == "sources"]
        """Folds over sources, which the first loop hands to the second."""
        self.wanted = list(wanted)
        self.lending = Source()
        self.stepping = Source()
        self._write_lending()
        self._write_stepping()

    def text(self) -> str:
        """Return the source of both loops as one module."""
        folded = [f"fold_{name}" for name in self.kept]
        given = ["now", "stale_at", "tiers", "lives", "counts", "starts", "numbers", "types", "ages", "lends"]
        lend = self.lending.function("lend", [*given, *folded])
        near = ["near_starts", "near", "far_starts", "far"]
        out = [f"out_{name}" for name in self.wanted]
        step = self.stepping.function("step", ["at", "trust", *near, "types", "ages", *folded, *out])
        return f"{HEAD}\n\n{lend}\n\n{step}"

    def _write_lending(self) -> None:
        source = self.lending
        source.add(1, "for i in range(first, last):")
        source.add(2, "age = 0.0")
        source.add(2, "stale = stale_at[i]")
        source.add(2, "if stale == stale:")  # NaN: it is never stale
        source.add(3, "life = lives[tiers[i]]")
        now, stale, life = (Expression.column(name) for name in ("now", "stale", "life"))
        age: Any = half_lives(now, stale, life, self.formula.oldest, SYMBOLS)
        source.add(3, f"age = {source.write(age, 3)}")
        source.add(2, "ages[i] = age")
        folds = {name: self.folds[name] for name in self.kept}
        names = _folded(source, folds, "for j in range(starts[i], starts[i + 1]):", "x = numbers[j]")
        for name in self.kept:
            source.add(2, f"fold_{name}[i] = {names[name]}")
        row = self._row(names, neighbours=None)
        source.add(2, f"lends[i] = {source.write(self.formula.formula(row, SYMBOLS).influence, 2)}")
        source.add(2, "if not counts[i]:")
        source.add(3, "lends[i] = -inf")

    def _write_stepping(self) -> None:
        source = self.stepping
        source.add(1, "for i in range(first, last):")
        names: dict[str, str] = {}
        for over, place in (("supports", "near"), ("contradictions", "far")):
            folds = {n: by for n, by in self.folds.items() if isinstance(by, Fold) and by.over == over}
            if folds:
                loop = f"for j in range({place}_starts[i], {place}_starts[i + 1]):"
                names |= _folded(source, folds, loop, f"x = {place}[j]", lent=True)
        for name in self.kept:
            names[name] = f"f_{name}"
            source.add(2, f"f_{name} = fold_{name}[i]")
        row = self._row(names, neighbours=names)
        found = row._asdict() | self.formula.formula(row, SYMBOLS)._asdict()
        for name in self.wanted:
            source.add(2, f"out_{name}[i - at] = {source.write(found[name], 2)}")

    def _row(self, names: dict[str, str], neighbours: dict[str, str] | None) -> Any:
        """Return the formula's row as names in the code; without neighbours, with what none of them give."""
        values: list[Any] = []
        for name, by in self.folds.items():
            if isinstance(by, Fold):
                own = by.over == "sources" or neighbours is not None
                values.append(Expression.column(names[name]) if own else by([]))
            elif by.name == "trust":
                values.append(1.0 if neighbours is None else Expression.column("trust"))
            else:
                age = "ages[i]" if neighbours is not None else "age"
                values.append(Expression.column({"source_types": "types[i]", "half_lives": age}[by.name]))
        return self.row_type(*values)


def _folded(source: Source, folds: dict[str, Fold], loop: str, read: str, *, lent: bool = False) -> dict[str, str]:
    """Add a loop that folds one number of many rows in several ways; return the names of the results."""
    if not folds:
        return {}
    for name, by in folds.items():
        source.add(2, f"a_{name} = {'1.0' if by.how == 'product' else '0.0'}")
        if by.how == "product":
            source.add(2, f"z_{name} = 1.0")
    source.add(2, loop)
    source.add(3, read)
    depth = 3
    if lent:  # what does not count lends less than nothing, and has no term
        source.add(3, "if x >= 0.0:")
        depth = 4
    for name, by in folds.items():
        term = source.write(by.term(Expression.column("x"), SYMBOLS), depth)
        if by.how == "sum":
            source.add(depth, f"a_{name} += {term}")
        elif by.how == "largest":
            source.add(depth, f"a_{name} = {term} if {term} > a_{name} else a_{name}")
        else:
            source.add(depth, f"a_{name} *= {term}")
            source.add(depth, f"z_{name} = {term} if {term} < z_{name} else z_{name}")
    for name, by in folds.items():
        if by.how == "product":
            source.add(2, f"if z_{name} <= 0.0:")
            source.add(3, f"a_{name} = 0.0")
            source.add(2, f"elif a_{name} < {SMALLEST_PRODUCT!r}:")
            source.add(3, f"a_{name} = {SMALLEST_PRODUCT!r}")
    return {name: f"a_{name}" for name in folds}
