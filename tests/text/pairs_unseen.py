"""Templates for evaluation that were not used in development: services, projects, products, places and nature.

They share no domain, no sentence and, where possible, no word with those in `pairs_seen`.
"""

from typing import NamedTuple

from tests.text.pairs_seen import Act, Domain, Opposites
from tests.text.pairs_world import NATURE, PLACES


class Fate(NamedTuple):
    """Two things of which only one can happen to an input."""

    one: str
    two: str
    two_base: str


SERVICES = Domain(
    "services",
    {
        "a": ["billing endpoint", "search service", "upload handler", "login page", "webhook", "nightly job"],
        "act": [
            Act("sends", "send", "sent", "a confirmation email"),
            Act("stores", "store", "stored", "user passwords"),
            Act("emits", "emit", "emitted", "metrics"),
            Act("follows", "follow", "followed", "redirects"),
            Act("signs", "sign", "signed", "the payload"),
            Act("drops", "drop", "dropped", "duplicate events"),
            Act("caches", "cache", "cached", "negative lookups"),
        ],
        "pair": [
            Opposites("stateless", "stateful"),
            Opposites("monitored", "unmonitored"),
            Opposites("authenticated", "unauthenticated"),
            Opposites("reachable", "unreachable"),
            Opposites("backward compatible", "backward incompatible"),
            Opposites("up", "down"),
            Opposites("online", "offline"),
        ],
        "fate": [
            Fate("accepts", "rejects", "reject"),
            Fate("allows", "forbids", "forbid"),
            Fate("admits", "refuses", "refuse"),
        ],
        "input": ["oversized requests", "expired tokens", "anonymous uploads", "empty bodies"],
        "load": ["under heavy load", "during deployments", "over IPv6", "behind a firewall"],
        "client": ["mobile clients", "free accounts", "European customers", "internal users"],
        "code": ["404", "409", "422", "500"],
    },
    """
    negation: contradiction
    The {a} {act.s} {act.o}. | The {a} does not {act.base} {act.o}.
    According to the logs, the {a} {act.s} {act.o}. | The {a} never {act.s} {act.o}.
    The {a} {act.s} {act.o} {load}. | The {a} never {act.s} {act.o}.
    The {a} won't {act.base} {act.o}. | The {a} will {act.base} {act.o}.
    The {a} is able to {act.base} {act.o}. | The {a} is unable to {act.base} {act.o}.
    passive negation: contradiction
    {act.o} are {act.done} by the {a}. | The {a} does not {act.base} {act.o}.
    negation by a noun: contradiction
    The {a} works without {act.o}. | The {a} does not work without {act.o}.
    antonym: contradiction
    The {a} is {pair.one}. | The {a} is {pair.two}.
    The {a} {fate.one} {input}. | The {a} {fate.two} {input}.
    always and never: contradiction
    The {a} always {fate.one} {input}. | The {a} never {fate.one} {input}.
    number: contradiction
    The {a} answers in {n} ms. | The {a} answers in {m} ms.
    The {a} handles {m} requests per second. | The {a} handles {n} requests per second.
    An expired session yields status {code} from the {a}. | An expired session yields status {code2} from the {a}.
    The error rate of the {a} is {n}%. | The error rate of the {a} is {m} percent.
    unit: contradiction
    The {a} answers in {n} milliseconds. | The {a} answers in {n} seconds.
    range: contradiction
    The {a} answers in under {n} ms. | The {a} takes more than {m} ms to answer.
    At least {m} nodes run the {a}. | No more than {n} nodes run the {a}.
    quantifier: inconsistency
    All {client} can use the {a}. | Some {client} cannot use the {a}.
    The {a} {fate.one} all {input}. | The {a} {fate.two} some {input}.
    None of the {client} use the {a}. | Several {client} use the {a}.
    order: inconsistency
    The {a} starts before the {b}. | The {b} starts before the {a}.
    Logging happens before validation in the {a}. | Logging happens after validation in the {a}.
    partly overlapping: inconsistency
    The {a} is {pair.one}. | The {a} is {pair.two} {load}.
    The {a} {fate.one} {input}. | The {a} {fate.two} {input} {load}.
    hedge: ambiguity
    The {a} answers in {n} ms. | The {a} possibly answers in {m} ms.
    Maybe the {a} is {pair.one}. | The {a} is {pair.two}.
    vague value: ambiguity
    The error rate of the {a} is {n}%. | The error rate of the {a} is low.
    paraphrase: none
    The {a} {act.s} {act.o}. | {act.o} are {act.done} by the {a}.
    The {a} does not {act.base} {act.o}. | The {a} won't {act.base} {act.o}.
    The {a} {fate.two} {input}. | {input} are not accepted by the {a}.
    other subject: none
    The {a} is {pair.one}. | The {b} is {pair.two}.
    The {a} answers in {n} ms. | The {b} answers in {m} ms.
    The {a} {act.s} {act.o}. | The {b} never {act.s} {act.o}.
    other condition: none
    The {a} {fate.one} {input} {load}. | The {a} {fate.two} {input} {load2}.
    For {client} the {a} is {pair.one}. | For {client2} the {a} is {pair.two}.
    With one node the {a} answers in {n} ms. | With four nodes the {a} answers in {m} ms.
    if and unless: none
    The {a} {fate.two} {input} unless a flag is set. | The {a} {fate.one} {input} if a flag is set.
    other time: none
    Until last week the {a} was {pair.one}. | Since yesterday the {a} is {pair.two}.
    other property: none
    The {a} is {pair.one}. | The {a} is not {pair2.one}.
    The {a} {fate.one} {input}. | The {a} {fate.two} {input2}.
    The {a} handles {m} requests per second. | The {a} handles {n} uploads per hour.
    both may hold: none
    The {a} {act.s} {act.o}. | The {a} {act2.s} {act2.o}.
    double negation: none
    The {a} {fate.one} {input}. | The {a} does not {fate.two_base} {input}.
    The {a} is not {pair.one}. | The {a} is {pair.two}.
    some and others: none
    Some {client} can use the {a}. | Some {client} cannot use the {a}.
    converse: none
    The {a} starts before the {b}. | The {b} starts after the {a}.
    compatible range: none
    The {a} answers in under {m} ms. | The {a} answers in {n} ms.
    At least {n} nodes run the {a}. | {m} nodes run the {a}.
    equal units: none
    The {a} answers in {n} s. | The {a} answers in {n_times_1000} ms.
    hedged agreement: none
    The {a} is {pair.one}. | Perhaps the {a} is {pair.one}.
    """,
)

