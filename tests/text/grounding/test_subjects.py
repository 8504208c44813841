"""Names that a sentence puts in the place of another one."""

import pytest

from howsure.text.grounding.ground import ground


@pytest.mark.parametrize(
    ("context", "right", "wrong", "name"),
    [
        ("Google bought YouTube in 2006.", "It bought YouTube in 2006.", "Microsoft bought YouTube in 2006.", "Google"),
        ("Iran signed the treaty.", "The treaty was signed by Iran.", "Iraq signed the treaty.", "Iran"),
        ("The deal was signed by Alice.", "Alice signed the deal.", "Bob signed the deal.", "Alice"),
        ("Redis stores the sessions.", "Redis stores all the sessions.", "Memcached stores the sessions.", "Redis"),
        ("The Lakers won the cup.", "The cup: the Lakers won the cup.", "The Celtics won the cup.", "Lakers"),
        ("Ann Lee runs the shop.", "Lee runs the shop.", "Bo Chan runs the shop.", "Ann Lee"),
        ("Smith was promoted in May.", "Smith was promoted in May, too.", "Miller was promoted in May.", "Smith"),
    ],
)
def test_another_name_as_the_subject_is_not_supported(context: str, right: str, wrong: str, name: str) -> None:
    (sentence,) = ground(wrong, context).sentences
    assert sentence.finding in {"contradicted", "not found"}
    assert f"which has '{name}'" in sentence.reasons[0]
    assert all("which has" not in reason for one in ground(right, context).sentences for reason in one.reasons)


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("Setup requires Python.", "Installation requires Python."),
        ("It requires Python.", "Acme Studio requires Python."),
        ("The company requires Python.", "Acme Studio requires Python."),
        ("Users delete old files.", "Members delete old files."),
        ("Men are walking in the street.", "People are walking in the street."),
        ("Acme bought Initech.", "Initech was bought."),
        ("Produced by Acme, it was shown in May.", "Robots was produced by Acme."),
    ],
)
def test_other_words_for_the_subject_are_no_other_name(context: str, text: str) -> None:
    assert all("which has" not in reason for one in ground(text, context).sentences for reason in one.reasons)


@pytest.mark.parametrize(
    ("context", "right", "wrong"),
    [
        ("The third attempt failed.", "The 3rd attempt failed.", "The fourth attempt failed."),
        ("It is the second largest city.", "It is the city that is second largest.", "It is the third largest city."),
        ("He won in his seventh and final season.", "He won in his seventh season.", "He won in his sixth season."),
        ("It dates to the 4th or 5th century.", "It dates to the fifth century.", "It dates to the 6th century."),
        ("Latency fell by 10%.", "Latency fell by about 10 percent.", "Latency fell to 10%."),
        ("Rent rose from $900 to $1,000.", "Rent rose to $1,000.", "Rent rose by $1,000."),
    ],
)
def test_other_ordinals_and_changes_are_contradicted(context: str, right: str, wrong: str) -> None:
    assert (ground(right, context).support or 0.0) > 0.5
    assert ground(wrong, context).sentences[0].finding == "contradicted"
