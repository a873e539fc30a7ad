"""Execution of git and pip with limits on time, memory and bytes, and with their output kept from the user.

They use the credentials in their own configuration. Their errors are reported in this library's words, with at most one
line of theirs, from which anything that could be a credential is removed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from scoring import children, processes
from scoring.diagnostics.visible import visible
from scoring.errors import InputError
from scoring.extensions.net.secret import hider
from scoring.extensions.sharing.sources.limits import MOST_ANSWERED, MOST_FETCHED, MOST_MEMORY, PATIENCE
from scoring.lazy_pattern import lazy_pattern

_USER = lazy_pattern(r"(?<=//)[^/@\s]*@")
_ANY_USER = lazy_pattern(r"(?<=//)[^/\s]*@|^(?:git\+)?[^/\s]*@")
_QUERY = lazy_pattern(r"(\w+://[^\s?#'\"]*)([?#])[^\s'\"]*")
_HEADER = lazy_pattern(r"(?i)\b(authorization|bearer|basic|token|password)\b[:= ]+(?:(?:basic|bearer|token) +)?\S+")
_BLOCK = 1 << 16
_LONGEST = 200


class ProgramAnswer(Struct, frozen=True):
    """The result of running a program: its exit status, standard output (`out`) and standard error (`said`)."""

    status: int
    out: bytes
    said: str


def capture_program_output(
    arguments: Sequence[str],
    *,
    what: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    standard_input: bytes = b"",
    most: int = MOST_ANSWERED,
) -> ProgramAnswer:
    """Run a program within limits on time, memory and output, and return its exit status and output.

    Args:
        arguments: The program and its arguments; untrusted input must not be able to form an option.
        what: The name of the program in messages.
        folder: The working directory, which must not contain untrusted files.
        environment: Its environment variables; those of this process by default.
        standard_input: The standard input.
        most: The largest number of bytes of output.

    Raises:
        InputError: when the program is not installed, takes too long, or prints too much.
    """
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(standard_input)
        stdin.seek(0)
        try:
            process = children.start(
                arguments, stdin=stdin, stdout=children.PIPE, stderr=stderr, cwd=folder, env=environment,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise InputError(
                f"{what} can't be started ({error.strerror}); install it, or name another source"
            ) from None
        processes.limit_other(process.pid, file=MOST_FETCHED, memory=MOST_MEMORY)
        late = threading.Event()
        timer = threading.Timer(PATIENCE, _give_up, (process, late))
        timer.start()
        try:
            out = _read(process, most, what)
            status = process.wait()
        finally:
            timer.cancel()
            _end(process)
        if late.is_set():
            raise InputError(f"{what} took more than {PATIENCE:.0f} seconds; check the network, and try again")
        stderr.seek(0)
        return ProgramAnswer(status, out, stderr.read(_BLOCK).decode("utf-8", "replace"))


def _read(process: children.Running, most: int, what: str) -> bytes:
    assert process.stdout is not None
    found = bytearray()
    with process.stdout as stream:
        while block := stream.read(_BLOCK):
            found += block
            if len(found) > most:
                _end(process)
                raise InputError(f"{what} answers with more than {most:,} bytes; name a smaller source")
    return bytes(found)


def _give_up(process: children.Running, late: threading.Event) -> None:
    late.set()
    _end(process)


def _end(process: children.Running) -> None:
    """Kill a running process and its children; nothing is done if it has ended, because its number may belong to
    another process."""
    if process.returncode is None:
        with contextlib.suppress(OSError):
            processes.end_with_children(process)
        process.wait()


def last_error(said: str, *marks: str) -> str:
    """Return the last line of a program's output that begins with a mark, without the mark and any credentials; "" if
    there is none.

    Args:
        said: The output.
        marks: The marks, such as `fatal:`.
    """
    lines = [line for line in said.splitlines() if line.startswith(marks)]
    return without_credentials(lines[-1].partition(":")[2]) if lines else ""


def without_user(address: str) -> str:
    """Return an address with its user and password replaced by … and without its query and fragment.

    Examples:
        >>> without_user("https://me:secret@host/a?key=b"), without_user("secret@host:a.git"), without_user("a/b@v1")
        ('https://…@host/a', '…@host:a.git', 'a/b@v1')
    """
    return _ANY_USER.sub("…@", re.split(r"[?#]", address, maxsplit=1)[0])


def without_credentials(text: str, known: Iterable[str] = ()) -> str:
    """Return a program's output as one short line, from which everything that could be a credential is removed.

    Args:
        text: The output.
        known: Further strings to remove, in addition to secrets in environment variables.

    Examples:
        >>> without_credentials("can't read https://me:hunter2@host/x?sig=abc with Authorization: Basic bWU6eA==")
        "can't read https://…@host/x?… with Authorization …"
    """
    for secret in (*_secrets(tuple(sorted(os.environ.items()))), *(one for one in known if len(one) >= _LEAST)):
        text = hider(secret)(text)
    text = _QUERY.sub(r"\1\2…", _USER.sub("…@", text))
    text = visible(" ".join(_HEADER.sub(r"\1 …", text).split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


@functools.lru_cache(maxsize=1)
def _secrets(environment: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Return the secrets among environment variables: the values of those with a name such as TOKEN, and users and
    passwords in addresses.

    Args:
        environment: The names and values of the variables.
    """
    found = dict[str, None]()
    for name, value in environment:
        if len(value) >= _LEAST and re.search("TOKEN|SECRET|PASSW|_KEY|CREDENTIAL", name):
            found[value] = None
        for user in _USER.findall(value):
            found |= dict.fromkeys(part for part in user.rstrip("@").split(":") if len(part) >= _LEAST)
    return tuple(found)


_LEAST = 6
