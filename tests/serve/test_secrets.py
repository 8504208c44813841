"""Keys and passwords in any field: they are in no error, log, event or decision that leaves."""

import logging
from typing import Any
from urllib.parse import quote

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

from howsure.serve.mcp.transports import http_mounts
from howsure.sure import Sure
from tests.serve.serving import serving

SECRETS = {
    "sk-proj-Qw3rTyUiOpAs": "Qw3rTyUi",
    "AKIAQWERTYUIOPASDF12": "QWERTYUIOP",
    "ghp_Qw3rTyUiOpAsDfGh": "Qw3rTyUi",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiJ4.QwErTyUi": "eyJzdWIiOiJ4",
    "Bearer QwErTyUiOp1234": "QwErTyUi",
    "password=hunter2Qwerty": "hunter2",
    "https://ann:S3cretPw9@db.example": "S3cretPw9",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----": "MIIEvQ",
}


def test_no_secret_leaves(store: Sure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setattr("opentelemetry._logs._internal._LOGGER_PROVIDER", provider)
    caplog.set_level(logging.DEBUG, "howsure")
    said: list[str] = []
    with serving(store, mounts=http_mounts) as client:
        for secret in SECRETS:
            names: dict[str, Any] = dict.fromkeys(
                ("agent", "agent_type", "project", "task_id", "trace_id"), f"mine {secret}"
            )
            store.responses.check(f"Log in with {secret}.", **names)
            result = {"id": f"docs {secret}", "content": "Surely so.", "confidence": 0.9}
            store.syntheses.combine("Is it so?", [result, {"id": "b", "content": "Surely not.", "confidence": 0.9}])
            store.documents.record_event("p", "docs/a.md", "confirm", note=secret)
            said += [
                client.get(f"/v1/claims/{quote(secret, safe='')}").text,
                client.post("/v1/claims", json={secret: 1}).text,
                client.post("/v1/claims", json={"statement": "x", "source": "a:b", "tier": secret}).text,
            ]
            call = {"name": "remember_claim", "arguments": {"statement": "x", "source": "a:b", "tier": secret}}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            said.append(client.post("/mcp", json=message, headers={"Accept": "application/json"}).text)
    said += [str(record.log_record.attributes) for record in exporter.get_finished_logs()]
    assert len(exporter.get_finished_logs()) >= len(SECRETS)
    said += [record.getMessage() for record in caplog.records if record.name.startswith("howsure")]
    assert any("[redacted]" in line for line in said)
    with store.session.database.read() as transaction:
        stored = "SELECT agent, agent_type, project, task_id, content, detail FROM decisions"
        said += [str(row) for row in transaction.rows(stored)]
        said += [str(row) for row in transaction.rows("SELECT note FROM document_events")]
    for line in said:
        assert not [secret for secret, core in SECRETS.items() if core in line], line
