"""A process that reads files below one folder, and what Python and this package consist of; it writes and asks nobody.

The hook holds in pure Python and in most C code of the standard library. It is a second fence: the tools refuse paths,
judges and programs in their own words before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoring.data.plain_files import real_path
from scoring.format.shipped import data_folder

_READS = frozenset({"open", "os.listdir", "os.scandir", "os.walk", "glob.glob"})
_SAFE = frozenset({os.devnull, "/dev/urandom"})
_REFUSED = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "socket.sendmsg",
    "urllib.Request",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.spawn",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.chown",
    "os.truncate",
    "os.kill",
    "shutil.",
    "pty.spawn",
    "webbrowser.open",
    "ftplib.",
    "http.client.connect",
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(folder: Path) -> None:
    """Refuse for the rest of this process what leads out of a folder: reading elsewhere, writing, networks, programs.

    Our own worker processes (of formulas) may be started: they run this package alone, without anything of the folder.
    """
    sys.addaudithook(_hook(folder))


def _hook(folder: Path) -> Callable[[str, tuple[Any, ...]], None]:
    shipped = (data_folder("specs"), data_folder("schemas"), Path(__file__).parents[2])
    python = (sys.prefix, sys.base_prefix, *filter(os.path.isabs, sys.path))
    known: tuple[str | Path, ...] = (folder, *shipped, *python)
    roots = tuple({real_path(one) for one in known})

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _READS or event == "sqlite3.connect":
            _check_path(event, arguments, roots, folder)
        elif event == "subprocess.Popen":
            if arguments[0] != sys.executable:
                raise PermissionError("this server starts no program")
        elif event.startswith(_REFUSED):
            raise PermissionError(f"this server only reads, below {folder}: it does no {event}")

    return refuse


def _check_path(event: str, arguments: tuple[Any, ...], roots: tuple[Path, ...], folder: Path) -> None:
    """Raise PermissionError for a path that stands below none of the roots, or is opened for writing."""
    path = arguments[0] if arguments else None
    if isinstance(path, int) or path is None or path == ":memory:":
        return
    name = os.fsdecode(path)
    if name in _SAFE:
        return
    flags = arguments[2] if event == "open" and len(arguments) > 2 else 0
    if isinstance(flags, int) and flags & _WRITING:
        raise PermissionError(f"this server writes no file: {name:.200}")
    if not any(real_path(name).is_relative_to(root) for root in roots):
        raise PermissionError(f"this server reads only files below {folder}: {name:.200}")
