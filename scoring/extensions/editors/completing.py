"""Completions at a place of a text: what may come next there, ranked, with the stretch of text that it replaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scoring.extensions.editors import keys
from scoring.extensions.editors.candidates import (
    FORMULA_CALLS,
    NextName,
    accumulator_candidates,
    function_candidates,
    literal_candidates,
    parameter_candidates,
    step_candidates,
    value_candidates,
)
from scoring.extensions.editors.expression import is_root, rest_of_word
from scoring.extensions.editors.flowing import Stream
from scoring.extensions.editors.model import Completion
from scoring.extensions.editors.names import SpecNames
from scoring.extensions.editors.place import OutlinePlace
from scoring.extensions.editors.ranking import Ranking
from scoring.extensions.editors.record_paths import below_root, record_paths
from scoring.extensions.editors.roles import table_type
from scoring.extensions.editors.standing import one_line
from scoring.lang.tree import FIXED_ROOTS
from scoring.values import ANY

if TYPE_CHECKING:
    from scoring.extensions.editors.situation import Situation

_MOST = 500
"""The most items of an answer."""


def completions_in(found: Situation, offset: int) -> list[Completion]:
    """Return what may come next in a situation, the likeliest first."""
    place, names = found.place, found.names
    if place is None or names is None:
        return []
    if place.is_key:
        return _of_key(found, place, names)
    if found.expected is None or found.half is None:
        return _of_value(place, names, offset)
    half = found.half
    after = place.after
    rest = 0 if half.quote else rest_of_word(after)
    start = offset if place.scalar is None else place.scalar.offset(half.start)
    end = offset if place.scalar is None or not rest else place.scalar.offset(place.index + rest)
    start = min(start, offset)
    return _ranked(found, candidates_in(found), half.word, start, max(end, offset))


def candidates_in(found: Situation) -> list[NextName]:
    """Return what may come next in an expression, each once and in no order."""
    return list({(one.name, one.insert): one for one in _candidates(found)}.values())


def _candidates(found: Situation) -> Iterator[NextName]:
    half, expected = found.half, found.expected
    if half is None or expected is None:
        return
    if half.quote:
        yield from _in_quotes(found)
        return
    if is_root(half.word.partition(".")[0]) and "." in half.word:
        yield from _paths(found, half.word.partition(".")[0])
        return
    if expected.role == "record path":
        yield from _record_paths(found)
        return
    if half.accepts and half.accepts.isdisjoint(("NAME", "TEXT")):
        if half.word == "" and "VBAR" in half.accepts:
            yield NextName("|", "constant", "| ", "", "the next step follows")
        return
    stream = found.stream
    if _is_formula(found):
        yield from _of_formula(found)
        return
    yield from parameter_candidates(found)
    if stream is not None and stream.form != "formula":
        yield from step_candidates(found, stream)
    yield from _values(found, stream)


def _is_formula(found: Situation) -> bool:
    """Return whether a formula is being written: behind an operator, or in the arguments of a function."""
    role = "" if found.expected is None else found.expected.role
    if role == "condition" or (found.parts[-1].is_formula and found.stream is not None):
        return True
    outer, inner = found.parts[-2:-1], found.parts[-1]
    is_call = inner.kind == "call" and inner.callee in FORMULA_CALLS and not (outer and outer[0].steps)
    return is_call and role in ("aggregate", "scorer", "computed", "metric") and not inner.key and not inner.steps


def _values(found: Situation, stream: Stream | None) -> Iterator[NextName]:
    """Yield values where an expression begins: names, paths, constants."""
    expected, part = found.expected, found.parts[-1]
    if expected is None or part.steps:
        return
    begins = stream is None or stream.form in ("computed", "source") or len(found.parts) > 1
    if stream is not None and stream.form == "metric":
        if len(found.parts) == 1:
            yield from accumulator_candidates()
            yield from function_candidates()
        return
    if begins or expected.role in ("aggregate", "scorer"):
        yield from function_candidates() if not found.argument else ()
    if begins:
        wanted = None if found.param is None or found.param.pipeline else found.param.type
        yield from value_candidates(found, wanted)
        if found.param is not None and found.param.pipeline is None:
            yield from literal_candidates(found.param)
        for root in FIXED_ROOTS:
            if root != "item" or (stream is not None and stream.in_items):
                yield NextName(root, "path", root, "", f"a path into the {root}" if root != "item" else "the item")
        if found.names is not None and found.names.parse:
            yield NextName("parsed", "path", "parsed", "", "what `parse` gave")
    elif expected.role == "scorer" and len(found.parts) == 1:
        yield from _fields(found)
        yield from value_candidates(found, None)
    if expected.role == "aggregate" and len(found.parts) == 1:
        yield from _fields(found)


def _fields(found: Situation) -> Iterator[NextName]:
    names = found.names
    every = () if names is None else (*names.fields, *(("answer",) if names.has_score else ()))
    for name in every:
        yield NextName(name, "field", name, "Score", f"the score of the field `{name}`")


def _of_formula(found: Situation) -> Iterator[NextName]:
    yield from _fields(found)
    if found.expected is not None and found.expected.role == "condition":
        yield NextName("score", "value", "score", "Score", "the score of the record")
    yield from value_candidates(found, None)
    if found.expected is not None and found.expected.role == "metric":
        yield from accumulator_candidates()
        yield NextName("passed", "value", "passed", "Bool", "whether the record passed")
        yield NextName("score", "value", "score", "Score", "the score of the record")
        yield from step_candidates(found, Stream("metric", table_type(found.names) if found.names else ANY))
    yield from function_candidates()
    for root in FIXED_ROOTS:
        yield NextName(root, "path", root, "", f"a path into the {root}")


def _in_quotes(found: Situation) -> Iterator[NextName]:
    param = found.param
    if param is None:
        return
    for choice in param.choices:
        if isinstance(choice, str):
            yield NextName(choice, "constant", choice, "", one_line(param.doc))
    if param.is_path:
        yield from _record_paths(found)


def _paths(found: Situation, root: str) -> Iterator[NextName]:
    names = found.names
    if names is None or names.folder is None or found.path is None:
        return
    if root == "values":
        yield from (NextName(f"values.{name}", "value", f"values.{name}") for name in names.values)
        return
    for one in below_root(root, names.root.get("record"), record_paths(found.path)):
        yield NextName(f"{root}.{one.written}", "path", f"{root}.{one.written}", one.type)


def _record_paths(found: Situation) -> Iterator[NextName]:
    for one in () if found.path is None else record_paths(found.path):
        name = ".".join(one.segments)
        yield NextName(name, "path", name, one.type)
    if found.names is not None and found.place is not None and found.place.path[0] != "record":
        yield from (NextName(name, "path", name) for name in found.names.parts)
        yield from (NextName(name, "value", name) for name in found.names.values)


# ---- keys and values of YAML


def _of_key(found: Situation, place: OutlinePlace, names: SpecNames) -> list[Completion]:
    if place.scalar is None:
        return []
    holder = place.nodes[-1]
    given = {key.text for key, _ in holder.entries}
    items = [
        NextName(name, "key", name, _kind_of(schema), one_line(str(schema.get("description", ""))))
        for name, schema in keys.key_schemas_at(names.kind, place.path).items()
        if name not in given
    ]
    colon = "" if _has_colon(holder, place) else ": "
    is_json = holder.in_flow and any(key.end - key.start > len(key.text) for key, _ in holder.entries)
    found_items = [_as_key(one, colon, is_json) for one in items]
    if found.expected is not None and found.stream is not None and not given - {place.scalar.text}:
        found_items += [_as_key(one, colon, is_json) for one in step_candidates(found, found.stream)]
    elif found.expected is not None:
        found_items += [_as_key(one, colon, is_json) for one in parameter_candidates(found)]
    start, end = place.start, place.end
    return _ranked(found, found_items, place.before, start, end, quoted=False)


def _as_key(one: NextName, colon: str, is_json: bool) -> NextName:
    written = f'"{one.name}"' if is_json else one.name
    return NextName(one.name, one.kind, written + colon, one.detail, one.documentation, one.aka)


def _has_colon(holder: Any, place: OutlinePlace) -> bool:
    return any(key.start == place.start and value is not None for key, value in holder.entries)


def _kind_of(schema: Any) -> str:
    kind = schema.get("type", "")
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def _of_value(place: OutlinePlace, names: SpecNames, offset: int) -> list[Completion]:
    """Return the values that may stand at a place: those of the schema, names of packs and tasks."""
    listed = [
        NextName(_written(value), "constant", _written(value), "", one_line(doc))
        for value, doc in keys.values_at(names.kind, place.path)
    ]
    if place.path[:1] == ("imports",) and len(place.path) == 2:
        listed = list(_packs(names))
    elif place.path == ("extends",):
        listed = list(_tasks())
    quoted = place.scalar is not None and place.scalar.style in ("single", "double")
    start, end = place.start + quoted, place.end
    if quoted and place.scalar is not None and place.scalar.is_closed:
        end -= 1
    if place.scalar is not None and place.scalar.style in ("literal", "folded"):
        return []
    items = _plain_ranked(listed, place.before, start, max(end, offset))
    if keys.is_mapping_at(names.kind, place.path) and not quoted:
        schemas = keys.key_schemas_at(names.kind, place.path)
        below = [
            NextName(name, "key", f"{name}: ", _kind_of(one), one_line(str(one.get("description", ""))))
            for name, one in schemas.items()
        ]
        items += _plain_ranked(below, place.before, start, max(end, offset))
    return items


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _packs(names: SpecNames) -> Iterator[NextName]:
    from scoring.extensions.editors.names import version_in
    from scoring.format import locate

    for name, paths in sorted(locate.bundled_packs().items()):
        version = version_in(paths[-1])
        text = f"{name}@{version.partition('.')[0]}"
        yield NextName(text, "pack", text, version)
    for name, path in locate.installed_packs():
        yield NextName(name, "pack", name, version_in(path))
    folder = names.folder
    try:
        files = sorted(folder.glob("*.yaml"))[:_MOST] if folder is not None else []
        found = [
            path for path in files if path.stat().st_size < 2_000_000 and locate.declares_pack(path.read_bytes()[:2000])
        ]
    except OSError:
        found = []
    yield from (NextName(f"./{path.name}", "pack", f"./{path.name}") for path in found)


def _tasks() -> Iterator[NextName]:
    from scoring.format.shipped import data_folder

    for path in sorted((data_folder("specs") / "cookbook").glob("*.yaml")):
        yield NextName(path.stem, "pack", path.stem, "a recipe")


# ---- ranking


def _ranked(
    found: Situation, items: Iterable[NextName], word: str, start: int, end: int, *, quoted: bool = True
) -> list[Completion]:
    every = list({(one.name, one.insert): one for one in items}.values())
    weights = Ranking(found).weights(every)
    order = sorted(every, key=lambda one: (-_matches(one, word), -weights[one.name, one.kind], one.name))
    kept = [one for one in order if _matches(one, word)][:_MOST]
    return [
        Completion(
            one.name, one.kind, one.insert, start, end, one.detail, one.documentation, weights[one.name, one.kind]
        )
        for one in kept
    ]


def _plain_ranked(items: Iterable[NextName], word: str, start: int, end: int) -> list[Completion]:
    every = list({one.name: one for one in items if _matches(one, word)}.values())
    order = sorted(every, key=lambda one: -_matches(one, word))
    return [
        Completion(one.name, one.kind, one.insert, start, end, one.detail, one.documentation, 1 / (1 + rank))
        for rank, one in enumerate(order[:_MOST])
    ]


def _matches(one: NextName, word: str) -> int:
    """Return how well a candidate fits the letters that are already there: 0 if it does not."""
    if not word:
        return 1
    written, name = word.casefold(), one.name.casefold()
    if name.startswith(written):
        return 4
    if any(part.startswith(written) for part in name.replace("/", "_").replace(".", "_").split("_")):
        return 3
    if written in name or any(other.casefold().startswith(written) for other in one.aka):
        return 2
    letters = iter(name)
    return int(len(written) > 2 and all(letter in letters for letter in written))
