"""Templates that may be used to develop the detector: code, configuration, laboratory, staff.

Templates follow a line with their label and kind of conflict (or "none"); each is two sentences with slots. `{a}` and
`{b}`, or `{os}` and `{os2}`, are two values of one list; a form of a value is selected by name, like `{act.base}`.
Numbers and dates are drawn for every pair, see `pairs`.
"""

from typing import Any, NamedTuple


class Act(NamedTuple):
    """A verb in several forms, with its object."""

    s: str
    base: str
    done: str
    o: str


class Opposites(NamedTuple):
    """Two words that exclude each other."""

    one: str
    two: str


Slots = dict[str, list[Any]]
"""Values by the name of their slot."""


class Domain(NamedTuple):
    """Values and templates of one domain."""

    name: str
    slots: Slots
    templates: str


CODE = Domain(
    "code",
    {
        "a": ["parser", "iterator", "scheduler", "compiler", "decoder", "allocator", "tokenizer", "linker"],
        "act": [
            Act("returns", "return", "returned", "nil"),
            Act("closes", "close", "closed", "the file"),
            Act("raises", "raise", "raised", "an exception"),
            Act("locks", "lock", "locked", "the table"),
            Act("validates", "validate", "validated", "its arguments"),
            Act("retries", "retry", "retried", "the request"),
            Act("allocates", "allocate", "allocated", "memory"),
            Act("writes", "write", "written", "a log entry"),
        ],
        "when": ["on error", "on failure", "on timeout", "at startup", "at shutdown"],
        "case": ["if the input is empty", "if the key is missing", "when the queue is full", "when debug mode is on"],
        "os": ["Linux", "Windows", "macOS", "FreeBSD"],
        "pair": [
            Opposites("portable", "non-portable"),
            Opposites("synchronous", "asynchronous"),
            Opposites("mutable", "immutable"),
            Opposites("deterministic", "nondeterministic"),
            Opposites("recursive", "iterative"),
            Opposites("safe", "unsafe"),
            Opposites("deprecated", "still maintained"),
            Opposites("blocking", "non-blocking"),
        ],
        "trait": ["fast", "documented", "covered by tests", "written in C", "small"],
        "lang": ["Rust", "Go", "Java", "Haskell", "Python", "C++"],
        "type": ["a string", "an integer", "a boolean", "a list"],
    },
    """
    negation: contradiction
    The {a} {act.s} {act.o} {when}. | The {a} never {act.s} {act.o}.
    The {a} {act.s} {act.o}. | The {a} does not {act.base} {act.o}.
    The {a} {act.s} {act.o} {when}. | The {a} doesn't {act.base} {act.o} {when}.
    The {a} can {act.base} {act.o}. | The {a} cannot {act.base} {act.o}.
    The {a} is {trait}. | The {a} isn't {trait}.
    We found that the {a} is {trait}. | The {a} is not {trait}.
    passive negation: contradiction
    The {a} {act.s} {act.o}. | {act.o} is not {act.done} by the {a}.
    negation by a verb: contradiction
    The {a} {act.s} {act.o}. | The {a} fails to {act.base} {act.o}.
    antonym: contradiction
    The {a} is {pair.one}. | The {a} is {pair.two}.
    In this version the {a} is {pair.one}. | The {a} is {pair.two} in this version.
    always and never: contradiction
    The {a} always {act.s} {act.o}. | The {a} never {act.s} {act.o}.
    quantifier: inconsistency
    All callers of the {a} are {trait}. | Some callers of the {a} are not {trait}.
    Every {a} {act.s} {act.o}. | Not every {a} {act.s} {act.o}.
    The {a} always {act.s} {act.o}. | The {a} sometimes does not {act.base} {act.o}.
    order: inconsistency
    The {a} runs before the {b}. | The {a} runs after the {b}.
    The {a} is faster than the {b}. | The {b} is faster than the {a}.
    exclusive value: contradiction
    The {a} is written in {lang}. | The {a} is written in {lang2}.
    The {a} returns {type}. | The {a} returns {type2}.
    partly overlapping: inconsistency
    The {a} is {pair.one}. | The {a} is {pair.two} on {os}.
    hedge: ambiguity
    The {a} {act.s} {act.o}. | The {a} probably does not {act.base} {act.o}.
    The {a} is {pair.one}. | I think the {a} is {pair.two}.
    same: none
    The {a} {act.s} {act.o}. | The {a} {act.s} {act.o} {when}.
    passive paraphrase: none
    The {a} {act.s} {act.o}. | {act.o} is {act.done} by the {a}.
    other subject: none
    The {a} {act.s} {act.o}. | The {b} does not {act.base} {act.o}.
    The {a} is {pair.one}. | The {b} is {pair.two}.
    The {a} is written in {lang}. | The {b} is written in {lang2}.
    other condition: none
    The {a} {act.s} {act.o} on {os}. | The {a} does not {act.base} {act.o} on {os2}.
    The {a} {act.s} {act.o} {case}. | The {a} does not {act.base} {act.o} {case2}.
    if and unless: none
    The {a} {act.s} {act.o} if it is told to. | The {a} does not {act.base} {act.o} unless it is told to.
    other time: none
    Before the rewrite the {a} was {pair.one}. | After the rewrite the {a} was {pair.two}.
    The {a} was {pair.one} in version 1.2. | The {a} was {pair.two} in version 2.0.
    other property: none
    The {a} is {trait}. | The {a} is not {trait2}.
    The {a} {act.s} {act.o}. | The {a} does not {act2.base} {act2.o}.
    both may hold: none
    The {a} supports {os}. | The {a} supports {os2}.
    double negation: none
    The {a} is {pair.one}. | The {a} is not {pair.two}.
    The {a} {act.s} {act.o}. | It is not true that the {a} does not {act.base} {act.o}.
    some and others: none
    Some callers of the {a} are {trait}. | Other callers of the {a} are not {trait}.
    Some {a}s are {pair.one}. | Some {a}s are {pair.two}.
    converse: none
    The {a} runs before the {b}. | The {b} runs after the {a}.
    The {a} is faster than the {b}. | The {b} is slower than the {a}.
    hedged agreement: none
    The {a} is {pair.one}. | The {a} is probably {pair.one}.
    other part: none
    The {a} is {pair.one}. | The {a} test is {pair.two}.
    """,
)

