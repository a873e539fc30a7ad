"""Read the values that expressions name by paths, such as `record.town`, from the row of a record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.compiler.programs.failures import error_of
from scoring.compiler.programs.program import ComputedPath, show_path
from scoring.compiler.programs.stages import RowValues
from scoring.lang.places import PARSED, place_text
from scoring.lang.printer import value_text
from scoring.lang.tree import ITEM, Path
from scoring.registry.model import Param
from scoring.result import NotApplicable, Outcome, Unparsed, Unscored
from scoring.values import checker, show_type, show_value


def read_path(path: Path, row: RowValues) -> Any:
    """Return the value at a path in a row, which has the values of one record that expressions can name.

    Raises:
        Unscored: when the row has no such value.
        Unparsed: when the value is computed from the response, and the response did not parse.
    """
    value: Any = row.get(path.root)
    segments = path.segments
    if path.root == "values" and isinstance(path, ComputedPath):
        made, name, segments = path.value, segments[0], segments[1:]
        value = value[name] if value is not None and name in value else made.now(made, row)
    for segment in segments:
        try:
            value = value[segment]
        except (KeyError, IndexError, TypeError):
            if type(value) is Outcome:
                break
            raise Unscored(f"the {path.root if path.root == ITEM else 'record'} has no `{show_path(path)}`") from None
    if type(value) is Outcome:
        raise error_of(value)
    return value


def comparable(path: Path, row: RowValues) -> Any:
    """Return a key for the value at a path in a row: keys of two rows are equal only if no step can tell their values
    apart."""
    try:
        value = read_path(path, row)
    except Unscored:
        return Unscored if path.root not in _MADE else object()
    except (Unparsed, NotApplicable):
        return object()
    # Equal values of other classes, such as lists, may hold 1 in one row and True in another.
    return (type(value), value) if isinstance(value, (str, int, float, type(None))) else object()


# Roots whose values fail for reasons of their own.
_MADE = ("parsed", "values")


def argument_reader(owner: str, param: Param | None, path: Path) -> Callable[[RowValues], Any]:
    """Return a function that reads, at ``path`` in a row, the argument of the step ``owner`` for a parameter.

    It checks the value like an argument written in the spec: it raises Unscored if the row has no value at the path, or
    one that the parameter does not accept. Without a parameter, any value is accepted.
    """
    if param is None:
        return lambda row: read_path(path, row)
    known = param
    fits = checker(param.type)
    place = f"`{show_path(path)}`"

    def read(row: RowValues) -> Any:
        value = read_path(path, row)
        if value is None and known.default is None:
            return value
        if known.choices:
            if value not in known.choices:
                members = ", ".join(map(str, known.choices))
                raise Unscored(f"`{owner}` does not know {place} for `{known.name}`; it is one of {members}")
        elif fits is not None and not fits(value):
            raise Unscored(f"`{known.name}` of `{owner}` takes {known.type}, but {place} is {show_type(value)}")
        if known.is_whole:
            value = _whole(value)
        if not known.is_within(value):
            raise Unscored(f"`{known.name}` of `{owner}` must be {known.bounds}, but {place} is {show_value(value)}")
        return value

    return read


def _whole(value: Any) -> Any:
    """Return a float that is a whole number, such as 3.0, as an int, also inside a list; other values unchanged."""
    if isinstance(value, list):
        return list(map(_whole, value))
    return int(value) if isinstance(value, float) and value.is_integer() else value


def column_of(path: Path) -> str:
    """Return the name of the column, or the path in the records, that a path in a formula reads.

    Examples:
        >>> column_of(Path("record", ("unit price", 0))), column_of(Path("parsed", ("town",)))
        ('"unit price"[0]', 'parsed.town')
        >>> column_of(Path("prediction")), column_of(Path("record")), column_of(Path("values", ("letter",)))
        ('response', 'record', 'the value of letter')
    """
    root, segments = path.root, path.segments
    if root == "values":
        return f"the value of {place_text(segments)}"
    if root == "record" and segments[:1] not in ((), ("record",), (PARSED,)):
        return place_text(segments)  # as `by:` names it, too
    return place_text(("response" if root == "prediction" else root, *segments))


def base_of(path: Path) -> Path:
    """Return the path at which the computation of a value begins, given the path of the value; any other path
    unchanged."""
    while isinstance(path, ComputedPath):
        path = path.value.head
    return path


def side_of(head: Path) -> str:
    """Return what a path reads, for messages: "prediction", "reference", or "value of `…`" for another part of the
    record."""
    base = base_of(head)
    sides = {"prediction": "prediction", "parsed": "prediction", "reference": "reference"}
    return sides.get(base.root, f"value of `{value_text(base)}`")
