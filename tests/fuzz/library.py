"""Doors of the library: operations, models, texts, hooks, judges' replies, tables and what is learned from them."""

import json
import random
from pathlib import Path
from typing import Any, ClassVar

from howsure.bulk.api import Bulk
from howsure.formulas import MODELS
from howsure.formulas.scoring import score
from howsure.fusion.api import fuse
from howsure.integrations.hooks import handle_event
from howsure.judge.reply import ReplyReader, parse_answer
from howsure.learn.evaluation import evaluate
from howsure.learn.fit import fit_from_json, fit_to_json
from howsure.learn.learning import learn_factors, learn_scores
from howsure.serve.operations import OPERATIONS
from howsure.settings import parse_file
from howsure.shapes.node import hints
from howsure.shapes.samples import sample
from howsure.text.assertions import extract_assertions
from howsure.text.contradictions.conflicts import find_conflicts
from howsure.text.grounding.ground import ground, ground_stream
from howsure.text.hedging.asking import claims_result, ends_with_question
from howsure.text.hedging.claimless import sentence_roles
from howsure.text.hedging.hedges import read_hedges
from howsure.text.hedging.interim import is_interim
from howsure.text.hedging.response_wording import read_wording
from howsure.text.hedging.unmask import unmask
from howsure.text.quantities.measures import read_measures
from tests.fuzz.door import Door, one_of
from tests.fuzz.mutations import as_json, damage, damage_text, mutate_often, odd_text
from tests.fuzz.network import example_of

GOLDEN = Path(__file__).parents[1] / "golden"
CASES = [
    (model, {name: value for name, value in case.items() if name != "expect"})
    for file in sorted(GOLDEN.glob("*.json"))
    for case in json.loads(file.read_text())
    for model in (("noisy_or", "beta") if file.stem == "claims" else (file.stem,))
    if model in MODELS.builtin
]
PROSE = (
    "The gateway listens on port 8443. TLS 1.3 is required, and it was released on 3 March 2024.",
    "I could not find the parser. It might be in src/parser.py, but I am not sure. Should I look elsewhere?",
    "All 14 tests pass:\n\n```python\ndef f(x):\n    return x + 1\n```\n\n- It is fast.\n- It is not slow.\n\n> quoted",
    "The function returns nil on error. The function never returns nil. Revenue rose by 12.5 % to $3,400.",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n# Title\n\nAccording to the docs, e.g. Dr. Smith, it costs 5 kg (approx.).",
    "\u216b \uff46\uff55\uff4c\uff4c-width, \u0440robably, I th\u200bink it is d\u0435finitely so.",
)


def prose(door: Door) -> str:
    """Return a text with some damage."""
    text = door.dice.choice(PROSE)
    for _ in range(door.dice.randrange(5)):
        text = damage_text(text, door.dice)
    return text if door.dice.random() < 0.95 else odd_text(door.dice)


class Operations(Door):
    """Operations as Python callers use them: arguments of the right types, and mutated ones that are decoded."""

    name = "library"
    share = 110

    def throw(self) -> None:
        """Call a method."""
        one = self.dice.choice(OPERATIONS)
        if self.dice.random() < 0.5:
            annotations = hints(one.function)
            fields = one.parameters.fields.items()
            chosen = {
                name: sample(annotations[name], self.dice)
                for name, field in fields
                if field.required or self.dice.random() < 0.3
            }
            known = {name: value for name, value in self.house.seeded.items() if name in chosen}
            arguments = {**chosen, **(known if self.dice.random() < 0.9 else {})}
        else:
            arguments = one.decode(mutate_often(example_of(one, self.house, self.dice), self.dice))
        try:
            result = one.call(self.house.sure, arguments)
            for _ in result if one.streams else ():
                pass
        except Exception as error:
            error.add_note(f"{one.name}: {str(arguments)[:500]}")
            raise


class Models(Door):
    """Cases of models."""

    name = "models"
    share = 150

    def throw(self) -> None:
        """Score a case."""
        model, case = self.dice.choice(CASES)
        data = mutate_often(case, self.dice)
        score(model, data if isinstance(data, dict) else {"x": data})


