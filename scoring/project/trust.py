"""Whose signatures count: the table `[trust]` of a project file, or a file of OpenSSH's allowed signers.

    [trust]
    require = ["close", "acme-*"]            # a release of these must be signed by one of the authors below
    [trust.authors]
    "ann@example.org" = "ssh-ed25519 AAAA…"  # may sign every pack
    metrics-team = {keys = ["ssh-ed25519 AAAA…", "ssh-ed25519 AAAA…"], packs = ["close"]}

It is read without any library, so that a release is refused for want of trust also where nothing can be checked.
"""

from __future__ import annotations

import fnmatch
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring.data.plain_files import read_plain
from scoring.data.refused import refused
from scoring.data.rows.row import InputError
from scoring.diagnostics.suggest import did_you_mean
from scoring.late import dataclass
from scoring.project.author_key import KIND, AuthorKey

TABLE = "trust"
MOST_BYTES = 1_000_000
"""How large a file of trusted authors may be."""
MOST_KEYS = 10_000
"""How many keys all authors together may have."""

_KEYS, _AUTHOR = ("require", "authors"), ("keys", "packs")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """One key of an author.

    Args:
        author: Who it is.
        key: The key.
        packs: Patterns of the packs whose releases it may sign; every one by default.
        namespaces: What else it is good for, where its file says that: ``scoring-run``, ``scoring-*``.
    """

    author: str
    key: AuthorKey
    packs: tuple[str, ...] = ("*",)
    namespaces: tuple[str, ...] = ("*",)

    def may_sign(self, kind: str, name: str) -> bool:
        """Whether its signature on a pack, a run or a bundle of that name counts.

        Examples:
            >>> key = TrustedKey("ann", AuthorKey(bytes(range(32))), packs=("acme-*",))
            >>> key.may_sign("pack", "acme-text"), key.may_sign("pack", "close"), key.may_sign("run", "invoices")
            (True, False, True)
        """
        return _fits(f"scoring-{kind}", self.namespaces) and (kind != "pack" or _fits(name, self.packs))


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose signatures count, and where one is wanted.

    Args:
        keys: The keys of the authors.
        require: Patterns of the packs whose releases must be signed by one of them.
        place: The file that says so, as messages name it; "" where nobody said anything.
    """

    keys: tuple[TrustedKey, ...] = ()
    require: tuple[str, ...] = ()
    place: str = ""

    def wants(self, pack: str) -> bool:
        """Whether a release of a pack must be signed.

        Examples:
            >>> Trust(require=("close", "acme-*")).wants("acme-text"), Trust().wants("close")
            (True, False)
        """
        return _fits(pack, self.require)

    def of(self, key: AuthorKey) -> list[TrustedKey]:
        """What is known of a key: who has it, and for what."""
        return [one for one in self.keys if one.key == key]


def trust_of(table: Any, place: str) -> Trust:
    """The trust that a table `[trust]` states.

    Args:
        table: Its content.
        place: The file, for messages.

    Raises:
        InputError: for a key that it does not have, or a value that is none.
    """
    _only(table, _KEYS, "trust", place)
    require = _texts(table.get("require", []), "trust.require", place)
    authors = table.get("authors", {})
    if not isinstance(authors, Mapping):
        _refuse(place, "trust.authors", "is a table: `author = key`")
    keys = tuple(one for name, held in authors.items() for one in _author(str(name), held, place))
    if len(keys) > MOST_KEYS:
        _refuse(place, "trust.authors", f"has more than {MOST_KEYS:,} keys")
    if require and not keys:
        _refuse(place, "trust.require", "wants signatures, and no author is named; add one to `[trust.authors]`")
    return Trust(keys, require, place)


def read_trust(path: str | Path) -> Trust:
    """The trust that a file states: a project file, any TOML with a table `[trust]`, or OpenSSH's allowed signers.

    Raises:
        InputError: when it can't be read, or says nothing of trust.
    """
    place = str(path)
    try:
        text = read_plain(path, MOST_BYTES).decode("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"can't read {place}: {_why(error)}") from None
    if not place.endswith(".toml"):
        return Trust(tuple(_allowed(text, place)), (), place)
    try:
        held = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{place} is no TOML: {_why(error)}") from None
    scoped = held.get("tool", {}).get("scoring", {}) if place.endswith("pyproject.toml") else held
    table = scoped.get(TABLE) if isinstance(scoped, Mapping) else None
    if table is None:
        raise InputError(f"{place} names no authors: it has no table `[{TABLE}]`")
    return trust_of(table, place)


def _author(name: str, held: Any, place: str) -> Iterator[TrustedKey]:
    at = f"trust.authors.{name[:_LONGEST]}"
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST:
        _refuse(place, at, "is no name that can be shown on a line")
    packs: tuple[str, ...] = ("*",)
    if isinstance(held, Mapping):
        _only(held, _AUTHOR, at, place)
        if "keys" not in held:
            _refuse(place, at, "has no `keys`")
        packs = _texts(held["packs"], f"{at}.packs", place) if "packs" in held else packs
        held = held["keys"]
    texts = (held,) if isinstance(held, str) else _texts(held, f"{at}.keys", place)
    for text in texts:
        try:
            yield TrustedKey(name, AuthorKey.from_text(text), packs)
        except ValueError as error:
            _refuse(place, at, f"is no key: {error}")


def _allowed(text: str, place: str) -> Iterator[TrustedKey]:
    """The lines of a file of allowed signers: `author[,author] [namespaces="…"] ssh-ed25519 AAAA… comment`."""
    found = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found += 1
        where = f"{place}:{number}"
        if found > MOST_KEYS:
            raise InputError(f"{where}: more than {MOST_KEYS:,} keys")
        if len(line) > 10_000:
            raise InputError(f"{where}: more than 10,000 characters")
        authors, namespaces, key = _signer(line, where)
        for author in authors.split(","):
            yield TrustedKey(author, key, namespaces=namespaces)


def _signer(line: str, where: str) -> tuple[str, tuple[str, ...], AuthorKey]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    namespaces: tuple[str, ...] = ("*",)
    if len(words) > 2 and words[1] != KIND and words[2] == KIND:
        # What else an option may say, such as until when a key counts, must not be passed over.
        name, _, value = words.pop(1).partition("=")
        if name.lower() != "namespaces":
            raise InputError(f"{where}: the option `{name:.40}` is not read; `namespaces` is, and no other")
        namespaces = tuple(value.split(","))
    try:
        key = AuthorKey.from_text(" ".join(words[1:3]))
    except ValueError as error:
        raise InputError(f'{where}: {error}; a line is `author [namespaces="…"] {KIND} AAAA…`') from None
    if any(character in words[0] for character in "*?!"):
        raise InputError(f"{where}: `{words[0]:.60}` is a pattern; name the author")
    return words[0], namespaces, key


def _only(held: Any, keys: tuple[str, ...], at: str, place: str) -> None:
    if not isinstance(held, Mapping):
        _refuse(place, at, "is a table")
    for key in held:
        if key not in keys:
            meant = did_you_mean(str(key), keys)
            hint = f"did you mean `{meant}`?" if meant else f"there are {' and '.join(f'`{one}`' for one in keys)}"
            _refuse(place, f"{at}.{str(key)[:_LONGEST]}", f"is no key of it; {hint}")


def _texts(held: Any, at: str, place: str) -> tuple[str, ...]:
    if not isinstance(held, list) or not all(isinstance(one, str) and one.strip() for one in held):
        _refuse(place, at, "is a list of texts")
    return tuple(held)


def _refuse(place: str, at: str, why: str) -> Any:
    raise InputError(f"{place}: `{at}` {why}")


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, one) for one in patterns)


def _why(error: BaseException) -> str:
    return refused(error) if isinstance(error, OSError) else " ".join(str(error).split())[:100]
