"""The two sides of a comparison of specs: files, packs by name, addresses, revisions of a repository, finished runs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.compiler.tasks.checking import and_the_rest
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.extensions.names.named import task_names
from scoring.extensions.sharing.in_memory import pack_in_memory
from scoring.format.load import Loaded, Loader
from scoring.format.locate import pack_names
from scoring.format.packs import packs_of
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import SPEC_FILES
from scoring.project.versions import is_range

_NAME_AND_RANGE = lazy_pattern(r"(\w[\w.-]*)(?:@(.+))?")
_ADDRESS = lazy_pattern(r"git\+|dist:|[A-Za-z][A-Za-z0-9+.-]+://")
_MANIFEST = "manifest.json"


class DiffSide(Struct, frozen=True):
    """One of the two specs to compare, loaded, with its name in messages."""

    shown: str
    loaded: Loaded
    loader: Loader


def is_run(side: Any) -> bool:
    """Return True if one side of a comparison is the folder or the bundle of a finished run."""
    if isinstance(side, Mapping):
        return False
    path = Path(side)
    return (path / _MANIFEST).is_file() or (path.suffix == ".zip" and path.is_file())


def diff_side(side: str | Path | Mapping[str, Any], stack: ExitStack, dialect: str | None) -> DiffSide:
    """Load one of the two specs to compare.

    Args:
        side: The spec as data, or its path, address, name or revision.
        stack: Keeps temporary files until the comparison is finished.
        dialect: The dialect in which files of other tools are read.

    Raises:
        InputError: when the side can't be found.
        SpecError: when the spec has errors.
    """
    loader = Loader(dialect=dialect)
    if isinstance(side, Mapping):
        return DiffSide("the spec", loader.data(side), loader)
    text = os.fspath(side)
    try:
        return DiffSide(_shown(text), _loaded(text, loader, stack, dialect), loader)
    except SpecError as error:
        raise and_the_rest(error, loader) from None


def _loaded(text: str, loader: Loader, stack: ExitStack, dialect: str | None) -> Loaded:
    path = Path(text)
    if path.is_dir():
        from scoring.extensions.suites.compile import suite_of

        return suite_of(path, dialect=dialect)
    if path.exists():
        return loader.file(path, text)
    if _ADDRESS.match(text):
        return _at_address(text, loader)
    revision, colon, inside = text.partition(":")
    if colon and inside and not os.path.isabs(text):
        from scoring.extensions.sharing.sources.revision import files_at

        found = stack.enter_context(files_at(revision, inside))
        return loader.file(found, text)
    match = _NAME_AND_RANGE.fullmatch(text)
    if match is not None and not text.endswith(SPEC_FILES):
        if match[1] in task_names() and match[1] not in pack_names():
            return loader.file(path, text)
        if match[2] and not is_range(match[2]):
            raise InputError(f"`{text:.100}`: `{match[2]:.40}` is not a version or a range; write `{match[1]:.40}@1`")
        return packs_of(loader).by_name(match[1], match[2] or "")
    return loader.file(path, text)  # raises the error for a missing file


def _at_address(text: str, loader: Loader) -> Loaded:
    """Return the newest version of the only pack at an address, loaded without running any code."""
    from scoring.extensions.sharing.sources.written import source_at, source_of
    from scoring.project.versions import parse_version

    candidates = source_of(source_at(text), Path()).releases()
    names = sorted({one.name for one in candidates})
    if len(names) != 1:
        raise InputError(
            f"{_shown(text)} holds several packs ({', '.join(names)[:200]}); name the folder or file of one"
        )
    newest = max(candidates, key=lambda one: parse_version(one.version))
    return pack_in_memory(loader, newest.content.files, newest.content.entry, f"{newest.name}@{newest.version}")


def _shown(text: str) -> str:
    """Return the text that names a side of a comparison for use in messages: without user name and password in an
    address."""
    return re.sub(r"//[^/]*@", "//…@", text)
