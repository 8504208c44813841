"""Search among vectors by pgvector, on a real PostgreSQL, compared with the exact search."""

from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from howsure.claims.nearest import NearestClaims
from howsure.errors import StoreError
from howsure.store.check import check
from howsure.store.claim_tables import vector_index as module
from howsure.store.claim_tables import vectors
from howsure.store.claim_tables.vector_index import build_index, describe_search, is_indexed, search_index
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.reader.word_embedder import WordEmbedder

COUNT, WIDTH = 400, 24
LABEL = "e 1"


@pytest.fixture
def schema(postgres_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the address of an empty schema whose vectors are indexed from 100 on."""
    monkeypatch.setattr(module, "MIN_VECTORS", 100)
    monkeypatch.setattr(module, "_FEW", 30)
    monkeypatch.setattr(module, "_BATCH", 64)
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA by_index")
        yield f"{postgres_address}&options=-c%20search_path%3Dby_index"
        connection.execute("DROP SCHEMA by_index CASCADE")


def random_vectors(count: int) -> NDArray[np.float16]:
    rows = np.random.default_rng(5).normal(size=(count, WIDTH))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float16)


def fill(sure: Sure, count: int = COUNT) -> NDArray[np.float16]:
    """Add claims with vectors: one of 40 in the namespace a/rare, the others in a/common."""
    rows = random_vectors(count)
    records = [
        {"statement": f"Claim {n}", "source": "user:ann", "namespace": "a/common" if n % 40 else "a/rare"}
        for n in range(count)
    ]
    assert sure.claims.learn(records).created == count
    with sure.session.write() as transaction:
        vectors.insert(transaction, LABEL, [(place + 1, row.tobytes()) for place, row in enumerate(rows)])
    return rows


def test_the_index_finds_what_the_exact_search_finds(schema: str) -> None:
    with open_store(schema) as sure:
        fill(sure)
        exact, by_index = NearestClaims(LABEL), NearestClaims(LABEL)
        asked = random_vectors(COUNT + 20)[COUNT:].astype(np.float32)
        asked /= np.linalg.norm(asked, axis=1, keepdims=True)
        patterns = (None, "a/common", "a/rare", "a/*", "none")
        with sure.session.database.read() as transaction:
            wanted = {name: [exact.search(transaction, one, 10, name) for one in asked] for name in patterns}
            each = exact.search_each(transaction, asked[:2], ["a/rare", "a/common"], 4)
            assert search_index(transaction, LABEL, asked[0].tolist(), 10) is None
            assert "400 vectors by e 1 are searched in memory" in describe_search(transaction)
            assert "howsure store embed makes an index" in describe_search(transaction)
        said: list[int] = []
        build_index(sure.session.database, LABEL, lambda _, done, __: said.append(done))
        assert said[-1] == COUNT
        with sure.session.database.read() as transaction:
            assert is_indexed(transaction, LABEL)
            assert not is_indexed(transaction, "e 2")
            assert "400 vectors by e 1 are searched by pgvector" in describe_search(transaction)
            for name in patterns:
                found = [by_index.search(transaction, one, 10, name) for one in asked]
                hits = 0
                for some, true in zip(found, wanted[name], strict=True):
                    cosines = [near.cosine for near in some]
                    assert cosines == sorted(cosines, reverse=True)
                    known = {near.claim: near.cosine for near in true}
                    shared = {near.claim: near.cosine for near in some if near.claim in known}
                    assert shared == pytest.approx({claim: known[claim] for claim in shared}, abs=1e-6)
                    hits += len(shared)
                # pgvector chooses the levels of its graph by chance; a rare namespace is compared one by one.
                assert hits >= (1.0 if name in {"a/rare", "none"} else 0.95) * sum(map(len, wanted[name]))
            again = by_index.search_each(transaction, asked[:2], ["a/rare", "a/common"], 4)
            assert [[one.claim for one in some] for some in again] == [[one.claim for one in some] for some in each]
            assert by_index.count(transaction) == exact.count(transaction) == COUNT
            # The planner is free again after a search.
            assert transaction.value("SHOW enable_seqscan") == "on"
        assert check(sure.session) == []


def test_the_index_follows_claims_that_are_added_forgotten_and_purged(schema: str) -> None:
    with open_store(schema) as sure:
        rows = fill(sure)
        build_index(sure.session.database, LABEL)
        search = NearestClaims(LABEL)
        ids = [claim.id for claim in sure.claims.find("Claim 7", limit=500).claims if claim.statement == "Claim 7"]
        new = sure.claims.add("A new one", source="user:ann", namespace="b")
        aim = rows[7].astype(np.float32)

        def nearest() -> tuple[list[int], int]:
            with sure.session.database.read() as transaction:
                found = search.search(transaction, aim, 2)
                return [one.claim for one in found if one.cosine > 0.999], search.count(transaction)

        assert nearest() == ([8], COUNT)
        with sure.session.write() as transaction:
            vectors.insert(transaction, LABEL, [(COUNT + 1, rows[7].tobytes()), (8, rows[0].tobytes())])
        assert nearest() == ([8, COUNT + 1], COUNT + 1)
        sure.claims.forget(new.id)
        assert nearest()[0] == [8]
        sure.claims.purge(ids[0])
        assert nearest()[0] == []
        with sure.session.write() as transaction:
            assert transaction.value("SELECT COUNT(*) FROM claim_vector_index") == COUNT
            transaction.run("DELETE FROM claim_vector_index WHERE claim = 3")
        assert check(sure.session) == ["1 vectors are not in the index of pgvector (howsure store embed adds them)"]
        build_index(sure.session.database, LABEL)
        assert check(sure.session) == []
        with sure.session.write() as transaction:
            vectors.delete_others(transaction, "another")
            assert not is_indexed(transaction, LABEL)
        assert nearest() == ([], 0)


def test_an_index_that_was_interrupted_is_completed(schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(schema) as sure:
        fill(sure)

        def stop(what: str, done: int, total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            build_index(sure.session.database, LABEL, stop)
        with sure.session.write() as transaction:
            assert not is_indexed(transaction, LABEL)
            assert 0 < transaction.value("SELECT COUNT(*) FROM claim_vector_index") < COUNT
            # What CREATE INDEX CONCURRENTLY leaves if it is killed.
            transaction.run("CREATE INDEX claim_vector_index_hnsw ON claim_vector_index (claim)")
            transaction.run(
                "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'claim_vector_index_hnsw'::regclass"
            )
        assert check(sure.session) == []
        monkeypatch.setattr(module, "MIN_VECTORS", 10 * COUNT)  # one that was begun is completed all the same
        build_index(sure.session.database, LABEL)
        with sure.session.database.read() as transaction:
            assert is_indexed(transaction, LABEL)


def test_another_embedder_takes_the_place_of_the_first(schema: str) -> None:
    with open_store(schema, embedder=WordEmbedder()) as sure:
        fill(sure)
        build_index(sure.session.database, LABEL)
        report = sure.claims.embed()
        assert "400 vectors by e 1 are searched in memory" in report.search
        assert "400 vectors by words-for-tests 1 are searched by pgvector" in report.search
        page = sure.claims.find("claim 11", meaning=True, limit=1)
        assert (page.claims[0].statement, page.missing) == ("Claim 11", 0)


def test_a_store_whose_user_may_not_create_the_extension_is_searched_in_memory(
    postgres_address: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("CREATE DATABASE without_vector")
        connection.execute("CREATE ROLE plain LOGIN")
        try:
            plain = postgres_address.replace("/postgres?", "/without_vector?").replace("postgres:@", "plain:@")
            with psycopg.connect(postgres_address.replace("/postgres?", "/without_vector?"), autocommit=True) as other:
                other.execute("CREATE SCHEMA plain AUTHORIZATION plain")
            with open_store(f"{plain}&options={quote('-c search_path=plain')}", embedder=WordEmbedder()) as sure:
                fill(sure)
                report = sure.claims.embed()
                assert "words-for-tests 1 are searched in memory" in report.search
                assert "the user of the store may not create the extension pgvector: permission denied" in report.search
                assert sure.claims.find("claim 11", meaning=True, limit=1).claims[0].statement == "Claim 11"
                monkeypatch.setattr(module, "OLDEST", (99, 0))
                with pytest.raises(StoreError, match="is too old: ask an administrator to install pgvector"):
                    build_index(sure.session.database, LABEL)
                with sure.session.database.read() as transaction:
                    assert "CREATE EXTENSION vector" in describe_search(transaction)
        finally:
            connection.execute("DROP DATABASE without_vector WITH (FORCE)")
            connection.execute("DROP ROLE plain")
