"""The map of documents shows each document with its score."""

from tests.charts.story import Opened, layer_values
from tests.documents.factory import document, many, report


def test_documents_lie_on_the_map_by_their_score(opened: Opened) -> None:
    sure, told = opened
    scanned = sure.documents.scan(told.folder, cache=False).report()
    chart = sure.charts.documents(told.folder, cache=False)
    assert {row["path"]: row["score"] for row in chart.rows} == {one.path: one.score for one in scanned.documents}
    large = sure.charts.documents(report=many(400))
    tiles = layer_values(large.spec, "tile-area")
    assert len(large.rows) == 400
    assert 50 < len(tiles) <= 400
    assert all(0 <= one["x"] < one["right"] <= 720 and 0 <= one["y"] < one["bottom"] <= 420 for one in tiles)
    unknown = sure.charts.documents(report=report(document("a.md", score=None)))
    assert layer_values(unknown.spec, "tile-area")[0]["value"] == "unknown"
