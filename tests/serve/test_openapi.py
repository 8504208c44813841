"""The description of the API: complete, valid, and true. schemathesis compares it with what the server does."""

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from howsure.serve.errors import CODES
from howsure.serve.openapi import EXAMPLES, TAGS, _class_name, describe_api, operation_id
from howsure.serve.operations import OPERATIONS, Operation
from howsure.shapes.encode import json_properties
from howsure.shapes.node import Object, hints, node
from howsure.sure import open as open_store
from tests.conftest import ROOT
from tests.serve.serving import Client, serving

LONG_EXAMPLES = os.environ.get("HOWSURE_SCHEMATHESIS", "50")
"""Random requests for each operation, and random sequences of requests, in the long test."""
CONFIGURATION = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "404", "422"]
"""
"""What is as described may still name nothing that is there, or say something that cannot be: 404 and 422 tell that.
What is not as described gets 400, and schemathesis holds the server to it."""


def test_every_operation_is_described(shared: Client) -> None:
    found = shared.get("/openapi.json").json()
    assert found == json.loads(json.dumps(describe_api()))
    described = {path_item["operationId"] for path in found["paths"].values() for path_item in path.values()}
    assert described == {operation_id(one) for one in OPERATIONS} | {"server_health", "server_ready", "server_metrics"}
    tags = {tag for path in found["paths"].values() for item in path.values() for tag in item["tags"]}
    assert tags == set(TAGS) == {tag["name"] for tag in found["tags"]}
    for path in found["paths"].values():
        for item in path.values():
            assert item["summary"]
            assert item["responses"]["200"]


def test_examples_fit_what_they_are_examples_of() -> None:
    components = describe_api()["components"]

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            if "schema" in part and "example" in part:
                jsonschema.validate(part["example"], part["schema"] | {"components": components})
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(describe_api()["paths"])
    for path in describe_api()["paths"].values():
        body = path.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        assert body is None or "example" in body


def test_every_result_has_a_valid_example() -> None:
    assert set(EXAMPLES) == {one.name for one in OPERATIONS}
    for one in OPERATIONS:
        jsonschema.validate(EXAMPLES[one.name], one.output_schema)
        (content,) = describe_api()["paths"][one.path][one.method.lower()]["responses"]["200"]["content"].values()
        assert content["example"] == EXAMPLES[one.name]


def test_every_result_and_body_is_a_named_component() -> None:
    schemas = describe_api()["components"]["schemas"]
    used: set[str] = set()

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            reference = str(part.get("$ref", ""))
            if reference.startswith("#/components/schemas/"):
                used.add(reference.rpartition("/")[2])
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(describe_api())
    assert used == set(schemas)
    for one in OPERATIONS:
        described = describe_api()["paths"][one.path][one.method.lower()]
        (result,) = described["responses"]["200"]["content"].values()
        assert "$ref" in result["schema"], one.name
        assert one.method != "POST" or "$ref" in described["requestBody"]["content"]["application/json"]["schema"]


_GENERIC = """
    Action Added Addition Advice Agreement Answer Bin Body Change Code Conflict Count Coverage Data Day Detail
    Entry Event Explanation Factor Filter Findings Group History Input Item Kind Lift List Marker Model Name
    Options Origin Output Page Parameters Record Reflection Report Request Response Result Row Rules Spec State
    Statement Statistics Status Step Summary Threshold Type Value
"""
"""Names that say nothing without their module. A client has all classes in one place."""


def test_names_of_components_and_operations_suit_generated_clients() -> None:
    for name in describe_api()["components"]["schemas"]:
        assert re.fullmatch(r"([A-Z][a-z]+)+", name), name
        assert name not in _GENERIC.split(), f"rename the class {name} after its thing, like Claim{name}"
    for path in describe_api()["paths"].values():
        for item in path.values():
            (tag,) = item["tags"]
            assert re.fullmatch(rf"{tag}(_[a-z]+)+", item["operationId"])


def _nested(part: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema inside a part of the document, with its path."""
    if isinstance(part, list):
        for index, value in enumerate(part):
            yield from _nested(value, f"{path}/{index}")
    elif isinstance(part, dict):
        yield path, part
        for key, value in part.items():
            if key == "properties":
                for name, field in value.items():
                    yield from _nested(field, f"{path}/{name}")
            elif key not in ("example", "examples", "default"):
                yield from _nested(value, f"{path}/{key}")


