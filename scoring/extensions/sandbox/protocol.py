"""The protocol of a sandbox: jobs, their limits and cases, and the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct, field

from scoring.result import Unscored

CaseStatus: TypeAlias = Literal["ok", "failed", "too_slow", "too_much_output", "killed", "not_run"]
Dialect: TypeAlias = Literal["script", "released", "apart", "query"]


class SandboxUnavailable(Unscored):
    """The exception for a sandbox of the required strength that can't run here: the record is unscored, never 0."""


class Limits(Struct, frozen=True):
    """The resources that one case of a program may use.

    ``wall_seconds`` is elapsed time, ``cpu_seconds`` the processor time of each process; ``memory_bytes`` applies to
    each of at most ``processes`` processes and threads, and with control groups to all of them together
    (docs/sandbox.md); ``file_bytes`` applies to each file, ``files`` to their number in the private /tmp.
    """

    wall_seconds: float = 5.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 << 20
    processes: int = 16
    file_bytes: int = 16 << 20
    output_bytes: int = 1 << 20
    files: int = 10_000


class Case(Struct, frozen=True):
    """One run of the program of a `SandboxJob`: its standard input (``stdin``) or, in the dialect ``released``, the
    ``lines`` that ``input()`` returns; in the dialect ``apart``, ``for_tests`` is the data sent to the tests' process.
    """

    stdin: str = ""
    lines: tuple[str, ...] = ()
    for_tests: Mapping[str, Any] = field(default_factory=dict)


class Database(Struct, frozen=True):
    """The database of a query in the dialect ``query``: an SQLite file, or a script that builds one in memory.

    ``steps`` (of SQLite's virtual machine) and ``rows`` are the maximum that the query may take and return.
    """

    path: str = ""
    script: str = ""
    steps: int = 200_000_000
    rows: int = 100_000


class SandboxJob(Struct, frozen=True):
    """A program, with the cases to run it on and the way to run it (its dialect).

    The ``dialect`` says how: ``script`` runs the program like a file; ``released`` as published graders do, with
    replacements for ``input()`` and ``sys.stdout``; ``apart`` in one process and its tests in another, which receive
    only values from it (`crossing.py`); in ``query`` the program is an SQL query of the ``database``. ``files`` are
    placed in the folder in which it runs, by their relative paths. For languages other than Python (`languages.py`),
    ``commands`` run it, the last in place of the process; ``reserve`` is the number of bytes of address space that its
    interpreter takes beyond its memory. With ``may_exit``, a Python program that calls `sys.exit` ends normally,
    whatever the status.
    """

    source: str
    cases: tuple[Case, ...] = (Case(),)
    limits: Limits = field(default_factory=Limits)
    dialect: Dialect = "script"
    files: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[tuple[str, ...], ...] = ()
    reserve: int = 0
    may_exit: bool = False
    database: Database | None = None


class CaseResult(Struct, frozen=True):
    """The result of one run of a program: how it ended (``status``), and its output; ``detail`` describes why it did
    not end normally."""

    status: CaseStatus
    stdout: str = ""
    stderr: str = ""
    detail: str = ""


@runtime_checkable
class Sandbox(Protocol):
    """An object that runs programs; safe to use from several threads at the same time."""

    @property
    def name(self) -> str:
        """The name by which users choose the sandbox, such as in SCORING_SANDBOX."""

    @property
    def level(self) -> str:
        """The protections in use, for reports and for the signature of a run."""

    def run(self, program: SandboxJob) -> Sequence[CaseResult]:
        """Run a program on each of its cases, and return their results in order; never raises for anything the program
        does."""

    def close(self) -> None:
        """End all processes of the sandbox that are still running."""
