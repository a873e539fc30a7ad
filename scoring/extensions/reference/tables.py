"""The tables of the documentation that are generated from code: keys of specs, formats of data, features of tasks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from scoring.data.file_format import FileFormat, own_formats
from scoring.engine import features
from scoring.format.keys import DATA_SETS, KINDS, TASKS, FileKind, Key
from scoring.format.table import KeyPlace, every_place
from scoring.lazy_pattern import lazy_pattern

_KEYS = lazy_pattern(r"(<!-- keys: ([a-z -]+) -->\n).*?(<!-- /keys -->)", re.DOTALL)
_FORMATS = lazy_pattern(r"(<!-- formats -->\n).*?(<!-- /formats -->)", re.DOTALL)
_FEATURES = lazy_pattern(r"(<!-- features -->\n).*?(<!-- /features -->)", re.DOTALL)


def update_key_tables(page: str) -> str:
    """Return the text of a documentation page with new tables of keys, each between `<!-- keys: rows pack -->` and
    `<!-- /keys -->`."""
    return _KEYS.sub(lambda found: f"{found[1]}{_keys(found[2].split())}{found[3]}", page)


def _keys(names: list[str]) -> str:
    kinds = tuple(kind for kind in KINDS if kind in names or (kind in DATA_SETS and "data-sets" in names))
    several = len(names) > 1
    head = ["| key | of | meaning |", "|---|---|---|"] if several else ["| key | meaning |", "|---|---|"]
    lines = [f"| `{place.text}` |{_of(own) if several else ''} {_meaning(place.key)} |" for place, own in _shown(kinds)]
    return "\n".join([*head, *lines]) + "\n"


def _shown(kinds: tuple[FileKind, ...]) -> Iterable[tuple[KeyPlace, tuple[FileKind, ...]]]:
    """Return the keys that files of the given kinds may have, each with the kinds (among these) that have it; keys of
    definitions only once, since all sections have the same ones."""
    seen: set[tuple[int, int]] = set()
    found: list[tuple[KeyPlace, tuple[FileKind, ...]]] = []
    for place in every_place():
        own = tuple(kind for kind in place.kinds if kind in kinds)
        same = id(place.key), len(place.path)
        # A class has the keys of its base class.
        known = [number for number, (one, _) in enumerate(found) if (one.path, one.key) == (place.path, place.key)]
        if own and known:
            found[known[0]] = place, (*found[known[0]][1], *own)
        elif own and (len(place.path) == 1 or same not in seen):
            seen.add(same)
            found.append((place, own))
    return found


def _of(kinds: tuple[FileKind, ...]) -> str:
    words = "any task" if kinds == TASKS else "data sets" if kinds == DATA_SETS else ", ".join(kinds)
    return f" {words} |"


def _meaning(key: Key) -> str:
    default = key.default if isinstance(key.default, str) else json.dumps(key.default)
    must = (
        "" if not key.required else " Required." if key.required == key.kinds else f" Required for {key.required[0]}."
    )
    shown = "" if key.default in (None, False) else f" By default `{default}`."
    return key.doc.replace("|", "\\|") + must + shown


def update_format_table(page: str) -> str:
    """Return the text of a documentation page with a new table of formats between `<!-- formats -->` and `<!-- /formats
    -->`."""
    head = "| format | | files | settings | needs |\n|---|---|---|---|---|\n"
    table = head + "".join(map(_format, own_formats().values()))
    return _FORMATS.sub(lambda found: f"{found[1]}{table}{found[2]}", page)


def _format(form: FileFormat) -> str:
    needs = f"`{form.needs[1]}`" if form.needs else "–"
    suffixes, settings = (", ".join(f"`{name}`" for name in names) or "–" for names in (form.suffixes, form.settings))
    return f"| `{form.name}` | {form.title} | {suffixes} | {settings} | {needs} |\n"


def update_feature_table(page: str) -> str:
    """Return the text of a documentation page with a new table of features between `<!-- features -->` and `<!--
    /features -->`."""
    return _FEATURES.sub(lambda found: f"{found[1]}{_features()}{found[2]}", page)


def _features() -> str:
    """Return the Markdown table of features by kinds of tasks: a tick where a kind has a feature, else the number of
    the reason below the table."""
    reasons: list[str] = []
    lines = [f"| | {' | '.join(features.KINDS.values())} | |", "|---|" + "---|" * (len(features.KINDS) + 1)]
    for one in features.FEATURES.values():
        cells = []
        for kind in features.KINDS:
            why = features.unsupported_reason(one.name, kind)
            if why is not None:
                reasons.append(why)
            cells.append("✓" if why is None else f"refused ({len(reasons)})")
        name = one.name if "`" in one.name else f"`{one.name}`"
        lines.append(f"| {name} | {' | '.join(cells)} | {one.doc} |")
    notes = [f"{number}. {why}" for number, why in enumerate(reasons, start=1)]
    return "\n".join([*lines, "", *notes, ""])
