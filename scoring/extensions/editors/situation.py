"""All that is known of an offset of a text: where it stands, what is open there, and what flows."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.editors.expression import HalfWritten, OpenPart, half_written
from scoring.extensions.editors.flowing import Follower, Stream
from scoring.extensions.editors.names import SpecNames, spec_names_of
from scoring.extensions.editors.place import OutlinePlace, outline_place_at
from scoring.extensions.editors.roles import ENTRIES, Expected, expected_at, follower_of, opened_as_data
from scoring.registry.model import Param

LONGEST = 2_000_000
"""The most characters of a text; longer ones get no answer."""


class Situation(Struct, frozen=True):
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
        texts: The text before the offset, without the word that is half written there, and that behind the scalar.
    """

    place: OutlinePlace | None
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
    texts: tuple[str, str] = ("", "")


@lru_cache(maxsize=8)
def situation_at(text: str, path: Path, offset: int) -> Situation:
    """Return what is known of an offset of a text; the last answers are kept."""
    if len(text) > LONGEST:
        return Situation(None)
    place = outline_place_at(text, offset)
    if place is None:
        return Situation(None)
    names = spec_names_of(place.root, path.parent)
    expected = expected_at(names, place.path)
    if expected is None:
        return Situation(place, names)
    data = opened_as_data(place, expected.length)
    before = "" if place.is_key else place.before
    half = half_written(before, ENTRIES.get(expected.role, "scorer"))
    parts = (*data[:-1], _merged(data[-1], half.parts[0]), *half.parts[1:])
    texts = (text[:offset].removesuffix(half.word), text[max(place.end, offset) :])
    return replace(_followed(place, names, expected, half, parts), path=path, texts=texts)


def _merged(outer: OpenPart, inner: OpenPart) -> OpenPart:
    """Return what is open in the text of a scalar together with the data around it, of which it is the last part."""
    inner.steps[:0] = outer.steps
    if outer.kind == "call":
        inner.kind, inner.callee = outer.kind, outer.callee
        inner.key, inner.index, inner.given = outer.key, outer.index, [*outer.given]
    return inner


def _followed(
    place: OutlinePlace, names: SpecNames, expected: Expected, half: HalfWritten, parts: tuple[OpenPart, ...]
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