PROJECTS = Domain(
    "projects",
    {
        "a": ["Orion", "Bluebird", "Halcyon", "Meridian", "Falcon"],
        "act": [
            Act("ships", "ship", "shipped", "to customers"),
            Act("meets", "meet", "met", "its deadline"),
            Act("exceeds", "exceed", "exceeded", "the budget"),
            Act("needs", "need", "needed", "a new vendor"),
        ],
        "part": ["budget", "deadline", "contract", "review", "roadmap"],
        "pair": [
            Opposites("approved", "rejected"),
            Opposites("finished", "unfinished"),
            Opposites("profitable", "unprofitable"),
            Opposites("ahead of schedule", "behind schedule"),
            Opposites("legal", "illegal"),
            Opposites("paid", "unpaid"),
        ],
        "trend": [Opposites("rose", "fell"), Opposites("doubled", "halved"), Opposites("improved", "worsened")],
        "weekday": ["Monday", "Tuesday", "Thursday", "Friday"],
    },
    """
    date: contradiction
    Project {a} was launched in {month} {year}. | Project {a} was launched in {month2} {year}.
    The {part} of {a} is due on {weekday}. | The {part} of {a} is due on {weekday2}.
    The deadline for {a} is {year}-03-{day}. | The deadline for {a} is {year}-03-{day2}.
    antonym: contradiction
    The {part} for {a} was {pair.one}. | The {part} for {a} was {pair.two}.
    The cost of {a} {trend.one} last quarter. | The cost of {a} {trend.two} last quarter.
    negation: contradiction
    {a} {act.done} {act.o}. | {a} hasn't {act.done} {act.o}.
    Nobody reviewed the {part} of {a}. | The auditors reviewed the {part} of {a}.
    number: contradiction
    {a} costs ${n} million. | {a} costs {m} million dollars.
    The team behind {a} has {n} members. | The team behind {a} has {m} members.
    hedge: ambiguity
    The {part} for {a} was {pair.one}. | It seems the {part} for {a} was {pair.two}.
    order: inconsistency
    The {part} comes before the {part2} for {a}. | The {part2} comes before the {part} for {a}.
    partly overlapping: inconsistency
    The {part} for {a} was {pair.one}. | The {part} for {a} was {pair.two} in Europe.
    other time: none
    The cost of {a} {trend.one} in {year}. | The cost of {a} {trend.two} in {later}.
    In {month} {a} had {n} members. | In {month2} {a} had {m} members.
    other subject: none
    The {part} for {a} was {pair.one}. | The {part2} for {a} was {pair.two}.
    {a} costs ${n} million. | {b} costs ${m} million.
    other property: none
    {a} {act.done} {act.o}. | {a} has not {act2.done} {act2.o}.
    {a} was launched in {year}. | {a} was cancelled in {later}.
    equal units: none
    {a} costs ${n} million. | {a} costs {n},000,000 dollars.
    compatible range: none
    {a} costs more than ${n} million. | {a} costs ${m} million.
    hedged agreement: none
    {a} was launched in {year}. | I believe {a} was launched in {year}.
    double negation: none
    The {part} for {a} was not {pair.one}. | The {part} for {a} was {pair.two}.
    """,
)