def test_no_object_or_choice_is_written_twice() -> None:
    """Client generators make a class of each object and choice, named after the place where it is written."""
    choices: dict[tuple[str, ...], str] = {}
    schemas = describe_api()["components"]["schemas"]
    named = {f"/schemas/{name}" for name in schemas}
    own_fields = [f"{name}/allOf/{len(schema['allOf']) - 1}" for name, schema in schemas.items() if "allOf" in schema]
    named |= {f"/schemas/{path}" for path in own_fields}
    places = [*_nested(describe_api()["paths"], "/paths")]
    places += [place for name, schema in schemas.items() for place in _nested(schema, f"/schemas/{name}")]
    assert len(places) > 1000
    for path, part in places:
        assert path in named or "properties" not in part, f"{path} is an object without a name"
        assert not {"allOf", "properties"} <= set(part), f"{path}: generators would leave out the properties"
        if "enum" in part:
            first = choices.setdefault(tuple(part["enum"]), path)
            assert first == path, f"the same choice is at {path} and {first}: name it in howsure.serve.openapi.CHOICES"


def test_two_classes_never_share_the_name_of_a_component() -> None:
    owners: dict[str, set[Any]] = {}
    for one in OPERATIONS:
        if isinstance(one, Operation):
            _collect_classes(node(one.result), owners)
    assert {name: types for name, types in owners.items() if len(types) > 1} == {}
    described = {_class_name(one, kind) for one in OPERATIONS for kind in ("Request", "Result")}
    assert not described & set(owners)


def _collect_classes(part: Any, owners: dict[str, set[Any]]) -> None:
    """Add each class inside a described type to `owners`, by its name."""
    if not isinstance(part, Object):
        for value in part if isinstance(part, tuple) else ():
            _collect_classes(value, owners)
        return
    same_name = owners.setdefault(part.type.__name__, set())
    if part.type in same_name:
        return
    same_name.add(part.type)
    for field in part.fields.values():
        _collect_classes(field.node, owners)
    for name in json_properties(part.type):
        getter: Any = inspect.getattr_static(part.type, name)
        _collect_classes(node(hints(getattr(getter, "fget", None) or getter.func)["return"]), owners)


def test_every_code_says_its_status_and_every_status_is_described() -> None:
    statuses = {int(found) for about in CODES.values() for found in re.findall(r"\b\d{3}\b", about.partition(":")[0])}
    described = {int(name[1:]) for name in describe_api()["components"]["responses"]}
    assert statuses - {405} == described


ONE_BY_ONE = [
    ("ClaimsAddManyRequest", "claims", "ClaimRecord"),
    ("ClaimsLearnRequest", "records", "ClaimRecord"),
    ("LedgerOutcomesRequest", "outcomes", "OutcomeInput"),
]
"""Lists whose items are decoded one by one: a wrong one is a failure in the result, and the request succeeds."""


def _finds_nothing(address: str, folder: Path, *options: str) -> None:
    """Let schemathesis look for anything that is not as it is described."""
    told = json.loads(json.dumps(describe_api()))
    for path in told["paths"].values():
        for item in path.values():  # one key for many requests would keep most of them from being done
            item["parameters"] = [one for one in item.get("parameters", []) if one["in"] != "header"]
    for request, field, _ in ONE_BY_ONE:
        told["components"]["schemas"][request]["properties"][field]["items"] = {}
    (folder / "openapi.json").write_text(json.dumps(told))
    (folder / "schemathesis.toml").write_text(CONFIGURATION)
    with open_store(address) as sure, serving(sure) as client:
        command = [sys.executable, "-m", "schemathesis.cli", "--no-color", "run", "openapi.json", "-c", "all"]
        command += ["--url", str(client.base_url).rstrip("/"), "--generation-database", "none", *options]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    assert re.search(r"\d{3,} generated, \d{3,} passed", done.stdout), done.stdout[-2000:]


def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    options = ("--phases", "examples,coverage", "--seed", "1")
    _finds_nothing(str(tmp_path / "web.db"), tmp_path, *options)


@pytest.mark.soak
def test_schemathesis_finds_nothing_in_much_longer(address: str, tmp_path: Path) -> None:
    _finds_nothing(address, tmp_path, "--max-examples", LONG_EXAMPLES)


def test_the_docs_list_every_operation_and_error_code() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for one in OPERATIONS:
        row = re.search(rf"^\| `{one.method} {re.escape(one.path)}` \| (.+) \| (\w+) \|$", page, re.MULTILINE)
        assert row, one.name
        assert row[2] == one.scope
        assert row[1].lower() == one.summary.lower()
    for code, about in CODES.items():
        status, _, meaning = about.partition(": ")
        assert f"| {status} | `{code}` | {meaning} |" in page


@pytest.mark.parametrize(("request_name", "field", "item"), ONE_BY_ONE)
def test_items_that_are_decoded_one_by_one_have_a_named_schema(request_name: str, field: str, item: str) -> None:
    schemas = describe_api()["components"]["schemas"]
    assert schemas[request_name]["properties"][field]["items"] == {"$ref": f"#/components/schemas/{item}"}
    assert schemas[item]["properties"]
