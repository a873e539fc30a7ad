"""Reading of which signatures are accepted: from the table `[trust]` of a project file, or a file of OpenSSH's allowed
signers.

    [trust]
    require = ["close", "acme-*"]            # a release of these must be signed by one of the authors below
    [trust.authors]
    "ann@example.org" = "ssh-ed25519 AAAA…"  # may sign every pack
    metrics-team = {keys = ["ssh-ed25519 AAAA…", "ssh-ed25519 AAAA…"], packs = ["close"]}

It is read without any library, so that an untrusted release is refused even where signatures can't be verified.
"""

from __future__ import annotations

import fnmatch
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.os_errors import refused
from scoring.data.plain_files import read_plain
from scoring.diagnostics.suggest import did_you_mean
from scoring.errors import InputError
from scoring.extensions.sharing.signing.author_key import KIND, AuthorKey
from scoring.lazy_pattern import lazy_pattern
from scoring.project.file import ProjectTableFault

TABLE = "trust"
MOST_BYTES = 1_000_000
"""The most bytes of a file of trusted authors."""
MOST_KEYS = 10_000
"""The most keys of all authors together."""

_KEYS, _AUTHOR = ("require", "authors"), ("keys", "packs")
_LONGEST = 200
# Neither followed by a further option, such as an expiry date, nor with a pattern that `!` negates.
_NAMESPACES = lazy_pattern(r'(?i)\snamespaces="([\w.@*?,-]+)"\s')


class TrustedKey(Struct, frozen=True):
    """A public key of an author, with the packs and namespaces for which its signatures are accepted.

    Args:
        author: The name of the author.
        key: The key.
        packs: Patterns of the packs whose releases it may sign; all by default.
        namespaces: Patterns of the namespaces for which it is valid, if its file restricts them: ``scoring-run``,
            ``scoring-*``.
    """

    author: str
    key: AuthorKey
    packs: tuple[str, ...] = ("*",)
    namespaces: tuple[str, ...] = ("*",)

    def may_sign(self, kind: str, name: str) -> bool:
        """Return True if a signature with this key is accepted on a target.

        Args:
            kind: The kind of the target: a pack, a run or a bundle.
            name: Its name.

        Examples:
            >>> key = TrustedKey("ann", AuthorKey(bytes(range(32))), packs=("acme-*",))
            >>> key.may_sign("pack", "acme-text"), key.may_sign("pack", "close"), key.may_sign("run", "invoices")
            (True, False, True)
        """
        return _fits(f"scoring-{kind}", self.namespaces) and (kind != "pack" or _fits(name, self.packs))


class Trust(Struct, frozen=True):
    """The keys whose signatures are accepted, and the packs that require a signature.

    Args:
        keys: The keys of the authors.
        require: Patterns of the packs whose releases must be signed by one of them.
        place: The name in messages of the file that states this; "" if there is none.
    """

    keys: tuple[TrustedKey, ...] = ()
    require: tuple[str, ...] = ()
    place: str = ""

    def wants(self, pack: str) -> bool:
        """Return True if releases of a pack must be signed, given the pack's name.

        Examples:
            >>> Trust(require=("close", "acme-*")).wants("acme-text"), Trust().wants("close")
            (True, False)
        """
        return _fits(pack, self.require)

    def of(self, key: AuthorKey) -> list[TrustedKey]:
        """Return an entry for each author to whom a public key belongs, with what that author may sign with it; empty
        for an unknown key."""
        return [one for one in self.keys if one.key == key]


def trust_of(table: Any, place: str) -> Trust:
    """Return the accepted keys and required signatures that a table `[trust]` states.

    Args:
        table: The content of the table.
        place: The name of its file, for messages.

    Raises:
        ProjectTableFault: for an unknown key or an invalid value.
    """
    _only(table, _KEYS, (TABLE,))
    require = _texts(table.get("require", []), (TABLE, "require"))
    authors = table.get("authors", {})
    at = (TABLE, "authors")
    if not isinstance(authors, Mapping):
        raise ProjectTableFault(at, "is a table: `author = key`")
    keys = tuple(one for name, entry in authors.items() for one in _author(str(name), entry))
    if len(keys) > MOST_KEYS:
        raise ProjectTableFault(at, f"has more than {MOST_KEYS:,} keys")
    if require and not keys:
        raise ProjectTableFault(
            (TABLE, "require"), "wants signatures, and no author is named; add one to `[trust.authors]`"
        )
    return Trust(keys, require, place)


