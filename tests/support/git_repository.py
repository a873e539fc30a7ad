"""Real git repositories on disk, as teams publish packs in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a"}
_WHO |= {"GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z"}


class Repository:
    """A repository in a folder.

    Args:
        path: The folder, which is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    @property
    def address(self) -> str:
        return f"file://{self.path}"

    def git(self, *arguments: str) -> str:
        run = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**os.environ, **_WHO}, check=True, capture_output=True, text=True
        )
        return run.stdout.strip()

    def commit(self, files: Mapping[str, str | bytes], *, tag: str = "", annotated: bool = False) -> str:
        """Write files, commit them, perhaps under a tag; gives the commit."""
        for name, text in files.items():
            place = self.path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message=x")
        if tag:
            self.git("tag", *(["--annotate", "--message=x"] if annotated else []), "--force", tag)
        return self.git("rev-parse", "HEAD")
