"""Forms that run an operation and then redirect with a message."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from howsure.errors import InputError
from howsure.serve.desk import check_scope
from howsure.serve.operations import operation
from howsure.serve.pages.forms import first, form_arguments
from howsure.serve.pages.login import local_path
from howsure.serve.pages.page import Handler, Page
from howsure.serve.pages.request import FormError, PageRequest

CONFIRMATION = "sure"
"""The checkbox by which the user confirms."""


@dataclass(frozen=True)
class Action:
    """A form that runs an operation."""

    path: str
    """Where the form is sent; parameters in braces are arguments, too."""
    operation: str
    back: str
    """The page with the form, to which the user returns."""
    show: Handler
    """Shows that page, again if the form failed."""
    message: str | Callable[[Any], str]
    """A code of `templates.MESSAGES` for success, or a function of the result that returns one."""
    after: str | Callable[[Any], str] = ""
    """Where to go on success, if not back; or a function of the result that returns it."""
    confirm: bool = False
    """Whether the user has to confirm."""
    complete: Callable[[PageRequest, dict[str, Any]], Awaitable[dict[str, Any]]] | None = None
    """Adds arguments that the form does not have."""

    def page(self) -> Page:
        """Return the page at the form's path; looking at it redirects back."""
        return Page(self.path, self._redirect_back, self.submit)

    async def _redirect_back(self, request: PageRequest) -> Response:
        return request.redirect(self.back.format_map(request.http.path_params))

    async def submit(self, request: PageRequest) -> Response:
        """Run the operation with the fields of the form, and redirect."""
        check_scope(request.known_caller, operation(self.operation).scope)  # before anything is read from the store
        try:
            arguments = self._arguments(request)
            if self.complete is not None:
                arguments = await self.complete(request, arguments)
            result = await request.run(self.operation, arguments, first(request.form, "key") or None)
        except InputError as error:
            request.form_error = FormError(self.operation, error, request.form)
            response = await self.show(request)
            if response.status_code == 200:  # noqa: PLR2004 - it may also redirect
                response.status_code = 422
            return response
        message = self.message if isinstance(self.message, str) else self.message(result)
        next_path = first(request.form, "next")  # lists return to themselves
        after = self.after if isinstance(self.after, str) else self.after(result)
        default = (after or self.back).format_map(request.http.path_params)
        return request.redirect(local_path(next_path) if next_path else default, message)

    def _arguments(self, request: PageRequest) -> dict[str, Any]:
        """Return the arguments in the form and the path.

        Raises:
            InputError: if the user has not confirmed, or an argument is given twice.
        """
        chosen = operation(self.operation)
        if self.confirm and first(request.form, CONFIRMATION) != "yes":
            raise InputError("this cannot be undone here", field=CONFIRMATION, hint="tick the box to confirm")
        arguments = form_arguments(request.form, chosen)
        for name, value in request.http.path_params.items():
            if name in arguments:
                raise InputError("already given in the address", field=name, hint="leave it out")
            if name in chosen.input_schema["properties"]:
                arguments[name] = value
        return arguments
