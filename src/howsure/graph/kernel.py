"""Write a claim formula as Python source over arrays, for numba to compile.

The formula is run once on symbolic expressions, and the operations it performs are written down as two functions:
`lend` folds the sources of each claim and computes its influence; `step` folds what its neighbours lend and computes
every step. Each fold is one loop over all rows, not a loop over claims with an inner loop over the rows of each: the
number of rows per claim is unpredictable, and branch mispredictions would cost more than the arithmetic. Constants are
arguments, so that a formula with other parameters reuses the same compiled kernel.
"""

from collections.abc import Iterable
from typing import Any

from howsure.formulas.claim import ClaimFormula, reads_weights
from howsure.formulas.decay import half_lives
from howsure.formulas.folds import CONTRIBUTION, SMALLEST_PRODUCT, Fold
from howsure.graph.groups import LEARNED, Groups
from howsure.sql.expression import SYMBOLS, Expression

HEAD = "from math import inf, log, sqrt\n\nfrom numba import njit\nfrom numpy import exp2, int32, ones, zeros\n"
_JIT = '@njit(nogil=True, cache=True, error_model="numpy")'
_INFIX = frozenset(("+", "-", "*", "/", "<", "<=", ">", ">="))


class CodeWriter:
    """Lines of generated code, with the constants that they read."""

    def __init__(self) -> None:
        """Start with no lines."""
        self.lines: list[str] = []
        self.constants: list[float] = []
        self.known: dict[str, str] = {}
        """Operations whose result already has a name."""
        self._names: dict[int, str] = {}
        self._alive: list[Any] = []

    def add(self, depth: int, line: str) -> None:
        """Add a line at an indentation depth."""
        self.lines.append("    " * depth + line)

    def constant(self, value: float) -> str:
        """Return the name of a new constant; each has its own, so that the text does not depend on their values."""
        self.constants.append(float(value))
        return f"k{len(self.constants) - 1}"

    def write(self, expression: Any, depth: int) -> str:
        """Add the lines that compute an expression; return the name of the result."""
        if not isinstance(expression, Expression):
            return self.constant(expression)
        if expression.operator in ("column", "sql"):
            return str(expression.arguments[0])
        if id(expression) not in self._names:
            text = self._operation(expression, depth)
            if text in self.known:
                return self.known[text]
            name = f"v{len(self._names)}"
            self._names[id(expression)] = name
            self._alive.append(expression)  # otherwise its id could be reused for another expression
            self.add(depth, f"{name} = {text}")
        return self._names[id(expression)]

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
        if operator == "log":
            return f"log({written[0]})"
        if operator in _INFIX:
            return f"{written[0]} {operator} {written[1]}"
        raise TypeError(f"unknown operator {operator!r}")

    def function(self, name: str, arguments: Iterable[str]) -> str:
        """Return the lines as a compiled function of a range of claims, constants and arrays."""
        signature = ", ".join(["first", "last", "constants", *arguments])
        constants = [f"    k{index} = constants[{index}]" for index in range(len(self.constants))]
        return "\n".join([_JIT, f"def {name}({signature}):", *constants, *self.lines, ""])


