"""Statements and their denials, harder than `plain_denials`, and pairs that look like denials but are none.

Many verbs, regular, irregular and with particles; plural subjects, names with version numbers, tenses, contractions,
"never", "no longer", "fails to" and the like. `python -m benchmarks.hard_denials` prints which share the rules find.
"""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howsure.text.contradictions import find_conflicts, read_pair

SIZE = 192
REPORTED = 0.5
"""Probability from which a pair counts as a contradiction."""

SINGULAR = """
Version 3; Version 2.4; Python 3.12; Debian 12; The beta release; Release 7 of the agent; The vendor; Maria; Mr. Okafor;
Our landlord; The night shift; Her sister; The Berlin office; This endpoint; The v2 API; OpenSSL 3; The cron job;
Kubernetes; The committee; Each tenant; The left engine; Team Blue; The free plan; My neighbour; The robot; The museum;
Tomorrow's build; The parser of the new compiler; Professor Lund; iOS 17; The /health route; Grandma; The scheduler
""".replace("\n", " ")
PLURAL = """
The nurses; Both drivers; Older browsers; Tom and Mia; Most clients; The replicas; Our competitors; All three plugins;
Children; The new laptops; Worker nodes; These scripts; The villagers; Anna's dogs; They; We; You; I; Trial accounts
""".replace("\n", " ")
VERBS = """
supports support supported: Windows, IPv6, dark mode, OAuth 2.0, the old format, hot reload
likes like liked: cheese, the new design, early meetings, jazz
owns own owned: a boat, the building, two patents, shares of Acme
accepts accept accepted: credit cards, JSON bodies, late payments
buys buy bought: fresh bread, cloud credits, a ticket
brings bring brought: lunch, the keys, new customers
catches catch caught: fish, timeouts, the 7:30 train
chooses choose chose: the smallest node, a leader
drives drive drove: a truck, to work
teaches teach taught: maths, the course on Mondays
thinks think thought: in pictures
sends send sent: invoices, heartbeats, e-mails at night
builds build built: houses, the docs, ARM images
keeps keep kept: backups, a diary, the last 10 revisions
loses lose lost: packets, money
understands understand understood: French, nested quotes
forgets forget forgot: passwords, birthdays
begins begin began: at noon, with a header
throws throw threw: an exception, parties
hides hide hid: the toolbar, errors
sings sing sang: in the choir
swims swim swam: in winter
wears wear wore: glasses, a helmet
wins win won: tenders
sleeps sleep slept: between polls, well
feeds feed fed: the cats
binds bind bound: to port 443
pays pay paid: rent, on time
stands stand stood: near the door
sheds shed shed: load under pressure
puts put put: logs on disk
shuts shut shut: the gate at six
sets set set: the locale
lets let let: guests in
goes go went: to school, through the proxy
does do did: the dishes, retries
has have had: a garden, write access, rate limits
flies fly flew: to Oslo
applies apply applied: the patch, for grants
relies rely relied: on Redis, on volunteers
denies deny denied: anonymous requests
copies copy copied: symlinks
stops stop stopped: at red lights, idle workers
plans plan planned: sprints
refers refer referred: patients
polishes polish polished: the floor
hashes hash hashed: passwords
fixes fix fixed: bikes
misses miss missed: deadlines
quizzes quiz quizzed: newcomers
backs back backed: the proposal
backs up back up backed up: the database, every laptop
logs out log out logged out: idle users
shuts down shut down shut down: the pump
rolls back roll back rolled back: failed migrations
looks after look after looked after: the horses
sets up set up set up: the tents, replication
picks up pick up picked up: parcels
falls back fall back fell back: to HTTP/1.1
gives up give up gave up: after three tries
carries out carry out carried out: audits
spins up spin up spun up: a sandbox
depends depend depended: on glibc
caches cache cached: negative answers
recompresses recompress recompressed: images
autoscales autoscale autoscaled: the pool
whitelists whitelist whitelisted: internal hosts
vacuums vacuum vacuumed: the carpets
frobnicates frobnicate frobnicated: widgets
"""
TAILS = ["", "", "", "", " in production", " on weekends", " by default", " without a licence", " for new customers"]


class Verb(NamedTuple):
    """The forms of a verb and what it may be used with."""

    third: str
    base: str
    past: str
    objects: list[str]


def read_verbs() -> list[Verb]:
    """Return the verbs."""
    verbs = []
    for line in VERBS.strip().splitlines():
        forms, _, objects = line.partition(": ")
        words = forms.split()
        size = len(words) // 3
        third, base, past = (" ".join(words[place : place + size]) for place in range(0, 3 * size, size))
        verbs.append(Verb(third, base, past, objects.split(", ")))
    return verbs


class _Subject(NamedTuple):
    text: str
    is_plural: bool
    """True if its verb has no ending: plurals, "I" and "you"."""


def _subjects() -> list[_Subject]:
    return [
        _Subject(name.strip(), plural)
        for names, plural in ((SINGULAR, False), (PLURAL, True))
        for name in names.split(";")
    ]


