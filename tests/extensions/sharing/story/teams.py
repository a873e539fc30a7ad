"""The people of the story: folders with commands run in them, a real git repository, and a server of files."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from scoring.cli.main import main

# No configuration of the machine is read, and every commit is somebody's.
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Team A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "Team A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        """Both streams."""
        return self.out + self.err


@dataclass(frozen=True)
class Team:
    """A folder in which somebody works."""

    folder: Path

    def write(self, name: str, text: str) -> Path:
        """A file of theirs."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def replace(self, name: str, old: str, new: str) -> None:
        """An edit of a file, which must find what it replaces."""
        text = (self.folder / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def read(self, name: str) -> str:
        """The text of a file."""
        return (self.folder / name).read_text(encoding="utf-8")

    def scoring(self, *arguments: str) -> Said:
        """A command, run in the folder."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(arguments))
        return Said(code, out.getvalue(), err.getvalue())

    def does(self, *arguments: str) -> str:
        """A command that must work, and what it says."""
        said = self.scoring(*arguments)
        assert said.code == 0, said.all
        return said.all

    def is_refused(self, *arguments: str) -> str:
        """A command that must be refused, without a traceback, and what it says."""
        said = self.scoring(*arguments)
        assert said.code in (1, 2), said.all
        assert "Traceback" not in said.all
        return said.all

    def git(self, *arguments: str) -> str:
        """A command of git that must work."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env={**os.environ, **GIT}, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, why: str) -> None:
        """Everything in the folder, committed."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", why)


@dataclass
class Files:
    """A server of a folder's files, some answers of which are made up.

    Args:
        url: Where it answers.
        answers: For a path what to send instead: a status, headers and a body.
        asked: Every path that was asked for.
    """

    url: str
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Files]:
    """A local server of a folder."""

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            files.asked.append(self.path)
            made_up = files.answers.get(self.path)
            if made_up is None:
                return super().do_GET()
            status, headers, body = made_up
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who reads only so much hangs up
                self.wfile.write(body)
            return None

        def log_message(self, *given: Any) -> None:
            """Nothing: the test looks at what was asked for."""

    make: Callable[..., Any] = partial(Handler, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), make)
    files = Files(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield files
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
