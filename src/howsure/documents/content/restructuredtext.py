"""Find the links of a reStructuredText page to other files."""

import re

# Files that a page includes or shows; only at the beginning of a line, since an indented directive may be an example.
_DIRECTIVE = re.compile(
    r"\n\.\. (?:include|literalinclude|image|figure)::[ \t]{1,9}([^\s{}|]{1,300})[ \t]*(?=\r?\n|\Z)"
)
# :doc:`page` and :doc:`title <page>`
_PAGE = re.compile(r":doc:`(?:[^`<>]{1,200}<)?([^`<>\s{}]{1,300})>?`(?!`)")
# `title <target>`_
_TARGET = re.compile(r"<([^<>`\s]{1,300})>`_")
_NO_RELATIVE_PATH = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:|[#/{?\\<%|]|mailto|[^/]*@|[^/]*_\Z|(?:\.\./)*_modules/|[^*]*\*"
)
_MOST = 200
"""Links of one page that are read."""


def find_rst_links(text: str) -> tuple[str, ...]:
    r"""Return the relative links of a page, without their anchors and queries.

    >>> find_rst_links(
    ...     "See :doc:`usage`, `the list <list.rst#a>`_ and `home <https://example.org>`_.\n\n.. image:: a.png\n"
    ... )
    ('a.png', 'usage', 'list.rst')
    """
    targets: list[str] = []
    if "::" in text:
        targets += _DIRECTIVE.findall("\n" + text)
    if ":doc:" in text:
        targets += _PAGE.findall(text)
    if ">`_" in text:
        targets += (target for target in _TARGET.findall(text) if f".. _{target}:" not in text)
    relative = (target for target in targets if not _NO_RELATIVE_PATH.match(target))
    return tuple(dict.fromkeys(target.partition("#")[0].partition("?")[0] for target in relative))[:_MOST]
