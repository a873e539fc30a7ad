"""What a sandbox is given and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from scoring.result import Unscored

CaseStatus: TypeAlias = Literal["ok", "failed", "too_slow", "too_much_output", "killed", "not_run"]
Dialect: TypeAlias = Literal["script", "released"]


class SandboxUnavailable(Unscored):
    """No sandbox of the wanted strength can run here: the record is unscored, never 0."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one case of a program may use.

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
    """One run of the program: its standard input, or the lines that ``input()`` returns in the released dialect."""

    stdin: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SandboxJob:
    """A Python program and the cases it is run on.

    The dialect ``script`` runs it as a file would be; ``released`` as published judges of programs do.
    """

    source: str
    cases: tuple[Case, ...] = (Case(),)
    limits: Limits = field(default_factory=Limits)
    dialect: Dialect = "script"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one case did; ``detail`` says in words why it did not end well."""

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
        """What it is made of, for reports and the signature."""

    def run(self, program: SandboxJob) -> Sequence[CaseResult]:
        """One result for each case, in order; never raises for anything the program does."""

    def close(self) -> None:
        """End everything that still runs."""
