"""Read `scoring.lock`: the content of each pack that a project uses, and the meanings of its pinned specs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct, field

from scoring.data.json_read import NotJson, parse
from scoring.data.os_errors import refused
from scoring.data.plain_files import read_plain
from scoring.data.relative import path_fault
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import shown
from scoring.lazy_pattern import lazy_pattern
from scoring.project.file import PACK_NAME, SOURCES, PackSource
from scoring.project.find import LOCK_FILE
from scoring.project.store import is_digest
from scoring.project.versions import is_version, parse_version

FORMAT = 1
MOST_BYTES = 16_000_000
"""The most bytes of a lock."""
MOST_ENTRIES = 10_000
"""The most packs, and the most pinned specs, of a lock."""
_MARKS = lazy_pattern(r"(?m)^(?:<{7}|>{7}|={7}|\|{7})(?: |$)")
_SOURCE = (*SOURCES, "tag", "commit", "path", "pack")
_LONGEST = 2_000


class LockedPack(Struct, frozen=True):
    """One version of a pack in a lock.

    Args:
        name: The name by which specs import it.
        version: Its version.
        digest: The digest of its content, see `scoring.project.store.tree_digest`.
        entry: The path of the pack file in the content.
        where: Its source, as stated in the project file, without the range of versions.
        at: The path of the pack file in its source.
        revision: The identifier of the state of its source: a commit, a wheel; "" for a folder.
        meanings: The digest of the meaning of each of its definitions.
        signature: The author's signature, as found in the source, on one line; "" if there was none.
    """

    name: str
    version: str
    digest: str
    entry: str
    where: PackSource = PackSource("here")
    at: str = ""
    revision: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""

    @property
    def own_name(self) -> str:
        """The pack's name in its own file; specs may import it by another one."""
        return self.where.pack or self.name

    @property
    def key(self) -> tuple[str, Any, str]:
        """The key by which packs are sorted in a lock."""
        return self.name, parse_version(self.version), self.version


class ProjectLock(Struct, frozen=True):
    """The packs and pinned specs of a project.

    Args:
        packs: Every version of every pack.
        specs: The meaning of each pinned spec, by its path relative to the project's folder, in the form of a lock of
            a single spec.
    """

    packs: tuple[LockedPack, ...] = ()
    specs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def versions(self, name: str) -> list[LockedPack]:
        """Return the versions of a pack, the newest first."""
        return sorted((one for one in self.packs if one.name == name), key=lambda one: one.key, reverse=True)


def read_project_lock(path: Path, name: str = "") -> ProjectLock:
    """Return the lock at a path.

    Raises:
        SpecError: project-lock, when it can't be read, or is not a lock.
    """
    name = name or path.name
    try:
        content = read_plain(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        _refuse(name, f"can't be read: {refused(error)}")
    return parse_project_lock(content, name)


def parse_project_lock(content: bytes, name: str = LOCK_FILE) -> ProjectLock:
    """Return the lock in the content of a lock file.

    Raises:
        SpecError: project-lock, when it is not a lock.
    """
    try:
        data = _is(parse(content, once=True), dict, "it")
        if data.get("format") != FORMAT or type(data["format"]) is not int:
            raise ValueError(f"its format is {data.get('format')!r:.40}; this version reads {FORMAT}")
        if odd := sorted(data.keys() - {"format", "packs", "specs"}):
            raise ValueError(f"nothing reads its key {shown(odd[0])}")
        packs = _is(data.get("packs"), dict, "`packs`")
        specs = _is(data.get("specs"), dict, "`specs`")
        if max(len(packs), len(specs)) > MOST_ENTRIES:
            raise ValueError(f"it has more than {MOST_ENTRIES:,} entries")
        found = tuple(_pack(key, one) for key, one in packs.items())
        for path, one in specs.items():
            if fault := path_fault(path):
                raise ValueError(f"{shown(path)} of `specs`: {fault}")
            _is(one, dict, shown(path))
        return ProjectLock(found, dict(specs))
    except (NotJson, ValueError, RecursionError) as error:
        if _MARKS.search(content.decode("utf-8", "replace")):
            help = "take one side (`git checkout --ours scoring.lock`), then `scoring lock`"
            _refuse(name, "has the marks of a merge in it", help)
        _refuse(name, f"is no lock: {str(error)[:200]}")


def _pack(key: str, entry: Any) -> LockedPack:
    name, at, version = key.rpartition("@")
    if not at or not PACK_NAME.fullmatch(name) or not is_version(version):
        raise ValueError(f"{shown(key)} is no pack with its version")
    entry = _is(entry, dict, shown(key))
    known = ("digest", "entry", "source", "at", "revision", "meanings", "signature")
    if odd := sorted(entry.keys() - set(known)):
        raise ValueError(f"nothing reads {shown(odd[0])} of `{key}`")
    if not is_digest(entry.get("digest")):
        raise ValueError(f"`digest` of `{key}` is no digest")
    texts = {
        word: _text(entry.get(word, ""), f"`{word}` of `{key}`") for word in ("entry", "at", "revision", "signature")
    }
    for path in ("entry", "at"):
        if (path == "entry" or texts[path]) and (fault := path_fault(texts[path])):
            raise ValueError(f"`{path}` of `{key}`: {fault}")
    source: dict[str, Any] = _texts(entry.get("source"), f"`source` of `{key}`")
    if odd := sorted(source.keys() - set(_SOURCE)):
        raise ValueError(f"nothing reads {shown(odd[0])} of the source of `{key}`")
    kinds = [kind for kind in SOURCES if kind in source]
    if len(kinds) > 1:
        raise ValueError(f"`{key}` comes from two sources")
    kind: Any = kinds[0] if kinds else "here"
    where = PackSource(kind, source.pop(kind, ""), **source)
    meanings = _texts(entry.get("meanings", {}), f"`meanings` of `{key}`")
    return LockedPack(name, version, entry["digest"], where=where, meanings=meanings, **texts)


def _is(value: Any, kind: type, what: str) -> Any:
    if type(value) is not kind:
        found = "missing" if value is None else f"a {type(value).__name__}"
        raise ValueError(f"{what} is {found}, not a {kind.__name__}")
    return value


def _text(value: Any, what: str) -> str:
    text: str = _is(value, str, what)
    if len(text) > _LONGEST or not text.isprintable():
        raise ValueError(f"{what} is no short line")
    return text


def _texts(data: Any, what: str) -> dict[str, str]:
    return {key: _text(value, what) for key, value in _is(data, dict, what).items()}


def _refuse(name: str, why: str, help: str = "") -> NoReturn:
    help = help or "bring back the one that was committed, or remove it and run `scoring lock`"
    raise SpecError.of("project-lock", f"{name} {why}", help=help) from None
