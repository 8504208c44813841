"""Links of reStructuredText."""

import pytest

from howsure.documents.content.restructuredtext import find_rst_links


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (".. include:: ../AUTHORS.rst\n\n.. image:: logo.png\n   :alt: x\n", ("../AUTHORS.rst", "logo.png")),
        ("   .. include:: an/example.rst\n", ()),
        (".. image:: https://example.org/a.png\n.. figure:: /root.png\n", ()),
        ("See :doc:`usage`, :doc:`the start </index>` and :doc:`more <a/b>`.", ("usage", "a/b")),
        ("`a <b.rst#part>`_ `c <https://example.org>`_ `d <#here>`_ `e <name_>`_ `f <x@example.org>`_", ("b.rst",)),
    ],
)
def test_relative_links_are_found(text: str, links: tuple[str, ...]) -> None:
    assert find_rst_links(text) == links


@pytest.mark.parametrize("piece", [":doc:`", "<a", "\n.. image:: ", ":doc:`a<", "::", ">`_"])
def test_hostile_texts_take_time_in_proportion_to_their_length(piece: str) -> None:
    found = find_rst_links("::>`_:doc:" + piece * 50_000)  # quadratic time would be hours
    assert len(found) <= 1  # the pieces hold no link, or the same one each time
