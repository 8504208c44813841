"""Asking: what a page is to show, by the API's own names in its address, and what is wrong with that."""

from typing import Any

from howsure.errors import InputError
from howsure.formulas.decay import DAY
from howsure.serve.operations.table import operation
from howsure.serve.pages.forms import Filled, address, first, given
from howsure.serve.pages.visit import Visit
from howsure.serve.pages.words import moment

SPANS = (
    (0, "Today"),
    (7, "The last 7 days"),
    (30, "The last 30 days"),
    (90, "The last 90 days"),
    (365, "The last year"),
)
"""Days that one can look back, and how that is called."""
MOST = 100
"""Records that a page shows at once, however many are asked for."""


class Asking:
    """What a page is asked to show: read as an operation reads it, and shown again in the form, right or wrong."""

    def __init__(
        self,
        visit: Visit,
        name: str,
        fields: tuple[str, ...],
        days: int | None = None,
        empty: tuple[str, ...] = (),
    ) -> None:
        """Take the operation that reads it, the fields of the form, and how far the page looks back by itself.

        `empty` are fields that mean something when they are empty, like an agent without a name.
        """
        self._visit = visit
        self._operation = operation(name)
        self._fields = fields
        self._days = days
        self._empty = empty
        self.filled: Filled = [one for one in visit.request.query_params.multi_items() if one[0] != "done"]
        self.wrong: dict[str, str] = {}
        """What is wrong, by field; without a field, where it has none in the form."""
        self.data: dict[str, Any] = {}
        """What is asked for."""
        try:
            self.data = given(self.filled, self._operation)
            self._operation.read(self.data)
        except InputError as error:
            self.note(error)

    @property
    def status(self) -> int:
        """The status to answer with."""
        return 400 if self.wrong else 200

    def text(self, name: str) -> str:
        """Return what a field was filled with."""
        return first(self.filled, name)

    def note(self, error: InputError) -> None:
        """Note what is wrong."""
        name = error.field.partition("[")[0]
        known = name in self._fields
        where = f"{error.field}: " if error.field and not known else ""
        said = f"{where}{error.problem}" + (f" ({error.hint})" if error.hint else "")
        self.wrong[name if known else ""] = said

    async def do(self, name: str, data: dict[str, Any], otherwise: Any) -> Any:
        """Do an operation, unless something is wrong; what is wrong with it is noted, and something else shown."""
        if self.wrong:
            return otherwise
        try:
            return await self._visit.do(name, data)
        except InputError as error:
            self.note(error)
            return otherwise

    async def records(self, model: str, path: str, many: int) -> tuple[dict[str, Any], str]:
        """Return the records of a model that are asked for, and where there are more of them."""
        data = self.data | {"model": model, "limit": self.limit(many, MOST)}
        page = await self.do("ledger.find", data, {"records": [], "cursor": None})
        return page, self.here(path, cursor=page["cursor"]) if page["cursor"] else ""

    def only(self, *names: str) -> dict[str, Any]:
        """Return some of what is asked for."""
        return {name: self.data[name] for name in names if name in self.data}

    def limit(self, few: int, most: int) -> Any:
        """Return how many are asked for, and never more than a page can hold; what is no number is told elsewhere."""
        asked = self.data.get("limit", few)
        return min(asked, most) if isinstance(asked, int) else asked

    def since(self) -> dict[str, Any]:
        """Return from when on the page looks, by what is asked for, or else as far back as it does by itself."""
        if "since" in self.data or self._days is None:
            return self.only("since")
        return {"since": _days_ago(self._visit.now, self._days)}

    def windows(self) -> list[tuple[str, str]]:
        """Return what the field for the time can be: a moment, and how that is called."""
        own = dict(SPANS)[self._days] if self._days is not None else "At any time"
        found = [("", own)] + [
            (f"{_days_ago(self._visit.now, days):.0f}", name) for days, name in SPANS if days != self._days
        ]
        chosen = self.text("since")
        if chosen and chosen not in {value for value, _ in found}:
            at = self.data.get("since")
            found.append((chosen, f"Since {moment(at)}" if isinstance(at, int | float) else chosen[:40]))
        return found

    def here(self, path: str, **more: Any) -> str:
        """Return the address of the page with all that is asked for, and more."""
        kept = {name: value for name, value in self.data.items() if name not in ("cursor", *more)}
        found = address(path, kept | more, self._operation)
        for name, text in self.filled:
            if name in self._empty and not text.strip() and name not in more:
                found += f"{'&' if '?' in found else '?'}{name}="
        return found

    @property
    def untidy(self) -> bool:
        """Whether the address says something that goes without saying, as that of a form does."""
        return not self.wrong and any(not text.strip() and name not in self._empty for name, text in self.filled)


def _days_ago(now: float, days: int) -> float:
    """Return the beginning of a day, so that an address stays the same all day long."""
    return now - now % DAY - days * DAY
