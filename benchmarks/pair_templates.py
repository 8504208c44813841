"""Technical pairs by template: a value is replaced, the subject is another one, or it is said in other words.

The labels follow from the template: where a thing has one value, another value contradicts; where it may have many, it
does not. Subjects and values are general words, and no sentence of `technical_pairs.jsonl` is made from a template.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

SUBJECTS = [
    "parser",
    "gateway",
    "mailer",
    "indexer",
    "dashboard",
    "exporter",
    "ingest worker",
    "billing service",
    "search API",
    "login page",
    "router",
    "compiler",
    "scheduler",
    "sensor",
    "data loader",
    "archive",
    "mobile app",
    "message broker",
    "audit log",
    "image server",
    "report generator",
    "payment module",
    "session store",
    "feature flag",
    "build agent",
]
VALUES = {
    "lang": "Go, Java, Rust, Python, C++, Kotlin, Ruby, Scala",
    "team": "the platform team, the data team, the web team, Alice, Bob, the security team, Priya, an external company",
    "city": "Berlin, Paris, Oslo, Madrid, Dublin, Tokyo, Zurich, Austin",
    "fmt": "JSON, XML, CSV, YAML, Parquet, Avro, plain text",
    "port": "80, 443, 8080, 5432, 9000, 3000, 6379",
    "dur": "10 seconds, 30 seconds, 5 minutes, an hour, two hours, a day, 90 days, a week",
    "size": "1 MB, 10 MB, 512 MB, 2 GB, 16 GB, 100 GB",
    "n": "two, three, five, 8, 12, 50, 200, 1000",
    "day": "Monday, Tuesday, Friday, Sunday, Wednesday",
    "year": "2016, 2018, 2019, 2021, 2023, 2024",
    "db": "PostgreSQL, MySQL, SQLite, MongoDB, Redis, DynamoDB",
    "os": "Linux, Windows, macOS, FreeBSD",
    "per": "user, IP address, project, minute, tenant, region",
    "key": "name, date, size, id, customer, country",
    "freq": "every hour, every night, once a week, every five minutes, twice a day, on every commit",
    "user": "root, nobody, a service account, the current user, an administrator",
    "lic": "the MIT licence, the GPL, the Apache licence, a commercial licence",
    "store": "memory, the database, a file, Redis, S3, a cookie",
}
ONE_VALUE = """
The {s} is written in {lang}. | {lang} is the language of the {s}.
The {s} is maintained by {team}. | The maintainer of the {s} is {team}.
The {s} is hosted in {city}. | {city} is where the {s} is hosted.
The {s} listens on port {port}. | Port {port} is used by the {s}.
The {s} writes its output as {fmt}. | The output of the {s} is {fmt}.
The {s} times out after {dur}. | After {dur} the {s} times out.
The {s} was released in {year}. | In {year} the {s} was released.
The {s} stores its data in {db}. | {db} holds the data of the {s}.
The {s} runs as {user}. | {user} runs the {s}.
The memory limit of the {s} is {size}. | The {s} may use at most {size} of memory.
The {s} is limited to {n} connections. | At most {n} connections are allowed by the {s}.
Limits of the {s} apply per {per}. | Each {per} has a limit of its own in the {s}.
Results of the {s} are sorted by {key}. | The {s} sorts results by {key}.
The {s} is restarted {freq}. | {freq} the {s} is restarted.
The {s} is licensed under {lic}. | The licence of the {s} is {lic}.
The {s} keeps sessions in {store}. | Sessions of the {s} are kept in {store}.
The {s} keeps logs for {dur}. | Logs of the {s} are kept for {dur}.
The {s} is deployed on {day}s. | On {day}s the {s} is deployed.
The {s} has {n} replicas. | There are {n} replicas of the {s}.
The {s} was bought by {team}. | {team} bought the {s}.
The owner of the {s} is {team}. | The {s} belongs to {team}.
The {s} is based on {db}. | {db} is the base of the {s}.
The default database of the {s} is {db}. | By default the {s} uses {db}.
The {s} needs {size} of memory. | {size} of memory are needed by the {s}.
The {s} retries {n} times. | {n} retries are made by the {s}.
"""
"""Statements with one right value, and the same in other words."""
MANY_VALUES = """
The {s} supports {fmt}.
The {s} runs on {os}.
The {s} was tested by {team}.
The {s} reads {fmt} files.
The {s} is used by {team}.
The {s} has an office in {city}.
The {s} can import {fmt}.
The {s} was updated in {year}.
The {s} works with {db}.
{team} reviewed the {s}.
"""
"""Statements that hold for several values."""

STATES = """
is enabled | is not enabled | is switched on
is active | is inactive | is not inactive
supports streaming | does not support streaming | can be used for streaming
accepts uploads | rejects uploads | allows uploads
is public | is private | can be seen by everyone
keeps its data after a restart | loses its data on a restart | is persistent
works | fails | does not fail
is encrypted | is stored in plain text | is not unencrypted
is started automatically | has to be started by hand | starts by itself
is case-sensitive | ignores case | distinguishes upper and lower case
needs a licence key | works without a licence key | can't be used without a licence key
is thread-safe | must not be used by several threads | may be shared by threads
retries every call | never retries a call | always tries a failed call again
is read-only | can be changed | can't be changed
is fast | is slow | is not slow
stops on errors | continues after errors | is stopped by errors
"""
"""Predicates: one, its opposite, and the first in other words."""
SCOPES = [
    *[("The {s} of service{a}", "The {s} of service{b}"), ("Node {a} of the {s}", "Node {b} of the {s}")],
    *[("In staging the {s}", "In production the {s}"), ("On Linux the {s}", "On Windows the {s}")],
    *[("The {s} v{a}", "The {s} v{b}"), ("The old {s}", "The new {s}"), ("Alice's {s}", "Priya's {s}")],
    *[("The {s} for guests", "The {s} for members"), ("In {a} the {s}", "In {b} the {s}"), ("The {s}", "The {t}")],
    *[("The first {s}", "The second {s}"), ("The {s} test", "The {s} log"), ("The {s} in Berlin", "The {s} in Oslo")],
]
"""Subjects that differ in a name, a number, a version, a place or a time."""


class LabelledPair(NamedTuple):
    """Two texts with their label: entailment, neutral or contradiction; "compatible" if it is not a contradiction."""

    first: str
    second: str
    label: str


def make_pairs(size: int, seed: int) -> Iterator[LabelledPair]:
    """Yield pairs by template.

    >>> next(make_pairs(1, 1)).label in {"entailment", "neutral", "contradiction"}
    True
    """
    dice = random.Random(seed)
    single = [tuple(line.split(" | ")) for line in ONE_VALUE.strip().splitlines()]
    many = MANY_VALUES.strip().splitlines()
    for _ in range(size):
        subject, stranger = dice.sample(SUBJECTS, 2)
        values = {name: dice.choice(listed.split(", ")) for name, listed in VALUES.items()}
        others = {name: dice.choice([v for v in x.split(", ") if v != values[name]]) for name, x in VALUES.items()}
        if dice.random() < 0.2:  # noqa: PLR2004 - a fifth
            text = dice.choice(many)
            pair = LabelledPair(_fill(text, subject, values), _fill(text, subject, others), "neutral")
        else:
            text, reworded = dice.choice(single)
            unrelated = dice.choice([other for other, _ in single if other != text])
            second, label = dice.choice(
                [
                    *[(_fill(text, subject, others), "contradiction")] * 2,
                    (_fill(reworded, subject, others), "contradiction"),
                    (_fill(text, stranger, others), "neutral"),
                    (_fill(unrelated, subject, others), "neutral"),
                    (_fill(reworded, stranger, others), "neutral"),
                    (_fill(reworded, subject, values), "entailment"),
                ]
            )
            pair = LabelledPair(_fill(text, subject, values), second, label)
        if dice.random() < 0.3:  # noqa: PLR2004 - the labels hold in both directions
            pair = LabelledPair(pair.second, pair.first, pair.label)
        yield pair


def make_states(size: int, seed: int) -> Iterator[LabelledPair]:
    """Yield pairs of opposite or equal predicates with the same subject, or with subjects that differ a little.

    >>> next(make_states(1, 1)).label in {"entailment", "neutral", "contradiction"}
    True
    """
    dice = random.Random(seed)
    states = [line.split(" | ") for line in STATES.strip().splitlines()]
    for _ in range(size):
        name, other = dice.sample(SUBJECTS, 2)
        a, b = dice.sample(range(2, 30), 2)
        subject, stranger = (text.format(s=name, t=other, a=a, b=b) for text in dice.choice(SCOPES))
        said, opposite, reworded = dice.choice(states)
        yield dice.choice(
            [
                LabelledPair(f"{subject} {said}.", f"{subject} {opposite}.", "contradiction"),
                LabelledPair(f"{subject} {opposite}.", f"{subject} {reworded}.", "contradiction"),
                LabelledPair(f"{subject} {said}.", f"{subject} {reworded}.", "entailment"),
                LabelledPair(f"{subject} {said}.", f"{stranger} {opposite}.", "neutral"),
                LabelledPair(f"{stranger} {opposite}.", f"{subject} {said}.", "neutral"),
                LabelledPair(f"{subject} {said}.", f"{stranger} {reworded}.", "neutral"),
            ]
        )


def _fill(template: str, subject: str, values: dict[str, str]) -> str:
    text = template.format(s=subject, **values)
    return text[0].upper() + text[1:]
