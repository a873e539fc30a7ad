"""The verb that makes a service of tasks, after checking who may use it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.api.arguments import verb
from scoring.api.specs import Names
from scoring.api.tasks import Task, load
from scoring.data.os_errors import telling
from scoring.errors import InputError
from scoring.extensions.hosts.worker import bytes_of
from scoring.processes import processor_count

if TYPE_CHECKING:
    from scoring.extensions.serving.app import ServedTask
    from scoring.extensions.serving.service import ScoringService

VARIABLE = "SCORING_SERVE_TOKEN"
"""The environment variable with the token."""
_LEAST_TOKEN = 16
_LONGEST_TOKEN = 10_000
SECONDS, SECONDS_WITH_EFFECTS = 2.0, 120.0
"""The time limits for a row, the second one if a task asks a judge or runs programs."""


@verb
def scoring_service(
    specs: Names,
    *,
    host: str = "127.0.0.1",
    port: int = 8030,
    token_file: str | Path | None = None,
    processes: int | None = None,
    seconds: float | None = None,
    memory: str | None = None,
    max_waiting: int = 20_000,
    max_body: str = "16MB",
    max_rows: int = 10_000,
    share_port: bool = False,
    dialect: str | None = None,
) -> ScoringService:
    """Return a service of tasks over HTTP, which keeps nothing from one request to the next.

    Args:
        specs: The spec files of the tasks, or the names of shipped ones; a task is asked for by its name.
        host: The address to listen on; any but this machine's own needs a token.
        port: The port; 0 for any free one.
        token_file: A file with the token that requests must carry; otherwise SCORING_SERVE_TOKEN has it.
        processes: The number of answers that are scored at the same time; by default that of processors.
        seconds: The time limit for one answer; by default what `reward` of the spec says, or 2, or 120 for tasks that
            ask a judge or run programs.
        memory: The memory that an answer may take in addition to that of the tasks, such as 1GB; only on Linux.
        max_waiting: The most answers that wait; further requests are told when to try again.
        max_body: The largest body of a request, such as 16MB.
        max_rows: The most answers in a request.
        share_port: Whether another process may listen on the port, too, so that a new one can replace an old one.
        dialect: The dialect in which files of another tool are read.

    Returns:
        A context manager that runs the service; its ``address`` says where.

    Raises:
        SpecError: when a spec has errors.
        InputError: when a name refers to nothing, a token is missing, a value is out of range or, on entering the
            context, the port can't be used.
    """
    from scoring.extensions.serving.app import ScoringApp, ServiceLimits
    from scoring.extensions.serving.pool import ScoringPool
    from scoring.extensions.serving.protocol import most_connections
    from scoring.extensions.serving.service import ScoringService

    token = _token(token_file)
    _check_host(host, token)
    _check_numbers(port, max_waiting=max_waiting, max_rows=max_rows)
    names = [specs] if isinstance(specs, str | Path) else list(specs)
    tasks = [_load(name, dialect) for name in names]
    served = _served(tasks)
    seconds = _seconds(seconds, tasks)
    most_memory, most_bytes = _size(memory), _size(max_body) or 0
    bundles = {task.name: task.bundle for task in served}
    pool = ScoringPool(bundles, processes or processor_count(), seconds, most_memory)
    limits = ServiceLimits(most_bytes, max_rows, max_waiting, max(256_000_000, 4 * most_bytes))
    app = ScoringApp({task.name: task for task in served}, pool, limits, token)
    return ScoringService(app, host, port, most_connections(), seconds, share_port)


def _size(text: str | None) -> int | None:
    try:
        return bytes_of(text)
    except ValueError as error:
        raise InputError(str(error)) from None


def _seconds(seconds: float | None, tasks: Sequence[Task]) -> float:
    if seconds is None:
        return max(map(_usual_seconds, tasks), default=SECONDS)
    if not 0 < seconds <= 1e6:
        raise InputError(f"an answer can't have {seconds:g} seconds: give a number above 0, up to a million")
    return float(seconds)


def _load(name: str | Path, dialect: str | None) -> Task:
    task = load(name, dialect=dialect)
    if task.spec.records is not None:
        raise InputError(
            f"{name} scores a data set of images as a whole, which no request can hold; run `scoring score`"
        )
    return task


def _served(tasks: Sequence[Task]) -> list[ServedTask]:
    from scoring.extensions.serving.app import ServedTask

    found: dict[str, ServedTask] = {}
    for task in tasks:
        name, signature = task.name, task.signature
        if name in found:
            raise InputError(f"two of the tasks are called `{name}`; give one of them another `name:`")
        found[name] = ServedTask(name, signature.meaning, str(signature), task.to_bytes(), task)
    return [*found.values()]


def _usual_seconds(task: Task) -> float:
    """Return the time limit for a row of a task: that of its rewards, or what is usual for what it does."""
    rules = task.spec.sections.get("reward")
    if rules is not None and rules.seconds is not None:
        return float(rules.seconds)
    has_effects = any(task.parts.recipe.uses(effect) for effect in ("judge", "programs"))
    return SECONDS_WITH_EFFECTS if has_effects else SECONDS


def _token(path: str | Path | None) -> str | None:
    """Return the token of a file or of the environment; None if there is none.

    Raises:
        InputError: for one that can't be a token, or is guessed too soon.
    """
    if path is None:
        found, where = os.environ.get(VARIABLE), VARIABLE
        if found is None:
            return None
    else:
        where = str(path)
        with telling(f"can't read {path}", (OSError, ValueError)), open(path, encoding="utf-8") as file:
            found = file.read(_LONGEST_TOKEN)
    token = found.strip()
    if len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(f"{where} holds no token: {_LEAST_TOKEN} or more characters of ASCII without spaces")
    return token


def _check_numbers(port: int, **counts: int) -> None:
    if not isinstance(port, int) or not 0 <= port <= 65_535:
        raise InputError(f"a port is a number from 0 to 65535, not {port!r:.40}")
    for name, value in counts.items():
        if not 1 <= value <= 10_000_000:
            raise InputError(f"`{name}` is a number from 1 to 10,000,000, not {value!r:.40}")


def _check_host(host: str, token: str | None) -> None:
    try:
        is_own = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_own = False
    if not is_own and token is None:
        raise InputError(
            f"{host or 'every address'} can be reached by others, who need a token: name a file, `--token-file FILE`, "
            f"or set {VARIABLE}"
        )
