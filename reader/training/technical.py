"""Make labelled pairs of statements from the frames in frames.txt, and from plain subjects, verbs and objects.

The labels are "entailment", "neutral" and "contradiction". Neutral pairs are hard ones: the same subject and another
property, the same property of another subject, opposite statements under different conditions or at different times.
"""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
COMPATIBLE = "compatible"
"""The label of pairs of which it is only known that they do not contradict each other."""


class Pair(NamedTuple):
    """Two statements and their label."""

    first: str
    second: str
    label: str


class Frame(NamedTuple):
    """Ways to say one thing, and ways to say the opposite (none for a frame of values)."""

    kind: str
    ways: list[str]
    opposites: list[str]


def words(text: str) -> list[str]:
    """Return the items of a list that is separated by semicolons."""
    return [item.strip() for item in text.replace("\n", " ").split(";") if item.strip()]


STEMS = words("""cache; token; session; order; invoice; user; account; config; index; report; metric; event; message; queue;
job; task; batch; upload; image; thumbnail; payment; refund; cart; price; stock; shipment; address; email; template; tag;
comment; audit; ledger; snapshot; backup; schema; migration; plugin; feature; flag; tenant; role; permission; secret; key;
cert; route; proxy; gateway; webhook; feed; search; ranking; vector; embedding; model; prompt; trace; span; log; alert;
dashboard; chart; export; import; parser; lexer; grammar; compiler; bundle; asset; font; theme; locale; calendar; booking;
seat; ticket; sensor; device; firmware; driver; packet; socket; stream; buffer; pool; worker; thread; lock; timer; clock""")
VERBS_OF_CODE = words("""get; load; save; parse; render; send; fetch; build; merge; split; sort; filter; encode; decode; open;
close; start; stop; reset; update; delete; create; find; list; check; sync; flush; retry; resolve; compile; convert""")
THINGS = words("""key; file; header; token; field; record; user; row; path; argument; session; template; column; lock; handle;
connection; cursor; buffer; certificate; password; request; body; index; socket; timestamp; schema; node; directory""")
LISTS: dict[str, list[str]] = {
    "exc": words(
        "ValueError; KeyError; TypeError; FileNotFoundError; TimeoutError; LookupError; NotFound; an exception"
    ),
    "thing": THINGS,
    "dtype": words(
        "list; dict; string; tuple; set; boolean; generator; float; bytes object; dataclass; iterator; pointer"
    ),
    "bigo": words("constant; linear; quadratic; logarithmic; O(1); O(n); O(n log n); O(n^2); exponential"),
    "lang": words("Python; Go; Rust; Java; C++; C; TypeScript; Kotlin; Ruby; Elixir; Scala; PHP; Swift; Haskell"),
    "db": words("PostgreSQL; MySQL; SQLite; MongoDB; Redis; Cassandra; DynamoDB; Oracle; ClickHouse; S3; plain files"),
    "region": words("eu-west-1; us-east-1; ap-south-1; Frankfurt; Ohio; Tokyo; São Paulo; Sydney; europe-north1"),
    "team": words("platform; payments; search; data; mobile; security; growth; infrastructure; billing; support"),
    "auth": words("OAuth; API keys; mutual TLS; basic authentication; SAML; session cookies; signed tokens; Kerberos"),
    "proto": words("gRPC; REST; GraphQL; WebSockets; MQTT; AMQP; SOAP; plain TCP; UDP"),
    "semantics": words("at least once; at most once; exactly once"),
    "licence": words("MIT; Apache-2.0; GPLv3; BSD-3-Clause; MPL-2.0; LGPL; AGPL; ISC"),
    "pyver": words("3.8; 3.9; 3.10; 3.11; 3.12; 3.13; 2.7"),
    "paging": words("cursors; offsets; page numbers; tokens; timestamps"),
    "status": words("404; 400; 200; 500; 204; 410; 422; 403"),
    "format": words("JSON; XML; YAML; CSV; Parquet; Avro; protobuf; MessagePack; TOML"),
    "evict": words("LRU; LFU; FIFO; random; age-based"),
    "hash": words("bcrypt; scrypt; Argon2; SHA-256; MD5; PBKDF2"),
    "loglevel": words("debug; info; warning; error"),
    "unit": words("seconds; milliseconds; minutes; bytes; kilobytes; megabytes; percent; hours; days; pixels"),
    "encoding": words("UTF-8; UTF-16; Latin-1; ASCII; Shift JIS"),
    "weekday": words("Monday; Tuesday; Wednesday; Thursday; Friday; Saturday; Sunday"),
    "cause": words("""a memory leak; a race condition; an expired certificate; a full disk; a DNS error; a deadlock; a typo in the
    configuration; a null pointer; a network partition; an overflow; a bad deployment; a missing index; a power cut"""),
    "feature": words("""Windows; macOS; Linux; ARM; IPv6; transactions; streaming; compression; wildcards; HTTP/2; single sign-on;
    two-factor authentication; dark mode; full-text search; webhooks; partial updates; nested queries; hot reload; offline use;
    foreign keys; Unicode; time zones; batch requests; conditional requests; range queries; custom fonts; plug-ins; Docker;
    Kubernetes; Python 3.13; proxies; GPU acceleration; soft deletes; pagination; rate limiting; schema evolution; CSV export;
    push notifications; right-to-left text; large files; multi-tenancy; role-based access; rolling updates; server-side rendering"""),
    "n_tool": words("cron; Airflow; Jenkins; GitHub Actions; systemd; Celery; a shell script; Kubernetes; make; Bazel"),
    "person": words("""Mara Lindqvist; Tom Okafor; Priya Raman; Jonas Weber; Lucía Ortega; Ken Watanabe; Sofia Rossi; Adam Novak;
    Fatima Zahra; Peter Hughes; Anna; Bob; Carol; Dmitri; Elena; Grace; Hassan; Ines; Jack; Karl; Li Wei; Nadia; Oscar; Ruth"""),
    "org": words(
        "Northwind; Acme; Globex; Initech; Umbrella; Vandelay Industries; Contoso; Stark Labs; the city council; Hooli"
    ),
    "city": words(
        "Paris; Oslo; Lima; Nairobi; Osaka; Toronto; Vienna; Cairo; Lisbon; Dublin; Seoul; Chicago; Mumbai; Perth; Prague"
    ),
    "country": words(
        "France; Norway; Peru; Kenya; Japan; Canada; Austria; Egypt; Portugal; Ireland; Brazil; India; Poland; Chile"
    ),
    "job": words(
        "teacher; doctor; lawyer; carpenter; pilot; nurse; painter; farmer; baker; architect; judge; singer; chemist"
    ),
    "tongue": words("English; French; Spanish; Mandarin; Arabic; German; Russian; Swahili; Hindi; Portuguese"),
    "prize": words("Nobel Prize; Pulitzer Prize; Turing Award; Booker Prize; first prize; Fields Medal; Golden Globe"),
    "measure": words(
        "blood pressure; body weight; survival; error rates; heart rate; cholesterol; crop yield; test scores; rainfall"
    ),
    "material": words("steel; aluminium; plastic; wood; glass; copper; carbon fibre; ceramic; rubber; titanium"),
    "colour": words("red; blue; green; black; white; yellow; grey; silver; orange; brown"),
}
MONTHS = words("January; February; March; April; May; June; July; August; September; October; November; December")
NUMBER_WORDS = words("zero; one; two; three; four; five; six; seven; eight; nine; ten; eleven; twelve")
DURATIONS: dict[int, list[str]] = {
    1: ["1 second", "one second", "1000 ms"],
    5: ["5 seconds", "five seconds", "5 s", "5000 ms"],
    10: ["10 seconds", "ten seconds", "10 s"],
    30: ["30 seconds", "half a minute", "30 s"],
    60: ["60 seconds", "one minute", "1 minute", "a minute"],
    90: ["90 seconds", "a minute and a half"],
    120: ["two minutes", "2 minutes", "120 seconds"],
    300: ["5 minutes", "five minutes", "300 s"],
    900: ["15 minutes", "a quarter of an hour"],
    1800: ["30 minutes", "half an hour"],
    3600: ["one hour", "60 minutes", "1 hour", "an hour"],
    7200: ["two hours", "120 minutes", "2 h"],
    21600: ["6 hours", "six hours"],
    43200: ["12 hours", "half a day"],
    86400: ["24 hours", "one day", "a day"],
}
SPANS: dict[int, list[str]] = {
    3: ["3 days", "three days", "72 hours"],
    7: ["7 days", "one week", "a week", "seven days"],
    14: ["14 days", "two weeks", "2 weeks"],
    21: ["21 days", "three weeks"],
    30: ["30 days", "thirty days"],
    60: ["60 days", "sixty days"],
    90: ["90 days", "ninety days"],
    180: ["180 days", "half a year", "six months"],
    365: ["one year", "12 months", "a year", "twelve months"],
    730: ["two years", "24 months"],
    1825: ["five years", "5 years"],
}
Draw = Callable[[random.Random], list[str]]


