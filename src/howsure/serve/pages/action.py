"""An action: a form that does an operation, and then leads back with a word on what was done."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from howsure.errors import InputError
from howsure.serve.desk import check_scope
from howsure.serve.operations.table import operation
from howsure.serve.pages.forms import first, given
from howsure.serve.pages.login import local
from howsure.serve.pages.page import Page, Show
from howsure.serve.pages.visit import Failed, Visit

SURE = "sure"
"""The field by which somebody says that they mean it."""


@dataclass(frozen=True)
class Action:
    """A form that does something."""

    path: str
    """Where it is sent to; names in braces are handed in with the rest."""
    operation: str
    """What it does."""
    back: str
    """The page that it stands on, and leads back to."""
    show: Show
    """That page, which is shown again with what is wrong, where it could not be done."""
    done: str | Callable[[Any], str]
    """What is said when it is done: a code of `words.DONE`, or which, by the answer."""
    after: str = ""
    """Where it leads, if not back."""
    asks: bool = False
    """Whether one has to say that one means it."""
    more: Callable[[Visit, dict[str, Any]], Awaitable[dict[str, Any]]] | None = None
    """Fills in what the form does not say."""

    def page(self) -> Page:
        """Return what is at its path: forms are sent there, and who only looks is led back."""
        return Page(self.path, self._lead_back, self._send)

    async def _lead_back(self, visit: Visit) -> Response:
        return visit.away(self.back.format_map(visit.request.path_params))

    async def _send(self, visit: Visit) -> Response:
        check_scope(visit.known, operation(self.operation).scope)  # before anything else is read
        try:
            data = self._given(visit)
            data = data if self.more is None else await self.more(visit, data)
            answer = await visit.do(self.operation, data, first(visit.filled, "key") or None)
        except InputError as error:
            visit.failed = Failed(self.operation, error, visit.filled)
            response = await self.show(visit)
            if response.status_code == 200:  # noqa: PLR2004 - it may lead elsewhere
                response.status_code = 422
            return response
        code = self.done if isinstance(self.done, str) else self.done(answer)
        onward = first(visit.filled, "next")  # a list leads back to itself
        place = (self.after or self.back).format_map(visit.request.path_params)
        return visit.away(local(onward) if onward else place, code)

    def _given(self, visit: Visit) -> dict[str, Any]:
        """Return what the form and its address say."""
        asked = operation(self.operation)
        if self.asks and first(visit.filled, SURE) != "yes":
            raise InputError("this cannot be undone here", field=SURE, hint="say that you mean it")
        data = given(visit.filled, asked)
        for name, value in visit.request.path_params.items():
            if name in data:
                raise InputError("this stands in the address", field=name, hint="leave it out")
            if name in asked.input_schema["properties"]:
                data[name] = value
        return data
