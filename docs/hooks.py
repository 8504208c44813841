"""MkDocs hooks that generate pages from the code: models with their equations, commands, the Python API."""

import json
from collections.abc import Sequence
from typing import Any

import equations  # beside this file, where MkDocs looks for modules of hooks
import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from howsure.formulas import catalog

SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the theme loads where a page is opened as a file."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a generated page for every model, and one that lists them."""
    names = [*catalog.formulas(), *catalog.names()[1:]]
    for name in names:
        files.append(File.generated(config, f"models/{name}.md", content=page(catalog.describe(name))))
    files.append(File.generated(config, "models/index.md", content=listing(names)))
    for path, content in reference.pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001 - the signature of MkDocs
    """Take the script for searching without a server from the site itself, so that the search needs no network."""
    return output.replace(SHIM, f"{'../' * page.url.count('/')}assets/iframe-worker.js")


def listing(names: list[str]) -> str:
    """Return the page that lists the models."""
    rows = [(f"[{name}]({name}.md)", catalog.describe(name)["summary"]) for name in names]
    about = (
        "A model computes a score of one kind of thing. Each is one file of plain arithmetic, from which its page "
        "and its equations are generated."
    )
    return f"# Models\n\n{about}\n\n" + _table(("Model", "Summary"), rows)


def page(about: dict[str, Any]) -> str:
    """Return the page of one model, from its description in the catalog."""
    text, _, example = about["about"].partition("\n>>>")
    parameters = [
        (f"`{name}`", f"`{json.dumps(field['default'])}`", field["meaning"])
        for name, field in about["parameters"].items()
    ]
    required = about["input"].get("required", ())
    inputs = [
        (f"`{name}`", "required" if name in required else f"`{json.dumps(field.get('default'))}`", field["description"])
        for name, field in about["input"]["properties"].items()
    ]
    parts = [
        f"# {about['name']}\n\n{text.strip()}\n\nVersion {about['version']}. Reads `{about['reads']}`.",
        f"```pycon\n>>>{example.rstrip()}\n```",
        "## Parameters\n\n" + (_table(("Parameter", "Default", "Meaning"), parameters) if parameters else "None."),
        "## Input\n\n" + _table(("Field", "Default", "Meaning"), inputs),
        "## What goes into the formula\n\n"
        + _table(("Number", "Meaning"), [(f"`{name}`", meaning) for name, meaning in about["row"].items()]),
        "## Steps\n\n"
        + _table(("Step", "Meaning"), [(f"`{name}`", meaning) for name, meaning in about["steps"].items()]),
    ]
    if typeset := equations.equations(catalog.find(about["name"])()):
        note = (
            "Written from the code by running it on symbols. *Italic*: a parameter. "
            "Square brackets with 0 and 1: limited to that range."
        )
        parts.append(f"## Equations\n\n{note}\n\n{typeset}")
    return "\n\n".join(parts) + "\n"


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
