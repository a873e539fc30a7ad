"""What is told of a place in a text: what flows there, what stands there, and what may come next."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

StandingKind: TypeAlias = Literal[
    "step", "metric", "definition", "parameter", "value", "field", "pack", "path", "key", "function", "constant"
]
CompletionKind: TypeAlias = StandingKind


class StandingName(Struct, frozen=True):
    """What stands at an offset of a text: a name with its meaning.

    Attributes:
        kind: What it is.
        name: Its name as written.
        start: The offset at which it begins.
        end: The offset behind it.
        signature: Its inputs, output and parameters, or the type of a parameter or key; "" if it has none.
        documentation: What it means, in one line; "" if nothing is known.
    """

    kind: StandingKind
    name: str
    start: int
    end: int
    signature: str = ""
    documentation: str = ""


class StepBefore(Struct, frozen=True):
    """A step before an offset, with the type of what it gives; offsets are those of its text, and -1 in data form."""

    text: str
    start: int
    end: int
    type: str


class FlowAt(Struct, frozen=True):
    """What flows at an offset of a text, what may come next, and what stands there.

    Attributes:
        path: The keys and positions that lead to the value at the offset.
        role: What is written there: the kind of an expression (`scorer`, `transform`, `parse`, `aggregate`, `metric`,
            `computed`, `source`, `condition`, `record path`), `key` or `value` of YAML, or `nothing`, as in a comment.
        type: The type of what the next step takes; "" where no step may come.
        reference: The type of the reference beside it, "" where there is none.
        is_score: Whether the pair was already compared, so that a score flows.
        steps: The steps before, of the innermost pipeline, with the type behind each.
        callee: The step whose arguments are being written, "" if none is open.
        argument: The name of the argument that is being written, "" if none is.
        accepts: The tokens that the parser takes next, by their names in the grammar.
        scope: The names that may be used, by kind: `definitions`, `values`, `parameters`, `packs`, `fields`.
        standing: What stands at the offset, None if nothing known does.
    """

    path: tuple[str | int, ...] = ()
    role: str = "nothing"
    type: str = ""
    reference: str = ""
    is_score: bool = False
    steps: tuple[StepBefore, ...] = ()
    callee: str = ""
    argument: str = ""
    accepts: frozenset[str] = frozenset()
    scope: tuple[tuple[str, tuple[str, ...]], ...] = ()
    standing: StandingName | None = None


class Completion(Struct, frozen=True):
    """One of the things that may come next at an offset of a text.

    Attributes:
        label: What is shown, and what is filtered by.
        kind: What it is.
        insert: The text that replaces the stretch from `start` to `end`.
        start: The offset at which this stretch begins.
        end: The offset at which it ends.
        detail: Its type: inputs and output of a step, the type and default of a parameter; "" if it has none.
        documentation: What it means, in one line.
        score: How likely it is here, from 0 to 1; items come in falling order.
    """

    label: str
    kind: CompletionKind
    insert: str
    start: int
    end: int
    detail: str = ""
    documentation: str = ""
    score: float = 0.0
