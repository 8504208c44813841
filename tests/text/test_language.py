"""Telling English from other languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.language import is_english

ENGLISH = [
    "",
    "Port 8080",
    "The port is 8080.",
    "Redis!",
    "\U0001f600",
    "\u00fcber-fast caf\u00e9 in the city",
    "x = 5",
]
OTHERS = [
    "Der Server l\u00e4uft auf dem Port 8080 und nicht auf 9090.",
    "Le serveur est sur le port 8080 et pas sur le port 9090.",
    "El servidor est\u00e1 en el puerto 8080 y no en los otros.",
    "Il server non \u00e8 sulla porta 8080 ma su una delle altre.",
    "O servidor n\u00e3o est\u00e1 na porta 8080, mas em uma das outras.",
    "De server draait niet op poort 8080, maar op een van de andere.",
    "Servern \u00e4r inte p\u00e5 port 8080 men p\u00e5 en av de andra.",
    "\u670d\u52a1\u5668\u5728\u7aef\u53e3 8080 \u4e0a\u3002",
    "\u0421\u0435\u0440\u0432\u0435\u0440 \u0441\u043b\u0443\u0448\u0430\u0435\u0442 \u043f\u043e\u0440\u0442 8080.",
    "\u0627\u0644\u062e\u0627\u062f\u0645 \u064a\u0639\u0645\u0644",
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", OTHERS)
def test_other_languages_are_not(text: str) -> None:
    assert not is_english(text)


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert is_english(text) in {True, False}
