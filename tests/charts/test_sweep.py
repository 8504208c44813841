"""The chart of a sweep."""

import xml.etree.ElementTree as ET
from typing import Any

from howsure.bulk import api as bulk
from howsure.charts.sweep import sweep_chart
from howsure.formulas import catalog
from howsure.shapes.encode import encode
from tests.bulk.worlds import NOW, world

MADE = world(6, claims=120, derived=True)


GIVEN: dict[str, Any] = {"claims": MADE.claims, "sources": MADE.sources, "relations": MADE.relations, "now": NOW}


def test_a_sweep_has_a_chart() -> None:
    found = bulk.sweep(**GIVEN, formulas=["all"], threshold=0.5, bound="upper", leave_out=3)
    drawn = ET.fromstring(sweep_chart(found).svg())  # noqa: S314 - our own
    texts = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    for variant in found.variants:
        assert any(f"{variant.name}: {variant.above} reach it" in str(text) for text in texts)
    for impact in found.sources:
        assert any(f"without {impact.source}: " in str(text) for text in texts)
    assert [variant.name for variant in found.variants] == catalog.formulas()
    assert encode(found)["variants"][0]["name"] == "noisy_or"
    assert f"{len(MADE.claims)} claims by their upper bound; threshold 0.5" in texts
