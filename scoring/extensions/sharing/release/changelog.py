"""Entries in the `CHANGELOG.md` next to a pack: the scores that move, each with an input that shows it, and additions.

The format is that of https://keepachangelog.com/en/1.1.0. The text below `## [Unreleased]` moves into the entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from scoring.compiler.checks.definitions import is_private
from scoring.diagnostics.visible import visible
from scoring.extensions.sharing.release.judgement import Reason, ReleaseJudgement
from scoring.format.model import Pack
from scoring.lang.printer import print_pipeline
from scoring.lazy_pattern import lazy_pattern

NAME = "CHANGELOG.md"
_HEAD = (
    "# Changelog\n\n"
    "The form is that of [Keep a Changelog](https://keepachangelog.com/en/1.1.0/). A version is major where a score\n"
    "can move or something is gone, minor where something is new.\n"
)
_UNRELEASED = lazy_pattern(r"(?mi)^## \[?unreleased\]?[ \t]*$")
_HEADING = lazy_pattern(r"(?m)^## ")
_SECTIONS = ("Added", "Changed", "Deprecated", "Removed")


def format_changelog_entry(new: Pack, old: Pack | None, judgement: ReleaseJudgement | None) -> str:
    """Return the changelog entry of a pack's release without its heading: sections (Added, Changed …) with a line for
    each change.

    Args:
        new: The released pack.
        old: The last release; None for a first release.
        judgement: The differences between both; None for a first release.
    """
    lines: Mapping[str, list[str]] = {name: [] for name in _SECTIONS}
    if old is None or judgement is None:
        lines["Added"].extend(_described(new))
    else:
        if not judgement.reasons:
            lines["Changed"].append("- Nothing was changed.")
        for reason in judgement.reasons:
            lines[_section(reason, old, new)].extend(_lines(reason))
        lines["Deprecated"].extend(_deprecated(old, new))
    return "\n\n".join(f"### {name}\n\n" + "\n".join(entries) for name, entries in lines.items() if entries) + "\n"


def _described(new: Pack) -> Iterable[str]:
    """Yield a line about each public definition of a pack that is released for the first time: its name, role and first
    paragraph of documentation."""
    for one in new.definitions.values():
        if is_private(one):
            continue
        about = " ".join(one.doc.split("\n\n")[0].split())
        yield f"- `{one.name}` ({one.role}){f': {visible(about)}' if about else ''}"


def _section(reason: Reason, old: Pack, new: Pack) -> str:
    name = reason.name
    if name and name not in old.definitions:
        return "Added"
    return "Removed" if name and name not in new.definitions else "Changed"


def _lines(reason: Reason) -> Iterable[str]:
    """Yield the changelog lines about one change: what was changed, an input whose score changes, and the edits that
    caused it.

    A deprecation yields nothing, because it has a section of its own.

    Args:
        reason: The change, as the reason to raise the version.
    """
    if reason.part == "minor" and reason.text.startswith("deprecated for"):
        return  # it has a section of its own
    about = f"`{reason.name}`: " if reason.name else ""
    yield visible(f"- {about}{reason.text}")
    if reason.counterexample is not None:
        yield visible(f"  - {reason.counterexample}")
    yield from (visible(f"  - {change}") for change in reason.changes)


def _deprecated(old: Pack, new: Pack) -> Iterable[str]:
    for name, one in new.definitions.items():
        known = old.definitions.get(name)
        if one.deprecated is not None and (known is None or known.deprecated is None):
            yield visible(f"- `{name}`, for `{print_pipeline(one.deprecated.instead)}`{_why(one.deprecated.why)}")
    if new.deprecated is not None and old.deprecated is None:
        yield f"- The whole pack, for `{visible(new.deprecated.instead)}`{_why(new.deprecated.why)}"


def _why(why: str) -> str:
    return f": {' '.join(why.split())}" if why.strip() else ""


def with_entry(text: str, name: str, version: str, date: str, entry: str, *, is_alone: bool = True) -> str:
    """Return the text of a changelog with the entry of a release inserted; the text is unchanged if it has an entry for
    that version.

    Args:
        text: The text of the changelog; "" if there is no file yet.
        name: The name of the pack.
        version: The version that is released.
        date: The day of the release, such as `2026-11-22`.
        entry: The entry without its heading, as returned by `format_changelog_entry`.
        is_alone: Whether the changelog is of this pack alone; otherwise headings contain the pack's name.

    Examples:
        >>> print(with_entry("# Changelog\\n", "close", "1.1.0", "2026-11-22", "### Added\\n\\n- `exact`\\n"))
        # Changelog
        <BLANKLINE>
        ## [1.1.0] - 2026-11-22
        <BLANKLINE>
        ### Added
        <BLANKLINE>
        - `exact`
        <BLANKLINE>
    """
    if entry_in(text, name, version, is_alone=is_alone) is not None:
        return text
    text = text or _HEAD
    whole = f"## [{version if is_alone else f'{name} {version}'}] - {date}\n\n{entry.strip()}\n"
    unreleased = _UNRELEASED.search(text)
    if unreleased is not None and is_alone:
        own, *rest = _HEADING.split(text[unreleased.end() :], maxsplit=1)
        kept = f"\n{own.strip()}\n" if own.strip() else ""
        return f"{text[: unreleased.end()]}\n\n{whole}{kept}" + "".join(f"\n## {one}" for one in rest)
    first = _HEADING.search(text, unreleased.end() if unreleased is not None else 0)
    if first is None:
        return f"{text.rstrip()}\n\n{whole}"
    return f"{text[: first.start()]}{whole}\n{text[first.start() :]}"


def entry_in(text: str, name: str, version: str, *, is_alone: bool = True) -> str | None:
    """Return the entry of one version from the text of a changelog, without its heading; None if there is no such
    entry.

    Args:
        text: The text of the changelog.
        name: The name of the pack.
        version: The version.
        is_alone: Whether the changelog is of this pack alone; otherwise headings contain the pack's name.
    """
    title = re.escape(version if is_alone else f"{name} {version}")
    found = re.search(rf"(?m)^## \[?{title}\]?(?![\w.+-]).*$", text)
    return None if found is None else _HEADING.split(text[found.end() :], maxsplit=1)[0].strip()