def _count(rng: random.Random) -> list[str]:
    number = rng.choice(
        [rng.randint(2, 20), rng.randint(2, 99) * 10, rng.randint(1, 90) * 100, rng.randint(1, 900) * 1000]
    )
    ways = [str(number)]
    if number >= 1000:
        ways += [f"{number:,}", f"{number:,}"]
        if number % 1000 == 0:
            ways.append(f"{number // 1000} thousand")
    elif number < 13:
        ways.append(NUMBER_WORDS[number])
    return ways


def _small(rng: random.Random) -> list[str]:
    number = rng.randint(2, 25)
    return [str(number), NUMBER_WORDS[number]] if number < 13 else [str(number)]


def _date(rng: random.Random) -> list[str]:
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1990, 2026)
    name = MONTHS[month - 1]
    return [f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month:02}-{day:02}"]


def _size(rng: random.Random) -> list[str]:
    number, unit = (
        rng.choice([1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 250, 500, 512]),
        rng.choice(["MB", "GB", "TB", "kB"]),
    )
    long = {"MB": "megabytes", "GB": "gigabytes", "TB": "terabytes", "kB": "kilobytes"}[unit]
    return [f"{number} {unit}", f"{number}{unit}", f"{number} {long}"]


def _percent(rng: random.Random) -> list[str]:
    number = rng.choice([str(rng.randint(1, 99)), f"{rng.randint(1, 99)}.{rng.randint(1, 9)}", "99.9", "99.99", "100"])
    return [f"{number}%", f"{number} %", f"{number} percent"]


