"""Say which paths that a spec names no record has, and what to write instead; read only where there is such a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scoring.compiler.programs.suggestions import is_word_for
from scoring.compiler.records.record_reader import DEFAULTS
from scoring.data.rows.batch import LOOKED_AT
from scoring.diagnostics.diagnostic import Diagnostics
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean, nearest
from scoring.diagnostics.words import listed, shown
from scoring.format.yaml_advice import single_quoted


def add_missing(
    found: Diagnostics,
    mention: tuple[str, str, Span | None],
    noun: str,
    place: tuple[str, Sequence[str], Sequence[str]],
    values: Sequence[str],
    mentions: Sequence[tuple[str, str, Span | None]],
    declared: Mapping[str, str],
    *,
    is_early: bool,
) -> None:
    """Add the error about a path that no record has.

    Args:
        found: The findings to which it is added.
        mention: The path, the place in the spec that uses it, and its position.
        noun: What is missing it: ``record`` or ``image``.
        place: The beginning of the path that there is, the names that are missing after it, and the keys there.
        values: The names of computed values, one of which may be meant.
        mentions: All paths that are looked for.
        declared: The path of each part of a record that the spec's key `record:` names.
        is_early: Whether there may be records behind those that were looked at.
    """
    (path, where, span), (inside, names, keys) = mention, place
    nowhere = [one for one, its_place, _ in mentions if "unless `record:`" in its_place]
    dotted = ".".join(names)
    is_dotted = len(names) > 1 and dotted in keys
    in_quotes = f"a name with dots stands in double quotes: `'\"{dotted}\"'`" if is_dotted else ""
    later = f"where only records behind the first {LOOKED_AT:,} have it, write `{_where_it_may_be(path, where)}`"
    found.error(
        "no-such-path",
        f"no {noun} has {shown(path)}, {where}",
        span,
        in_quotes or did_you_mean(names[0], keys) or did_you_mean(path, values),
        help=[
            _has(inside, noun, keys),
            *([_record_advice(nowhere, keys, declared)] if "unless `record:`" in where else []),
            *([f"a path begins in the {noun}: {shown('.'.join(names[1:]))}"] if names[0] == "record" else []),
            *([later] if noun == "record" and is_early else []),
        ],
    )


def _where_it_may_be(path: str, where: str) -> str:
    """Return spec text that reads a path that may be missing; ``where`` describes what reads it in the spec."""
    part = path.replace(".", "_")
    if where.startswith("where `record:`"):
        return f"{path} || null"
    is_expression = "scorer of" in where or "formula of" in where or "the value" in where
    return f"record: {{{part}: {path} || null}}` and `{'record.' * is_expression}{part}"


def _record_advice(parts: Sequence[str], keys: Sequence[str], declared: Mapping[str, str]) -> str:
    """Return advice to map each of the ``parts`` (such as "response") that is not among a record's ``keys`` to the key
    that probably contains it, by the spec's key `record:`; ``declared`` is the mapping in the spec so far."""
    paths, missing = dict(declared), [one for one in parts if one not in keys]
    for part in missing:
        others = [name for name in declared if name not in DEFAULTS]
        if slip := nearest(part, others) or next((name for name in others if is_word_for(part, name)), None):
            paths[part] = paths.pop(slip)
            continue
        left = [key for key in keys if key not in {*DEFAULTS, *paths.values()} and key.isidentifier()]
        others = [key for key in left if not any(is_word_for(one, key) for one in missing if one != part)]
        own = nearest(part, left) or next((key for key in left if is_word_for(part, key)), None)
        paths[part] = own or (others[0] if len(others) == 1 else "…")
    written = (
        f"{name}: {path if path == '…' or path.isidentifier() else single_quoted(path)}" for name, path in paths.items()
    )
    return f"write `record: {{{', '.join(written)}}}`"


def _has(inside: str, noun: str, keys: Sequence[str]) -> str:
    if not keys:
        return f"{shown(inside) if inside else f'the {noun}'} holds no names"
    return f"{shown(inside)} has {listed(keys, 'and')}" if inside else f"the {noun}s have {listed(keys, 'and')}"
