"""The query for whole tables in one statement, in each database."""

from typing import Any

import pytest

from howsure.bulk.tables import SCHEMAS
from howsure.formulas.claim import ClaimFormula
from howsure.graph.table_queries import statement
from tests.bulk.worlds import NOW, formulas, world
from tests.engines import Engine


@pytest.mark.parametrize("formula", formulas(), ids=lambda formula: str(formula.name))
def test_one_statement_gives_the_intervals_of_the_model(engine: Engine, formula: ClaimFormula) -> None:
    made = world(11, text_ids=True)
    rows: dict[str, Any] = {"claims": made.claims, "sources": made.sources, "relations": made.relations}
    for name, schema in SCHEMAS.items():
        kinds = {c.name: "number" if c.kind in ("unit", "moment", "number") else "text" for c in schema.columns}
        engine.table(name, kinds, [[row.get(column) for column in kinds] for row in rows[name]])
    now = engine.dialect._replace(now=engine.dialect.number(NOW))
    found = {row[0]: row[1:] for row in engine.query(statement(formula, now))}
    expected = made.expected(formula, NOW)
    assert found.keys() == expected.keys()
    for claim, numbers in expected.items():
        wanted = [numbers[name] for name in ("sources", "lower", "upper")]
        assert [float(number) for number in found[claim]] == pytest.approx(wanted, abs=1e-9)