class Texts(Door):
    """Everything that reads prose."""

    name = "texts"
    share = 120

    def throw(self) -> None:
        """Read a text."""
        text = prose(self)
        try:
            one_of(
                self.dice,
                {
                    lambda: read_wording(text): 4,
                    lambda: ground(text, [prose(self), prose(self)]): 4,
                    lambda: list(ground_stream([text[i : i + 7] for i in range(0, len(text), 7)], prose(self))): 1,
                    lambda: list(find_conflicts([text, prose(self), prose(self)])): 4,
                    lambda: (read_hedges(text), read_measures(text), list(sentence_roles(text)), is_interim(text)): 2,
                    lambda: (extract_assertions(text), claims_result(text), ends_with_question(text), unmask(text)): 2,
                },
            )
        except Exception as error:
            error.add_note(repr(text[:2000]))
            raise


class Gate(Door):
    """Decisions about responses."""

    name = "gate"
    share = 60

    def throw(self) -> None:
        """Check a response."""
        given = {"agent": "a", "knowledge": [0.9], "samples": [prose(self)], "stated": 0.8, "context": [prose(self)]}
        given |= {"code": {"exists": True}, "signals": {"own": 0.3}, "logprobs": [-0.1, -2.0], "question": "Why?"}
        kept = {name: value for name, value in given.items() if self.dice.random() < 0.6}
        data: Any = {"text": prose(self), **kept}
        data = mutate_often(data, self.dice) if self.dice.random() < 0.5 else data
        one = next(one for one in OPERATIONS if one.name == "responses.check")
        one.call(self.house.sure, one.decode(data))


class Hooks(Door):
    """Events of coding agents."""

    name = "hooks"
    share = 60
    _EVENTS = ("PostToolUse", "Stop", "SubagentStop", "PostToolUseFailure", "feedback", "SessionStart")
    _OTHERS = ("AfterTool", "AfterAgent", "postToolUse", "postToolUseFailure", "stop")
    _CALLS: ClassVar[Any] = (
        ("Bash", {"command": "cd x && pytest -q | tail -3"}, {"stdout": "1 passed in 0.1s", "stderr": ""}),
        ("Bash", {"command": "make test; cargo build 2>&1"}, "error[E0382]: borrow\n1 failed"),
        ("Grep", {"pattern": "Parser"}, "src/a.py:3:class Parser"),
        ("Read", {"file_path": "a.md"}, {"file": {"content": "x"}}),
        ("Edit", {"file_path": "a.py"}, {"structuredPatch": []}),
        ("mcp__x__search", {"q": "x"}, [{"type": "text", "text": '{"results": []}'}]),
        ("WebSearch", {"query": "x"}, {"results": [{"url": "http://x"}]}),
    )
    _KINDS = ("Type", "Key", "Value", "Attribute", "Index", "Recursion", "Unicode", "Overflow", "Assertion", "Memory")

    def throw(self) -> None:
        """Handle an event."""
        dice = self.dice
        tool, given, answer = dice.choice(self._CALLS)
        event = {
            "hook_event_name": dice.choice(self._EVENTS if dice.random() < 0.8 else self._OTHERS),
            "session_id": "s",
            "conversation_id": "s",
            "tool_name": tool,
            "cwd": "/x",
            "tool_input": given,
            "tool_response": answer,
            "tool_output": json.dumps(answer),
            "transcript_path": "nothing.jsonl",
            "last_assistant_message": prose(self),
            "howsure": {"stated": 0.9, "samples": ["x"], "context": ["y"]},
            "feedback": dice.choice(("up", "down", 1, True)),
        }
        event = mutate_often({name: value for name, value in event.items() if dice.random() < 0.9}, dice)
        said = str(handle_event(event, store=self.house.store).get("systemMessage", ""))
        if any(f"{kind}Error: " in said for kind in self._KINDS):
            raise AssertionError(f"{said} {str(event)[:500]}")


