"""MkDocs hooks that generate the page of each model from the model itself."""

import json
from collections.abc import Sequence
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from howsure.formulas import catalog


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a generated page for every model, and one that lists them."""
    names = [*catalog.formulas(), *catalog.names()[1:]]
    for name in names:
        files.append(File.generated(config, f"models/{name}.md", content=page(catalog.describe(name))))
    files.append(File.generated(config, "models/index.md", content=listing(names)))
    return files


def listing(names: list[str]) -> str:
    """Return the page that lists the models."""
    rows = [(f"[{name}]({name}.md)", catalog.describe(name)["summary"]) for name in names]
    return "# Models\n\nEach model is one source file, from which its page is generated.\n\n" + _table(
        ("Model", "Summary"), rows
    )


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
    return "\n\n".join(parts) + "\n"


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
