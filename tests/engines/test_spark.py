"""Scores on Spark: a real cluster of three processes, of which one is killed; Sail without Java."""

from __future__ import annotations

import os
import signal
import threading
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.engines import job as jobs
from neurallog_kernel.engines.best import best
from neurallog_kernel.engines.spark import SparkRunner
from neurallog_kernel.engines.spark_connection import SparkConnection, plainly
from tests.engines.clusters import (
    Cluster,
    ConnectServer,
    SailServer,
    needs_java,
    spark_session,
)
from tests.engines.compare import scored
from tests.programs import Drawn
from tests.programs import program as drawn

pytest.importorskip("pyspark", reason="the extra cluster, which brings Spark, is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of PySpark, about pandas and open sockets

RULES = """
likes(X, Y) :- rated(X, Z), similar(Z, Y).
likes(X, Y) :- rated(X, Y), good(Y).
share(X, Y) :- rated(X, Y), good(Y), softmax(Y).
fond(X) :- rated(X, Y), sigmoid(Y), good(Y).
set_predicate_parameter("either/2", literal_combining_function, "top_2").
either(X, Y) :- rated(X, Y). either(X, Y) :- rated(X, Z), similar(Z, Y), tanh(Y).
either(X, Y) :- good(Y), rated(X, Z). unlike(X, Y) :- rated(X, Y), not good(Y).
"""


def program(users: int = 40, items: int = 20) -> Session:
    draw = np.random.default_rng(7)
    facts = [
        f"0.{n % 9 + 1}::rated(u{u}, i{i})."
        for n, (u, i) in enumerate(_pairs(draw, users, items, 150))
    ]
    facts += [
        f"0.{n % 7 + 1}::similar(i{a}, i{b})."
        for n, (a, b) in enumerate(_pairs(draw, items, items, 60))
    ]
    facts += [f"0.{i % 8 + 1}::good(i{i})." for i in range(0, items, 3)]
    session = Session()
    session.add("\n".join(facts), source="facts")
    session.add(RULES, source="rules")
    return session


def _pairs(draw: np.random.Generator, first: int, second: int, count: int) -> list[tuple[int, int]]:
    return sorted({(int(draw.integers(first)), int(draw.integers(second))) for _ in range(count)})


def same(rows: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    keys = [[{**row, "weight": None} for row in some] for some in (rows, expected)]
    weights = [[row["weight"] for row in some] for some in (rows, expected)]
    return keys[0] == keys[1] and weights[0] == pytest.approx(weights[1], rel=1e-9, abs=1e-9)


def read(folder: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as parquet

    files = sorted(folder.glob("*.parquet"))
    rows = [row for one in files for row in parquet.read_table(one).to_pylist()]
    return sorted(rows, key=lambda row: (row["asked"], row["rank"]))


# -- a cluster ------------------------------------------------------------------------------------


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    needs_java()
    made = Cluster(tmp_path)
    try:
        yield made
    finally:
        made.kill()


@pytest.fixture
def spark(cluster: Cluster) -> Iterator[Any]:
    with spark_session(cluster.address, cluster.folder) as made:
        yield made


def test_a_worker_is_killed_in_the_midst_of_a_score(
    cluster: Cluster, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, plain = program(), program()
    assert session.connect(cluster.address) == cluster.address  # takes the session that is open
    interrupted(spark, session)
    views = views_of_a_user(spark, session.score("either/2", top=3))
    for predicate, few in (("either/2", 10_000), ("fond/1", 10_000), ("either/2", 0)):
        monkeypatch.setattr("neurallog_kernel.engines.spark._FEW", few)  # rows that are sent back
        rows = session.score(predicate, top=3).to_arrow().to_pylist()
        assert same(rows, plain.score(predicate, top=3).to_arrow().to_pylist()), predicate
    attached(cluster.address, tmp_path, ["likes/2"])
    job = session.score("likes/2", top=5)
    assert isinstance(job.runner, SparkRunner)
    assert job.estimate() == plain.score("likes/2", top=5).estimate()
    killed = []

    def kill_one(state: jobs.ScoreProgress) -> None:
        if state.done == 1 and not killed:
            cluster.workers[0].kill()
            killed.append(state.done)

    done = job.to_parquet(tmp_path / "likes", parts=3, progress=kill_one)
    expected = plain.score("likes/2", top=5).to_arrow().to_pylist()
    assert (killed, done.rows, done.missing) == ([1], len(expected), ())
    assert same(read(tmp_path / "likes"), expected)
    for view in views:
        assert spark.table(view).collect() == [("mine",)], view


def interrupted(spark: Any, session: Session) -> None:
    """A real interrupt in the midst of a statement without end: the job is stopped."""
    endless = "SELECT id % 7 AS a, id % 3 AS b FROM range(1000000000000000)"
    spark.sql(endless).createTempView("endless")
    running = spark.sparkContext.statusTracker().getActiveJobsIds

    def interrupt() -> None:
        while not running():
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        session.attach("endless", "p(a, b)", unique=True)
    sender.join()
    while running():  # it is told to stop
        time.sleep(0.1)


def views_of_a_user(spark: Any, job: jobs.Job) -> list[str]:
    """A view for each part of the statement that Spark is to keep, called like it."""
    found = best(job.runner, job.asked)
    with job.runner.kept(found.statement, found.roots, False) as kept:
        names = list(kept)
        for view in kept.values():  # plans of plans would grow without end
            plan = str(spark.table(view)._jdf.queryExecution().analyzed().toString())
            assert "Join" not in plan and "Aggregate" not in plan, plan
    for name in names:
        spark.sql("SELECT 'mine' AS q").createTempView(name)
    assert names
    return names


# -- Spark Connect --------------------------------------------------------------------------------

BESIDE = "0.25::rated(u1, i5). rated(nobody, i5). good(i5). 0.3::good(i2)."


def stored(folder: Path) -> tuple[str, Session]:
    """A Parquet file of ratings, and a session that holds the same facts and more."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    rows = {(f"u{n % 7}", f"i{n * 5 % 11}"): (n % 9 + 1) / 9 for n in range(36)}
    table = arrow.table(
        {
            "who": [*(who for who, _ in rows), None],
            "what": [*(what for _, what in rows), "i1"],
            "stars": [*rows.values(), 0.5],
        }
    )
    parquet.write_table(table, folder / "it's.parquet")
    plain = Session()
    plain.add(" ".join(f"{w!r}::rated({a}, {b})." for (a, b), w in rows.items()), source="facts")
    plain.add(ATTACHED + BESIDE, source="rules")
    return str(folder / "it's.parquet"), plain


ATTACHED = """
likes(X, Y) :- rated(X, Z), rated(W, Z), rated(W, Y).
0.5::likes(X, Y) :- rated(X, Y), not good(Y).
share(X, Y) :- rated(X, Y), softmax(Y).
"""


def attached(target: Any, folder: Path, scored: Sequence[str] = ("likes/2", "share/2")) -> Session:
    """A table of Spark as facts: the answers, reasons and scores of the same facts in memory."""
    table, plain = stored(folder)
    session = Session()
    session.connect(target)
    change = session.attach(table, "rated(who, what)", weight="stars", unique=True)
    assert "1 row of" in str(change.notices[0])
    session.add(ATTACHED + BESIDE, source="rules")
    expected = plain.query("likes(X, i3)").weights
    assert session.query("likes(X, i3)").weights == pytest.approx(expected, rel=1e-9)
    assert "(who u0, what i0)" in str(session.explain("rated(u0, i0)"))
    for predicate in scored:
        jobs_of = (one.score(predicate, top=3, inverse=True) for one in (session, plain))
        found, expected = (job.to_arrow().to_pylist() for job in jobs_of)
        assert same(found, expected), predicate
    return session


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ConnectServer]:
    needs_java()
    made = ConnectServer(tmp_path)
    try:
        yield made
    finally:
        made.kill()


def test_a_server_that_goes_away(server: ConnectServer, tmp_path: Path) -> None:
    """Spark Connect, an attached table, and a server that is killed between two parts."""
    session = attached(server.address, tmp_path, ["share/2"])
    assert session.connection == server.address.partition("/;")[0] + "/..."
    session.save(tmp_path / "model.nlz")
    job = session.score("likes/2", top=3)
    retries(session, 1)

    def kill_it(state: jobs.ScoreProgress) -> None:
        if state.done == 1:
            server.kill()

    with pytest.raises(NeuralLogError, match=r"sc://127\.0\.0\.1:\d+/\.\.\.: ") as caught:
        job.to_parquet(tmp_path / "likes", parts=3, progress=kill_it)
    assert "hunter2" not in str(caught.value)
    names = sorted(one.name for one in (tmp_path / "likes").iterdir())
    assert names == ["_score.json", "part-1-of-3.parquet"]
    with zipfile.ZipFile(tmp_path / "model.nlz") as model:
        written = b"".join(model.read(name) for name in model.namelist())
    assert f"{server.address.partition('/;')[0]}/...".encode() in written
    assert b"hunter2" not in written + (tmp_path / "likes/_score.json").read_bytes()


def retries(session: Session, most: int) -> None:
    """How often the client tries to reach a server that does not answer: it waits longer each
    time, ten minutes in all."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    assert session._reader is not None
    policy = DefaultPolicy(max_retries=most)
    connection: Any = session._reader.connection
    connection.spark.client.set_retry_policies([policy])


# -- without Java ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark session of Sail."""
    pytest.importorskip("pysail", reason="Sail is not installed")
    made = SailServer(tmp_path_factory.mktemp("sail"))
    try:
        yield made.session()
    finally:
        made.kill()


def test_tables_of_sail(sail: Any, tmp_path: Path) -> None:
    attached(sail, tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_generated_programs(sail: Any, seed: int) -> None:
    session = Session()
    session.add(str(drawn(Drawn(seed), wide=seed % 2 == 1)))
    assert scored(session, lambda one: _runner(one, sail)) > 10


def test_sail_by_spark_connect(sail: Any) -> None:
    session, plain = program(), program()
    session.connect(sail)
    for predicate in ("likes/2", "share/2", "fond/1", "unlike/2"):
        rows = session.score(predicate, top=3).to_arrow().to_pylist()
        assert same(rows, plain.score(predicate, top=3).to_arrow().to_pylist()), predicate


# -- what is refused ------------------------------------------------------------------------------


def _runner(session: Session, spark: Any) -> SparkRunner:
    connection = SparkConnection("spark://host:7077", spark)
    return SparkRunner(session._evaluator.storage, connection=connection)


class Elsewhere:
    """A Spark session whose cluster has gone away."""

    def createDataFrame(self, *_: object) -> object:
        raise ConnectionRefusedError("[Errno 111] Connection refused")


def test_a_cluster_that_is_gone() -> None:
    session = program()
    job = session.score("likes/2")
    job.runner = _runner(session, Elsewhere())
    with pytest.raises(NeuralLogError, match=r"spark://host:7077: .*Connection refused") as raised:
        job.to_pandas()
    assert "connect again" in raised.value.hint


def test_what_a_stopped_job_says_is_the_interrupt() -> None:
    """PySpark stops the job at an interrupt, and then asks how it ended."""
    with pytest.raises(KeyboardInterrupt), plainly("spark://host"):
        try:
            raise KeyboardInterrupt
        finally:
            raise OSError("job 10 cancelled")


def test_an_error_of_java_says_what_failed() -> None:
    text = (
        "An error occurred while calling o7.sql.\n: java.lang.OutOfMemoryError: Java heap space\n"
    )
    with pytest.raises(NeuralLogError) as caught, plainly("spark://host"):
        raise OSError(text + "\tat org.apache.spark")
    assert caught.value.message == "spark://host: java.lang.OutOfMemoryError: Java heap space"
    assert "give Spark more memory" in caught.value.hint


def test_an_error_of_a_remote_call_says_what_failed() -> None:
    """The first line of such an error is only the kind of the call."""
    said = (
        "<_MultiThreadedRendezvous of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE"
        '\n\tdetails = "failed to connect; token=hunter2"\n\tdebug_error_string = "?"\n>'
    )
    with pytest.raises(NeuralLogError) as caught, plainly("sc://host"):
        raise OSError(said)
    assert str(caught.value).partition("\n")[0].startswith("sc://host: failed to connect")
    assert "the cluster does not answer" in caught.value.hint


def test_a_statement_that_a_server_has_lost() -> None:
    """Sail plans a statement again for each place that reads a part of it. After minutes PySpark
    asks once more for what it began, and the server knows nothing of it."""
    with pytest.raises(NeuralLogError) as caught, plainly("sc://host"):
        raise OSError("operation not found: 6fc5d1d2-9c10-4b4f-9f2e-0a0c4dd1b2a7")
    assert "too large for it" in caught.value.hint


def test_a_python_function_is_named() -> None:
    session = program()
    session.register("twice", lambda x: 2 * x)
    session.add("f(X, Y) :- rated(X, Y), twice(Y).")
    runner = _runner(session, None)
    said = runner.supports(session._evaluator.layer(("f", 2)).result)
    assert said == "the function twice: it has no form in SQL"


def test_memory_is_not_ours_to_set() -> None:
    with pytest.raises(NeuralLogError, match="the memory of Spark is set where"):
        Session().connect("spark://host:7077", memory="2GB")


def test_the_text_for_spark(snapshot: object) -> None:
    session = program(4, 3)
    job = session.score("likes/2", top=3)

    class Silent(SparkConnection):
        def send(self, name: str, table: Any) -> None:
            pass

    job.runner = SparkRunner(session._evaluator.storage, connection=Silent("spark://host", None))
    assert job.sql() == snapshot
