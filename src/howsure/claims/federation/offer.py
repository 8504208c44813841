"""Telling others: a store's own claims as folded inputs, for them to score. Nobody else is asked for it."""

from collections.abc import Mapping
from typing import Annotated, Any

import orjson

from howsure.claims.federation.form import FORMAT, GROUNDS, MOST, STEPS, Ground, Offered, Told
from howsure.errors import InputError
from howsure.graph.sql import ReadOptions
from howsure.shapes import Within, decode_as
from howsure.store.claims import DISPLAYED
from howsure.store.folded_inputs import Folded, folded
from howsure.store.selection import Selection, select
from howsure.store.session import Session

ROOM = 2_000_000
"""Bytes that an answer takes up, at most; half of what is taken, so that nothing we tell is refused for its size."""
_WORDS = ("statement", "subject", "predicate", "object", "namespace", "created_at", "sources")


def tell(session: Session, wanted: Selection, reading: ReadOptions, limit: int) -> Told:
    """Return the inputs of the claims that fit, the first ones by the order that is asked for."""
    decode_as(Annotated[int, Within(1, MOST)], limit, "limit")
    with session.database.read() as transaction:
        rows = select(transaction, reading, wanted, limit + 1)
        keys = [row[-1] for row in rows[:limit]]
        known = folded(transaction, reading, keys, GROUNDS)
    session.accessed(keys)
    words = {row[-1]: dict(zip(DISPLAYED, row, strict=False)) for row in rows[:limit]}
    answer = _Answer(known, words)
    fitted = sum(answer.add(key) for key in keys)
    formula = reading.formula
    claims = tuple(one for key in keys if isinstance(one := answer.told.get(key), Offered))
    grounds = tuple(one for key, one in answer.told.items() if key not in words)
    return Told(FORMAT, True, formula.name, formula.version, claims, grounds, fitted < len(rows))


class _Answer:
    """An answer that grows claim by claim, each with all that it rests on, as long as there is room."""

    def __init__(self, known: Mapping[int, Folded], words: Mapping[int, Mapping[str, Any]]) -> None:
        self._known, self._words = known, words
        self._size = self._steps = 0
        self.told: dict[int, Ground] = {}

    def add(self, key: int) -> bool:
        """Take a claim in, unless it has no room; say whether it is in."""
        needed: dict[int, Ground] = {}
        waiting = [key]
        while waiting:
            one = waiting.pop()
            if one in self.told or one in needed:
                continue
            if one not in self._known:  # it rests on too much
                return False
            try:
                needed[one] = self._shaped(one)
            except InputError:  # written by an older program, which took more
                return False
            waiting += self._known[one].constituents
        size = sum(len(orjson.dumps(vars(one))) for one in needed.values())
        steps = sum(len(one.derived_from) for one in needed.values())
        if self._size + size > ROOM or self._steps + steps > STEPS:
            return False
        self._size, self._steps = self._size + size, self._steps + steps
        self.told |= needed
        return True

    def _shaped(self, key: int) -> Ground:
        """Return a claim as it is told: with its words, if they were asked for."""
        about = self._known[key]._asdict()
        about["derived_from"] = tuple(self._known[part].id for part in about.pop("constituents") if part in self._known)
        if key not in self._words:
            return Ground(**about)
        return Offered(**about, **{name: self._words[key][name] for name in _WORDS})
