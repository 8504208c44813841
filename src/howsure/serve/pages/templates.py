"""Views: templates filled with data. Everything is escaped, and what is missing is an error."""

import secrets
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from howsure import __version__
from howsure.charts import theme
from howsure.errors import MissingExtraError
from howsure.serve.pages.assets import address
from howsure.serve.pages.words import FILTERS

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page may do: load what is ours, and send forms to us."""
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin", "Vary": "HX-Request"}
"""What every page carries. Without a referrer, browsers would not say that a form comes from us."""


@lru_cache(maxsize=1)
def environment() -> "Environment":
    """Return what fills templates, made once."""
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError("web", "the dashboard") from None
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("howsure.serve.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.policies["json.dumps_kwargs"] = {"sort_keys": False, "allow_nan": False}
    found.filters |= FILTERS
    found.globals |= {
        "asset": address,
        "fresh_key": lambda: secrets.token_hex(12),
        "themes": {"light": theme(dark=False), "dark": theme(dark=True)},
        "version": __version__,
    }
    return found


def render(template: str, **given: Any) -> str:
    """Return a template filled with data."""
    return environment().get_template(template).render(given)