CONFIGURATION = Domain(
    "configuration",
    {
        "a": ["cache", "proxy", "gateway", "worker", "replica", "broker"],
        "knob": ["port", "log level", "encoding", "timezone", "storage engine", "authentication method"],
        "pair": [
            Opposites("enabled", "disabled"),
            Opposites("on", "off"),
            Opposites("required", "optional"),
            Opposites("public", "private"),
            Opposites("encrypted", "unencrypted"),
            Opposites("read-only", "writable"),
            Opposites("valid", "invalid"),
        ],
        "value": ["debug", "utf-8", "rocksdb", "oauth", "kerberos", "latin-1", "warning"],
        "feature": ["compression", "sharding", "audit logging", "rate limiting", "failover"],
        "env": ["in production", "in staging", "in development", "on the edge nodes"],
        "count": ["replicas", "retries", "threads", "connections", "shards"],
    },
    """
    antonym: contradiction
    {feature} is {pair.one} by default. | {feature} is {pair.two} by default.
    By default the {a} is {pair.one}. | The {a} is {pair.two} by default.
    negation: contradiction
    The {a} uses {feature}. | The {a} uses no {feature}.
    The {a} supports {feature}. | The {a} has no support for {feature}.
    {feature} is supported by the {a}. | The {a} does not support {feature}.
    number: contradiction
    The default port of the {a} is {n}. | The default port of the {a} is {m}.
    The {a} keeps {n} {count}. | The {a} keeps {m} {count}.
    The {a}'s timeout is {n} seconds. | The timeout of the {a} is {m} seconds.
    The {a} allows at most {n} {count}. | The {a} allows {m} {count}.
    unit: contradiction
    The timeout of the {a} is {n} seconds. | The timeout of the {a} is {n} minutes.
    range: contradiction
    The {a} needs at least {m} GB of memory. | The {a} needs less than {n} GB of memory.
    exclusive value: contradiction
    The {knob} of the {a} is {value}. | The {knob} of the {a} is {value2}.
    The {a} uses {value} as its {knob}. | The {a} uses {value2} as its {knob}.
    partly overlapping: inconsistency
    {feature} is {pair.one}. | {feature} is {pair.two} {env}.
    vague value: ambiguity
    The timeout of the {a} is {n} seconds. | The timeout of the {a} is short.
    hedge: ambiguity
    The timeout of the {a} is {n} seconds. | The timeout of the {a} might be {m} seconds.
    equal units: none
    The timeout of the {a} is {n} minutes. | The timeout of the {a} is {n_times_60} seconds.
    compatible range: none
    The {a} allows at most {m} {count}. | The {a} keeps {n} {count}.
    The {a} needs at least {n} GB of memory. | The {a} uses {m} GB of memory.
    other property: none
    The {a} keeps {n} {count}. | The {a} keeps {m} {count2}.
    The read timeout of the {a} is {n} seconds. | The write timeout of the {a} is {m} seconds.
    other condition: none
    {feature} is {pair.one} {env}. | {feature} is {pair.two} {env2}.
    The timeout is {n} seconds {env}. | The timeout is {m} seconds {env2}.
    other subject: none
    The default port of the {a} is {n}. | The default port of the {b} is {m}.
    paraphrase: none
    {feature} is enabled by default. | {feature} is turned on by default.
    {feature} is disabled. | {feature} is switched off.
    The {a} uses no {feature}. | The {a} does not use {feature}.
    double negation: none
    {feature} is not {pair.one}. | {feature} is {pair.two}.
    both may hold: none
    The {a} uses {feature}. | The {a} uses {feature2}.
    The {a} depends on {value}. | The {a} depends on {value2}.
    hedged agreement: none
    The {a} keeps {n} {count}. | The {a} probably keeps {n} {count}.
    """,
)

