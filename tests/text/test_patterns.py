"""Finding patterns, and reading packs of them."""

from pathlib import Path

import pytest

from howsure.errors import HowsureError, InputError, UnknownNameError
from howsure.text.patterns import Matcher, Pattern, load_builtin_pack, pack_names, read_pack


def test_overlapping_patterns_are_all_found_with_their_places() -> None:
    matcher = Matcher((Pattern("test", "M3", 0.1), Pattern("pytest", "M3", 0.1), Pattern("\u00e9", "M1", 0.1)))
    found = [(m.pattern.pattern, m.start, m.end) for m in matcher.find("\u00e9 latest pytest")]
    assert sorted(found) == [("pytest", 9, 15), ("test", 4, 8), ("test", 11, 15), ("\u00e9", 0, 1)]


def test_a_pack_may_ask_for_whole_words() -> None:
    matcher = Matcher((Pattern("test", "M3", 0.1, whole_word=True),))
    assert [m.start for m in matcher.find("test latest test_x (test)")] == [0, 20]


def test_packs_of_ten_thousand_patterns_work() -> None:
    matcher = Matcher(tuple(Pattern(f"pattern {i:05d}", "M1", 0.0001) for i in range(10_000)))
    assert [p.pattern for p in matcher.find_unique("x pattern 09999 pattern 00000 pattern 09999")] == [
        "pattern 00000",
        "pattern 09999",
    ]


def test_a_text_full_of_matches_takes_little_time() -> None:
    nested = Matcher(tuple(Pattern("a" * n, "M1", 0.0001) for n in range(1, 1001)))
    assert len(nested.find_unique("a" * 20_000)) == 1000
    assert [
        p.pattern for p in Matcher(load_builtin_pack("default").patterns).find_unique("-" * 3_000_000 + "title:")
    ] == [
        "---",
        "title:",
    ]


def test_patterns_are_found_across_the_pieces_in_which_a_text_is_read() -> None:
    whole, part = Pattern("needle", "M1", 0.1, whole_word=True), Pattern("eedl", "M1", 0.1)
    for place in range(4080, 4112):
        assert Matcher((whole, part)).find_unique(" " * place + "needle ") == [part, whole]
        assert Matcher((whole, part)).find_unique(" " * place + "needles") == [part]


def test_the_built_in_packs_are_there() -> None:
    assert pack_names() == ["default", "legal-luminary"]
    assert {p.category for p in load_builtin_pack("legal-luminary").patterns} > {
        p.category for p in load_builtin_pack("default").patterns
    }


def test_an_unknown_pack_is_named() -> None:
    with pytest.raises(UnknownNameError, match="there is no pattern pack 'defualt' \\(did you mean default\\?\\)"):
        load_builtin_pack("defualt")


@pytest.mark.parametrize("patterns", [(Pattern("a", "M1", 0.1), Pattern("a", "M2", 0.1))])
def test_a_pattern_counts_once_so_it_may_be_there_once(patterns: tuple[Pattern, ...]) -> None:
    with pytest.raises(InputError, match="duplicate pattern 'a'"):
        Matcher(patterns)


def test_an_empty_pattern_is_refused() -> None:
    with pytest.raises(InputError, match="would match everywhere"):
        Pattern("", "M1", 0.1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "cannot read the pattern pack mine.toml"),
        ('name = "x"\n[categories.a]\nmilestone = "M9"\nweight = 0.1\npatterns = []', "categories.a.milestone: 'M9'"),
        ('name = "x"\ncategories = {}\nextends = "nothing"', "there is no pattern pack 'nothing'"),
    ],
)
def test_a_broken_pack_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(HowsureError) as caught:
        read_pack(path)
    assert message in str(caught.value)


def test_a_pack_sets_from_when_a_milestone_earns_its_bonus(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\nextends = "default"\n[milestones.M2]\nthreshold = 0.02\nbonus = 0.1\n'
        '[categories.own]\nmilestone = "M3"\nweight = 0.5\npatterns = ["def ", "mine"]\n'
    )
    found = read_pack(path)
    assert found.thresholds == (("m2_from", 0.02), ("m2_bonus", 0.1))
    weights = {pattern.pattern: pattern.weight for pattern in found.patterns}
    assert (weights["def "], weights["mine"], weights["class "]) == (0.5, 0.5, 0.003)
    assert len(weights) == len(found.patterns)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('name = "x"\n[milestones.M3]\nthreshold = 0.1\nbonus = 0.1\n', "own.toml.milestones.M3: unknown field"),
        ('name = "x"\n[milestones.M2]\nthreshold = 2\nbonus = 0.1\n', "own.toml.milestones.M2.threshold: 2"),
        ('name = "x"\nextends = "defualt"\n', "did you mean default"),
        ("[categories.a]\n", "own.toml"),
    ],
)
def test_errors_in_a_pack_are_reported_with_their_position(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content)
    with pytest.raises(HowsureError) as error:
        read_pack(path)
    assert told in str(error.value)
