"""A command follows from the method that it calls."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, Self

import pytest
import typer
from typer.testing import CliRunner

from howsure.cli import from_operations
from howsure.cli.from_operations import Reader, command
from howsure.cli.output import renders, writes
from howsure.operation import operation
from howsure.shapes import Count, Doc, Local, Moment, Unit


@dataclass(frozen=True)
class Result:
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Listing:
    names: tuple[str, ...]


@renders(Listing)
def print_listing(result: Listing) -> None:
    typer.echo(" ".join(("names:", *result.names)))


@writes(Listing)
def lines_of_listing(result: Listing) -> list[dict[str, str]]:
    return [{"name": name} for name in result.names]


def exit_code_of_listing(result: Listing) -> int:
    return 0 if result.names else 1


class Things:
    @operation("POST /v1/things", scope="write")
    def add(
        self,
        text: str,
        *,
        share: Annotated[Unit, Doc("How much; default: 0.5.")] = 0.5,
        count: Count | None = None,
        tiers: tuple[Literal["low", "high"], ...] = (),
        fades: Moment | Literal["never"] | None = None,
        loud: bool = False,
        object: str | None = None,  # noqa: A002
        more: dict[str, Any] | None = None,
        now: Annotated[float | None, Local()] = None,
    ) -> Result:
        """Add a thing.

        Args:
            text: What it says.
        """
        given = {k: v for k, v in locals().items() if k not in ("self", "now") and v not in (None, ())}
        return Result(given)

    @operation("GET /v1/things", scope="read")
    def names(self, *, limit: Count = 2) -> Listing:
        """List names."""
        return Listing(("a", "b", "c")[:limit])

    def count(
        self,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        task_id: str | None = None,
        words: tuple[str, ...] = (),
        quiet: Annotated[bool, Local()] = False,
    ) -> Result:
        """Return how many there are.

        Args:
            task_id: Only this task; see `words`.
            words: Only with these words.
            quiet: Without noise.
        """
        return Result({"since": since, "until": until, "task_id": task_id, "words": words, "quiet": quiet})


class Session:
    def at(self, moment: float | None) -> float:
        return 1e6 if moment is None else moment


class Opened:
    things = Things()
    session = Session()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    monkeypatch.setattr(from_operations, "open_store", lambda _, **_options: Opened())
    return from_operations.group(
        "things",
        "Things.",
        {
            "add": partial(command, "things", Things.add, example="things add x"),
            "names": partial(command, "things", Things.names, exit_code=exit_code_of_listing),
        },
    )


def run(app: typer.Typer, *words: str) -> Any:
    return CliRunner().invoke(app, words)


def test_values_are_read_by_the_types_of_the_parameters(app: typer.Typer) -> None:
    words = ["add", "x", "--share", "0.25", "--count", "3", "--tier", "low", "--tier", "high", "--fades", "1970-01-02"]
    words += ["--loud", "--object", "o", "--more", '{"a": 1}', "--json"]
    done = run(app, *words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["arguments"] == {
        "text": "x",
        "share": 0.25,
        "count": 3,
        "tiers": ["low", "high"],
        "fades": 86400.0,
        "loud": True,
        "object": "o",
        "more": {"a": 1},
    }
    assert json.loads(run(app, "add", "x", "--fades", "never", "--json").output)["arguments"]["fades"] == "never"


def test_help_comes_from_the_docstring_and_the_types(app: typer.Typer) -> None:
    text = run(app, "add", "--help").output
    for words in (
        "Add a thing.",
        "What it says.",
        "How much; default: 0.5.",
        "--tier",
        "low|high",
        "TIME",
        "--json",
        "--store",
    ):
        assert words in text
    assert "--now" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--share", "2"], "share: 2.0 is not between 0 and 1"),
        (["--share", "much"], "share: 'much' is not a number"),
        (["--tier", "lo"], "tiers[0]: 'lo' is not one of low, high (did you mean low?)"),
        (["--more", "{"], "more: not JSON"),
        (["--fades", "soon"], "fades: 'soon' is"),
    ],
)
def test_wrong_values_are_named(app: typer.Typer, words: list[str], message: str) -> None:
    done = run(app, "add", "x", *words)
    assert message in str(done.exception)


def test_results_are_shown_by_their_renderer(app: typer.Typer) -> None:
    assert run(app, "names").output == "names: a b\n"
    assert run(app, "names", "--json").output == '{"name":"a"}\n{"name":"b"}\n'
    assert run(app, "names", "--limit", "0").exit_code == 1
    assert "arguments" in run(app, "add", "x").output


COUNT = partial(
    command,
    "things",
    Things.count,
    window="7d",
    local=("quiet",),
    readers={"words": Reader(lambda text, _: text.upper().split(), "WORDS", "Words.")},
    defaults=lambda given: {} if "words" in given else {"words": ["none"]},
    confirm=lambda _, given: "" if given.get("quiet") else f"Count since {given['since']:g}?",
)


def counted(monkeypatch: pytest.MonkeyPatch, *words: str, answer: str = "") -> Any:
    monkeypatch.setattr(from_operations, "open_store", lambda _, **_options: Opened())
    app = from_operations.group("things", "Things.", {"count": COUNT, "add": partial(command, "things", Things.add)})
    return CliRunner().invoke(app, ["count", *words, "--json"], input=answer)


def test_a_window_is_given_by_its_length_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    done = json.loads(counted(monkeypatch, "--last", "1d", "--now", "1970-01-03", "--yes").output)["arguments"]
    assert (done["since"], done["until"]) == (86400.0, 2 * 86400.0)
    done = json.loads(counted(monkeypatch, "--yes").output)["arguments"]
    assert (done["since"], done["until"]) == (1e6 - 7 * 86400, 1e6)
    assert "last: invalid duration 'soon'" in str(counted(monkeypatch, "--last", "soon").exception)


def test_readers_defaults_and_local_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    done = json.loads(counted(monkeypatch, "--words", "a b", "--task", "t", "--quiet").output)["arguments"]
    assert (done["words"], done["task_id"], done["quiet"]) == (["A", "B"], "t", True)
    assert json.loads(counted(monkeypatch, "--yes").output)["arguments"]["words"] == ["none"]
    assert "see --words" in counted(monkeypatch, "--help").output


def test_a_question_is_asked_unless_it_is_answered_before(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(monkeypatch, answer="n\n")
    assert (asked.exit_code, "Count since 395200?" in asked.output) == (1, True)
    assert "arguments" in counted(monkeypatch, answer="y\n").output
    for words in (["--yes"], ["--quiet"]):
        assert "Count" not in counted(monkeypatch, *words).output


def test_only_the_called_command_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def names(*words: str, default: str = "") -> list[str | None]:
        monkeypatch.setattr("sys.argv", ["howsure", *words])
        built = {"add": partial(command, "things", Things.add), "count": COUNT}
        return [one.name for one in from_operations.group("things", "", built, default=default).registered_commands]

    assert names("things", "add", "x") == ["add"]
    assert names("things", "--help") == names("things", "ad") == names("--help") == ["add", "count"]
    assert names("things", "x", default="add") == ["add"]


def test_the_default_command_need_not_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_operations, "open_store", lambda _, **_options: Opened())
    built = {"add": partial(command, "things", Things.add), "names": partial(command, "things", Things.names)}
    app = from_operations.group("things", "Things.", built, default="add")
    assert json.loads(run(app, "x", "--json").output)["arguments"]["text"] == "x"
    assert run(app, "names", "--json").output.count("name") == 2
    assert "Commands" in run(app, "--help").output