def _ways(table: dict[int, list[str]]) -> Draw:
    return lambda rng: table[rng.choice(list(table))]


DRAWS: dict[str, Draw] = {
    "duration": _ways(DURATIONS),
    "span": _ways(SPANS),
    "count": _count,
    "small": _small,
    "date": _date,
    "size": _size,
    "mem": _size,
    "percent": _percent,
    "port": lambda rng: [
        str(rng.choice([80, 443, 8080, 8000, 5432, 3306, 6379, 9090, 9200, 22, 25, rng.randint(1024, 65535)]))
    ],
    "version": lambda rng: [
        rng.choice(
            [
                f"{rng.randint(1, 12)}.{rng.randint(0, 20)}",
                f"{rng.randint(0, 5)}.{rng.randint(0, 20)}.{rng.randint(0, 12)}",
            ]
        )
    ],
    "file": lambda rng: [
        f"{rng.choice(STEMS)}{rng.choice(['s', '', '_utils', '_test'])}{rng.choice(['.py', '.go', '.ts', '.yaml', '.toml', '.rs', '.json'])}"
    ],
    "ms": lambda rng: [f"{rng.randint(1, 99) * rng.choice([1, 10])} ms"],
    "year": lambda rng: [str(rng.randint(1850, 2026))],
    "age": lambda rng: [str(rng.randint(18, 95))],
    "km": lambda rng: [f"{rng.randint(2, 900)} kilometres"],
    "hour": lambda rng: [
        rng.choice([f"{rng.randint(6, 11)} am", f"{rng.randint(1, 4)} pm", f"{rng.randint(6, 22)}:30"])
    ],
    "price": lambda rng: [
        rng.choice([f"{rng.randint(2, 900)} euros", f"${rng.randint(2, 900)}", f"{rng.randint(2, 99)}.50 dollars"])
    ],
    "money": lambda rng: [rng.choice([f"{rng.randint(2, 900)} million dollars", f"€{rng.randint(2, 90)} billion"])],
    "weight": lambda rng: [rng.choice([f"{rng.randint(2, 90)} kg", f"{rng.randint(50, 950)} grams"])],
    "temp": lambda rng: [f"{rng.randint(-30, 120)} °C"],
}


