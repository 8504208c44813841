"""The door of the command line: commands with the options that they have, and values that mean something to some."""

import contextlib
import io
import os
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import click
import typer.main

from howsure.cli import app
from tests.fuzz.door import Door, House
from tests.fuzz.files import DOCUMENTS, JUNIT, TABLES, VOTES
from tests.fuzz.mutations import as_json, damage, mutate_often, odd, odd_text

LEFT_OUT = ("serve", "mcp", "demo", "doctor", "peer")
"""Commands that run until stopped, start others, or talk to other machines."""
WORDS = ("-", ".", "user:ann", "response", "noisy_or", "s", "y", "0.5")
"""Values that mean something to some commands."""
STDIN = {"statement": "x", "source": "a:b", "text": "It is so.", "results": [{"id": "a", "content": "x"}], "agent": "a"}


@cache
def app_of(name: str) -> typer.Typer:
    """Return the application with a command of the first level, and the options before it."""
    return BUILD([name])


@cache
def command_of(name: str) -> click.Command:
    """Return a command of the first level, with the options before it."""
    return typer.main.get_command(app_of(name))  # type: ignore[return-value]


BUILD = app.build


class Commands(Door):
    """Runs commands in this process."""

    name = "commands"
    share = 12

    def __init__(self, house: House, dice: random.Random) -> None:
        """Go into a folder with some files, and let settings be written there."""
        super().__init__(house, dice)
        self._before = (Path.cwd(), dict(os.environ), app.build)
        folder = house.folder / "a" / "b" / "c" / "d"  # so deep that `..` in a name stays inside
        folder.mkdir(parents=True)
        os.chdir(folder)
        home = {name: str(folder) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        os.environ.update({**home, "HOWSURE_STORE": house.store, "NO_COLOR": "1"})
        self._files: list[str] = []
        for name, content in (DOCUMENTS | TABLES | {"junit.xml": JUNIT, "votes.csv": VOTES}).items():
            (folder / name).write_bytes(content)
            self._files.append(name)

        def build(words: list[str]) -> Any:
            name = next((word for word in words if not word.startswith("-")), "")
            return app_of(name) if name in app.COMMANDS else BUILD(words)

        app.build = build  # type: ignore[assignment]
        self._leaves = [leaf for name in app.COMMANDS if name not in LEFT_OUT for leaf in _leaves(name)]

    def close(self) -> None:
        """Go back."""
        folder, environment, app.build = self._before
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)

    def throw(self) -> None:
        """Run a command."""
        dice = self.dice
        path, command = dice.choice(self._leaves)
        words = list(path)
        for parameter in command.params:
            is_argument = isinstance(parameter, click.Argument)
            if not is_argument and (dice.random() > 0.15 or "--help" in parameter.opts):
                continue
            if is_argument:
                words += [self._value(parameter) for _ in range(dice.choice((1, 1, 1, 1, 0, 2)))]
            elif getattr(parameter, "is_flag", False):
                words.append(dice.choice([*parameter.opts, *parameter.secondary_opts]))
            else:
                words += [dice.choice(parameter.opts), self._value(parameter)]
        self._run([word.replace("\0", "") for word in words])

    def _value(self, parameter: click.Parameter) -> str:
        dice = self.dice
        if isinstance(parameter.type, click.Choice) and dice.random() < 0.7:
            return str(dice.choice(parameter.type.choices))
        known = [*self.house.seeded.values(), *self._files, *WORDS]
        if dice.random() < 0.7:
            return str(dice.choice(known))
        return str(odd(dice))[:200] if dice.random() < 0.5 else odd_text(dice)[:200]

    def _run(self, words: list[str]) -> None:
        if self.dice.random() < 0.3:
            name = self.dice.choice(list(TABLES))
            content = damage(TABLES[name], self.dice)
        else:
            content = as_json(mutate_often(STDIN, self.dice), self.dice)
        errors = io.TextIOWrapper(io.BytesIO(), errors="replace")
        out = io.TextIOWrapper(io.BytesIO(), errors="replace")
        argv, stdin = sys.argv, sys.stdin
        sys.argv, sys.stdin = ["howsure", *words], io.TextIOWrapper(io.BytesIO(content), errors="surrogateescape")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), contextlib.suppress(SystemExit):
                app.run()
        except OSError as error:  # `quick` reports them
            if error.errno is None:
                raise
        finally:
            sys.argv, sys.stdin = argv, stdin
        errors.flush()
        said = errors.buffer.getvalue().decode("utf-8", "replace")
        if "this is a bug" in said or "Traceback" in said:
            raise AssertionError(f"{words} {content[:200]!r}: {said[-600:]}")


def _leaves(name: str) -> list[tuple[list[str], click.Command]]:
    """Return the commands below one of the first level, with the words that name them."""
    top = command_of(name)
    first = top.commands[name] if isinstance(top, click.Group) else top
    found: list[tuple[list[str], click.Command]] = []
    waiting: list[tuple[list[str], click.Command]] = [([name], first)]
    while waiting:
        words, command = waiting.pop()
        if isinstance(command, click.Group):
            waiting += [([*words, under], one) for under, one in command.commands.items()]
        else:
            found.append((words, command))
    return found


DOORS = (Commands,)
