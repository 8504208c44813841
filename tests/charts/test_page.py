"""The page of charts is safe and loads nothing from outside."""

from howsure.charts.evaluation import risk_coverage_chart
from howsure.charts.page import render_page
from howsure.learn.evaluation import evaluate


def test_texts_are_escaped_and_nothing_is_loaded() -> None:
    name = "<script>alert(1)</script>"
    found = evaluate({name: [0.9, 0.1], "y": [1, 0]}, score=name, outcome="y")
    page = render_page(name, [(("a",), [(name,)])], [risk_coverage_chart(found)])
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert "src=" not in page.replace("default-src=", "")
    assert page.count("<svg ") == 1
