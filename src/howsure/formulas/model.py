"""The base class of models, which turn one kind of input into a score with its reasons."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, asdict, fields
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, get_origin, get_type_hints

from howsure.errors import InputError
from howsure.formulas.ops import FLOATS, Ops
from howsure.formulas.score import Score
from howsure.formulas.spec import ModelSpec
from howsure.shapes import decode, field_decoders
from howsure.shapes.types import Record

Case = TypeVar("Case")
T = TypeVar("T")


def once(case: Any, name: str, compute: Callable[[], T]) -> T:
    """Return a value about a case, computed on the first call and cached on the case."""
    cache: dict[str, T] = vars(case).setdefault("_cache", {})
    if name not in cache:
        cache[name] = compute()
    return cache[name]


def _is_default(model: "Model[Any]", field: "Field[Any]") -> bool:
    value = getattr(model, field.name)
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return type(value) is type(default) and bool(value == default)


class Model(Record, ABC, Generic[Case]):
    """One way of answering "how sure?".

    A model is a frozen dataclass whose fields are its parameters. `case` is the type of its input, `features` turns
    an input into a row of numbers, `formula` computes the steps from these numbers alone, and `conclude` words the
    result. Because the formula sees only numbers, it runs on any kind of number: floats, columns, SQL.
    """

    name: ClassVar[str]
    """Its name in Python, on the command line, in JSON and in SQL."""
    version: ClassVar[int]
    """Incremented when the score of an old case would change."""
    case: ClassVar[Any]
    """The type of its input, a dataclass."""
    unordered: ClassVar[tuple[str, ...]] = ()
    """Fields of the case whose order makes no difference."""
    directions: ClassVar[Mapping[tuple[str, str], int]] = {}
    """(row field, step) -> +1 if raising the field never lowers the step, -1 if it never raises it."""

    def __post_init__(self) -> None:
        """Raise InputError if a parameter is out of range."""
        # Defaults are tested, and reading the types of 30 parameters takes 5 % of the start of `howsure gate`.
        for name in [field.name for field in fields(self) if not _is_default(self, field)]:  # type: ignore[arg-type]
            try:
                field_decoders(type(self))[name](getattr(self, name))
            except InputError as error:
                raise error.under(name) from None

    @abstractmethod
    def features(self, case: Case) -> Any:
        """Return the row of numbers of one case."""

    @abstractmethod
    def formula(self, row: Any, ops: Ops[Any]) -> Any:
        """Return every step from the row to the result. Numbers only: no `if`, no text, no lists."""

    @abstractmethod
    def conclude(self, case: Case, row: Any, steps: Any) -> dict[str, Any]:
        """Return the result as JSON-ready data, including a reason in words."""

    @cached_property
    def spec(self) -> ModelSpec:
        """Name, version and parameters."""
        return ModelSpec(self.name, self.version, asdict(self))  # type: ignore[call-overload]

    def score(self, data: Case | Mapping[str, Any]) -> Score:
        """Score one case, given as an object or as plain data."""
        case: Case = decode(self.case, data)
        return self.judge(case)

    def judge(self, case: Case) -> Score:
        """Score a case that was already decoded."""
        row = self.features(case)
        steps = self.formula(row, FLOATS)
        return Score(self.conclude(case, row, steps), row, steps, self.spec)


def row_and_steps(model: type[Model[Any]]) -> tuple[Any, Any]:
    """Return the classes of the row that a model's formula reads and of the steps that it returns."""
    hints = get_type_hints(model.formula)
    return get_origin(hints["row"]) or hints["row"], get_origin(hints["return"]) or hints["return"]