def _subject(kind: str, rng: random.Random) -> str:
    one, two = rng.choice(STEMS), rng.choice(STEMS)
    verb = rng.choice(VERBS_OF_CODE)
    match kind:
        case "object":
            return rng.choice(
                [
                    f"the {one} {rng.choice(['client', 'pool', 'registry', 'manager', 'store', 'cache', 'writer'])}",
                    f"`{one.title()}{two.title()}`",
                    f"the class {one.title()}{two.title()}",
                ]
            )
        case "function":
            return rng.choice(
                [
                    f"`{verb}_{one}`",
                    f"`{verb}_{one}()`",
                    f"{verb}_{one}",
                    f"{one.title()}.{verb}",
                    f"the function {verb}{two.title()}",
                    f"the {one} {rng.choice(['parser', 'helper', 'loader', 'validator', 'handler'])}",
                ]
            )
        case "service":
            return rng.choice(
                [
                    f"the {one} service",
                    f"the {one} API",
                    f"{one.title()}{rng.choice(['Hub', 'DB', 'Kit', 'Flow', 'X'])}",
                    f"the {one} server",
                    f"the {one} {two} backend",
                    f"version {rng.randint(1, 9)} of the {one} library",
                    f"{one}-{two}",
                    f"GET /{one}s",
                    f"the {one} endpoint",
                ]
            )
        case "setting":
            return rng.choice(
                [
                    f"{one}_{rng.choice(['limit', 'timeout', 'size', 'mode', 'interval', 'path', 'retries'])}",
                    f"`{one.upper()}_{two.upper()}`",
                    f"--{one}-{rng.choice(['limit', 'size', 'depth'])}",
                    f"the {one} {rng.choice(['option', 'setting', 'flag', 'limit'])}",
                    f"`{one}.{two}.{rng.choice(['enabled', 'max', 'ttl'])}`",
                ]
            )
        case "data":
            return rng.choice(
                [
                    f"the {one} table",
                    f"the {one} list",
                    f"the column {one}_id",
                    f"the {one} file",
                    f"`{one}s.{two}`",
                    f"the field {one}_{two}",
                    f"the {one} dataset",
                ]
            )
        case "job":
            return rng.choice(
                [
                    f"the {one} job",
                    f"the nightly {one} build",
                    f"the {one} tests",
                    f"test_{verb}_{one}",
                    f"the {one} migration",
                    f"the {one} benchmark",
                    f"the {one} pipeline",
                    f"step {rng.randint(1, 9)} of the {one} import",
                ]
            ).replace("tests", "test suite")
        case "person":
            return rng.choice(
                [
                    *LISTS["person"],
                    "the mayor",
                    "the author",
                    "the new manager",
                    "the captain",
                    "my neighbour",
                    "the minister",
                ]
            )
        case "place":
            return rng.choice(
                words(
                    "the harbour museum; Port Elster; Lake Morva; Castle Brandt; the old library; Green Valley; Saint Alban; the botanical garden; Kestrel Bay; Ravenholm; the science centre; Mount Adler; the village of Tarn; New Harwick"
                )
            )
        case "study":
            return rng.choice(
                words(
                    "the trial; the study; the second experiment; the Oslo study; the pilot study; the survey; the field experiment; the 2019 trial; the meta-analysis"
                )
            )
        case "business":
            return rng.choice(
                words(
                    "Northwind; Acme; the bakery; Globex; the airline; the start-up; Initech; the publisher; Contoso; the brewery; the hotel chain; Umbrella"
                )
            )
        case "change":
            return rng.choice(
                [
                    f"commit {rng.randrange(16**7):07x}",
                    f"pull request #{rng.randint(10, 9000)}",
                    f"the {one} patch",
                    f"the change to the {one} module",
                    f"the {one} refactoring",
                    f"release {rng.randint(1, 9)}.{rng.randint(0, 9)}",
                ]
            )
        case "hardware":
            return rng.choice(
                words(
                    "the laptop; the router; the new sensor; the camera; the reactor vessel; the drone; the pump; the server in rack 4; the printer; the e-bike; the phone; the test bench"
                )
            )
    raise ValueError(kind)


EXCLUSIVE_CONDITIONS = [
    words("in production; in the test environment; in development; in staging"),
    words("on Windows; on Linux; on macOS"),
    words("when caching is enabled; when caching is disabled"),
    words("for administrators; for guests; for ordinary users"),
    words("in version 1; in version 2; in version 3; in version 4"),
    words("during the day; at night"),
    words("in Europe; in the United States; in Japan"),
    words("with the default settings; in safe mode; in debug mode"),
    words("on Mondays; on Fridays; at the weekend"),
    words("in the free plan; in the paid plan"),
]
TIMES = [
    ("Until 2021, {}", "Since 2022, {}"),
    ("Before the migration, {}", "After the migration, {}"),
    ("Up to version 2, {}", "From version 3 on, {}"),
    ("Last year, {}", "Today, {}"),
    ("In the old design, {}", "In the new design, {}"),
    ("At first, {}", "In the end, {}"),
]
UNCERTAIN = [
    "It is unclear whether {}",
    "We have not checked whether {}",
    "Somebody asked whether {}",
    "It would be nice if {}",
    "The ticket asks whether {}",
]


def read_frames(path: Path) -> list[Frame]:
    """Return the frames of a file."""
    frames = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        kind, ways, opposites = lines[0].strip("[]"), [], []
        for line in lines[1:]:
            (opposites if line[0] == "-" else ways).extend(re.split(r" / ", line[2:]))
        frames.append(Frame(kind, ways, opposites))
    return frames


CONDITIONAL = {"object", "function", "service", "setting", "data", "job"}
"""Kinds of subjects to whose statements conditions are added."""


def context_slots(values: dict[str, list[str]]) -> set[str]:
    """Return the slots that say what a value belongs to, such as the file in which a setting has it."""
    pairs = {"thing": "status", "file": "count", "year": "money", "weekday": "person"}
    return {name for name, value in pairs.items() if name in values and value in values}


