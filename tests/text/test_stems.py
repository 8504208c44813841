"""Stems and roots of English words."""

import pytest

from howsure.text.stems import root_of, stem


@pytest.mark.parametrize(
    "forms",
    [
        "use uses used using",
        "close closes closed closing",
        "pass passes passed passing",
        "add adds added adding",
        "control controls controlled controlling",
        "try tries tried trying",
        "run runs ran running",
        "write writes wrote written writing",
        "agree agrees agreed agreeing",
        "exceed exceeds exceeded exceeding",
        "synchronous synchronously",
        "lazy lazily",
        "automatic automatically",
        "child children",
        "size sizes",
        "box boxes",
    ],
)
def test_all_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


def test_words_that_differ_keep_different_stems() -> None:
    words = "string ring need speed state status use us class close bus gas species thing"
    assert len({stem(word) for word in words.split()}) == len(words.split())


@pytest.mark.parametrize(
    "forms",
    [
        "encrypted encryption",
        "validates validation",
        "depends dependencies",
        "compresses compression",
        "deploy deployment",
    ],
)
def test_a_verb_and_its_noun_have_one_root(forms: str) -> None:
    assert len({root_of(word) for word in forms.split()}) == 1
