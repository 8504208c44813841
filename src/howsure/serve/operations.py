"""Collect the public methods that are marked with `@operation` into one table."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from howsure.claims.api import Claims
from howsure.claims.federation.peers import Peers
from howsure.documents.api import Documents
from howsure.errors import UnknownNameError
from howsure.investigations.api import Investigations
from howsure.learn.api import Fits
from howsure.ledger.api import Ledger
from howsure.ledger.models import Models
from howsure.responses.api import Responses
from howsure.shapes.decode import object_decoder
from howsure.shapes.encode import encode
from howsure.shapes.node import Object, Table, hints, node, parameters
from howsure.shapes.schema import Components, object_schema, parameter_docs, schema, summary_of
from howsure.sources.api import Sources
from howsure.sure import Sure
from howsure.syntheses.api import Syntheses

if TYPE_CHECKING:
    from howsure.operation import Route, Scope, Tool

RESULT = "result"
"""The field that holds a result which is not an object: a list, a number, a flag or None."""


class Operation:
    """One public method, as HTTP, MCP and the command line offer it."""

    def __init__(self, facade: str, function: Callable[..., Any]) -> None:
        """Wrap a marked method of `Sure` (`facade` is empty) or of one of its facades, such as `claims`."""
        self.function = function
        self.facade = facade
        self.route: Route = function.__operation__  # type: ignore[attr-defined]
        name = function.__name__.rstrip("_")
        self.name: str = f"{facade}.{name}" if facade else name
        self.method: str = self.route.method
        self.path: str = self.route.path
        self.scope: Scope = self.route.scope
        self.tool: Tool | None = self.route.tool
        self.example: Mapping[str, Any] = self.route.example
        self.lines: str = self.route.lines
        self.streams: bool = self.route.streams
        self.slow: bool = self.route.slow

    @cached_property
    def about(self) -> str:
        """What it does: the docstring without its sections and examples."""
        return summary_of(self.function)

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return self.about.partition("\n\n")[0].replace("\n", " ").rstrip(".")

    @property
    def changes(self) -> bool:
        """Whether it changes anything."""
        return self.scope != "read"

    @cached_property
    def parameters(self) -> Object:
        """The parameters that are offered, without those for Python callers only."""
        return parameters(self.function)

    @cached_property
    def result(self) -> Any:
        """The type of the result; of each item, if it streams."""
        annotation = hints(self.function)["return"]
        return annotation.__args__[0] if self.streams else annotation

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The parameters as JSON Schema."""
        return self.parameter_schema(None)

    def parameter_schema(self, components: Components | None) -> dict[str, Any]:
        """Return the parameters as JSON Schema; with `components`, classes are written there and referred to."""
        return object_schema(self.parameters, docs=parameter_docs(self.function), components=components)

    @property
    def output_schema(self) -> dict[str, Any]:
        """The result as JSON Schema."""
        return self.result_schema(None)

    def result_schema(self, components: Components | None) -> dict[str, Any]:
        """Return the result as JSON Schema; with `components`, classes are written there and referred to."""
        described = schema(self.result, components=components)
        if self.streams or isinstance(node(self.result), Object | Table):
            return described
        return {"type": "object", "properties": {RESULT: described}, "required": [RESULT]}

    @cached_property
    def _decode(self) -> Callable[[Any], dict[str, Any]]:
        return object_decoder(self.parameters, names_only=self.route.decodes)

    def decode(self, data: Any) -> dict[str, Any]:
        """Decode the arguments of a call; only their names, if the method decodes the values.

        Raises:
            ShapeError: if they do not have the described shape.
        """
        return self._decode(data)

    def call(self, sure: "Sure", arguments: dict[str, Any]) -> Any:
        """Call the method; return its result as JSON-ready data, or an iterator of such data if it streams."""
        owner = getattr(sure, self.facade) if self.facade else sure
        result = getattr(owner, self.function.__name__)(**arguments)
        if self.streams:
            return self._items(result)
        return encode(result) if isinstance(node(self.result), Object | Table) else {RESULT: encode(result)}

    def _items(self, items: Iterator[Any]) -> Iterator[Any]:
        return (encode(item) for item in items)


FACADES: dict[str, type] = {
    "claims": Claims,
    "peers": Peers,
    "responses": Responses,
    "investigations": Investigations,
    "syntheses": Syntheses,
    "documents": Documents,
    "ledger": Ledger,
    "models": Models,
    "fits": Fits,
    "sources": Sources,
    "": Sure,
}
"""The classes whose marked methods are operations, by their name in `Sure`."""


def _marked(facade: str, owner: type) -> list[Operation]:
    """Return the operations among the methods of a class, in the order of their definition."""
    functions = [function for base in reversed(owner.__mro__) for function in vars(base).values()]
    return [Operation(facade, function) for function in functions if hasattr(function, "__operation__")]


OPERATIONS: tuple[Operation, ...] = tuple(
    operation for facade, owner in FACADES.items() for operation in _marked(facade, owner)
)
"""All operations."""


def operation(name: str) -> Operation:
    """Return an operation by its name.

    Raises:
        UnknownNameError: if there is none.
    """
    for one in OPERATIONS:
        if one.name == name:
            return one
    raise UnknownNameError("operation", name, (one.name for one in OPERATIONS))
