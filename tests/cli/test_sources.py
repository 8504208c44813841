"""The commands `howsure sources`."""

import json

from tests.conftest import Run
from tests.sources.world import records


def test_sources_are_learned_listed_and_shown(howsure: Run, tmp_path: object) -> None:
    store = f"--store={tmp_path}/s.db"
    empty = howsure("sources", "list", store)
    assert (empty.returncode, b"No claim has a source yet" in empty.stdout) == (0, True)
    assert howsure("sources", "fit", store).returncode == 2
    lines = "\n".join(json.dumps(record) for record in records(items=20, ring=3))
    assert howsure("claim", "learn", "-", store, stdin=lines.encode()).returncode == 0
    learned = howsure("sources", "fit", store)
    assert learned.returncode == 0, learned.stderr
    assert b"18 sources" in learned.stdout
    listed = [json.loads(line) for line in howsure("sources", "list", store, "--json").stdout.splitlines()]
    assert {one["source_id"] for one in listed} >= {"good0", "bad0", "ring0"}
    table = howsure("sources", "list", "agent:good0", "agent:nobody", store)
    assert b"agent:nobody (unknown)" in table.stdout
    shown = howsure("sources", "show", "agent:bad0", store)
    assert b"wrong or less likely than not" in shown.stdout
    assert howsure("sources", "show", "agent:nobody", store).returncode == 2
    assert b"source" in howsure("fits", "list", store).stdout
    assert howsure("fits", "rollback", "source", store).returncode == 0


def test_a_claim_is_refuted(howsure: Run, tmp_path: object) -> None:
    store = f"--store={tmp_path}/s.db"
    added = json.loads(howsure("claim", "add", "It rains", "--source", "agent:a", store, "--json").stdout)
    refuted = howsure("claim", "refute", added["id"], "--source", "user_input:ann", "--note", "dry", store)
    assert (refuted.returncode, b"is deprecated" in refuted.stdout) == (0, True)
    assert howsure("claim", "refute", added["id"], "--source", "user_input:ann", store).returncode == 2
