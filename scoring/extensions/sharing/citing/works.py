"""The table of works that rules come from, in which the source of a definition or a primitive is looked up."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

from scoring.diagnostics.visible import visible
from scoring.lazy_pattern import lazy_pattern

_ARXIV = lazy_pattern(r"arXiv:\s*(\d{4}\.\d{4,5})", re.IGNORECASE)
_DOI = lazy_pattern(r"\b(10\.\d{4,9}/[^\s;,\"'<>]*[^\s;,.\"'<>)])")
_LONGEST_KEY = 40


class CitedWork(Struct, frozen=True):
    """A work in the table; or, if only a citing text is known, a work made of that text.

    Args:
        key: Its BibTeX key.
        type: Its BibTeX entry type.
        fields: Its BibTeX fields as plain text; ``author`` is a list.
        said: The phrases by which texts refer to it; their syntax is explained at the top of the table.
    """

    key: str
    type: str
    fields: Mapping[str, Any]
    said: tuple[str, ...] = ()

    def is_named_in(self, text: str) -> bool:
        """Return True if a text refers to the work: by its DOI, its arXiv number, or a phrase that the table gives for
        the work.

        Examples:
            >>> work = CitedWork("a", "misc", {"arxiv": "2402.03848"}, ("Peer…released code",))
            >>> work.is_named_in("arXiv:2402.03848"), work.is_named_in("Peer et al., released code")
            (True, True)
            >>> work.is_named_in("Peer et al.")
            False
        """
        if self.fields.get("arxiv") in _ARXIV.findall(text) or self.fields.get("doi") in _DOI.findall(text):
            return True
        parts = ([rf"(?<!\w){re.escape(part)}(?!\w)" for part in said.split("…")] for said in self.said)
        return any(all(re.search(part, text) for part in said) for said in parts)


@cache
def works() -> tuple[CitedWork, ...]:
    """Return all works of the table of cited works, sorted by key."""
    table = tomllib.loads((files(__package__) / "works.toml").read_text("utf-8"))
    return tuple(
        CitedWork(key, one["type"], {k: v for k, v in one.items() if k not in ("type", "said")}, tuple(one["said"]))
        for key, one in sorted(table.items())
    )


def works_of(texts: Iterable[str]) -> list[CitedWork]:
    """Return the works to which some texts refer, each once, sorted by key; an unknown work is cited by its text.

    Examples:
        >>> [work.key for work in works_of(["Spearman: The Proof and Measurement (1904)", "our own rule"])]
        ['our-own-rule-5ded5c', 'spearman1904']
    """
    found: dict[str, CitedWork] = {}
    for text in texts:
        referred = [work for work in works() if work.is_named_in(text)] or [_as_said(text)]
        found |= {work.key: work for work in referred}
    return [found[key] for key in sorted(found)]


def _as_said(text: str) -> CitedWork:
    """Return a work made of a text that names no work of the table: the text is the title, and the key contains a hash
    of it.

    Args:
        text: The text of a source, such as `our own rule`.
    """
    line = " ".join(text.split())
    fields: dict[str, Any] = {"title": line}
    for name, pattern in (("arxiv", _ARXIV), ("doi", _DOI)):
        if number := pattern.findall(line):
            fields[name] = number[0]
    words = "-".join(re.findall(r"[a-z0-9]+", line.lower())[:4])[:_LONGEST_KEY].strip("-") or "source"
    return CitedWork(f"{words}-{hashlib.sha256(line.encode('utf-8', 'replace')).hexdigest()[:6]}", "misc", fields)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}


def bibtex(cited: Iterable[CitedWork]) -> str:
    """Return works as BibTeX entries in UTF-8, with LaTeX's special characters escaped.

    Examples:
        >>> print(bibtex([CitedWork("a", "misc", {"title": "50% of {x}", "author": ["Ann", "others"], "year": 2024})]))
        @misc{a,
          author = {Ann and others},
          title = {{50\\% of \\textbraceleft{}x\\textbraceright{}}},
          year = {2024},
        }
    """
    return "\n\n".join(map(_entry, cited))


def _entry(work: CitedWork) -> str:
    fields = dict(work.fields)
    written: dict[str, str] = {}
    if "author" in fields:
        written["author"] = " and ".join(map(_author, fields.pop("author")))
    written["title"] = f"{{{_escaped(str(fields.pop('title')))}}}"  # the extra braces preserve capital letters
    for name, value in fields.items():
        if name == "arxiv":
            written |= {"eprint": str(value), "archiveprefix": "arXiv"}
        else:
            # A DOI is an identifier, in which BibTeX styles don't interpret escapes.
            is_plain = name == "doi" and not set(str(value)) & {"{", "}", "\\", "%"}
            written[name] = str(value) if is_plain else _escaped(str(value))
    lines = [f"  {name} = {{{value}}}," for name, value in written.items()]
    return "\n".join([f"@{work.type}{{{work.key},", *lines, "}"])


def _author(name: str) -> str:
    """Return the name of an author with special characters of LaTeX escaped; a name in braces is an institution and
    keeps its braces."""
    inner = name[1:-1] if name.startswith("{") and name.endswith("}") else ""
    return f"{{{_escaped(inner)}}}" if inner else _escaped(name)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in visible(text.encode("utf-8", "replace").decode()))


def reference(work: CitedWork) -> str:
    """Return a work formatted as one line of a list of references.

    Examples:
        >>> print(reference(next(work for work in works() if work.key == "spearman1904")))
        Spearman, Charles: The Proof and Measurement of Association between Two Things. The American Journal of \
Psychology 15(1), 72–101, 1904
    """
    fields = {name: value for name, value in work.fields.items() if name != "author"}
    who = [name.strip("{}") for name in work.fields.get("author", ())]
    names = " and ".join(who) if len(who) < 3 and "others" not in who else f"{who[0]} et al."
    parts = [f"{names}: {fields['title']}" if who else str(fields["title"])]
    number = f"({fields['number']})" if "number" in fields else ""
    venue = next(
        (str(fields[key]) for key in ("journal", "booktitle", "publisher", "institution") if key in fields), ""
    )
    pages = f", {str(fields['pages']).replace('--', '–')}" if "pages" in fields else ""
    year = str(fields.get("year", ""))
    place = f"{venue} {fields['volume']}{number}{pages}" if "volume" in fields else f"{venue}{pages}"
    if place or year:
        parts.append(", ".join(part for part in (place, year) if part))
    numbers = [f"{name}:{fields[key]}" for key, name in (("arxiv", "arXiv"), ("doi", "doi")) if key in fields]
    return ". ".join(parts + numbers)
