"""A Python distribution as a source of packs: the installed one, else its wheel, which is read as a zip file.

A distribution locates its packs by entry points of the group ``scoring.packs``: each names a module or a folder, and
every pack file below it is a release. Nothing is imported, built or installed: an installed distribution is read in
place, and a wheel that `pip` downloads (with its own index and credentials) is never unpacked.
"""

from __future__ import annotations

import configparser
import hashlib
import importlib.metadata
import re
import stat
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scoring import children
from scoring.diagnostics.words import counted, shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.content import Candidate, find_releases_in_tree
from scoring.extensions.sharing.sources.folder import FolderTree
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_FETCHED, MOST_FILES
from scoring.extensions.sharing.sources.process import (
    ProgramAnswer,
    capture_program_output,
    last_error,
    without_credentials,
)
from scoring.extensions.sharing.sources.tree import Entry, SourceTree, file_too_large_error
from scoring.extensions.verification.zip_index import index_size
from scoring.format.locate import GROUP
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.plugins import import_folders

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

DISTRIBUTION_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_MODULE = lazy_pattern(r"[A-Za-z_]\w*(?:[./][A-Za-z_]\w*)*")
_READ_AT_ONCE = (".yaml", ".yml", ".json", ".toml", ".sig", ".dist-info/entry_points.txt")
_CLAUSE = lazy_pattern(r"(===|~=|>=|<=|>|<|==|=|!=)?\s*([0-9A-Za-z.*+!_-]+)")


