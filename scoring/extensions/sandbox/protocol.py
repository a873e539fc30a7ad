"""The interface of sandboxes: jobs and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from scoring.result import Unscored

CaseStatus: TypeAlias = Literal["ok", "failed", "too_slow", "too_much_output", "killed", "not_run"]
Dialect: TypeAlias = Literal["script", "released", "apart", "query"]


class SandboxUnavailable(Unscored):
    """No sandbox of the required strength can run here: the record is unscored, never 0."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The resource limits of one case of a program.

    ``wall_seconds`` is the time on the clock, ``cpu_seconds`` the processor time of each process; ``memory_bytes``
    holds for each of at most ``processes`` processes and threads, and where the machine has control groups for all of
    them together (docs/sandbox.md); ``file_bytes`` for each file, ``files`` for their number in the private /tmp.
    """

    wall_seconds: float = 5.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 << 20
    processes: int = 16
    file_bytes: int = 16 << 20
    output_bytes: int = 1 << 20
    files: int = 10_000


@dataclass(frozen=True, slots=True)
class Case:
    """One run of the program: its standard input, or the lines that ``input()`` returns in the released dialect.

    ``beside`` is what a process beside the program does with it, in the dialect ``apart``.
    """

    stdin: str = ""
    lines: tuple[str, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Database:
    """The database of a query in the dialect ``query``: an SQLite file, or a script that builds one in memory.

    ``steps`` of SQLite's virtual machine and ``rows`` are the most that the query may take and give.
    """

    path: str = ""
    script: str = ""
    steps: int = 200_000_000
    rows: int = 100_000


@dataclass(frozen=True, slots=True)
class SandboxJob:
    """A program and the cases it is run on.

    The dialect ``script`` runs it as a file would be; ``released`` as published judges of programs do; ``apart`` in one
    process and its tests in another, which get nothing of it but values (`crossing.py`); in ``query`` it is one query
    of the ``database``. ``files`` lie in the folder in which it runs, by their relative paths. Of a language that is
    not Python (`languages.py`) ``commands`` run it, the last in place of the process; ``reserve`` are the bytes of
    addresses that its interpreter takes beside its memory. One in Python that ``may_exit`` ends well by `sys.exit`.
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


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case; ``detail`` says in words why it failed."""

    status: CaseStatus
    stdout: str = ""
    stderr: str = ""
    detail: str = ""


@runtime_checkable
class Sandbox(Protocol):
    """Runs programs; safe to be used from several threads at the same time."""

    @property
    def name(self) -> str:
        """The name it is chosen by."""

    @property
    def level(self) -> str:
        """A description of the sandbox for reports and the signature."""

    def run(self, program: SandboxJob) -> Sequence[CaseResult]:
        """One result for each case, in order; never raises for anything the program does."""

    def close(self) -> None:
        """End everything that still runs."""
