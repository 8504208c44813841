"""Score a column of texts: responses by either policy of the gate, sub-results, patterns or documents."""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, get_type_hints

from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.errors import InputError, UnknownNameError, nearest
from howsure.formulas import catalog
from howsure.formulas.model import Model, row_and_steps
from howsure.formulas.patterns import Case as PatternsCase
from howsure.formulas.patterns import Patterns
from howsure.formulas.scoring import with_parameters
from howsure.formulas.spec import ModelSpec
from howsure.parameters import configured
from howsure.progress import Progress, silent
from howsure.settings import Settings
from howsure.shapes import decode, decoder

if TYPE_CHECKING:
    from howsure.text.grounding.result import GroundedSentence

TEXT_FIELDS = {
    "evidence": "response",
    "response": "response",
    "subresult": "content",
    "patterns": "text",
    "document": "",
}
"""The field of each model's input that holds the text. A document's text is searched for patterns instead."""
_BATCH = 10_000
"""Rows that one process scores at a time."""
_BATCH_BYTES = 1 << 28
"""Bytes of texts that one process scores at a time."""
_LONGEST_TEXT = 16_000_000
"""Bytes of a text: a file of a few kB may hold texts of gigabytes."""
_FEW = 20_000
"""Tables with fewer rows are scored in this process, which is faster than starting others."""


@dataclass(frozen=True)
class TextScores:
    """The result of scoring a table of texts."""

    rows: int
    """How many texts were scored."""
    engine: str
    """The engine that scored them."""
    spec: ModelSpec
    """Model, version and parameters."""
    seconds: float
    """How long it took."""
    out: str = ""
    """Where the scores were written; empty if nowhere."""
    table: Any = None
    """The scores as an Arrow table, if they were not written anywhere."""


