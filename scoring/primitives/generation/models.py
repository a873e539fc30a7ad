"""Models on this machine, which specs name and pin by their files: others may say something else."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from pathlib import Path

from scoring.result import Unscored

MOST_FILES = 1_000
"""Files that the folder of a model has at most."""
_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*")
_FEWEST_DIGITS = 16


def model_folder(name: str, digest: str, purpose: str) -> Path:
    """The folder of a model below `SCORING_MODELS`, its files checked; nothing is fetched.

    Args:
        name: The folder's name.
        digest: How the digest of its files begins.
        purpose: What it is for, for reasons.

    Raises:
        Unscored: when there is no such folder, or its files have another digest, which is told.
    """
    root = os.environ.get("SCORING_MODELS")
    if not root:
        raise Unscored(f"{purpose} needs a model, and SCORING_MODELS names no folder in which models stand")
    if _NAME.fullmatch(name) is None:
        raise Unscored(f"{name[:80]!r} is no name of a folder below SCORING_MODELS")
    folder = Path(root) / name
    if not folder.is_dir():
        raise Unscored(f"{purpose} needs the model `{name}`, which is no folder below SCORING_MODELS")
    found = digest_of_files(folder)
    if len(digest) < _FEWEST_DIGITS or not found.startswith(digest.lower()):
        raise Unscored(f"the files of the model `{name}` have another digest: {found[:_FEWEST_DIGITS]}…")
    return folder


@functools.lru_cache(maxsize=8)
def digest_of_files(folder: Path) -> str:
    """The SHA-256 of the names and contents of all files below a folder, hidden ones aside; read once in a process.

    Raises:
        Unscored: when there are too many, or one can't be read.
    """
    digest, count = hashlib.sha256(), 0
    try:
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if not path.is_file() or any(part.startswith(".") for part in inner.parts):
                continue
            count += 1
            if count > MOST_FILES:
                raise Unscored(f"the folder of a model has more than {MOST_FILES:,} files")
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{inner.as_posix()}\0{content}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise Unscored(f"the files of a model can't be read: {error.strerror}") from None
    return digest.hexdigest()
