"""Doors of files: documents, results of tests, traces, tables, exports and backups."""

import io
import json
from typing import Any

from howsure.agents.traces import parse_traces
from howsure.bulk.api import Bulk
from howsure.datafiles import parse_lines, parse_record, read_records
from howsure.documents.content.facts import FactsReader
from howsure.documents.headers.edit import has_room, header_style, put, read, remove
from howsure.documents.junit import count_tests, read_junit
from howsure.documents.repository.gitignore import is_ignored, parse_ignore_file
from howsure.documents.repository.tree import document_kind
from howsure.fusion.api import fuse
from howsure.serve.operations import operation
from howsure.store.transfer import backup, restore
from howsure.sure import open as open_store
from howsure.text.patterns import load_builtin_pack
from tests.agents import runs
from tests.fuzz.door import Door, House, one_of
from tests.fuzz.mutations import as_json, damage, mutate_often

MARKDOWN = """---
title: The gateway
status: accepted
reviewed: 2024-03-01
expires: 2027-01-01
sources:
  - type: user
    id: ann
    contribution: 0.8
tags: [a, b]
---
<!-- confidence: 0.8 (high), 2024-01-01 -->
# Gateway

It listens on port 8443, see [the docs](docs/a.md#x) and `make test`. It probably works; tested in production.

```sh
make test
```
"""
DOCUMENTS = {
    "a.md": MARKDOWN.encode(),
    "a.py": b'#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""Verified by tests."""\nx = 1  # TODO: not sure\n',
    "a.rst": b".. confidence: 0.5\n\nTitle\n=====\n\nIt is deprecated.\n",
    "a.json": b'{"confidence": {"score": 0.5}, "sources": [{"type": "user", "id": "x"}]}',
    "a.yaml": b"status: draft\nsources:\n- {type: user, id: x}\nnested: {a: [1, 2, {b: c}]}\nwhen: 2024-01-01\n",
    "a.toml": b'title = "x"\n[metadata]\nstatus = "final"\n',
    "a.html": b"<!doctype html>\n<!-- confidence: 0.4 -->\n<p>It is tested.\n",
    "a.sql": b"-- verified\nSELECT 1;\n",
    "a.ts": b"/* confidence */\nexport const x = 1 // it works\n",
    "wide.md": "\ufeff# It is tested\n".encode("utf-16-le"),
}
JUNIT = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "v">]><testsuites><testsuite name="s" tests="2" failures="1">
<testcase classname="tests.test_a" name="t" file="tests/test_a.py" time="0.1"/><testcase classname="b" name="u">
<failure message="m">at &amp; x</failure></testcase><testcase name="v"><skipped/></testcase></testsuite></testsuites>"""
ASSESS = operation("investigations.assess")
FIELDS: dict[str, Any] = {"CONFIDENCE SCORE": "0.68"}
TABLES = {
    "claims.csv": b'id,statement,source,contribution\na,It is so,user:ann,0.5\nb,"It, is\nnot",user:bob,0.9\n',
    "claims.tsv": b"id\tstatement\tsource\tcontribution\na\tIt is so\tuser:ann\t0.5\n",
    "claims.jsonl": b'{"id": "a", "statement": "x", "source": "user:ann", "contribution": 0.5}\n{"id": "b"}\n',
}
VOTES = b"item,source,value\ni1,ann,Bern\ni1,bob,Bern\ni2,ann,Zurich\ni2,eve,Bern\n"


class Documents(Door):
    """Documents of a repository: their text, headers, ignore files and results of tests."""

    name = "documents"
    share = 60

    def __init__(self, house: House, dice: Any) -> None:
        """Load the patterns."""
        super().__init__(house, dice)
        self._reader = FactsReader(load_builtin_pack("default"))

    def throw(self) -> None:
        """Read a file."""
        one_of(self.dice, {self._document: 7, self._junit: 2, self._ignored: 1})

    def _document(self) -> None:
        name = self.dice.choice(list(DOCUMENTS))
        data = damage(DOCUMENTS[name], self.dice)
        kind = document_kind(name) or "content"
        sidecar = damage(DOCUMENTS["a.json"], self.dice) if self.dice.random() < 0.2 else None
        self._reader.read(name, kind, data, sidecar)
        style = header_style(name, in_data=kind == "data")
        if style is not None and has_room(data, style):
            written = put(data, style, {"score": 0.5} if style.kind == "json" else FIELDS)
            if read(written, style) is None:
                raise AssertionError(f"the header is not found in {written!r}")
            if remove(written, style) != remove(data, style):
                raise AssertionError(f"without the header, {data!r} becomes {remove(written, style)!r}")

    def _junit(self) -> None:
        path = self.house.folder / "junit.xml"
        path.write_bytes(damage(JUNIT, self.dice))
        read_junit(path)
        count_tests(path)

    def _ignored(self) -> None:
        rules = parse_ignore_file("", damage(b"*.o\n!a/b\n/x/**/y\n[a-z]?\\ \n#c\n**/d/\n", self.dice))
        is_ignored((rules,), "y", "x/z/y", is_folder=self.dice.random() < 0.5)


class Traces(Door):
    """Transcripts and exports of agents."""

    name = "traces"
    share = 50

    def throw(self) -> None:
        """Read a file."""
        run = mutate_often(self.dice.choice(list(runs.RUNS.values())), self.dice)
        lines = isinstance(run, list) and self.dice.random() < 0.5
        content = b"\n".join(as_json(one, self.dice) for one in run) if lines else as_json(run, self.dice)
        for trace in parse_traces(content, "x"):
            calls = [{"tool": call.tool, "arguments": call.arguments} for call in trace.calls if call.tool]
            ASSESS.call(self.house.sure, ASSESS.decode({"calls": calls[:20], "question": trace.question}))


class Records(Door):
    """Files of records: CSV, JSON Lines, votes."""

    name = "records"
    share = 20

    def throw(self) -> None:
        """Read a file."""
        one_of(self.dice, {self._records: 6, self._lines: 6, self._votes: 1, self._bulk: 1})

    def _records(self) -> None:
        name, content = self.dice.choice(list(TABLES.items()))
        path = self.house.folder / name
        path.write_bytes(damage(content, self.dice))
        for _, record in read_records(path):
            parse_record(record)

    def _lines(self) -> None:
        content = damage(self.dice.choice((TABLES["claims.jsonl"], b'[{"a": 1},\n{"b": [2]}]\n')), self.dice)
        list(parse_lines(io.BytesIO(content)))

    def _votes(self) -> None:
        path = self.house.folder / "votes.csv"
        path.write_bytes(damage(VOTES, self.dice))
        fuse(str(path), copies=False)

    def _bulk(self) -> None:
        name, content = self.dice.choice(list(TABLES.items()))
        path = self.house.folder / f"bulk-{name}"
        path.write_bytes(damage(content, self.dice))
        Bulk().score(str(path), engine="duckdb", now=1.8e9)


class Imports(Door):
    """Exports that are imported, claims that are learned, backups that are restored."""

    name = "imports"
    share = 20

    def __init__(self, house: House, dice: Any) -> None:
        """Write an export and a backup."""
        super().__init__(house, dice)
        small = house.folder / "small"
        small.mkdir()
        other = House(small)
        self._records: list[Any] = list(other.sure.claims.export())
        backup(other.sure.session, small / "backup.jsonl")
        other.close()
        self._backup = [json.loads(line) for line in (small / "backup.jsonl").read_bytes().splitlines()]

    def throw(self) -> None:
        """Import something."""
        one_of(self.dice, {self._import: 5, self._learn: 5, self._restore: 1})

    def _import(self) -> None:
        records = list(self._records)
        place = self.dice.randrange(len(records))
        records[place] = mutate_often(records[place], self.dice)
        self.house.sure.claims.import_(records)

    def _learn(self) -> None:
        claim = {"statement": "x", "source": "a:b", "contribution": 0.5, "tier": "task", "valid_from": 1.0}
        self.house.sure.claims.learn([mutate_often(claim, self.dice) for _ in range(3)])

    def _restore(self) -> None:
        lines = list(self._backup)
        place = self.dice.randrange(len(lines))
        lines[place] = mutate_often(lines[place], self.dice)
        path = self.house.folder / "changed.jsonl"
        path.write_bytes(b"\n".join(as_json(line, self.dice) for line in lines))
        fresh_path = self.house.folder / "fresh.db"
        fresh_path.unlink(missing_ok=True)
        with open_store(str(fresh_path)) as fresh:
            restore(fresh.session, path)


DOORS = (Documents, Traces, Records, Imports)