class Maker:
    """Makes pairs from frames with one source of chance."""

    def __init__(self, frames: list[Frame], rng: random.Random) -> None:
        self.frames, self.rng = frames, rng

    def _values(self, text: str) -> dict[str, list[str]]:
        return {name: self._draw(name) for name in sorted({*re.findall(r"{(\w+)}", text)} - {"S", "S0"})}

    def _draw(self, name: str) -> list[str]:
        return DRAWS[name](self.rng) if name in DRAWS else [self.rng.choice(LISTS[name])]

    def _fill(self, way: str, subject: str, values: dict[str, list[str]]) -> str:
        bare = subject.removeprefix("the ")
        slots = {name: self.rng.choice(ways) for name, ways in values.items()}
        return _sentence(way.format(S=subject, S0=bare, **slots))

    def pair(self) -> Pair:
        """Return one pair of a random frame and label."""
        frame = self.rng.choice(self.frames)
        subject = _subject(frame.kind, self.rng)
        roll = self.rng.random()
        if roll < 0.40:
            return self._turned(self._contradiction(frame, subject))
        if roll < 0.62:
            return self._turned(self._entailment(frame, subject))
        return self._turned(self._neutral(frame, subject))

    def _turned(self, pair: Pair) -> Pair:
        return Pair(pair.second, pair.first, pair.label) if self.rng.random() < 0.5 else pair

    def _sides(self, frame: Frame) -> tuple[list[str], list[str]]:
        if self.rng.random() < 0.5 or not frame.opposites:
            return frame.ways, frame.opposites
        return frame.opposites, frame.ways

    def _two(self, frame: Frame) -> tuple[str, str, dict[str, list[str]], dict[str, list[str]]]:
        """Return two ways with values that contradict each other."""
        side, other = self._sides(frame)
        if other:
            first, second = self.rng.choice(side), self.rng.choice(other)
            values = self._values(" ".join([*side, *other]))
            return first, second, values, values
        first, second = self.rng.choice(side), self.rng.choice(side)
        if self.rng.random() < 0.4:
            second = first
        values = self._values(" ".join(side))
        changed = dict(values)
        name = next(one for one in values if one not in context_slots(values))
        while set(changed[name]) & set(values[name]):
            changed[name] = self._draw(name)
        return first, second, values, changed

    def _contradiction(self, frame: Frame, subject: str) -> Pair:
        first, second, values, others = self._two(frame)
        one, two = self._fill(first, subject, values), self._fill(second, subject, others)
        if frame.kind in CONDITIONAL and self.rng.random() < 0.12:
            condition = self.rng.choice(self.rng.choice(EXCLUSIVE_CONDITIONS))
            one, two = self._under(one, condition), self._under(two, condition)
        return Pair(one, two, CONTRADICTION)

    def _entailment(self, frame: Frame, subject: str) -> Pair:
        side, other = self._sides(frame)
        values = self._values(" ".join([*side, *other]))
        first, second = self.rng.sample(side, 2) if len(side) > 1 else (side[0], side[0])
        one, two = self._fill(first, subject, values), self._fill(second, subject, values)
        if self.rng.random() < 0.1:
            return Pair(f"{one[:-1]}, and nobody has changed that.", two, ENTAILMENT)
        return Pair(one, two, ENTAILMENT)

    def _neutral(self, frame: Frame, subject: str) -> Pair:
        roll = self.rng.random()
        first, second, values, others = self._two(frame)
        if roll < 0.30:  # another subject
            another = subject
            while another == subject:
                another = _subject(frame.kind, self.rng)
            return Pair(self._fill(first, subject, values), self._fill(second, another, others), NEUTRAL)
        if roll < 0.55:  # another property of the same subject
            kin = [one for one in self.frames if one.kind == frame.kind and one is not frame]
            another_frame = self.rng.choice(kin)
            third, _, thirds, _ = self._two(another_frame)
            if related(frame, another_frame):
                return Pair(
                    self._fill(first, subject, values),
                    self._fill(third, _subject(frame.kind, self.rng), thirds),
                    NEUTRAL,
                )
            return Pair(self._fill(first, subject, values), self._fill(third, subject, thirds), NEUTRAL)
        context = context_slots(values) if not frame.opposites else set()
        if context and roll < 0.9:  # the value differs because what it belongs to differs
            name = min(context)
            while set(others[name]) & set(values[name]):
                others[name] = self._draw(name)
            return Pair(self._fill(first, subject, values), self._fill(second, subject, others), NEUTRAL)
        if roll < 0.78 and frame.kind in CONDITIONAL:  # other conditions
            one, two = self.rng.sample(self.rng.choice(EXCLUSIVE_CONDITIONS), 2)
            return Pair(
                self._under(self._fill(first, subject, values), one),
                self._under(self._fill(second, subject, others), two),
                NEUTRAL,
            )
        if roll < 0.93:  # other times
            before, after = self.rng.choice(TIMES)
            return Pair(
                before.format(_inner(self._fill(first, subject, values))),
                after.format(_inner(self._fill(second, subject, others))),
                NEUTRAL,
            )
        uncertain = self.rng.choice(UNCERTAIN).format(_inner(self._fill(second, subject, others)))
        return Pair(self._fill(first, subject, values), uncertain, NEUTRAL)

    def _under(self, sentence: str, condition: str) -> str:
        if self.rng.random() < 0.4:
            return _sentence(f"{condition}, {_inner(sentence)}")
        return f"{sentence[:-1]} {condition}."


