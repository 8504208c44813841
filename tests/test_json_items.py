"""Items of JSON by their places in the text."""

import pytest

from howsure.json_items import find_items, find_value_end


def test_items_are_found_by_name_and_place() -> None:
    text = '{"a": 1 , "b" : [ 2,{"c": 1e999}]}'
    items, end = find_items(text, 0)
    assert [(item.name, text[item.start : item.end]) for item in items] == [
        ("a", '"a": 1'),
        ("b", '"b" : [ 2,{"c": 1e999}]'),
    ]
    assert end == len(text)
    inner, end = find_items(text, items[1].value)
    assert [(item.name, text[item.gap : item.end]) for item in inner] == [(0, " 2"), (1, '{"c": 1e999}')]
    assert end == items[1].end
    assert find_items("{ }", 0) == ([], 3)
    assert find_items("[]", 0) == ([], 2)


@pytest.mark.parametrize("text", ["{", "[1", "[1}", '{"a" 1}', '{"a": 1]', "{a: 1}", "[1 2]", "[1,]", "[NaN]"])
def test_broken_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        find_items(text, 0)


def test_numbers_may_have_any_size() -> None:
    assert find_value_end("9" * 10_000, 0) == 10_000
