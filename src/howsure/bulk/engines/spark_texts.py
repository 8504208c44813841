"""Texts on Spark: each worker reads its part through Arrow batches."""

from collections.abc import Iterator
from typing import Any

from howsure.bulk.engines.duckdb_connection import Duck
from howsure.bulk.engines.spark import FORMATS, Spark, told, write_folder
from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.bulk.text_reader import Reader
from howsure.errors import InputError
from howsure.progress import silent


def score_texts(given: Input, reader: Reader, output: Output | None, spark: Any) -> tuple[int, Any]:
    """Score a table of texts on a session or a master; return how many rows, and the table if it is written nowhere."""
    master = spark if isinstance(spark, str) else None
    engine = Spark(None if master else spark, master)
    try:
        found = engine.take(given)
        for wanted in (reader.column, *reader.keep):
            if wanted not in found:
                raise InputError(
                    f"{given.name} has no column {wanted}", field="texts", hint=f"found: {', '.join(found)}"
                )
        frame = engine.session.table("raw_texts")
        kept = [f"`{name}` {dict(frame.dtypes)[name]}" for name in reader.keep]
        schema = ", ".join([*kept, *(f"`{name}` double" for name in reader.columns)])
        with told(given.name, "texts"):
            scored = frame.mapInArrow(_Batches(reader), schema)
            if output is not None and output.kind in FORMATS:
                return write_folder(engine.session, scored, output), None
            table = scored.toArrow()
        if output is None:
            return len(table), table
        duck = Duck()
        try:
            duck.connection.register("bulk_scores", table)
            return duck.pour("SELECT * FROM bulk_scores", output, {"spec": reader.model.spec._asdict()}, silent), None
        finally:
            duck.close()
    finally:
        engine.close()


class _Batches:
    """A reader for the batches of one part."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        first = 0
        for batch in batches:
            yield self.reader(batch, first)
            first += len(batch)