def specifiers(wanted: str) -> SpecifierSet:
    """Return a range of versions as a specifier of Python's packaging; a bare version means all versions that start
    with it.

    Raises:
        InputError: when the text is not a range of versions.

    Examples:
        >>> str(specifiers("1.2")), str(specifiers("=1.0")), sorted(map(str, specifiers(">=1,<2")))
        ('==1.2.*', '==1.0', ['<2', '>=1'])
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    refusal = InputError(f"{shown(wanted)} is not a range of versions; write `1`, `1.2` or `>=1.2,<2`")
    clauses = []
    for clause in filter(None, map(str.strip, wanted.split(","))):
        found = _CLAUSE.fullmatch(clause)
        if found is None:
            raise refusal
        exact = f"=={found[2]}" if re.search("[a-z+*]", found[2]) else f"=={found[2]}.*"
        clauses.append(exact if found[1] is None else f"=={found[2]}" if found[1] == "=" else clause)
    try:
        return SpecifierSet(",".join(clauses))
    except InvalidSpecifier:
        raise refusal from None


class DistributionSource:
    """A source of the packs in a Python distribution, which is installed or else downloaded as a wheel.

    Args:
        name: The name of the distribution.
        version: The range of its versions; any by default.

    Raises:
        InputError: when the name or the range is invalid.
    """

    def __init__(self, name: str, version: str = "") -> None:
        if not DISTRIBUTION_NAME.fullmatch(name):
            raise InputError(f"{shown(name)} is not the name of a Python distribution")
        self.name, self.version, self._wanted = name, version, specifiers(version)
        self.where = f"the distribution {name}{self._wanted}"

    @property
    def is_local(self) -> bool:
        """True if a version of the distribution that fits is installed, so that nothing is downloaded."""
        return self._installed is not None

    @cached_property
    def _installed(self) -> importlib.metadata.Distribution | None:
        try:
            found = importlib.metadata.distribution(self.name)
            return found if self._wanted.contains(found.version, prereleases=True) else None
        except (importlib.metadata.PackageNotFoundError, ValueError):
            return None

    def releases(self) -> Sequence[Candidate]:
        """Return a release for every pack file below the modules and folders that the distribution's entry points name.

        Raises:
            InputError: when the distribution can't be fetched or has no packs, or its wheel is damaged or too large.
        """
        if self._installed is not None:
            points = [(entry.name, entry.value) for entry in self._installed.entry_points if entry.group == GROUP]
            version = self._installed.version
            return self._packs(points, f"{version} installed", version)
        with ExitStack() as kept:
            folder = Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="scoring-wheel-")))
            path = _downloaded(folder, f"{self.name}{self._wanted}", self.name)
            with path.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
            version = path.name.split("-")[1]
            self._wheel = WheelTree(path, f"the wheel {path.name}")
            # Imports of a release are read later, so the wheel must exist as long as its tree.
            weakref.finalize(self._wheel, kept.pop_all().close)
        return self._packs(self._wheel.entry_points(), f"{version} sha256 {found}", version)

    def _packs(self, points: Iterable[tuple[str, str]], revision: str, version: str) -> list[Candidate]:
        where = f"{self.name} {version}"
        found: dict[tuple[str, str], Candidate] = {}
        located = dict.fromkeys(_place(where, name, value) for name, value in points)
        if not located:
            raise InputError(f"{where} has no packs: it has no entry point of the group `{GROUP}`")
        for top, below in located:
            for one in find_releases_in_tree(self._tree(where, top, below), below, revision):
                other = found.setdefault((one.name, one.version), one)
                if other.content.files != one.content.files:
                    raise InputError(f"{where} has two packs `{one.name}` {one.version}: {other.at} and {one.at}")
        return list(found.values())

    def _tree(self, where: str, top: str, below: str) -> SourceTree:
        if self._installed is None:
            return _Package(self._wheel, f"{top}/")
        for base in import_folders(self._installed):
            if (base / top / below).exists():
                return FolderTree(base / top, where)
        raise InputError(f"{where} is installed, but its folder {shown(f'{top}/{below}')} is not there; reinstall it")

    def sibling(self, folder: str, place: str) -> DistributionSource:
        """Raise an InputError: a distribution's packs are listed by its entry points, so a project file in it can't
        refer to other folders."""
        raise InputError(
            f"the project file in {self.where} names the folder {shown(folder)}; entry points name its packs"
        )


def _place(where: str, name: str, value: str) -> tuple[str, str]:
    """Return the top folder and the folder within it that an entry point of a distribution names.

    Args:
        where: The name of the distribution in messages.
        name: The name of the entry point.
        value: Its value, such as `acme.packs` or `acme/packs`.
    """
    if not _MODULE.fullmatch(value):
        raise InputError(
            f"the entry point {shown(name)} of {where} is {shown(value)}; name a module or a folder, which is read "
            "without an import"
        )
    top, _, below = value.replace(".", "/").partition("/")
    return top, below


class WheelTree(SourceTree):
    """The files of a wheel, read from the archive: possible pack files immediately, all others when they are needed.

    Raises:
        InputError: when the wheel is not a zip file, or is too large.
    """

    def __init__(self, path: Path, where: str) -> None:
        super().__init__(where, {}, {})
        self._path, self._unpacked = path, 0
        with self._opened() as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                if info.filename in self._entries:
                    raise InputError(f"{where} holds {shown(info.filename)} twice")
                self._entries[info.filename] = _entry(info)
            self._read(archive, (name for name in self._entries if name.endswith(_READ_AT_ONCE)))

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        """Open the archive for a block, after checking that its index is not too large."""
        where = self.where
        try:
            with self._path.open("rb") as stream:
                found = index_size(stream)
                if found is None:
                    raise InputError(f"{where} is not a zip file, as a wheel is")
                if found[0] > MOST_FILES or found[1] > MOST_FILES * 500:
                    raise InputError(f"{where} has {counted(found[0], 'file')}; at most {MOST_FILES:,} are looked at")
                with zipfile.ZipFile(stream) as archive:
                    yield archive
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise InputError(f"{where} is damaged ({' '.join(str(error).split())[:100]})") from None

    def _read(self, archive: zipfile.ZipFile, names: Iterable[str]) -> None:
        """Read files from the open archive into memory; those that are not regular or too large are left out.

        Args:
            archive: The archive.
            names: The paths of the files in it.
        """
        for name in names:
            entry = self._entries[name]
            if not isinstance(entry, int) or entry > MOST_BYTES:
                continue
            self._unpacked += entry
            if self._unpacked > MOST_FETCHED:
                raise InputError(f"{self.where} would unpack to more than {MOST_FETCHED:,} bytes")
            with archive.open(name) as stream:
                data = stream.read(MOST_BYTES + 1)
            if len(data) != entry:
                raise file_too_large_error(self.where, name, len(data))
            self._contents[name] = data

    def content(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of the files at some paths of the wheel, from memory or from the archive."""
        wanted = list(paths)
        if missing := [path for path in wanted if path not in self._contents]:
            with self._opened() as archive:
                self._read(archive, missing)
        return super().content(wanted)

    def entry_points(self) -> list[tuple[str, str]]:
        """Return the entry points that locate packs in the wheel, as pairs of name and value; empty if it has none."""
        texts = [
            path for path in self._contents if path.endswith(".dist-info/entry_points.txt") and path.count("/") == 1
        ]
        if len(texts) != 1:
            return []
        parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=True)
        try:
            parser.read_string(self._contents[texts[0]].decode("utf-8"))
            return parser.items(GROUP) if parser.has_section(GROUP) else []
        except (configparser.Error, UnicodeDecodeError):
            raise InputError(f"{self.where}: its entry_points.txt can't be read") from None