def _denials(verb: Verb, subject: _Subject) -> list[tuple[str, str]]:
    """Return what may stand for the verb, and what denies it."""
    now, do = (verb.base, "do") if subject.is_plural else (verb.third, "does")
    has, is_ = ("have", "am" if subject.text == "I" else "are") if subject.is_plural else ("has", "is")
    fail, refuse = ("fail", "refuse") if subject.is_plural else ("fails", "refuses")
    base, past = verb.base, verb.past
    return [
        *[(now, f"{do} not {base}")] * 3,
        *[(now, f"{do}n't {base}")] * 3,
        (now, f"{do}n\u2019t {base}"),
        (now, f"never {now}"),
        (now, f"no longer {now}"),
        (now, f"{do} not {base} any longer"),
        (now, f"{do} not actually {base}"),
        (f"still {now}", f"no longer {now}"),
        (f"always {now}", f"never {now}"),
        (now, f"{fail} to {base}"),
        (now, f"{refuse} to {base}"),
        (now, f"{is_} unable to {base}"),
        (f"can {base}", f"{is_} unable to {base}"),
        (f"can {base}", f"can't {base}"),
        (f"can {base}", f"cannot {base}"),
        (f"is able to {base}".replace("is", is_, 1), f"{is_} not able to {base}"),
        (past, f"did not {base}"),
        (past, f"didn't {base}"),
        (past, f"never {past}"),
        (past, f"failed to {base}"),
        (f"did {base}", f"didn't {base}"),
        (f"will {base}", f"won't {base}"),
        (f"will {base}", f"will not {base}"),
        (f"will {base}", f"will never {base}"),
        (f"must {base}", f"must not {base}"),
        (f"should {base}", f"shouldn't {base}"),
        (f"would {base}", f"wouldn't {base}"),
        (f"{is_} going to {base}", f"{is_} not going to {base}"),
        (now, f"{has} stopped doing that and {do}n't {base}"),
    ]


def _others(verb: Verb, subject: _Subject, other: Verb) -> list[tuple[str, str]]:
    """Return what may stand for the verb, and what looks like a denial but may hold as well."""
    now, do = (verb.base, "do") if subject.is_plural else (verb.third, "does")
    then = other.base if subject.is_plural else other.third
    base, past = verb.base, verb.past
    return [
        (past, f"{do} not {base}"),
        (past, f"no longer {now}"),
        (f"may {base}", f"{do} not always {base}"),
        (now, f"did not {base}"),
        (now, f"never fail{'' if subject.is_plural else 's'} to {base}"),
        (now, f"{do} not only {base}"),
        (now, f"{do} not just {base}"),
        (f"no longer {now}", f"{do} not {base}"),
        (f"never {now}", f"{do} not {base}"),
        (f"{do} not {base}", f"never {past}"),
        (now, f"{do} not {other.base}" if other.objects == verb.objects else f"{then} and {now}"),
        (now, f"{do} not forget to {base}"),
    ]


def make_hard_denials(size: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield a statement and its denial.

    >>> list(make_hard_denials(1, 1))
    [('Tom and Mia can begin at noon.', 'Tom and Mia are unable to begin at noon.')]
    """
    dice = random.Random(seed)
    verbs, subjects = read_verbs(), _subjects()
    for _ in range(size):
        verb, subject, tail = dice.choice(verbs), dice.choice(subjects), dice.choice(TAILS)
        said, denied = dice.choice(_denials(verb, subject))
        thing = dice.choice(verb.objects)
        yield f"{subject.text} {said} {thing}{tail}.", f"{subject.text} {denied} {thing}{tail}."


def make_lookalikes(size: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield two statements that may both hold.

    >>> len(list(make_lookalikes(3, 2)))
    3
    """
    dice = random.Random(seed)
    verbs, subjects = read_verbs(), _subjects()
    for number in range(size):
        verb, subject, tail = dice.choice(verbs), dice.choice(subjects), dice.choice(TAILS)
        thing = dice.choice(verb.objects)
        if number % 3:
            said, denied = dice.choice(_others(verb, subject, dice.choice(verbs)))
            yield f"{subject.text} {said} {thing}{tail}.", f"{subject.text} {denied} {thing}{tail}."
            continue
        # The same denial of something or somebody else.
        said, denied = dice.choice(_denials(verb, subject)[:7])
        others = [one for one in subjects if one.is_plural == subject.is_plural and one.text != subject.text]
        different = [one for one in verb.objects if one != thing]
        if different and dice.random() < 1 / 2:
            yield f"{subject.text} {said} {thing}{tail}.", f"{subject.text} {denied} {dice.choice(different)}{tail}."
        else:
            yield f"{subject.text} {said} {thing}{tail}.", f"{dice.choice(others).text} {denied} {thing}{tail}."


def find_denials(pairs: Sequence[tuple[str, str]]) -> list[tuple[bool, bool]]:
    """Return for each pair whether `conflicts` reports it, and whether the rules' probability is at least 0.5."""
    return [
        (
            any(conflict.severity >= REPORTED for conflict in find_conflicts(pair)),
            read_pair(*pair).contradiction >= REPORTED,
        )
        for pair in pairs
    ]


def main() -> None:
    """Print the share of denials that are found, and of the others that are reported."""
    for name, make in (("denials found", make_hard_denials), ("others reported", make_lookalikes)):
        found = find_denials(list(make(SIZE, 192)))
        shares = [sum(one[place] for one in found) / len(found) for place in (0, 1)]
        print(f"{name}: {shares[0]:.3f} by conflicts, {shares[1]:.3f} by the probability, of {len(found)}")


if __name__ == "__main__":
    main()
