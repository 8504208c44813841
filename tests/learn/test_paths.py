"""Paths of groups."""

from howsure.learn.paths import to_path


def test_a_path_ends_at_the_first_missing_name() -> None:
    assert to_path([]) == to_path([None, "x"]) == to_path(["", "x"]) == ()
    assert to_path(["coder", 7]) == ("coder", "7")