class TextScorer:
    """Scores batches of rows by a model that reads text."""

    def __init__(
        self,
        model: Model[Any],
        column: str,
        keep: list[str],
        columns: list[str],
        patterns: Patterns | None = None,
        context: str = "",
    ) -> None:
        """Store the model, the column with the text, the columns to copy, those to compute, and what finds patterns.

        With a column of contexts, each text is also compared with its context, sentence by sentence. A model that reads
        grounding gets it from there, as in the gate.
        """
        self.context = context
        self._patterns = patterns or Patterns()
        self.model = model
        self.column = column
        self.keep = keep
        self.columns = columns
        self._fields = {field.name for field in fields(model.case)}
        self._types = get_type_hints(model.case, include_extras=True)

    @property
    def texts(self) -> list[str]:
        """The columns that hold text."""
        return [self.column, self.context] if self.context else [self.column]

    def __call__(self, batch: Any, first: int = 0) -> Any:
        """Return the scores of an Arrow batch; `first` rows of the table came before it."""
        import pyarrow as pa

        from howsure.graph.arrays import score_rows

        data = batch.to_pylist()
        grounded = [self._ground(row) for row in data] if self.context else [(None, None)] * len(data)
        rows = [
            self._row(row, first + number, grounding)
            for number, (row, (grounding, _)) in enumerate(zip(data, grounded, strict=True), start=1)
        ]
        row_type = row_and_steps(type(self.model))[0]
        row = row_type(*zip(*rows, strict=True)) if rows else row_type(*([] for _ in row_type._fields))
        numbers = row._asdict() | score_rows(self.model, row)._asdict()
        scores: dict[str, Any] = {name: batch.column(name) for name in self.keep}
        scores |= {name: pa.array(numbers[name], pa.float64()) for name in self.columns}
        if self.context:
            scores["grounding"] = pa.array([support for support, _ in grounded], pa.float64())
            scores["sentences"] = pa.array([findings for _, findings in grounded], pa.string())
        return pa.record_batch(scores)

    def _ground(self, data: Mapping[str, Any]) -> tuple[float | None, str | None]:
        """Return the grounding of a row's text in its context, and the findings of its sentences."""
        text, context = data[self.column], data[self.context]
        if "grounding" not in self._fields:
            return ground_text(text, context)
        return measure_text(text, context)

    def _row(self, data: Mapping[str, Any], number: int, grounding: float | None) -> Any:
        try:
            case = self._case(data)
            if self.context and "grounding" in self._fields:  # also where the table has a column of that name
                case["grounding"] = grounding
            return self.model.features(decode(self.model.case, case))
        except InputError as error:
            field = f"{error.field}: " if error.field else ""
            raise InputError(f"row {number}: {field}{error.problem}", field="texts", hint=error.hint) from None

    def _case(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the model's input for a row: the text, and the columns named like fields of the input."""
        case = {name: self._cell(name, value) for name, value in data.items() if name in self._fields}
        case = {name: value for name, value in case.items() if value is not None}
        text, field = data[self.column], TEXT_FIELDS[self.model.name]
        if field:
            return case | {field: text}
        if text is not None:
            steps = self._patterns.judge(PatternsCase(text)).steps
            case |= {"pattern_boost": steps.boost, "pattern_bonus": steps.bonus}
        return case

    def _cell(self, name: str, value: Any) -> Any:
        """Return a cell; text that is not valid for its field, such as a number in a CSV file, is parsed as JSON."""
        if not isinstance(value, str):
            return value
        try:
            decoder(self._types[name])(value)
        except InputError:
            with suppress(ValueError):
                return json.loads(value)
        return value


def ground_text(text: str | None, context: str | None) -> tuple[float | None, str | None]:
    """Return the support of a text by its context, and its sentences with their findings as JSON; None if one is empty.

    >>> ground_text("The port is 9443.", "The port is 8443.")[1]
    '[{"finding":"contradicted","support":0.031,"text":"The port is 9443."}]'
    """
    if not text or not context:
        return None, None
    from howsure.text.grounding.ground import ground

    found = ground(text, context)
    return found.support, _as_json(found.sentences)


def measure_text(text: str | None, context: str | None) -> tuple[float | None, str | None]:
    """Return the grounding of a text as the gate computes it, and its sentences as `ground_text` does.

    A sentence that cannot be judged counts as half supported, and words are compared if no sentence can be.
    """
    if not text or not context or not context.strip():
        return None, None
    from howsure.responses.grounding import measure_grounding

    found = measure_grounding(text, [context])
    sentences = _as_json(found.sentences) if found is not None and found.sentences else ground_text(text, context)[1]
    return None if found is None else found.score, sentences


def _as_json(sentences: "Iterable[GroundedSentence]") -> str:
    findings = [
        {"finding": one.finding, "support": None if one.support is None else round(one.support, 4), "text": one.text}
        for one in sentences
    ]
    return json.dumps(findings, ensure_ascii=False, separators=(",", ":"))


def text_scorer(
    model: str,
    parameters: Mapping[str, Any] | None,
    column: str,
    keep: Sequence[str],
    columns: Sequence[str] | None,
    settings: Settings | None = None,
    context: str = "",
) -> TextScorer:
    """Return a scorer for the named model. It computes the given columns, or every step if none are given.

    With a column of contexts it adds the columns `grounding` and `sentences`.

    Raises:
        InputError: if there is no such text model or column.
    """
    if model not in TEXT_FIELDS:
        raise UnknownNameError("text model", model, TEXT_FIELDS)
    built = with_parameters(_configured(model, settings), parameters or {})
    patterns = configured(Patterns, settings)
    computed = _computed_columns(built, columns, keep)
    for name in ("grounding", "sentences") if context else ():
        if name in (*keep, *computed):
            raise InputError(f"{name} is a column that `context` adds", field="keep", hint="leave it out")
    return TextScorer(built, column, list(keep), computed, patterns, context)


def _configured(model: str, settings: Settings | None) -> Model[Any]:
    """Return a model with the parameters of the settings; `evidence` as the gate uses it."""
    if model == "evidence" and settings is not None:
        from howsure.responses.policy import Policies

        return Policies(settings).model("evidence")
    return configured(catalog.find(model), settings)


def score_texts(
    texts: Input,
    scorer: TextScorer,
    output: Output | None,
    *,
    processes: int | None = None,
    memory: str | None = None,
    temp: str | None = None,
    progress: Progress = silent,
) -> tuple[int, Any]:
    """Score a table of texts on this machine; return the number of rows, and the table if there is no output."""
    from howsure.bulk.engines.duckdb_connection import DuckDbConnection, quote_name

    source, sink = DuckDbConnection(memory, temp), DuckDbConnection(memory, temp)
    try:
        check_text_columns(source.register(texts), texts.name, scorer.texts, scorer.keep)
        for duck in (source, sink):
            duck.run("SET preserve_insertion_order = true")  # errors give row numbers, and people compare files
        source.subject = (texts.name, "texts")
        lengths = ", ".join(f"MAX(strlen({quote_name(name)}))" for name in scorer.texts)
        total, *longest = source.run(f"SELECT COUNT(*), {lengths} FROM raw_texts")[0]
        rows = _rows_of_batch(texts.name, dict(zip(scorer.texts, longest, strict=True)))
        batches = _score_batches(source, scorer, int(total), rows, processes, progress)
        return _collect(sink, batches, output, {"spec": scorer.model.spec._asdict()})
    finally:
        source.close()
        sink.close()


def _computed_columns(model: Any, columns: Sequence[str] | None, keep: Sequence[str]) -> list[str]:
    row, steps = row_and_steps(type(model))
    known = [*row._fields, *steps._fields]
    for name in columns or ():
        if name not in known:
            raise InputError(f"unknown column {name!r}", field="columns", hint=nearest(name, known))
    computed = list(dict.fromkeys(steps._fields if columns is None else columns))
    for name in computed:
        if name in keep:
            raise InputError(f"{name} is both a column to keep and one to compute", field="keep", hint="choose one")
    return computed


def check_text_columns(families: Mapping[str, str], name: str, texts: Sequence[str], keep: Sequence[str]) -> None:
    """Raise InputError if a table lacks a column, or a column of texts does not hold text."""
    for wanted in (*texts, *keep):
        if wanted not in families:
            raise InputError(f"{name} has no column {wanted}", field="texts", hint=f"it has: {', '.join(families)}")
    for column in texts:
        if families[column] != "text":
            raise InputError(f"{name}: the column {column} does not hold text", field="texts")


def _rows_of_batch(name: str, longest: Mapping[str, int | None]) -> int:
    """Return how many rows to score at a time, so that their texts fit into memory.

    Raises:
        InputError: if a text is too long.
    """
    for column, length in longest.items():
        if (length or 0) > _LONGEST_TEXT:
            problem = f"{name}: a text of the column {column} has {length:,} bytes"
            raise InputError(problem, field="texts", hint=f"at most {_LONGEST_TEXT:,}")
    return max(1, min(_BATCH, _BATCH_BYTES // max(1, sum(length or 0 for length in longest.values()))))


def _score_batches(
    source: Any, scorer: TextScorer, total: int, rows: int, processes: int | None, progress: Progress
) -> Iterator[Any]:
    """Yield scored batches in order; large tables are scored by several processes."""
    batches = source.batches("SELECT * FROM raw_texts", rows)
    if total <= _FEW or processes == 1:
        done = 0
        for batch in batches:
            progress("scoring texts", done, total)
            yield scorer(batch, done)
            done += len(batch)
        return
    # Spawned, not forked: DuckDB's threads do not survive a fork.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting: deque[Any] = deque()
        first = done = 0
        for batch in batches:
            waiting.append(pool.submit(scorer, batch, first))
            first += len(batch)
            if len(waiting) > 2 * (processes or 4):
                scored = waiting.popleft().result()
                done += len(scored)
                progress("scoring texts", done, total)
                yield scored
        while waiting:
            yield waiting.popleft().result()


def _collect(sink: Any, batches: Iterator[Any], output: Output | None, about: dict[str, Any]) -> tuple[int, Any]:
    """Write the batches, or return them as a table if there is no output; return the number of rows too."""
    import pyarrow as pa

    first = next(batches, None)
    if first is None:
        raise InputError("the table has no rows", field="texts")

    def all_batches() -> Iterator[Any]:
        yield first
        yield from batches

    reader = pa.RecordBatchReader.from_batches(first.schema, all_batches())
    if output is None:
        table = reader.read_all()
        return len(table), table
    sink.connection.register("bulk_scores", reader)
    return sink.write("SELECT * FROM bulk_scores", output, about, silent), None
