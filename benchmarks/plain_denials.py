"""Statements "S verbs O" and their denials: does not, doesn't, did not, won't, can't, never, no longer."""

import random
from collections.abc import Iterator

SINGULAR = [
    "Version 3",
    "Alice",
    "The parser",
    "Our company",
    "The old router",
    "Acme Corp",
    "PostgreSQL 16",
    "The cat",
    "She",
    "He",
    "It",
    "Every plan",
    "Bob's team",
    "Windows",
    "The API gateway",
    "Node 12",
    "A user",
    "Anna Smith",
    "My brother",
    "This library",
    "Django 5.0",
    "The service",
]
PLURAL = [
    "They",
    "We",
    "The cats",
    "Dogs",
    "Users",
    "The developers",
    "Ann and Bob",
    "Windows users",
    "Our tests",
    "You",
]
VERBS = """
supports support supported; likes like liked; owns own owned; uses use used; knows know knew; teaches teach taught;
carries carry carried; fixes fix fixed; has have had; writes write wrote; brings bring brought; needs need needed;
eats eat ate; sees see saw; leads lead led; tries try tried; reaches reach reached; loves love loved; sells sell sold;
caches cache cached; watches watch watched; admires admire admired; funds fund funded; speaks speak spoke;
hosts host hosted; logs log logged; wants want wanted; drinks drink drank; plays play played; emits emit emitted;
hashes hash hashed; reads read read; cuts cut cut; ships ship shipped
"""
OBJECTS = [
    "Windows",
    "cats",
    "a car",
    "the house",
    "French",
    "large files",
    "the report",
    "two engines",
    "HTTP/2",
    "milk",
    "Python 3",
    "Linux containers",
    "long walks",
    "port 80",
    "its output",
    "Tom",
    "the first test",
    "gRPC",
    "football",
    "tests",
    "a lot of memory",
]


def make_denials(size: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield a statement and its denial.

    >>> list(make_denials(1, 1))
    [('The parser has HTTP/2.', "The parser doesn't have HTTP/2.")]
    """
    dice = random.Random(seed)
    verbs = [entry.split() for entry in VERBS.split(";")]
    for _ in range(size):
        third, base, past = dice.choice(verbs)
        is_plural = dice.random() < 1 / 3
        subject, thing = dice.choice(PLURAL if is_plural else SINGULAR), dice.choice(OBJECTS)
        now, do = (base, "do") if is_plural else (third, "does")
        said, denied = dice.choice(
            [
                *[
                    (now, f"{do} not {base}"),
                    (now, f"{do}n't {base}"),
                    (now, f"never {now}"),
                    (now, f"no longer {now}"),
                ],
                *[(past, f"did not {base}"), (past, f"didn't {base}"), (past, f"never {past}")],
                *[
                    (f"will {base}", f"won't {base}"),
                    (f"can {base}", f"can't {base}"),
                    (f"can {base}", f"cannot {base}"),
                ],
            ]
        )
        yield f"{subject} {said} {thing}.", f"{subject} {denied} {thing}."