class Replies(Door):
    """Replies of judges."""

    name = "judges"
    share = 30
    _BODY: ClassVar[Any] = {
        "model": "m",
        "choices": [{"message": {"content": '{"confidence": 0.8, "reason": "x"}'}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
        "error": {"message": "x", "code": "y"},
    }
    _SCHEMA: ClassVar[Any] = {
        "type": "object",
        "properties": {"confidence": {"type": "number", "minimum": 0, "maximum": 1}, "reason": {"type": "string"}},
        "required": ["confidence"],
    }

    def throw(self) -> None:
        """Read a reply."""
        reader = ReplyReader("http://x", "m", lambda text: text)  # type: ignore[arg-type]
        body = mutate_often(self._BODY, self.dice)
        reader.read_completion(as_json(body, self.dice))
        reader.read_status(self.dice.choice((0, 200, 400, 404, 429, 500, 10**9)), body)
        text = "```json\n" + json.dumps(mutate_often({"confidence": 0.8, "reason": "x"}, self.dice)) + "\n```"
        parse_answer(damage_text(text, self.dice) if self.dice.random() < 0.3 else text, self._SCHEMA)


class Tables(Door):
    """Bulk scoring of records, fusion, and learning."""

    name = "tables"
    share = 4
    _CLAIMS: ClassVar[Any] = [{"id": "a", "statement": "x", "created_at": 1.8e9}, {"id": "b", "statement": "y"}]
    _SOURCES: ClassVar[Any] = [
        {"claim_id": "a", "source_type": "user", "source_id": "u", "contribution": 0.5, "recorded_at": 1.8e9}
    ]
    _RELATIONS: ClassVar[Any] = [{"source": "a", "target": "b", "kind": "supports", "strength": 0.5}]
    _ROWS: ClassVar[Any] = [{"s": number / 40, "y": number % 3 > 0, "g": "ab"[number % 2]} for number in range(40)]
    _fit: Any = None
    _VOTES: ClassVar[Any] = [
        ("i1", "ann", "Bern"),
        ("i1", "bob", "Bern"),
        ("i2", "eve", "Zurich"),
        ("i2", "ann", "Bern"),
    ]

    def throw(self) -> None:
        """Read a table."""
        often = {self._apply: 4, self._fuse: 6}
        one_of(self.dice, {self._score: 1, self._learn: 1, self._factors: 1, self._evaluate: 1, **often})

    def _score(self) -> None:
        tables = [mutate_often(table, self.dice) for table in (self._CLAIMS, self._SOURCES, self._RELATIONS)]
        Bulk().score(tables[0], sources=tables[1], relations=tables[2], engine="arrays", now=1.8e9)

    def _fuse(self) -> None:
        fuse(mutate_often([list(vote) for vote in self._VOTES], self.dice), copies=self.dice.random() < 0.5)

    def _learn(self) -> None:
        learn_scores(mutate_often(self._ROWS, self.dice), score="s", outcome="y", groups=["g"], draws=2)

    def _factors(self) -> None:
        learn_factors(mutate_often(self._ROWS, self.dice), factors={"s": 1.0}, outcome="y", draws=2)

    def _evaluate(self) -> None:
        evaluate(mutate_often(self._ROWS, self.dice), score="s", outcome="y", draws=2)

    def _apply(self) -> None:
        if self._fit is None:
            self._fit = fit_to_json(learn_scores(self._ROWS, score="s", outcome="y", draws=2))
        data = json.loads(as_json(mutate_often(self._fit, self.dice), random.Random(0)))
        fit_from_json(data).estimates([0.1, 0.9, float(self.dice.choice((0, 1, -5, 1e300)))])


class Settings(Door):
    """Files of settings."""

    name = "settings"
    share = 40
    _FILE = (
        b'project = "web"\n[thresholds]\ndefault = 0.5\n[models.noisy_or]\nboost_factor = 0.2\n'
        b'[gate]\npolicy = "nlnh"\n'
    )

    def throw(self) -> None:
        """Read a file."""
        parse_file("howsure.toml", damage(self._FILE, self.dice))


DOORS = (Operations, Models, Texts, Gate, Hooks, Replies, Tables, Settings)
