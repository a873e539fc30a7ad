"""The two questions of editors and agents: what flows at an offset of a text, and what may come next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from scoring.extensions.editors.expression import HalfWritten, OpenPart, half_written
from scoring.extensions.editors.flowing import Follower, Stream
from scoring.extensions.editors.model import Completion, FlowAt, StepBefore
from scoring.extensions.editors.names import SpecNames, names_of
from scoring.extensions.editors.place import TextPlace, place_at
from scoring.extensions.editors.roles import ENTRIES, Expected, expected_at, follower_of, opened_as_data
from scoring.registry.model import Param

LONGEST = 2_000_000
"""The most characters of a text; longer ones get no answer."""


@dataclass(frozen=True, slots=True)
class Situation:
    """An offset of a text with all that is known of it.

    Attributes:
        place: Where it stands in the outline; None in a comment.
        names: The names of the file.
        expected: The expression that stands there, None if none does.
        half: The expression up to the offset.
        parts: What is open there, outermost first; that of the data form comes before that of the text.
        stream: What flows at the offset, None where no step may come.
        before: What flows where the innermost pipeline begins.
        param: The parameter of a primitive whose argument is being written.
        argument: The name of the argument that is being written.
        follower: The follower of types, which knows the names of the file.
        path: The path of the file.
    """

    place: TextPlace | None
    names: SpecNames | None = None
    expected: Expected | None = None
    half: HalfWritten | None = None
    parts: tuple[OpenPart, ...] = ()
    stream: Stream | None = None
    before: Stream | None = None
    param: Param | None = None
    argument: str = ""
    follower: Follower | None = None
    path: Path | None = None


def flow_at(text: str, path: str | Path, offset: int) -> FlowAt:
    """Return what flows at an offset of a spec's text, what may come next, and what stands there.

    The text may be half written: steps before a mistake are kept. No file but the packs that it imports is read.

    Args:
        text: The text of the spec, YAML or JSON.
        path: The path of its file, from whose folder imports start; the file need not exist.
        offset: The offset in code points.

    Examples:
        >>> found = flow_at("kind: task\\nname: a\\nscore: words | ", "a.yaml", 35)
        >>> found.role, found.type, found.is_score
        ('scorer', 'List[Text]', False)
    """
    found = situation_at(text, Path(path), offset)
    if found.place is None or found.names is None:
        return FlowAt()
    from scoring.extensions.editors.standing import standing_at

    standing = standing_at(found, text, offset)
    scope = scope_of(found)
    if found.expected is None or found.half is None:
        role = "key" if found.place.is_key else "value"
        return FlowAt(found.place.path, role, scope=scope, standing=standing)
    stream = found.stream
    return FlowAt(
        path=found.place.path,
        role=found.expected.role if not found.place.is_key else "key",
        type="" if stream is None else str(stream.type),
        reference="" if stream is None or not stream.is_pair else str(stream.reference),
        is_score=stream is not None and stream.is_joined,
        steps=tuple(_steps_before(found)),
        callee=next((part.callee for part in reversed(found.parts) if part.kind == "call"), ""),
        argument=found.argument,
        accepts=found.half.accepts,
        scope=scope,
        standing=standing,
    )


def completions(text: str, path: str | Path, offset: int) -> list[Completion]:
    """Return what may come next at an offset of a spec's text, the likeliest first.

    Args:
        text: The text of the spec, YAML or JSON; it may be half written.
        path: The path of its file; imports, and the data file beside it whose paths are offered, start from its folder.
        offset: The offset in code points.

    Examples:
        >>> found = completions("kind: task\\nname: a\\nscore: words | ", "a.yaml", 35)
        >>> "bag_f1" in [one.label for one in found], "zero_below" in [one.label for one in found]
        (True, False)
    """
    from scoring.extensions.editors.completing import completions_in

    return completions_in(situation_at(text, Path(path), offset), offset)


@lru_cache(maxsize=8)
def situation_at(text: str, path: Path, offset: int) -> Situation:
    """Return what is known of an offset of a text; the last answers are kept."""
    if len(text) > LONGEST:
        return Situation(None)
    place = place_at(text, offset)
    if place is None:
        return Situation(None)
    names = names_of(place.root, path.parent)
    expected = expected_at(names, place.path)
    if expected is None:
        return Situation(place, names)
    data = opened_as_data(place, expected.length)
    before = "" if place.is_key else place.before
    half = half_written(before, ENTRIES.get(expected.role, "scorer"))
    parts = (*data[:-1], _merged(data[-1], half.parts[0]), *half.parts[1:])
    return replace(_followed(place, names, expected, half, parts), path=path)


def _merged(outer: OpenPart, inner: OpenPart) -> OpenPart:
    """Return what is open in the text of a scalar together with the data around it, of which it is the last part."""
    inner.steps[:0] = outer.steps
    if outer.kind == "call":
        inner.kind, inner.callee = outer.kind, outer.callee
        inner.key, inner.index, inner.given = outer.key, outer.index, [*outer.given]
    return inner


def _followed(
    place: TextPlace, names: SpecNames, expected: Expected, half: HalfWritten, parts: tuple[OpenPart, ...]
) -> Situation:
    follower = follower_of(names, expected)
    stream: Stream | None = expected.stream
    begins, param, argument = stream, None, ""
    for number, part in enumerate(parts):
        if part.kind == "call" and stream is not None:
            stream, param, argument = follower.into(stream, part)
        elif part.kind == "call":
            param, argument = None, part.key
        elif part.kind == "index":
            stream = None
        begins = stream
        if stream is not None and (number + 1 < len(parts) or part.steps):
            stream = follower.through(stream, [text for text, *_ in part.steps])
            if part.steps:
                param = None
        elif stream is None and part.steps:  # a value that is computed: it begins with a path or a name
            begins = Stream("computed")
            stream = follower.through(begins, [text for text, *_ in part.steps])
            param = None
    return Situation(place, names, expected, half, parts, stream, begins, param, argument, follower)


def _steps_before(found: Situation) -> list[StepBefore]:
    """Return the steps before the offset in the innermost pipeline, with the type behind each."""
    stream, place, steps = found.before, found.place, list[StepBefore]()
    if not found.parts or stream is None or found.follower is None or place is None or place.scalar is None:
        return steps
    for text, start, end in found.parts[-1].steps:
        stream = found.follower.through(stream, [text])
        lead = len(place.scalar.text[start:end]) - len(place.scalar.text[start:end].lstrip())
        is_text = end > 0
        begin = place.scalar.offset(start + lead) if is_text else -1
        steps.append(
            StepBefore(text, begin, place.scalar.offset(start + lead + len(text)) if is_text else -1, str(stream.type))
        )
    return steps


def scope_of(found: Situation) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the names that may be used at an offset, by kind."""
    names = found.names
    if names is None:
        return ()
    imported = [f"{alias}.{name}" for alias, pack in names.imports.items() for name in pack.definitions]
    values = [f"{alias}.{name}" for alias, pack in names.imports.items() for name in pack.values]
    params: Sequence[str] = () if found.follower is None else tuple(found.follower.params)
    kinds = {
        "definitions": (*names.definitions, *imported),
        "values": (*names.values, *values),
        "parameters": tuple(params),
        "packs": tuple(names.targets),
        "fields": names.fields,
    }
    return tuple(kinds.items())
