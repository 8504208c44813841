"""A command follows from the method that it calls."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, Self

import pytest
import typer
from typer.testing import CliRunner

from howsure.cli import from_operations
from howsure.cli.from_operations import command
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


class Opened:
    things = Things()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    monkeypatch.setattr(from_operations, "opened_store", lambda _: Opened())
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