LABORATORY = Domain(
    "laboratory",
    {
        "a": ["sample", "crystal", "solvent", "membrane", "electrode", "culture"],
        "pair": [
            Opposites("hot", "cold"),
            Opposites("stable", "unstable"),
            Opposites("soluble", "insoluble"),
            Opposites("visible", "invisible"),
            Opposites("liquid", "solid"),
        ],
        "move": [Opposites("increases", "decreases"), Opposites("expands", "contracts"), Opposites("melts", "freezes")],
        "colour": ["red", "blue", "green", "yellow", "white"],
        "cause": ["under pressure", "in vacuum", "at low temperature", "in daylight"],
    },
    """
    antonym: contradiction
    The {a} is {pair.one} {cause}. | The {a} is {pair.two} {cause}.
    The volume of the {a} {move.one}. | The volume of the {a} {move.two}.
    exclusive value: contradiction
    The {a} is {colour}. | The {a} is {colour2}.
    The colour of the {a} is {colour}. | The colour of the {a} is {colour2}.
    number: contradiction
    The {a} weighs {n} g. | The {a} weighs {m} g.
    The {a} was heated to {n} degrees. | The {a} was heated to {m} degrees.
    unit: contradiction
    The {a} weighs {n} kg. | The {a} weighs {n} g.
    range: contradiction
    The {a} is between {n} and {n_plus_2} mm long. | The {a} is {m} mm long.
    quantifier: inconsistency
    All {a}s are {pair.one}. | Most {a}s are {pair.two}.
    equal units: none
    The {a} weighs {n} kg. | The {a} weighs {n_times_1000} g.
    rounding: none
    The {a} weighs {x} g. | The {a} weighs {x_rounded} g.
    The {a} weighs about {n_times_10} g. | The {a} weighs {n_times_10_plus_1} g.
    compatible range: none
    The {a} is between {n} and {m} mm long. | The {a} is {n_plus_2} mm long.
    other condition: none
    The {a} is {pair.one} {cause}. | The {a} is {pair.two} {cause2}.
    other subject: none
    The {a} weighs {n} g. | The {b} weighs {m} g.
    other time: none
    The {a} weighed {n} g on Monday. | The {a} weighed {m} g on Friday.
    In {year} the {a} was {pair.one}. | In {later} the {a} was {pair.two}.
    other property: none
    The {a} weighs {n} g. | The {a} is {m} mm long.
    """,
)

STAFF = Domain(
    "staff",
    {
        "a": ["Ada Brandt", "Tomas Okoye", "Mei Lindqvist", "Ravi Castellano", "Ines Novak"],
        "team": ["storage team", "security group", "billing team", "release office"],
        "city": ["Lisbon", "Oslo", "Nairobi", "Kyoto", "Lima"],
        "skill": ["German", "Swahili", "Portuguese", "Korean"],
    },
    """
    exclusive value: contradiction
    The head of the {team} is {a}. | The head of the {team} is {b}.
    {a} was born in {city}. | {a} was born in {city2}.
    date: contradiction
    {a} was born in {year}. | {a} was born in {later}.
    {a} joined the {team} in {year}. | {a} joined the {team} in {later}.
    negation: contradiction
    {a} works for the {team}. | {a} does not work for the {team}.
    {a} speaks {skill}. | {a} speaks no {skill}.
    only: inconsistency
    Only {a} may sign for the {team}. | {b} may sign for the {team}.
    both may hold: none
    {a} speaks {skill}. | {a} speaks {skill2}.
    {a} visited {city}. | {a} visited {city2}.
    other subject: none
    {a} speaks {skill}. | {b} does not speak {skill}.
    {a} was born in {year}. | {b} was born in {later}.
    other time: none
    In {year} {a} lived in {city}. | In {later} {a} lived in {city2}.
    same date: none
    {a} was born in {year}. | {a} was born in {month} {year}.
    other property: none
    {a} joined the {team} in {year}. | {a} was born in {earlier}.
    """,
)

DOMAINS = [CODE, CONFIGURATION, LABORATORY, STAFF]