def read_trust(path: str | Path) -> Trust:
    """Return the accepted keys and required signatures that a file states: TOML with a table `[trust]`, or OpenSSH's
    allowed signers.

    Args:
        path: The file; TOML if its name ends in `.toml`.

    Raises:
        InputError: when it can't be read, or has no such table.
    """
    place = str(path)
    try:
        text = read_plain(path, MOST_BYTES).decode("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"can't read {place}: {_why(error)}") from None
    if not place.endswith(".toml"):
        return Trust(tuple(_allowed(text, place)), (), place)
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{place} is nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place} is no TOML: {_why(error)}") from None
    table: Any = content
    for key in (*(("tool", "scoring") if place.endswith("pyproject.toml") else ()), TABLE):
        table = table.get(key) if isinstance(table, Mapping) else None
    if table is None:
        raise InputError(f"{place} names no authors: it has no table `[{TABLE}]`")
    try:
        return trust_of(table, place)
    except ProjectTableFault as error:
        raise InputError(f"{place}: {error}") from None


def _author(name: str, entry: Any) -> Iterator[TrustedKey]:
    at = (TABLE, "authors", name)
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST:
        raise ProjectTableFault(at, "is no name that can be shown on a line")
    packs: tuple[str, ...] = ("*",)
    if isinstance(entry, Mapping):
        _only(entry, _AUTHOR, at)
        if "keys" not in entry:
            raise ProjectTableFault(at, "has no `keys`")
        packs = _texts(entry["packs"], (*at, "packs")) if "packs" in entry else packs
        entry = entry["keys"]
    texts = (entry,) if isinstance(entry, str) else _texts(entry, (*at, "keys"))
    for text in texts:
        try:
            yield TrustedKey(name, AuthorKey.from_text(text), packs)
        except ValueError as error:
            raise ProjectTableFault(at, f"is no key: {error}") from None


def _allowed(text: str, place: str) -> Iterator[TrustedKey]:
    """Yield each key in the text of a file of allowed signers, whose lines are `author[,author] [namespaces="…"]
    ssh-ed25519 AAAA… comment`.

    Args:
        text: The text.
        place: The name of the file in messages.
    """
    found = 0
    for number, line in enumerate(text.split("\n"), start=1):
        where, line = f"{place}:{number}", line.removesuffix("\r").replace("\t", " ")
        if not line.isprintable():  # OpenSSH ends a line at no other character, and people must see all of it
            raise InputError(f"{where}: it has a sign that can't be shown on a line; write the line anew")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found += 1
        if found > MOST_KEYS:
            raise InputError(f"{where}: more than {MOST_KEYS:,} keys")
        if len(line) > 10_000:
            raise InputError(f"{where}: more than 10,000 characters")
        authors, namespaces, key = _signer(line, where)
        for author in authors.split(","):
            if not author.strip():
                raise InputError(f'{where}: an author has no name; a line is `author [namespaces="…"] {KIND} AAAA…`')
            yield TrustedKey(author, key, namespaces=namespaces)


def _signer(line: str, where: str) -> tuple[str, tuple[str, ...], AuthorKey]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    namespaces: tuple[str, ...] = ("*",)
    if len(words) > 2 and words[1] != KIND and words[2] == KIND:
        # Other options, such as the expiry date of a key, must not be ignored.
        option = words.pop(1)
        name, _, value = option.partition("=")
        found = _NAMESPACES.search(line)
        if name.lower() != "namespaces" or found is None or found[1] != value:
            part = name if name.lower() != "namespaces" else option
            raise InputError(
                f'{where}: the option `{part:.80}` is not read; `namespaces="a,b*"` is, and no other, nor one behind it'
            )
        namespaces = tuple(value.split(","))
    try:
        key = AuthorKey.from_text(" ".join(words[1:3]))
    except ValueError as error:
        raise InputError(f'{where}: {error}; a line is `author [namespaces="…"] {KIND} AAAA…`') from None
    if any(character in words[0] for character in "*?!"):
        raise InputError(f"{where}: `{words[0]:.60}` is a pattern; name the author")
    return words[0], namespaces, key


def _only(table: Any, keys: tuple[str, ...], at: tuple[str, ...]) -> None:
    if not isinstance(table, Mapping):
        raise ProjectTableFault(at, "is a table")
    for key in map(str, table):
        if key not in keys:
            hint = did_you_mean(key, keys, f"there are {' and '.join(f'`{one}`' for one in keys)}")
            raise ProjectTableFault((*at, key), f"is no key of it; {hint}")


def _texts(values: Any, at: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(one, str) and one.strip() for one in values):
        raise ProjectTableFault(at, "is a list of texts")
    return tuple(values)


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, one) for one in patterns)


def _why(error: BaseException) -> str:
    return refused(error) if isinstance(error, OSError) else " ".join(str(error).split())[:100]
