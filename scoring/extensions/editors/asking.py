"""The two questions of editors and agents: what flows at an offset of a text, and what may come next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoring.extensions.editors.completing import completions_in
from scoring.extensions.editors.model import Completion, FlowAt, StepBefore
from scoring.extensions.editors.situation import Situation, situation_at
from scoring.extensions.editors.standing import standing_at


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
    standing = standing_at(found, text, offset)
    scope = scope_names(found)
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
    return completions_in(situation_at(text, Path(path), offset), offset)


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


def scope_names(found: Situation) -> tuple[tuple[str, tuple[str, ...]], ...]:
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
