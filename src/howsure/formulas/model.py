"""A model: turns one kind of evidence into a score with its reasons."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, get_origin, get_type_hints

from howsure.errors import InputError
from howsure.formulas.ops import FLOATS, Ops
from howsure.formulas.score import Score
from howsure.formulas.spec import Spec
from howsure.shapes import decode, field_decoders

Case = TypeVar("Case")
T = TypeVar("T")


def once(case: Any, name: str, compute: Callable[[], T]) -> T:
    """Compute something about a case once, for as long as the case is in use."""
    kept = vars(case).setdefault("_kept", {})
    if name not in kept:
        kept[name] = compute()
    found: T = kept[name]
    return found


class Model(ABC, Generic[Case]):
    """One way of answering "how sure?".

    A model is a frozen dataclass whose fields are its parameters. It says what it reads (`case`), turns
    that into a row of numbers (`features`), computes with those numbers alone (`formula`), and words the
    result (`conclude`). Because the formula sees only numbers, it runs on any kind of number.
    """

    name: ClassVar[str]
    """How it is called everywhere: in Python, on the command line, in JSON and in SQL."""
    version: ClassVar[int]
    """Goes up when an old score would change."""
    case: ClassVar[Any]
    """The shape of its input."""
    unordered: ClassVar[tuple[str, ...]] = ()
    """Lists in the case whose order means nothing."""
    directions: ClassVar[Mapping[tuple[str, str], int]] = {}
    """(row field, step) -> +1 if more of the one never lowers the other, -1 if it never raises it."""

    def __post_init__(self) -> None:
        """Refuse parameters that are out of range."""
        for name, read in field_decoders(type(self)).items():
            try:
                read(getattr(self, name))
            except InputError as error:
                raise error.under(name) from None

    @abstractmethod
    def features(self, case: Case) -> Any:
        """Return the row of numbers for one case. May read text and walk lists."""

    @abstractmethod
    def formula(self, row: Any, ops: Ops[Any]) -> Any:
        """Return every step from the row to the result. Numbers only: no `if`, no text, no lists."""

    @abstractmethod
    def conclude(self, case: Case, row: Any, steps: Any) -> dict[str, Any]:
        """Return the answer as JSON-ready data, in words too."""

    @cached_property
    def spec(self) -> Spec:
        """Name, version and parameters."""
        return Spec(self.name, self.version, asdict(self))  # type: ignore[call-overload]

    def score(self, data: Case | Mapping[str, Any]) -> Score:
        """Score one case, given as its shape or as plain data."""
        case: Case = decode(self.case, data)
        return self.judge(case)

    def judge(self, case: Case) -> Score:
        """Score a case that was read already. What is worked out about it is kept with it."""
        row = self.features(case)
        steps = self.formula(row, FLOATS)
        return Score(self.spec, row, steps, self.conclude(case, row, steps))


def row_and_steps(model: type[Model[Any]]) -> tuple[Any, Any]:
    """Return the classes of the row that a model's formula reads and of the steps that it returns."""
    hints = get_type_hints(model.formula)
    return get_origin(hints["row"]) or hints["row"], get_origin(hints["return"]) or hints["return"]