PRODUCTS = Domain(
    "products",
    {
        "a": ["Zephyr lamp", "Corvus drone", "Nimbus kettle", "Vela headset", "Atlas backpack"],
        "pair": [
            Opposites("wired", "wireless"),
            Opposites("foldable", "rigid"),
            Opposites("heavy", "light"),
            Opposites("reusable", "disposable"),
            Opposites("new", "used"),
            Opposites("refundable", "non-refundable"),
            Opposites("flammable", "non-flammable"),
        ],
        "material": ["wood", "steel", "plastic", "leather", "glass"],
        "colour": ["orange", "purple", "black", "grey", "pink"],
        "port": ["USB", "HDMI", "Bluetooth", "Ethernet"],
        "maker": ["Nordlys", "Tanaka Works", "Brightline", "Oberon Labs"],
    },
    """
    exclusive value: contradiction
    The {a} is made of {material}. | The {a} is made of {material2}.
    The {a} is {colour}. | The {a} is {colour2}.
    The {a} is manufactured by {maker}. | The {a} is manufactured by {maker2}.
    The manufacturer of the {a} is {maker}. | The manufacturer of the {a} is {maker2}.
    antonym: contradiction
    The {a} is {pair.one}. | The {a} is {pair.two}.
    negation: contradiction
    The {a} has a {port} port. | The {a} lacks a {port} port.
    The {a} comes with a warranty. | The {a} comes without a warranty.
    number: contradiction
    The battery of the {a} lasts {n} hours. | The battery of the {a} lasts {m} hours.
    The {a} costs {n} euros. | The {a} costs \u20ac{m}.
    unit: contradiction
    The battery of the {a} lasts {n} hours. | The battery of the {a} lasts {n} days.
    range: contradiction
    The {a} weighs at most {n} kg. | The {a} weighs {m} kg.
    The {a} costs between {n} and {n_plus_2} euros. | The {a} costs over {m} euros.
    vague value: ambiguity
    The {a} costs {n} euros. | The price of the {a} is unclear.
    hedge: ambiguity
    The {a} is {colour}. | The {a} could be {colour2}.
    quantifier: inconsistency
    Every {a} comes with a warranty. | Some {a}s come without a warranty.
    both may hold: none
    The {a} has a {port} port. | The {a} has a {port2} port.
    other subject: none
    The {a} is made of {material}. | The {b} is made of {material2}.
    The lid of the {a} is {colour}. | The base of the {a} is {colour2}.
    other property: none
    The {a} is {pair.one}. | The {a} is {colour}.
    The {a} costs {n} euros. | The {a} weighs {m} kg.
    other condition: none
    In Japan the {a} costs {n} euros. | In Brazil the {a} costs {m} euros.
    The {a} lasts {n} hours with the lamp on. | The {a} lasts {m} hours with the lamp off.
    compatible range: none
    The {a} weighs at least {n} kg. | The {a} weighs {m} kg.
    The {a} costs between {n} and {m} euros. | The {a} costs {n_plus_2} euros.
    rounding: none
    The {a} weighs {x} kg. | The {a} weighs {x_rounded} kg.
    some and others: none
    Some {a}s are {colour}. | Other {a}s are {colour2}.
    paraphrase: none
    {maker} makes the {a}. | The {a} is made by {maker}.
    The {a} lacks a {port} port. | The {a} has no {port} port.
    double negation: none
    The {a} is {pair.one}. | The {a} is not {pair.two}.
    """,
)

DOMAINS = [SERVICES, PLACES, PROJECTS, PRODUCTS, NATURE]
