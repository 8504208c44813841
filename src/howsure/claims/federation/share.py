"""Share claims of this store with another store, as folded inputs for it to score."""

from collections.abc import Mapping
from typing import Annotated, Any

import orjson

from howsure.claims.federation import MAX_CLAIMS
from howsure.claims.federation.wire import (
    FORMAT,
    MAX_CONSTITUENTS,
    MAX_STEPS,
    SharedClaim,
    SharedClaims,
    SharedNumbers,
)
from howsure.errors import InputError
from howsure.graph.sql import ReadOptions
from howsure.shapes import Within, decode_as
from howsure.store.claim_tables.claims import DISPLAYED
from howsure.store.claim_tables.folded_inputs import FoldedClaim, fold_claims
from howsure.store.claim_tables.selection import Selection, select
from howsure.store.session import Session

MAX_BYTES = 2_000_000
"""Size of an answer: half of what a store accepts, so that no answer is refused for its size."""
_WORDS = ("statement", "subject", "predicate", "object", "namespace", "created_at", "sources")


def share(session: Session, selection: Selection, options: ReadOptions, limit: int) -> SharedClaims:
    """Return the inputs of the first claims of a selection."""
    decode_as(Annotated[int, Within(1, MAX_CLAIMS)], limit, "limit")
    with session.database.read() as transaction:
        rows = select(transaction, options, selection, limit + 1)
        keys = [row[-1] for row in rows[:limit]]
        known = fold_claims(transaction, options, keys, MAX_CONSTITUENTS)
    session.accessed(keys)
    words = {row[-1]: dict(zip(DISPLAYED, row, strict=False)) for row in rows[:limit]}
    answer = _Answer(known, words)
    fitted = sum(answer.add(key) for key in keys)
    formula = options.formula
    claims = tuple(one for key in keys if isinstance(one := answer.shared.get(key), SharedClaim))
    constituents = tuple(one for key, one in answer.shared.items() if key not in words)
    return SharedClaims(FORMAT, True, formula.name, formula.version, claims, constituents, fitted < len(rows))


class _Answer:
    """An answer that grows claim by claim, each with its constituents, up to its maximal size."""

    def __init__(self, known: Mapping[int, FoldedClaim], words: Mapping[int, Mapping[str, Any]]) -> None:
        self._known, self._words = known, words
        self._size = self._steps = 0
        self.shared: dict[int, SharedNumbers] = {}

    def add(self, key: int) -> bool:
        """Add a claim with its constituents; return False if it does not fit."""
        needed: dict[int, SharedNumbers] = {}
        waiting = [key]
        while waiting:
            one = waiting.pop()
            if one in self.shared or one in needed:
                continue
            if one not in self._known:  # it has too many constituents
                return False
            try:
                needed[one] = self._shaped(one)
            except InputError:  # no valid claim any more: written by an older program with other limits
                return False
            waiting += self._known[one].constituents
        size = sum(len(orjson.dumps(vars(one))) for one in needed.values())
        steps = sum(len(one.derived_from) for one in needed.values())
        if self._size + size > MAX_BYTES or self._steps + steps > MAX_STEPS:
            return False
        self._size, self._steps = self._size + size, self._steps + steps
        self.shared |= needed
        return True

    def _shaped(self, key: int) -> SharedNumbers:
        """Return a claim as it is shared: with its words if it is one of the selection, else as numbers."""
        values = self._known[key]._asdict()
        values["derived_from"] = tuple(
            self._known[part].id for part in values.pop("constituents") if part in self._known
        )
        if key not in self._words:
            return SharedNumbers(**values)
        return SharedClaim(**values, **{name: self._words[key][name] for name in _WORDS})