# Frames whose statements bear on each other; pairs of them on one subject are not labelled neutral.
RELATED = [
    {"internal", "public interface"},
    {"in use", "dead code", "covered", "no tests"},
    {"deprecated", "removed"},
    {"is up", "ready for production", "failed because", "monitored"},
    {"idempotent", "side effects", "caches"},
    {"coroutine", "blocks"},
    {"authentication", "authenticates"},
    {"encrypts", "TLS", "proto"},
    {"succeeded", "is finished", "reported", "vulnerabilities", "took"},
    {"fast", "faster", "took"},
    {"mandatory", "defaults", "enabled by default"},
    {"at most", "at least", "defaults", "is set to"},
    {"alive", "born", "years old"},
    {"married", "children"},
    {"free", "costs"},
    {"merged", "reviewed", "fixes", "roll back", "improves", "introduced", "migration"},
    {"effect", "increase", "replicated"},
    {"profit", "sales", "Revenue"},
    {"stateless", "backups"},
    {"validates", "raises", "modifies", "closes"},
    {"kept for ever", "immutable", "updated", "refreshed"},
    {"rows", "empty", "large"},
    {"unique", "indexed", "nullable"},
    {"based in", "delivers"},
    {"employed", "joined", "works as"},
    {"airport", "open on", "opens at"},
    {"semantics", "order of messages"},
    {"stable", "free software", "licensed"},
    {"supports", "feature"},
]


def related(one: Frame, other: Frame) -> bool:
    """Return whether statements of two frames may bear on each other."""
    first, second = " ".join(one.ways + one.opposites).casefold(), " ".join(other.ways + other.opposites).casefold()
    return any(
        any(w.casefold() in first for w in group) and any(w.casefold() in second for w in group) for group in RELATED
    )


def _sentence(text: str) -> str:
    """Start a sentence with a capital unless it starts with a name of code."""
    word = text.split(" ", 1)[0]
    return text if re.search(r"[_.`\-/\d(]|^[a-z]+[A-Z]", word.rstrip(",")) else text[0].upper() + text[1:]


def _inner(sentence: str) -> str:
    """Return a sentence as it stands inside another one."""
    word = sentence.split(" ", 1)[0]
    return sentence[0].lower() + sentence[1:] if word in INNER else sentence


INNER = set(
    words(
        "The; A; An; There; Callers; Concurrent; Calling; Nobody; Others; Old; Version; Data; Traffic; Logs; Clients; Requests; Backups; Values; Sales; Entrance; You; No; Only; Any; Every; Each; In; By; If; On; It; Using; Users; Invalid; Nothing; Anyone; Messages; Pages; Delivery; Passwords; Changing; Upper; Lookups; Duplicates; Several; Old; Everything; Something; Stopping; Two; Visitors; Water; Reverting; Rolling; Before; After; With; One; Customers; Invoices; Refunds; Revenue; Someone; Patients"
    )
)

