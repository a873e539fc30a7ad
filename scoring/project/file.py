"""Read the project file: `scoring.toml`, or `[tool.scoring]` of `pyproject.toml`, which states the sources of packs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.os_errors import refused
from scoring.data.plain_files import read_plain
from scoring.data.relative import path_fault
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source, Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import MOST_BYTES, PROJECT_FILE, PYPROJECT, SPEC_FILES, STORE_VARIABLE, TABLE
from scoring.project.versions import is_range
from scoring.registry.extension import find_service
from scoring.value_base import PartlyCompared

MOST_TAGS = 20
"""The most tags of one pack."""
MOST_PACKS = 1_000
"""The most packs of a project file."""

SourceKind: TypeAlias = Literal["folder", "git", "distribution", "address", "here"]
SOURCES = ("folder", "git", "distribution", "address")
_MORE = {"folder": (), "git": ("tag", "commit", "path"), "distribution": (), "address": (), "here": ()}
_ALWAYS = ("version", "pack")
_TABLES = ("packs", "store", "trust")
PACK_NAME = lazy_pattern(r"(?=.{1,200}$)\w[\w.-]*(?:/\w[\w.-]*)*")
COMMIT = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_RUN = lazy_pattern(r"""["']?[^\s"']+""")
_ACCOUNT = lazy_pattern(r"(?<=//)[^/]*(?=@)|(?<=^[\"'])[^/:]+(?=@)")
_SCHEME = lazy_pattern(r"\w:")
_OTHERS = lazy_pattern(r"(?i)~|(?:.*/)?\.git(?:/|$)")
_LONGEST = 200
_SECRET = lazy_pattern(r"(?i)(?:https?|ftp)://[^/?#]*@|\w+://[^/?#@]*:[^/?#@]*@")


class PackSource(PartlyCompared, frozen=True, eq=False):
    """The source from which a project gets a pack.

    Args:
        kind: The kind of ``where``; ``here`` for shipped or installed packs.
        where: A folder relative to the project file, the address of a git repository, the name of a distribution, or
            an address for `fsspec`; "" for shipped or installed packs.
        version: The accepted range of versions; "" for any.
        tag: The tag in a git repository, if there is no commit.
        commit: The commit in a git repository, if there is no tag.
        path: The folder, or the file, in a git repository.
        pack: The pack's own name, if specs import it by another one.
        span: The location of the entry in the project file.
        more_tags: Further tags, such as that of another major version; each has its own version of the pack.
    """

    kind: SourceKind
    where: str = ""
    version: str = ""
    tag: str = ""
    commit: str = ""
    path: str = ""
    pack: str = ""
    span: Span | None = None
    more_tags: tuple[str, ...] = ()

    def parts(self) -> list[PackSource]:
        """Return a source for each tag, or this source alone."""
        return [replace(self, tag=one, more_tags=()) for one in (self.tag, *self.more_tags)]

    def shows(self, where: PackSource) -> bool:
        """Return whether ``where``, a source in a lock, is this source, or this source with one of its tags."""
        return any(one.written() == where.written() for one in self.parts())

    def written(self) -> dict[str, Any]:
        """Return the source as a lock stores it: without the accepted range of versions, which can change without
        invalidating it.

        Examples:
            >>> PackSource("git", "https://example.org/a.git", tag="v1").written()
            {'git': 'https://example.org/a.git', 'tag': 'v1'}
        """
        return {key: value for key, value in self.table().items() if key != "version"}

    def table(self) -> dict[str, Any]:
        """Return the source as a table of a project file, by keys."""
        own = {} if self.kind == "here" else {self.kind: self.where}
        rest = {name: getattr(self, name) for name in ("tag", "commit", "path", "version", "pack")}
        if self.more_tags:
            rest["tag"] = [self.tag, *self.more_tags]
        return own | {name: value for name, value in rest.items() if value}

    def __str__(self) -> str:
        """Return the source as shown in messages.

        Examples:
            >>> str(PackSource("git", "https://example.org/a.git", tag="v1")), str(PackSource("here"))
            ('git https://example.org/a.git at v1', 'shipped or installed')
        """
        if self.kind == "here":
            return "shipped or installed"
        at = " and ".join([self.tag, *self.more_tags]) or self.commit[:12]
        return f"{self.kind} {self.where}" + (f" at {at}" if at else "") + (f", {self.path}" if self.path else "")


class ProjectFile(Struct, frozen=True):
    """The content of a project file.

    Args:
        packs: The sources of packs, by the names under which specs import them.
        place: The folder of the store, relative to the file's folder and below it; "" if it is not stated.
        trust: The accepted signatures, and the packs that must be signed, as the extension that reads signatures states
            them; None if there is no such table, or no such extension.
        source: The text of the file, for findings.
        below: The keys that lead to our table in a larger file.
    """

    packs: Mapping[str, PackSource] = {}
    place: str = ""
    trust: Any = None
    source: Source = Source(PROJECT_FILE, "")
    below: tuple[str, ...] = ()


class ProjectTableFault(ValueError):
    """The exception for an invalid table of a project file that an extension reads.

    Attributes:
        at: The invalid key, preceded by those of the tables that contain it.
    """

    def __init__(self, at: tuple[str, ...], why: str) -> None:
        self.at = at
        super().__init__(f"`{'.'.join(part[:_LONGEST] for part in at)}` {why}")


def read_project_file(path: Path, name: str = "") -> ProjectFile:
    """Read a project file and return its content.

    Raises:
        SpecError: when it can't be read, or its content is invalid.
    """
    shown_as = name or str(path)
    try:
        text = read_plain(path, MOST_BYTES).decode()
    except (OSError, ValueError) as error:
        message = f"can't read {shown_as}: {refused(error)}"
        raise SpecError.of("project-file", message, help="a project file is a small TOML file") from None
    return parse_project_file(text, shown_as, TABLE.split(".") if path.name == PYPROJECT else ())


def parse_project_file(text: str, name: str = PROJECT_FILE, below: Any = ()) -> ProjectFile:
    """Parse the text of a project file and return its content.

    Args:
        text: The text.
        name: The name of the file in messages.
        below: The keys that lead to our table in a larger file.

    Raises:
        SpecError: when the content is invalid; with the location.

    Examples:
        >>> parse_project_file('[packs]\\nclose = { folder = "../close" }').packs["close"].where
        '../close'
    """
    # Findings show lines of the file, in which user names and queries of addresses must not be visible.
    source = Source(name, _RUN.sub(_without_secret, text))
    return _Reader(source, tuple(below)).file(_parsed(source, text))


def _without_secret(found: re.Match[str]) -> str:
    """Return a run of characters of equal length without the parts of an address that may be secret.

    They are a name or token before the host, and the text after a `?` or, in an address, after a `#`; elsewhere a `#`
    begins a comment.
    """
    run = _ACCOUNT.sub(lambda name: "…" * len(name[0]), found[0])
    scheme = _SCHEME.search(run)
    mark = run.find("#", scheme.end()) if scheme else -1
    end = min((at for at in (run.find("?"), mark) if at >= 0), default=len(run)) + 1
    return run[:end] + "…" * (len(run) - end)


def _parsed(source: Source, text: str) -> dict[str, Any]:
    import tomllib

    if len(source.text) > MOST_BYTES:
        raise SpecError.of("project-file", f"{source.name} has more than {MOST_BYTES:,} characters")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        message = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        place = re.search(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)$", message)
        span = None
        if place is not None:
            message = message[: place.start()]
            start = len(source.text)
            if place[1] and int(place[1]) <= source.line_count:
                start = min(source.line_start(int(place[1])) + int(place[2]) - 1, start)
            span = source.span(start, min(start + 1, len(source.text)))
        raise SpecError.of(
            "project-file",
            f"{source.name} is no TOML: {message[:1].lower()}{message[1:200]}",
            span,
            help="https://toml.io shows how it is written",
        ) from None


class _Reader:
    """A reader of the tables of a project file that raises errors with the location of the wrong key."""

    def __init__(self, source: Source, below: tuple[str, ...]) -> None:
        self._source, self._below = source, below

    def file(self, data: Any) -> ProjectFile:
        for key in self._below:
            data = data.get(key, {}) if isinstance(data, dict) else {}
        self._table(data, ())
        self._known(data, _TABLES, ())
        packs = self._table(data.get("packs", {}), ("packs",))
        if len(packs) > MOST_PACKS:
            raise self._error(
                f"{len(packs):,} packs are more than the {MOST_PACKS:,} that a project may have", ("packs",)
            )
        store = self._table(data.get("store", {}), ("store",))
        self._known(store, ("place",), ("store",))
        place = self._text(store["place"], ("store", "place")) if "place" in store else ""
        fault = path_fault(place) or ("it is a folder of the user or of git" if _OTHERS.match(place) else "")
        if place and fault:
            # A project file may be untrusted, so it must not name folders outside of its own.
            raise self._error(
                f"the store can't be at {shown(place)}: {fault}",
                ("store", "place"),
                'name a folder below this file, as in `place = "vendor/packs"`; outside of the project only your own '
                f"environment names one: {STORE_VARIABLE}=shared, or a path",
            )
        trust = self._trust(data["trust"]) if "trust" in data else None
        found = {name: self._pack(name, entry) for name, entry in packs.items()}
        return ProjectFile(found, place, trust, self._source, self._below)

    def _trust(self, value: Any) -> Any:
        trust_of = find_service("project-trust")
        try:
            return None if trust_of is None else trust_of(value, self._source.name)
        except ProjectTableFault as error:
            raise self._error(str(error), error.at, "docs/sharing.md shows how authors are named") from None

    def _pack(self, name: str, entry: Any) -> PackSource:
        at = ("packs", name)
        if not PACK_NAME.fullmatch(name) or name.endswith(SPEC_FILES):
            raise self._error(
                f"{shown(name)} is no name of a pack", at, "letters, digits, `_`, `-`, `.` and `/` are taken, no path"
            )
        if isinstance(entry, str):
            return PackSource("here", version=self._range(entry, at), span=self.place(at))
        entry = self._table(entry, at)
        kinds = [kind for kind in SOURCES if kind in entry]
        if len(kinds) > 1:
            raise self._error(f"`{name}` comes from {listed([f'`{kind}`' for kind in kinds], 'and')}", at, "keep one")
        kind: Any = kinds[0] if kinds else "here"
        self._known(entry, [*(kinds or SOURCES), *_MORE[kind], *_ALWAYS], at)
        tags = entry.get("tag")
        if isinstance(tags, list):
            if not 0 < len(tags) <= MOST_TAGS or any(tag in tags[:place] for place, tag in enumerate(tags)):
                raise self._error(f"`tag` of `{name}` lists no tag, one twice, or more than {MOST_TAGS}", (*at, "tag"))
            tags = [self._text(tag, (*at, "tag")) for tag in tags]
            entry = {**entry, "tag": tags[0]}
        texts = {key: self._text(value, (*at, key)) for key, value in entry.items()}
        where = texts.pop(kind, "")
        more = tuple(tags[1:]) if isinstance(tags, list) else ()
        found = PackSource(kind, where, **texts, span=self.place(at), more_tags=more)
        self._check(name, found, at)
        return found

    def _check(self, name: str, found: PackSource, at: tuple[str, ...]) -> None:
        if found.version:
            self._range(found.version, (*at, "version"))
        if _SECRET.search(found.where):
            raise self._error(
                f"`{name}` has a password or a token in its address",
                (*at, found.kind),
                "leave it out: git, pip and fsspec have places of their own for credentials",
            )
        is_address = "://" in found.where or found.where.startswith("git@")
        if found.kind == "git" and "@" in found.where and not is_address:
            raise self._error(
                f"`git` of `{name}` is no address of a repository",
                (*at, "git"),
                "write https://…, ssh://git@… or file:///…",
            )
        if found.kind in ("git", "address") and ("?" in found.where or "#" in found.where):
            raise self._error(
                f"`{name}` has a `?` or a `#` in its address, and what follows may be a key",
                (*at, found.kind),
                "leave it out: git, fsspec and ~/.netrc have places of their own for credentials",
            )
        if found.where.startswith("-"):
            raise self._error(f"`{found.kind}` of `{name}` begins with `-`", (*at, found.kind), "look at it again")
        if found.kind == "git" and bool(found.tag) == bool(found.commit):
            problem = "both a `tag` and a `commit`" if found.tag else "neither `tag` nor `commit`"
            raise self._error(f"`{name}` has {problem}", at, 'write one of them, such as `tag = "v1.0.0"`')
        if found.commit and not COMMIT.fullmatch(found.commit):
            raise self._error(
                f"`commit` of `{name}` is no whole commit", (*at, "commit"), "write all its 40 digits: `git rev-parse`"
            )
        if any(tag.startswith("-") for tag in (found.tag, *found.more_tags)):
            raise self._error(f"`tag` of `{name}` begins with `-`", (*at, "tag"), "no tag does")
        if found.pack and (not PACK_NAME.fullmatch(found.pack) or found.pack == name):
            problem = "is its name already" if found.pack == name else "is no name of a pack"
            raise self._error(f"`pack = {found.pack!r:.80}` of `{name}` {problem}", (*at, "pack"), "leave it out")

    def _range(self, text: str, at: tuple[str, ...]) -> str:
        if not is_range(text):
            raise self._error(
                f"{shown(text)} is not a version or a range of versions", at, 'write `"1"`, `"1.2"` or `">=1.2,<2"`'
            )
        return text

    def _table(self, value: Any, at: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            name = ".".join(at) or TABLE
            advice = f'write `{at[-1]} = {{ folder = "../shapes" }}` or the like' if at[:1] == ("packs",) else ""
            advice = f"write `[{name}]`" if len(at) < 2 else advice or "see docs/sharing.md"
            raise self._error(f"`{name}` is no table", at, advice)
        return value

    def _text(self, value: Any, at: tuple[str, ...]) -> str:
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            what = "is empty" if value == "" else f"is a text, not {value!r:.60}"
            raise self._error(f"`{at[-1]}` {what}", at, "write it in quotes, on one line")
        return value

    def _known(self, table: Mapping[str, Any], known: Any, at: tuple[str, ...]) -> None:
        for key in table:
            if key not in known:
                what = "table" if not at else "key"
                raise self._error(
                    f"there is no {what} {shown(key)}" + (f" in `{at[-1]}`" if at else ""),
                    (*at, key),
                    did_you_mean(key, known, f"there {'are' if len(known) > 1 else 'is'} {listed(list(known), 'and')}"),
                )

    def _error(self, message: str, at: tuple[str, ...], help: str = "") -> SpecError:
        return SpecError.of("project-file", message, self.place(at), help=help)

    def place(self, at: tuple[str, ...]) -> Span:
        """Return the location of a key, given its full name in our table (`at`), or of the innermost table found."""
        return place_of(self._source, (*self._below, *at))


_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_LINE = lazy_pattern(rf"(?m)^[ \t]*(?:\[[ \t]*(?P<table>{_DOTTED})[ \t]*\]|(?P<key>{_DOTTED})[ \t]*=)")
_PART = lazy_pattern(_KEY)


def key_places(source: Source) -> Iterator[tuple[tuple[str, ...], Span]]:
    """Yield the full name and location of each table and key of a TOML text, except keys of inline tables."""
    table: tuple[str, ...] = ()
    for found in _LINE.finditer(source.text):
        which = "table" if found["table"] is not None else "key"
        parts = tuple(part[1:-1] if part[:1] in ("'", '"') else part for part in _PART.findall(found[which]))
        if which == "table":
            table = parts
        yield (table if which == "table" else (*table, *parts)), source.span(*found.span(which))


def place_of(source: Source, at: tuple[str, ...]) -> Span:
    """Return the location of a key in a TOML text, or of the innermost table of its name that is found.

    `at` is the key's full name: the keys of the tables that contain it, then the key itself.
    """
    best: tuple[int, Span] = (0, source.span(0, 0))
    for name, span in key_places(source):
        if at[: len(name)] == name and len(name) > best[0]:
            best = len(name), span
    length, span = best
    if length < len(at) and length:
        end = source.text.find("\n", span.end)
        line = source.text[span.end : end if end >= 0 else len(source.text)]
        inner = re.search(rf"(?<![\w-])[\"']?{re.escape(at[-1])}[\"']?[ \t]*=", line)
        if inner is not None:
            word = re.search(re.escape(at[-1]), inner[0])
            assert word is not None
            start = span.end + inner.start() + word.start()
            return source.span(start, start + len(at[-1]))
    return span