class _Package(SourceTree):
    """The files of a wheel below one folder, with paths relative to it."""

    def __init__(self, wheel: WheelTree, above: str) -> None:
        entries = wheel.below(above.rstrip("/"))
        super().__init__(wheel.where, {path.removeprefix(above): one for path, one in entries.items()}, {})
        self._wheel, self._above = wheel, above

    def content(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of the files at some paths, read from the wheel."""
        found = self._wheel.content(self._above + path for path in paths)
        return {path.removeprefix(self._above): data for path, data in found.items()}


def _entry(info: zipfile.ZipInfo) -> Entry:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "a symbolic link"
    if kind not in (0, stat.S_IFREG):
        return "not a plain file"
    if info.flag_bits & 1:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "packed in a way that wheels do not use"
    return info.file_size


def _downloaded(folder: Path, requirement: str, name: str) -> Path:
    """Download the wheel of a distribution with pip, and return its path; source distributions are never built.

    Args:
        folder: The folder to which it is written.
        requirement: The name and the range of versions, as pip takes them.
        name: The name alone, for messages.
    """
    fixed = ("--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input", "--no-color", "--quiet")
    answer = capture_program_output(
        children.python("-m", "pip", "download", *fixed, "--progress-bar=off", "--dest=.", "--", requirement),
        what="pip",
        folder=folder,
        environment=children.environment(PIP_NO_INPUT="1"),
    )
    if answer.status:
        raise InputError(f"the distribution {requirement} can't be fetched: {_words(answer, name)}")
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1 or wheels[0].stat().st_size > MOST_FETCHED:
        raise InputError(f"the distribution {requirement} can't be fetched: pip gives {counted(len(wheels), 'wheel')}")
    return wheels[0]


def _words(answer: ProgramAnswer, name: str) -> str:
    said = answer.said
    if "No module named pip" in said:
        return f"pip is not installed here; install it, or install {name} itself"
    if answer.status == -25 or "File too large" in said:
        return f"it is larger than {MOST_FETCHED:,} bytes"
    versions = re.search(r"from versions: ([^)]*)\)", said)
    if versions is not None and versions[1].strip() not in ("", "none"):
        return f"the index has only {without_credentials(versions[1])}"
    if "No matching distribution" in said:
        return "the index has no wheel of it (source distributions are not used); check the name"
    if re.search(r"\b401\b|\b403\b", said):
        return "the index rejects these credentials; check pip's configuration"
    return last_error(said, "ERROR:") or f"pip ended with status {answer.status}"
