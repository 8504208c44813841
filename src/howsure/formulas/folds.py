"""Combine many sources or neighbours into one number for a formula (folds).

A fold is declared once, by a formula. Here it folds lists of floats; `howsure.sql` writes it as an aggregate, and
`howsure.graph` folds arrays with it.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from howsure.formulas.ops import FLOATS, Ops

SMALLEST_LOG = -140.0
SMALLEST_PRODUCT = math.exp(SMALLEST_LOG)
"""No product gets smaller than this unless one of its factors is 0, so that no engine underflows."""

SourceNumber = Literal["contribution", "weight", "variance", "copies"]
"""A number of each independent source: its contribution, the learned weight and its variance, and how many sources of
the claim, itself included, are in its copy group."""
CONTRIBUTION: tuple[SourceNumber, ...] = ("contribution",)

Over = Literal["sources", "supports", "contradictions"]
"""What is folded: numbers of independent sources, or influence times strength of neighbours."""


def _same(x: Any, _ops: Ops[Any], /) -> Any:
    return x


@dataclass(frozen=True)
class Fold:
    """Combines many rows into one number: a term for each row, and how the terms are combined."""

    over: Over
    how: Literal["sum", "product", "largest"]
    term: Callable[..., Any] = _same
    """The term of a row: arithmetic on its numbers, for any kind of number. The last argument is the `Ops`."""
    of: tuple[SourceNumber, ...] = CONTRIBUTION
    """Which numbers of each source the term reads; a neighbour has only one."""

    def __call__(self, numbers: Iterable[Any]) -> float:
        """Fold floats, or tuples of them if the term reads other numbers than contributions.

        Their order makes no difference, not even in the last digit.
        """
        term = self.term
        if self.of != CONTRIBUTION:
            terms = [term(*row, FLOATS) for row in numbers]
        else:
            terms = list(numbers) if term is _same else [term(number, FLOATS) for number in numbers]
        if self.how == "sum":
            return math.fsum(terms)
        if self.how == "largest":
            return max(terms, default=0.0)
        product = math.prod(sorted(terms), start=1.0)
        return product if min(terms, default=1.0) <= 0.0 else max(product, SMALLEST_PRODUCT)

    def together(self, first: float, second: float) -> float:
        """Return the fold over two sets of rows from the folds over each.

        >>> Fold("sources", "sum").together(1.0, 2.0), Fold("sources", "largest").together(1.0, 2.0)
        (3.0, 2.0)
        """
        if self.how == "sum":
            return first + second
        if self.how == "largest":
            return max(first, second)
        return 0.0 if first == 0.0 or second == 0.0 else max(first * second, SMALLEST_PRODUCT)


@dataclass(frozen=True)
class Attribute:
    """A number that is not folded but known of each claim."""

    name: Literal["source_types", "half_lives", "trust"]
