"""Finding the passages of a context that a sentence comes from."""

from string import ascii_lowercase

import pytest

from howsure.text.context import Context, WordForms
from howsure.text.grounding.ground import ground
from howsure.text.passages import Passage, read_passage

TEXTS = [
    "Redis caches sessions. It keeps them for 30 minutes.",
    "Backups go to Oslo at 02:00.\n```\nport = 8443\n```\n",
]


def read(text: str) -> Passage:
    return read_passage(text, 0, len(text))


@pytest.mark.parametrize(
    ("sentence", "text", "quote"),
    [
        ("Redis caches the sessions.", 0, "Redis caches sessions."),
        ("Redis keeps them 30 minutes.", 0, TEXTS[0]),
        ("A backup is made in Oslo.", 1, "Backups go to Oslo at 02:00."),
        ("The port is 8443.", 1, "port = 8443"),
    ],
)
def test_the_best_window_is_found(sentence: str, text: int, quote: str) -> None:
    place = Context(TEXTS).find_best(read(sentence))
    assert place is not None
    assert place.text == text
    assert TEXTS[place.text][place.start : place.end].strip() == quote


def test_no_passage_is_found_without_common_words() -> None:
    assert Context(TEXTS).find_best(read("Elephants eat grass.")) is None
    assert Context([]).find_best(read("Redis.")) is None
    assert Context(["", "```"]).find_best(read("Redis.")) is None


def test_rare_words_weigh_more() -> None:
    context = Context(["The cache is fast. The cache is big. The cache is red."])
    common, rare = read("The cache is red.").words
    assert context.rarity(common) < context.rarity(rare)


@pytest.mark.parametrize(
    ("context", "number", "same"),
    [
        ("It takes 90 seconds.", "1.5 minutes", True),
        ("It takes 90 seconds.", "95 seconds", False),
        ("It takes 90 seconds.", "about 95 seconds", True),
        ("It takes 90 seconds.", "90 MB", False),
        ("It has 1,000 rows.", "1000", True),
        ("It has two million rows.", "2,000,000", True),
        ("It has 12 nodes.", "twelve", True),
        ("VAT is 25 percent.", "25%", True),
        ("It is a 1997 film.", "in 1997", True),
        ("It is a 1997 film.", "in 1998", False),
        ("It began on 14 March 2023.", "in March 2023", True),
        ("It began on 14 March 2023.", "in April 2023", False),
        ("It began on 14 March 2023.", "after 2009", False),
        ("It began on 10 November.", "in 2016", False),
        ("Up to 32 threads.", "32", True),
        ("100 requests per minute.", "one minute", True),
        ("It needs Python 3.9.", "Python 3.10", False),
        ("It listens on 8443.", "443", False),
        ("Cars are banned from June.", "from June", True),
        ("Cars are banned from June.", "from July", False),
        ("It must be paid by 09:40.", "by 9:40", True),
        ("It must be paid by 18:20.", "by 6:20 pm", True),
        ("It must be paid by 18:20.", "by 6:20 am", False),
        ("It was paid at 09:40.", "by 9:40", True),
        ("It was paid after 2009.", "after 2009", True),
        ("It was paid in 2010.", "after 2009", False),
        ("It is due by 14 May.", "on 14 June", False),
        ("It is due by 14 June.", "on 14 June", True),
        ("It runs until 30 September 2026.", "the end of September 2026", True),
        ("It runs until 30 September 2026.", "the end of August 2026", False),
    ],
)
def test_numbers_are_compared_by_value(context: str, number: str, same: bool) -> None:
    (measure, *_) = read(number).measures
    assert Context([context]).whole.has_number(measure) is same


@pytest.mark.parametrize(
    ("context", "word", "same"),
    [
        ("America", "American", True),
        ("Germany", "German", True),
        ("Europe", "European", True),
        ("Italian", "Italy", True),
        ("Japan", "Japanese", True),
        ("Austria", "Australian", False),
        ("Oslo", "Osaka", False),
    ],
)
def test_names_are_compared_by_their_beginning(context: str, word: str, same: bool) -> None:
    (name,) = read(word).words
    assert Context([f"It is in {context}."]).whole.has_word(name) is same


def test_parts_of_a_name_with_a_hyphen_and_units_are_told_apart() -> None:
    window = Context(["Zygi is a Swedish-British producer. The lease lasts 5 hours and costs 3 million."]).whole
    words = {word.text: word for word in read_passage("Zygi is Swedish, British-Irish.", 0, 31).words}
    assert window.has_word(words["Swedish"])
    assert not window.has_word(words["British-Irish"])
    measures = [
        read_passage(text, 0, len(text)).measures[0] for text in ("5 hours", "5 days", "3 million", "3 billion")
    ]
    assert [window.has_number(measure) for measure in measures] == [True, False, True, False]


def test_opposites_are_not_looked_for_in_parts_of_names() -> None:
    (one,) = ground("The team is red and hot.", "The Cold-Fusion team is red.").sentences
    assert one.support is not None


def test_names_that_count_are_not_compared_with_each_other() -> None:
    numbered = [f"item{number}" for number in range(3000)]
    assert {name for name in numbered if WordForms(numbered).find(name) != {name}} == set()
    letters = [f"item{first}{second}" for first in ascii_lowercase for second in ascii_lowercase]
    assert WordForms(letters).find("itemaa") == set()
    assert WordForms(["german", "germany", "gerund"]).find("german") == {"german", "germany"}
