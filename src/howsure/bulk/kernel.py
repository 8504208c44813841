"""A kernel: a formula as source code over arrays, compiled by numba, two passes for all claims.

The formula is run once on symbols, and what it did is written down as two functions: one that folds the sources of
each claim and says what it lends to others, one that folds what its neighbours lend and takes every step. Rows are
folded in a loop over rows, not over claims and the rows of each: how many rows a claim has cannot be foreseen, and a
processor that guesses wrong waits. Constants are arguments, so that other parameters need no other kernel.
"""

from collections.abc import Iterable
from typing import Any

from howsure.bulk.csr import Grouped
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.decay import half_lives
from howsure.formulas.folds import SMALLEST_PRODUCT, Fold
from howsure.sql.expression import SYMBOLS, Expression

HEAD = "from math import inf, sqrt\n\nfrom numba import njit\nfrom numpy import exp2, int32, ones, zeros\n"
_JIT = '@njit(nogil=True, cache=True, error_model="numpy")'
_INFIX = frozenset(("+", "-", "*", "/", "<", "<=", ">", ">="))


class Source:
    """Lines of code, with the constants that they read."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.lines: list[str] = []
        self.constants: list[float] = []
        self.given: dict[str, str] = {}
        """What has a name already."""
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
            if text in self.given:
                return self.given[text]
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
    """The source of one formula's two functions."""

    def __init__(self, formula: ClaimFormula, wanted: Iterable[str]) -> None:
        """Take the formula, and which numbers of its row and steps are wanted."""
        self.formula = formula
        self.folds: dict[str, Any] = formula.folds()._asdict()
        self.row_type: Any = type(formula.folds())
        self.kept = [name for name, by in self.folds.items() if isinstance(by, Fold) and by.over == "sources"]
        """Folds over sources, which the first function hands to the second."""
        self.wanted = list(wanted)
        self.lending = Source()
        self.stepping = Source()
        self._write_stepping()
        self.handed = [name for name in ("ages", "fades") if any(f"{name}[i]" in line for line in self.stepping.lines)]
        """What the second function needs of each claim's age: half-lives, what is left after them, or both."""
        self._write_lending()

    def text(self) -> str:
        """Return the source of both functions as one module."""
        folded = [*self.handed, *(f"fold_{name}" for name in self.kept)]
        given = ["now", "stale_at", "tiers", "lives", "counts", "starts", "numbers", "types", "lends"]
        lend = self.lending.function("lend", [*given, *folded])
        near = [f"{place}_{name}" for place in ("near", "far") for name in Grouped._fields]
        out = [f"out_{name}" for name in self.wanted]
        step = self.stepping.function("step", ["at", "trust", *near, "lends", "types", *folded, *out])
        return f"{HEAD}\n\n{lend}\n\n{step}"

    def _write_lending(self) -> None:
        source = self.lending
        folds = {name: self.folds[name] for name in self.kept}
        _fold_rows(source, folds, "starts", "numbers[j]")
        source.add(1, "for i in range(first, last):")
        source.add(2, "stale = stale_at[i]")
        source.add(2, "life = lives[tiers[i]]")
        now, stale, life = (Expression.column(name) for name in ("now", "stale", "life"))
        age: Any = half_lives(now, stale, life, self.formula.oldest, SYMBOLS)
        source.add(2, f"age = {source.write(age, 2)} if stale == stale else 0.0")  # NaN: it is never stale
        source.add(2, "fade = exp2(-age)")
        source.given["exp2(-age)"] = "fade"
        for name in self.handed:
            source.add(2, f"{name}[i] = {name[:-1]}")
        names = _read_folds(source, folds)
        for name in self.kept:
            source.add(2, f"fold_{name}[i] = {names[name]}")
        row = self._row(names, neighbours=None)
        lent = source.write(self.formula.formula(row, SYMBOLS).influence, 2)
        source.add(2, f"lends[i] = {lent} if counts[i] else -inf")

    def _write_stepping(self) -> None:
        source = self.stepping
        source.given["exp2(-ages[i])"] = "fades[i]"
        near: dict[str, Fold] = {}
        for over, place in (("supports", "near"), ("contradictions", "far")):
            folds = {n: by for n, by in self.folds.items() if isinstance(by, Fold) and by.over == over}
            if folds:
                lent = f"lends[{place}_others[j]] * {place}_numbers[j]"
                _fold_rows(source, folds, f"{place}_starts", lent, lent=True)
                near |= folds
        source.add(1, "for i in range(first, last):")
        names = _read_folds(source, near)
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


def _fold_rows(source: Source, folds: dict[str, Fold], starts: str, read: str, *, lent: bool = False) -> None:
    """Add a loop that folds one number of each row, in several ways, into arrays with a place for each claim."""
    if not folds:
        return
    for name, by in folds.items():
        source.add(1, f"a_{name} = {'ones' if by.how == 'product' else 'zeros'}(last - first)")
        if by.how == "product":
            source.add(1, f"z_{name} = ones(last - first)")
    source.add(1, f"base, end = {starts}[first], {starts}[last]")
    source.add(1, "nexts = zeros(end - base + 1, int32)")  # how many claims further on each row belongs
    source.add(1, "for i in range(first + 1, last):")
    source.add(2, f"nexts[{starts}[i] - base] += 1")
    source.add(1, "o = 0")
    source.add(1, "for j in range(base, end):")
    source.add(2, "o += nexts[j - base]")
    source.add(2, f"x = {read}")
    for name, by in folds.items():
        term = source.write(by.term(Expression.column("x"), SYMBOLS), 2)
        if lent:  # what does not count lends less than nothing, and has no term
            source.add(2, f"t_{name} = {term} if x >= 0.0 else {'1.0' if by.how == 'product' else '0.0'}")
            term = f"t_{name}"
        if by.how == "sum":
            source.add(2, f"a_{name}[o] += {term}")
        elif by.how == "largest":
            source.add(2, f"a_{name}[o] = {term} if {term} > a_{name}[o] else a_{name}[o]")
        else:
            source.add(2, f"a_{name}[o] *= {term}")
            source.add(2, f"z_{name}[o] = {term} if {term} < z_{name}[o] else z_{name}[o]")


def _read_folds(source: Source, folds: dict[str, Fold]) -> dict[str, str]:
    """Add the lines that read what was folded for a claim; return the names of the results."""
    for name, by in folds.items():
        source.add(2, f"b_{name} = a_{name}[i - first]")
        if by.how == "product":
            source.add(2, f"b_{name} = b_{name} if b_{name} >= {SMALLEST_PRODUCT!r} else {SMALLEST_PRODUCT!r}")
            source.add(2, f"b_{name} = b_{name} if z_{name}[i - first] > 0.0 else 0.0")
    return {name: f"b_{name}" for name in folds}
