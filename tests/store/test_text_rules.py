"""Texts that no store can hold are refused, on every way in."""

import pytest

from howsure.errors import InputError
from howsure.store.text_rules import MAX_NAME_BYTES, check_content, check_name, check_namespace, check_text


@pytest.mark.parametrize("text", ["a\x00b", "half \ud83d"])
def test_nul_bytes_and_lone_surrogates_are_refused_everywhere(text: str) -> None:
    for check in (check_text, check_name, check_content):
        with pytest.raises(InputError) as refused:
            check(*(("statement", text) if check is check_text else (text, "statement")))
        assert refused.value.field == "statement"


def test_size_is_counted_in_bytes() -> None:
    check_text("source_id", "é" * 500)
    with pytest.raises(InputError, match="1002 bytes are too many"):
        check_text("source_id", "é" * 501)
    with pytest.raises(InputError, match="2001 bytes are too many"):
        check_text("subject", "a" * 2001)
    assert check_name("é" * (MAX_NAME_BYTES // 2), "agent") == "é" * (MAX_NAME_BYTES // 2)
    with pytest.raises(InputError, match="invalid name"):
        check_name("é" * (MAX_NAME_BYTES // 2 + 1), "agent")
    assert check_content("tab\t and line\n" * 100_000, "text")


def test_names_must_be_texts() -> None:
    with pytest.raises(InputError, match="5 is not a text"):
        check_name(5, "agent")


@pytest.mark.parametrize("namespace", ["", "/", "a//b", "a/ /b", "a/*", "a/b/c/d/e/f"])
def test_invalid_namespaces_are_refused(namespace: str) -> None:
    check_namespace("a/b/c/d/e")
    with pytest.raises(InputError):
        check_namespace(namespace)