# Plain subjects, verbs and objects. Forms: base, third person, past participle.
ACTS = [
    tuple(one.split())
    for one in words("""support supports supported; use uses used; contain contains contained; require requires required; accept accepts accepted;
reject rejects rejected; include includes included; own owns owned; like likes liked; know knows known; need needs needed; offer offers offered;
provide provides provided; store stores stored; read reads read; write writes written; call calls called; load loads loaded; send sends sent; receive receives received;
return returns returned; create creates created; delete deletes deleted; update updates updated; copy copies copied; log logs logged; validate validates validated;
encrypt encrypts encrypted; compress compresses compressed; cache caches cached; index indexes indexed; parse parses parsed; export exports exported; import imports imported;
expose exposes exposed; hide hides hidden; handle handles handled; block blocks blocked; allow allows allowed; trust trusts trusted; check checks checked; sign signs signed;
track tracks tracked; monitor monitors monitored; render renders rendered; publish publishes published; replace replaces replaced; keep keeps kept; change changes changed;
own owns owned; drive drives driven; buy buys bought; sell sells sold; eat eats eaten; drink drinks drunk; visit visits visited; paint paints painted; teach teaches taught;
play plays played; win wins won; lose loses lost; build builds built; break breaks broken; repair repairs repaired; cause causes caused; prevent prevents prevented;
treat treats treated; cure cures cured; produce produces produced; export exports exported; employ employs employed; fund funds funded; attract attracts attracted""")
]
ACTORS_CODE = words("""the parser; version 3; the scheduler; the client; the plug-in; the new release; the mobile app; the exporter; the router; the installer; release 2.4; the proxy; the compiler;
the agent; the cron job; the crawler; our build; the gateway; the command-line tool; the SDK; the driver; the server; this module; the service; the worker; the extension; the library""")
OBJECTS_CODE = words("""Windows; cookies; plain text; user names; JSON files; environment variables; the cache; temporary files; the database; symbolic links; proxies; log files; retries; foreign keys;
binary data; large uploads; comments; time zones; old formats; duplicate rows; passwords; e-mail addresses; nested objects; the index; tokens; headers; the network; images; webhooks""")
ACTORS_WORLD = words(
    """Maria; my uncle; the company; the museum; the farmer; Brazil; the band; the university; the old man; the committee; the drug; the factory; the new law; the team; Dr Silva; the dog; the school; the treaty; the river; the queen"""
)
OBJECTS_WORLD = words(
    """cars; two houses; coffee; fish; the prize; malaria; wine; tourists; young people; apples; the piano; the bridge; steel; three languages; pain; solar panels; the election; paintings; books; jazz; horses; headaches; jobs"""
)
NEGATIONS = [
    "{a} does not {base} {o}.",
    "{a} doesn't {base} {o}.",
    "{a} never {s} {o}.",
    "{a} no longer {s} {o}.",
    "{a} cannot {base} {o}.",
    "{o} is not {done} by {a}.",
    "It is not true that {a} {s} {o}.",
    "{a} fails to {base} {o}.",
    "{a} {s} no {o}.",
    "At no time does {a} {base} {o}.",
]
ASSERTIONS = [
    "{a} {s} {o}.",
    "{a} always {s} {o}.",
    "{a} can {base} {o}.",
    "{a} does {base} {o}.",
    "{o} is {done} by {a}.",
    "{a} still {s} {o}.",
    "{a} also {s} {o}.",
    "It is true that {a} {s} {o}.",
]
PLURAL = re.compile(r"^(?!the |two |three )\w[\w -]*s$|^(two|three|young|log|temporary|old|duplicate|user) ")


def _act(way: str, actor: str, act: tuple[str, ...], thing: str) -> str:
    text = way.format(a=actor, o=thing, base=act[0], s=act[1], done=act[2])
    if PLURAL.match(thing):
        text = text.replace(f"{thing} is ", f"{thing} are ")
    text = text.replace(" no the ", " no ").replace(" no two ", " no ").replace(" no three ", " no ")
    return _sentence(text)


def plain_pair(rng: random.Random) -> Pair:
    """Return a pair such as "S verbs O" and "S does not verb O", or a neutral or equivalent relative of it."""
    code = rng.random() < 0.6
    actors, things = (ACTORS_CODE, OBJECTS_CODE) if code else (ACTORS_WORLD, OBJECTS_WORLD)
    acts = ACTS[:50] if code else ACTS[50:] + ACTS[:8]
    actor, act, thing = rng.choice(actors), rng.choice(acts), rng.choice(things)
    way = rng.choice(ASSERTIONS) if rng.random() < 0.5 else ASSERTIONS[0]
    negated = rng.choice(NEGATIONS) if rng.random() < 0.6 else NEGATIONS[rng.randrange(2)]
    one, roll = _act(way, actor, act, thing), rng.random()
    if roll < 0.40:
        pair = Pair(one, _act(negated, actor, act, thing), CONTRADICTION)
    elif roll < 0.60:
        ways = (
            [NEGATIONS[0], NEGATIONS[1], NEGATIONS[2], NEGATIONS[5], NEGATIONS[6]]
            if rng.random() < 0.5
            else [ASSERTIONS[0], ASSERTIONS[3], ASSERTIONS[4], ASSERTIONS[7]]
        )
        first, second = rng.sample(ways, 2)
        pair = Pair(_act(first, actor, act, thing), _act(second, actor, act, thing), ENTAILMENT)
    elif roll < 0.75:
        pair = Pair(one, _act(negated, rng.choice([a for a in actors if a != actor]), act, thing), NEUTRAL)
    elif roll < 0.90:
        pair = Pair(
            one, _act(rng.choice([negated, way]), actor, act, rng.choice([o for o in things if o != thing])), NEUTRAL
        )
    else:
        pair = Pair(one, _act(way, rng.choice([a for a in actors if a != actor]), act, thing), NEUTRAL)
    return Pair(pair.second, pair.first, pair.label) if rng.random() < 0.5 else pair


