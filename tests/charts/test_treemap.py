"""Tree maps: equal areas, folder beside folder."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.charts.treemap import Box, build_tree, layout_treemap, squarify
from tests.documents.factory import document, many

WHOLE = Box(10.0, 20.0, 300.0, 200.0)


def overlap(one: Box, other: Box) -> float:
    width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return max(width, 0.0) * max(height, 0.0)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=40))
def test_boxes_have_the_areas_asked_for_fill_the_whole_and_never_overlap(sizes: list[int]) -> None:
    ordered = sorted(map(float, sizes), reverse=True)
    boxes = squarify(ordered, WHOLE)
    scale = WHOLE.width * WHOLE.height / sum(ordered)
    assert [box.width * box.height for box in boxes] == pytest.approx([size * scale for size in ordered])
    assert all(overlap(box, WHOLE) == pytest.approx(box.width * box.height) for box in boxes)
    assert sum(overlap(one, other) for one, other in combinations(boxes, 2)) == pytest.approx(0.0, abs=1e-3)


def test_equal_sizes_come_out_nearly_square() -> None:
    boxes = squarify([1.0] * 24, WHOLE)
    assert max(max(box.width / box.height, box.height / box.width) for box in boxes) < 1.6


def test_a_folder_with_only_one_subfolder_is_merged_with_it() -> None:
    root = build_tree([document("src/web/a.py"), document("src/web/b.py"), document("docs/x.md"), document("top.md")])
    assert [(one.name, one.path, one.size) for one in root.branches.values()] == [
        ("src/web", "src/web", 2),
        ("docs", "docs", 1),
    ]
    assert [one.path for one in root.leaves] == ["top.md"]


def test_every_document_has_a_place_in_its_folder() -> None:
    found = many(400)
    frames, tiles = layout_treemap(found.documents, Box(0.0, 0.0, 1000.0, 600.0), 100.0)
    assert sorted(tile.path for tile in tiles) == sorted(one.path for one in found.documents)
    boxes = {frame.path: frame.box for frame in frames}
    for tile in tiles:
        box = boxes.get(tile.path.rpartition("/")[0])
        if box:
            assert overlap(tile.box, box) == pytest.approx(tile.box.width * tile.box.height, rel=1e-6)


def test_documents_too_small_to_draw_share_a_tile() -> None:
    found = many(20_000)
    whole = Box(0.0, 0.0, 1000.0, 600.0)
    _, tiles = layout_treemap(found.documents, whole, 150.0)
    assert len(tiles) <= 1000 * 600 / 150
    assert sum(len(tile.documents) for tile in tiles) == 20_000


def test_a_flat_folder_and_a_deep_one_are_drawn() -> None:
    flat = [document(f"{place}.md") for place in range(5000)]
    deep = [document("/".join(["d"] * depth) + "/x.md") for depth in range(1, 1500, 7)]
    _, tiles = layout_treemap([*flat, *deep], Box(0.0, 0.0, 500.0, 500.0), 100.0)
    assert sum(len(tile.documents) for tile in tiles) == len(flat) + len(deep)


def test_no_documents_make_an_empty_map() -> None:
    assert layout_treemap([], WHOLE, 100.0) == ([], [])
