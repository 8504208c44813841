"""A real Spark with worker processes of its own, and a real PostgreSQL with tables in it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.bulk.worlds import World

WORKERS = 2
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java compiles its code once and quickly: tests are over before better code would pay."""


def need_java() -> None:
    """Skip where Spark cannot run; on CI it must."""
    if shutil.which("java") is None and os.environ.get("CI") != "true":
        pytest.skip("Java is not installed: the tests on Spark are left out")


@contextmanager
def spark_session(folder: Path) -> Iterator[Any]:
    """Give a session whose work is done by two worker processes."""
    need_java()
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = shutil.which("python") or "python3"
    builder = SparkSession.builder.appName("tests").master(f"local-cluster[{WORKERS},1,1024]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": QUICK,
        "spark.executor.extraJavaOptions": QUICK,
        "spark.default.parallelism": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(__import__("sys").path),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


def in_postgres(made: World, address: str) -> dict[str, str]:
    """Put a world's tables into PostgreSQL, and return where each is."""
    from howsure.bulk.engines.duckdb_connection import DuckDbConnection
    from howsure.bulk.inputs import parse_input
    from howsure.bulk.outputs import parse_output
    from howsure.progress import silent

    places = {}
    for name in ("claims", "sources", "relations"):
        if not getattr(made, name):
            continue
        duck = DuckDbConnection()
        duck.register(parse_input(getattr(made, name), name))
        places[name] = f"{address}::{name}"
        duck.write(f"SELECT * FROM raw_{name}", parse_output(places[name], replace=True), {}, silent)
        duck.close()
    return places