GROUPS = words(
    """tests; endpoints; users; customers; modules; servers; students; patients; files; requests; workers; tables; invoices; plug-ins; functions; birds; countries; samples; devices; commits"""
)
STATES = [
    tuple(one.split(" | "))
    for one in words("""passed | failed; are active | are inactive; are documented | are undocumented; were paid | were unpaid; are encrypted | are unencrypted; are healthy | are ill;
arrived | were lost; agreed | disagreed; are public | are private; need a token | need no token; are old | are new; were counted | were not counted; have an owner | have no owner; are valid | are invalid;
improved | got worse; are large | are small; can fly | cannot fly; use TLS | do not use TLS; are in use | are unused; survived | died""")
]
QUANTIFIERS = {
    CONTRADICTION: [
        ("All {g} {p}.", "Some {g} {n}."),
        ("All {g} {p}.", "No {g} {p}."),
        ("Every one of the {g} {p2}.", "One of the {g} {n2}."),
        ("No {g} {p}.", "Some {g} {p}."),
        ("Most {g} {p}.", "Most {g} {n}."),
        ("Most {g} {p}.", "Few {g} {p}."),
        ("None of the {g} {p}.", "Several {g} {p}."),
        ("All {g} {p}.", "Not all {g} {p}."),
        ("{k} of the {g} {p}.", "None of the {g} {p}."),
        ("Exactly {k} {g} {p}.", "Exactly {m} {g} {p}."),
        ("At least {big} {g} {p}.", "Only {k} {g} {p}."),
        ("At most {k} {g} {p}.", "More than {big} {g} {p}."),
        ("Hardly any {g} {p}.", "Nearly all {g} {p}."),
        ("{big} {g} {p}.", "Fewer than {k} {g} {p}."),
    ],
    NEUTRAL: [
        ("Some {g} {p}.", "Some {g} {n}."),
        ("Some {g} {p}.", "All {g} {p}."),
        ("Most {g} {p}.", "All {g} {p}."),
        ("A few {g} {p}.", "A few {g} {n}."),
        ("At least {k} {g} {p}.", "At least {big} {g} {p}."),
        ("Not all {g} {p}.", "No {g} {p}."),
        ("All {g} {p}.", "Some {h} {n}."),
        ("Many {g} {p}.", "Many {g} {n}."),
        ("At most {big} {g} {p}.", "{k} {g} {p}."),
        ("{k} {g} {p}.", "{m} {h} {p}."),
    ],
    ENTAILMENT: [
        ("All {g} {p}.", "Some {g} {p}."),
        ("No {g} {p}.", "None of the {g} {p}."),
        ("Every one of the {g} {p2}.", "All {g} {p}."),
        ("At least {big} {g} {p}.", "At least {k} {g} {p}."),
        ("Only some {g} {p}.", "Not all {g} {p}."),
        ("Exactly {big} {g} {p}.", "More than {k} {g} {p}."),
        ("Both {g} {p}.", "Two {g} {p}."),
        ("Some {g} {n}.", "Not all {g} {p}."),
    ],
}


def quantified_pair(rng: random.Random) -> Pair:
    """Return a pair of statements about all, some, most, none or a number of things."""
    label = rng.choice([CONTRADICTION, CONTRADICTION, NEUTRAL, ENTAILMENT])
    first, second = rng.choice(QUANTIFIERS[label])
    yes, no = rng.choice(STATES)
    if rng.random() < 0.5 and not no.startswith(("were not", "do not", "cannot", "need no", "have no")):
        yes, no = no, yes
    g, h = rng.sample(GROUPS, 2)
    k = rng.randint(3, 30)
    slots = {
        "g": g,
        "h": h,
        "p": yes,
        "n": no,
        "p2": _singular(yes),
        "n2": _singular(no),
        "k": k,
        "m": k + rng.randint(1, 9),
        "big": k + rng.randint(10, 70),
    }
    pair = Pair(_sentence(first.format(**slots)), _sentence(second.format(**slots)), label)
    if label != ENTAILMENT and rng.random() < 0.5:
        pair = Pair(pair.second, pair.first, label)
    return pair


def _singular(state: str) -> str:
    head, _, tail = state.partition(" ")
    return {"are": "is", "were": "was", "have": "has", "need": "needs", "use": "uses", "do": "does"}.get(head, head) + (
        f" {tail}" if tail else ""
    )


def make_pairs(count: int, seed: int) -> list[Pair]:
    """Return so many distinct pairs: half from frames, the rest plain and quantified."""
    rng = random.Random(seed)
    maker = Maker(read_frames(Path(__file__).with_name("frames.txt")), rng)
    pairs: dict[tuple[str, str], Pair] = {}
    while len(pairs) < count:
        roll = rng.random()
        pair = maker.pair() if roll < 0.72 else plain_pair(rng) if roll < 0.90 else quantified_pair(rng)
        if pair.first != pair.second:
            pairs.setdefault((pair.first, pair.second), pair)
    return list(pairs.values())


if __name__ == "__main__":
    for one in make_pairs(60, 3):
        print(f"{one.label[:5]:6} {one.first} | {one.second}")
