"""An engine that can't start is told as that: which, what it said, and what to do; it is no bug of ours."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scoring.cli.main import main

TIMED_OUT = (
    "The current node timed out during startup. This could happen because some of the raylet failed to startup or "
    "the GCS has become overloaded."
)
"""What Ray 2.60 said on a machine with a load of 12 on 2 cores; it raises a plain `Exception`."""
NO_JAVA = "[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.\nmore lines"


def failing(message: str) -> Any:
    def start(*_: Any, **__: Any) -> None:
        raise Exception(message)

    return start


def ray(ended: list[str]) -> ModuleType:
    module: Any = ModuleType("ray")
    module.is_initialized = lambda: False
    module.init = failing(TIMED_OUT)
    module.shutdown = lambda: ended.append("ray")
    return module


class NoSession:
    """Spark without Java: `pyspark.sql.SparkSession`, which has no session and can't make one."""

    builder: Any

    @staticmethod
    def getActiveSession() -> None:
        return None


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "t.yaml").write_text("kind: task\nname: t\nversion: 1.0.0\nfields: {answer: equal}\n")
    (tmp_path / "a.jsonl").write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    return ["score", str(tmp_path / "t.yaml"), str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out")]


def test_ray_that_times_out(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended: list[str] = []
    monkeypatch.setitem(sys.modules, "ray", ray(ended))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert main([*command, "--engine", "ray"]) == 2
    told = capsys.readouterr().err
    assert told == (
        f"scoring: Ray can't start: {TIMED_OUT[:-1]}; try again when processors and memory are "
        "free, name a running cluster by RAY_ADDRESS, or leave out `--engine ray`\n"
    )
    assert ended == ["ray"]  # what it had started is ended


def test_ray_that_is_not_at_its_address(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", ray([]))
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    assert main([*command, "--engine", "ray"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"scoring: Ray can't be joined at RAY_ADDRESS=10.0.0.1:6379: {TIMED_OUT[:-1]}; ")


def test_spark_without_java(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    builder: Any = ModuleType("builder")
    builder.appName = builder.config = lambda *_: builder
    builder.getOrCreate = failing(NO_JAVA)
    NoSession.builder = builder
    sql: Any = ModuleType("pyspark.sql")
    sql.SparkSession = NoSession
    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))
    monkeypatch.setitem(sys.modules, "pyspark.sql", sql)
    assert main([*command, "--engine", "spark"]) == 2
    told = capsys.readouterr().err
    assert told == (
        f"scoring: Spark can't start: {NO_JAVA.splitlines()[0][:-1]}; look whether Java is installed "
        "(Spark needs it) and how Spark is configured, or leave out `--engine spark`\n"
    )
