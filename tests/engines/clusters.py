"""Real Spark for tests: a cluster of three processes, and a server of Spark Connect."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from neurallog_kernel.engines.spark_connection import for_java, open_spark


class SparkProcess:
    """A process of Spark in a group of its own: it is killed with what it has started."""

    def __init__(
        self, folder: Path, main: str, *words: object, more: Mapping[str, str] | None = None
    ) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        own = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
        command = [home / "bin" / "spark-class", f"org.apache.spark.{main}", *words]
        with open(folder / f"{main}.log", "ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                env=os.environ | for_java(str(home)) | own | (more or {}),
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=folder,
            )

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Cluster:
    """A master and two workers."""

    def __init__(self, folder: Path) -> None:
        self.folder, port = folder, free_port()
        self.address = f"spark://127.0.0.1:{port}"
        self.workers: list[SparkProcess] = []
        self.master = self._start("master.Master", "--port", port)
        wait_for(port)
        worker = ("worker.Worker", "--cores", 1, "--memory", "600m", self.address)
        self.workers += [self._start(*worker), self._start(*worker)]

    def _start(self, name: str, *words: object) -> SparkProcess:
        more = {"SPARK_DAEMON_MEMORY": "200m", "SPARK_WORKER_DIR": str(self.folder / "work")}
        said = ("--host", "127.0.0.1", "--webui-port", 0, *words)
        return SparkProcess(self.folder, f"deploy.{name}", *said, more=more)

    def kill(self) -> None:
        for one in (*self.workers, self.master):
            one.kill()


@contextmanager
def spark_session(master: str, folder: Path) -> Iterator[Any]:
    """A SparkSession of a cluster, as small as can be; this process is its driver. The master
    `local[1]` is no cluster: Spark in one process."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as environment:
        warnings.simplefilter("ignore")  # about pandas
        import pyspark
        from pyspark.sql import SparkSession

        environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        for name, value in for_java(pyspark.__file__).items():
            environment.setenv(name, value)
        builder = SparkSession.builder.master(master).appName("tests")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "500m" if "//" in master else "4g",
            "spark.executor.memory": "500m",
            "spark.executor.cores": "1",
            "spark.sql.shuffle.partitions": "2" if "//" in master else "1",
            "spark.sql.codegen.wholeStage": "false",  # small data: compiling takes longer
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.autoBroadcastJoinThreshold": "-1",  # each takes a megabyte, however small
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }.items():
            builder = builder.config(name, value)
        made = builder.getOrCreate()
    try:
        yield made
    finally:
        made.stop()


class ConnectServer(SparkProcess):
    """Spark Connect by Spark itself."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.address = f"sc://127.0.0.1:{port}/;x-secret=hunter2"
        settings = {
            "spark.connect.grpc.binding.port": port,
            "spark.ui.enabled": "false",
            "spark.driver.memory": "500m",
            "spark.sql.shuffle.partitions": 1,
            "spark.sql.codegen.wholeStage": "false",  # small data: compiling takes longer
            "spark.sql.warehouse.dir": folder / "warehouse",
        }
        words = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
        words += ["--master", "local[1]"]
        words += [word for one in settings.items() for word in ("--conf", "{}={}".format(*one))]
        super().__init__(folder, "deploy.SparkSubmit", *words, "spark-internal")
        wait_for(port)


_SAIL = """
import sys
sys.modules["pyspark"] = None
from pysail.spark import SparkConnectServer
SparkConnectServer("127.0.0.1", int(sys.argv[1])).start(background=False)
"""
_UNKNOWN_TO_SAIL = {
    "spark.sql.session.localRelationSizeLimit": 3 << 30,
    "spark.sql.session.localRelationChunkSizeRows": 10_000,
    "spark.sql.session.localRelationChunkSizeBytes": 16 << 20,
    "spark.sql.session.localRelationBatchOfChunksSizeBytes": 1 << 30,
    "spark.sql.execution.pandas.inferPandasDictAsMap": "false",
    "spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled": "false",
}
"""Settings that PySpark 4.3 asks a server for, and Sail 0.7 has not; with the values of Spark."""


class SailServer:
    """Sail in a process of its own. Python functions would be run there by a PySpark of a version
    that Sail knows, or it takes no session; scores have none, so that it is given no PySpark."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.address = f"sc://127.0.0.1:{port}"
        with open(folder / "sail.log", "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _SAIL, str(port)], stdout=log, stderr=log
            )
        self._session: Any = None
        wait_for(port)

    def session(self) -> Any:
        """A SparkSession of this server."""
        self._session = open_spark(self.address)
        for name, value in _UNKNOWN_TO_SAIL.items():
            self._session.conf.set(name, value)
        return self._session

    def kill(self) -> None:
        if self._session is not None:
            self._session.stop()  # at its end Python would wait for a server that is gone
        self.process.kill()
        self.process.wait()


def needs_java() -> None:
    if shutil.which("java") is None:
        pytest.skip("Java, which Spark needs, is not installed")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError("Spark does not answer")
