"""Charts and tables as one HTML page that opens anywhere and loads nothing from outside."""

from collections.abc import Sequence

from howsure.charts.chart import Chart
from howsure.errors import MissingExtraError

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""A header, and rows of cells."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{{ title }}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem; color: #1b1f24 }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left }
th, td { text-align: left; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid #d0d7de }
td { font-variant-numeric: tabular-nums } svg { max-width: 100%; height: auto }
figure { margin: 2rem 0 } figcaption { color: #57606a }
</style>
</head>
<body>
<h1>{{ title }}</h1>
{% for header, rows in tables %}<table>
<thead><tr>{% for cell in header %}<th scope="col">{{ cell }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in rows %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody>
</table>
{% endfor %}{% for chart, drawing in charts %}<figure>
{{ drawing }}
<figcaption>{{ chart.about }}</figcaption>
</figure>
{% endfor %}</body>
</html>
"""


def render_page(title: str, tables: Sequence[Table], charts: Sequence[Chart]) -> str:
    """Return a page of tables and charts.

    Raises:
        MissingExtraError: if the extras `plot` or `documents` are not installed.
    """
    try:
        from jinja2 import Environment
        from markupsafe import Markup
    except ImportError:
        raise MissingExtraError("documents", "writing an HTML page") from None
    drawings = [(chart, Markup(chart.svg())) for chart in charts]  # noqa: S704 - drawn here, with escaped texts
    return Environment(autoescape=True).from_string(_PAGE).render(title=title, tables=tables, charts=drawings)