class FormulaKernel:
    """The source of one formula's two functions."""

    def __init__(self, formula: ClaimFormula, wanted: Iterable[str]) -> None:
        """Take the formula, and the names of the row fields and steps to return."""
        self.formula = formula
        self.folds: dict[str, Any] = formula.folds()._asdict()
        self.row_type: Any = type(formula.folds())
        self.source_folds: list[str] = [
            name for name, by in self.folds.items() if isinstance(by, Fold) and by.over == "sources"
        ]
        """Folds over sources, which `lend` passes on to `step`."""
        self.learned: tuple[str, ...] = LEARNED if reads_weights(formula.folds()) else ()
        """Learned numbers of each source that `lend` reads, beside its contribution."""
        self.wanted: list[str] = list(wanted)
        self.lending: CodeWriter = CodeWriter()
        self.stepping: CodeWriter = CodeWriter()
        self._write_step()
        self.age_arrays: list[str] = [
            name for name in ("ages", "fades") if any(f"{name}[i]" in line for line in self.stepping.lines)
        ]
        """What `step` needs of each claim's age: its half-lives, the share left after them, or both."""
        self._write_lend()

    def text(self) -> str:
        """Return the source of both functions as one module."""
        folded = [*self.age_arrays, *(f"fold_{name}" for name in self.source_folds)]
        learned = [f"learned_{name}" for name in self.learned]
        inputs = ["now", "stale_at", "tiers", "lives", "counts", "starts", "numbers", *learned, "types", "lends"]
        lend = self.lending.function("lend", [*inputs, *folded])
        near = [f"{place}_{name}" for place in ("near", "far") for name in Groups._fields]
        out = [f"out_{name}" for name in self.wanted]
        step = self.stepping.function("step", ["at", "trust", *near, "lends", "types", *folded, *out])
        return f"{HEAD}\n\n{lend}\n\n{step}"

    def _write_lend(self) -> None:
        code = self.lending
        folds = {name: self.folds[name] for name in self.source_folds}
        _fold_rows(code, folds, "starts", "numbers[j]")
        code.add(1, "for i in range(first, last):")
        code.add(2, "stale = stale_at[i]")
        code.add(2, "life = lives[tiers[i]]")
        now, stale, life = (Expression.column(name) for name in ("now", "stale", "life"))
        age: Any = half_lives(now, stale, life, self.formula.oldest, SYMBOLS)
        code.add(2, f"age = {code.write(age, 2)} if stale == stale else 0.0")  # NaN: it is never stale
        code.add(2, "fade = exp2(-age)")
        code.known["exp2(-age)"] = "fade"
        for name in self.age_arrays:
            code.add(2, f"{name}[i] = {name[:-1]}")
        names = _read_folds(code, folds)
        for name in self.source_folds:
            code.add(2, f"fold_{name}[i] = {names[name]}")
        row = self._row(names, neighbours=None)
        influence = code.write(self.formula.formula(row, SYMBOLS).influence, 2)
        # A claim that does not count lends -inf, which `step` recognises and skips.
        code.add(2, f"lends[i] = {influence} if counts[i] else -inf")

    def _write_step(self) -> None:
        code = self.stepping
        code.known["exp2(-ages[i])"] = "fades[i]"
        near: dict[str, Fold] = {}
        for over, place in (("supports", "near"), ("contradictions", "far")):
            folds = {n: by for n, by in self.folds.items() if isinstance(by, Fold) and by.over == over}
            if folds:
                lent = f"lends[{place}_others[j]] * {place}_numbers[j]"
                _fold_rows(code, folds, f"{place}_starts", lent, lent=True)
                near |= folds
        code.add(1, "for i in range(first, last):")
        names = _read_folds(code, near)
        for name in self.source_folds:
            names[name] = f"f_{name}"
            code.add(2, f"f_{name} = fold_{name}[i]")
        row = self._row(names, neighbours=names)
        values = row._asdict() | self.formula.formula(row, SYMBOLS)._asdict()
        for name in self.wanted:
            code.add(2, f"out_{name}[i - at] = {code.write(values[name], 2)}")

    def _row(self, names: dict[str, str], neighbours: dict[str, str] | None) -> Any:
        """Return the formula's row as names in the code; without neighbours, their folds are over no rows."""
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


def _fold_rows(code: CodeWriter, folds: dict[str, Fold], starts: str, read: str, *, lent: bool = False) -> None:
    """Add one loop that folds a number of each row, in several ways, into arrays with one entry per claim."""
    if not folds:
        return
    for name, by in folds.items():
        code.add(1, f"a_{name} = {'ones' if by.how == 'product' else 'zeros'}(last - first)")
        if by.how == "product":
            code.add(1, f"z_{name} = ones(last - first)")
    code.add(1, f"base, end = {starts}[first], {starts}[last]")
    code.add(1, "nexts = zeros(end - base + 1, int32)")  # how many claims to advance before each row
    code.add(1, "for i in range(first + 1, last):")
    code.add(2, f"nexts[{starts}[i] - base] += 1")
    code.add(1, "o = 0")
    code.add(1, "for j in range(base, end):")
    code.add(2, "o += nexts[j - base]")
    code.add(2, f"x = {read}")
    for name, by in folds.items():
        read_numbers = ["x"] if by.of == CONTRIBUTION else [f"learned_{number}[j]" for number in by.of]
        term = code.write(by.term(*map(Expression.column, read_numbers), SYMBOLS), 2)
        if lent:  # -inf: the neighbour does not count, so it has no term
            code.add(2, f"t_{name} = {term} if x >= 0.0 else {'1.0' if by.how == 'product' else '0.0'}")
            term = f"t_{name}"
        if by.how == "sum":
            code.add(2, f"a_{name}[o] += {term}")
        elif by.how == "largest":
            code.add(2, f"a_{name}[o] = {term} if {term} > a_{name}[o] else a_{name}[o]")
        else:
            code.add(2, f"a_{name}[o] *= {term}")
            code.add(2, f"z_{name}[o] = {term} if {term} < z_{name}[o] else z_{name}[o]")


def _read_folds(code: CodeWriter, folds: dict[str, Fold]) -> dict[str, str]:
    """Add the lines that read the folds of a claim; return the names of the results."""
    for name, by in folds.items():
        code.add(2, f"b_{name} = a_{name}[i - first]")
        if by.how == "product":
            code.add(2, f"b_{name} = b_{name} if b_{name} >= {SMALLEST_PRODUCT!r} else {SMALLEST_PRODUCT!r}")
            code.add(2, f"b_{name} = b_{name} if z_{name}[i - first] > 0.0 else 0.0")
    return {name: f"b_{name}" for name in folds}
