"""A column of texts as numbers: each is read by a model's features, and all go through its formula at once."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any, get_type_hints

from howsure.errors import InputError
from howsure.formulas.model import Model, row_and_steps
from howsure.formulas.patterns import Case as Scanned
from howsure.formulas.patterns import Patterns
from howsure.shapes import decode, decoder

FIELDS = {"response": "response", "subresult": "content", "patterns": "text", "document": ""}
"""The field of each model's input that holds the text. A document's text is scanned for patterns."""


class Reader:
    """Reads rows of a table as cases of a model."""

    def __init__(self, model: Model[Any], column: str, keep: list[str], columns: list[str]) -> None:
        """Take the model, the column with the text, those to keep as they are, and those to compute."""
        self.model = model
        self.column = column
        self.keep = keep
        self.columns = columns
        self.known = {field.name for field in fields(model.case)}
        self.shapes = get_type_hints(model.case, include_extras=True)

    def __call__(self, batch: Any, first: int = 0) -> Any:
        """Return the scores of a batch of rows, the first of which has that number."""
        import pyarrow as pa

        from howsure.bulk.numpy_ops import score_rows

        rows = [self._row(row, first + number) for number, row in enumerate(batch.to_pylist(), start=1)]
        found: dict[str, Any] = {name: batch.column(name) for name in self.keep}
        row_type = row_and_steps(type(self.model))[0]
        row = row_type(*zip(*rows, strict=True)) if rows else row_type(*([] for _ in row_type._fields))
        steps = score_rows(self.model, row)
        numbers = row._asdict() | steps._asdict()
        found |= {name: pa.array(numbers[name], pa.float64()) for name in self.columns}
        return pa.record_batch(found)

    def _row(self, data: Mapping[str, Any], number: int) -> Any:
        try:
            return self.model.features(decode(self.model.case, self._case(data)))
        except InputError as error:
            problem = (
                f"row {number}: {error.field}: {error.problem}" if error.field else f"row {number}: {error.problem}"
            )
            raise InputError(problem, field="texts", hint=error.hint) from None

    def _case(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a row says about a case: the columns that are called like its fields, and the text."""
        case = {name: self._cell(name, value) for name, value in data.items() if name in self.known}
        case = {name: value for name, value in case.items() if value is not None}
        text, field = data[self.column], FIELDS[self.model.name]
        if field:
            return case | {field: text}
        if text is not None:
            patterns = Patterns()
            found = patterns.judge(Scanned(text)).steps
            case |= {"pattern_boost": found.boost, "pattern_bonus": found.bonus}
        return case

    def _cell(self, name: str, value: Any) -> Any:
        """Return a cell as the model reads it: a number or a list that a file holds as text is read as such."""
        if not isinstance(value, str):
            return value
        try:
            decoder(self.shapes[name])(value)
        except InputError:
            with suppress(ValueError):
                return json.loads(value)
        return value
