"""The comparator that checks a function call against the values allowed for its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Score, show_type

# The types in descriptions of functions; `any` means a string there.
_CLASSES: dict[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}
_LEFT_OUT = ""
_MARKS = lazy_pattern(r"[ ,./\-_*^]")


@primitive(topics=("tools",), aka=("function call accuracy", "tool call accuracy", "ast match", "valid function call"))
def allowed_call(prediction: dict[str, Any], reference: dict[str, Any], /, *, functions: Any) -> Score:
    """Return 1 if a call is of the right function and all of its arguments have allowed values, else 0.

    The reference is `{"function": {"argument": [allowed values]}}`; `""` among the values means that the argument may
    be left out. An argument must have the type stated in the function's description, but an integer is accepted for a
    float, and so is a value of the same type as the allowed ones, such as the name of a variable. Strings are compared
    without case, spaces and the characters `,./-_*^`, and single quotes equal double quotes. The same applies to
    strings in lists, and to those in mappings, whose keys in turn have lists of allowed values.

    Args:
        functions: A list of descriptions of functions, or a single one: each has a `name` and `parameters`, which have
            `properties`, each with a `type`, and a list `required`.

    Raises:
        Unparsed: when the prediction is not a call as `function_calls` returns it.
        Unscored: when the reference or the description of its function is not as described.

    Examples:
        >>> tools = [{"name": "now", "parameters": {"properties": {"city": {"type": "string"}}, "required": ["city"]}}]
        >>> call = {"name": "now", "arguments": {"city": "suva, fiji"}}
        >>> allowed_call(call, {"now": {"city": ["Suva Fiji", "Suva"]}}, functions=tools)
        1.0
        >>> allowed_call(call, {"now": {"city": ["Suva"], "days": [2, ""]}}, functions=tools)
        0.0

    Source:
        Berkeley Function-Calling Leaderboard, ast_checker, for functions of Python.
    """
    name, arguments = prediction.get("name"), prediction.get("arguments")
    if not isinstance(arguments, dict):
        raise Unparsed("a call is a mapping with a `name` and `arguments`, as `function_calls` gives it")
    expected, allowed = _only_entry(reference)
    described = _described(functions, expected)
    properties, required = _parameters(described)
    if name != described["name"] or any(one not in arguments for one in required):
        return 0.0
    for argument, value in arguments.items():
        if argument not in properties or argument not in allowed:
            return 0.0
        if not _is_allowed(argument, value, _listed(allowed[argument], argument), properties[argument]):
            return 0.0
    return float(all(one in arguments or _LEFT_OUT in _listed(allowed[one], one) for one in allowed))


def _only_entry(reference: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if len(reference) != 1:
        raise Unscored(f"the reference names one function, and this has {len(reference)} entries")
    ((name, allowed),) = reference.items()
    if not isinstance(allowed, dict):
        raise Unscored(f"what `{name}` may be called with is {show_type(allowed)}, not a mapping from its arguments")
    return name, allowed


def _described(functions: Any, name: str) -> dict[str, Any]:
    listed = functions if isinstance(functions, list | tuple) else [functions]
    found = listed if len(listed) == 1 else [one for one in listed if isinstance(one, dict) and one.get("name") == name]
    if not found or not isinstance(found[0], dict) or not isinstance(found[0].get("name"), str):
        raise Unscored(f"`functions` does not describe `{name}`")
    return found[0]


def _parameters(described: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    parameters = described.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    required = parameters.get("required") if isinstance(parameters, dict) else None
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise Unscored(f"the description of `{described['name']}` has no `properties` or no list `required`")
    return properties, required


def _listed(allowed: Any, argument: str) -> list[Any]:
    if not isinstance(allowed, list):
        raise Unscored(f"what `{argument}` may be is {show_type(allowed)}, not a list of values")
    return allowed


def _class_of(described: Any, argument: str) -> type:
    kind = described.get("type") if isinstance(described, dict) else None
    found = _CLASSES.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise Unscored(f"`{argument}` has no type of {', '.join(_CLASSES)}")
    return found


def _is_allowed(argument: str, value: Any, allowed: list[Any], described: Any) -> bool:
    """Return True if the argument of this name has a value of the described type that is among the allowed ones.

    Args:
        argument: The argument's name.
        value: Its value in the call.
        allowed: The allowed values.
        described: The argument's description, with its `type`.
    """
    wanted, inner = _class_of(described, argument), None
    kind = described["type"]
    if wanted is list:
        inner = _class_of(described.get("items"), argument)
    if kind == "tuple" and isinstance(value, tuple):
        value = list(value)
    if kind == "float" and type(value) is int:
        value = float(value)
    is_variable = _fits(value, allowed, wanted, inner)
    if is_variable is None:
        return False
    if not is_variable and wanted is dict:
        return _mapping_is_allowed(value, allowed)
    if not is_variable and inner is dict:
        return any(_mappings_are_allowed(value, one) for one in allowed)
    if not is_variable and wanted is str:
        return _plain(value) in [_plain(one) for one in allowed if isinstance(one, str)]
    if not is_variable and wanted is list:
        return [*map(_plain, value)] in [[*map(_plain, _items(one, argument))] for one in allowed]
    return value in allowed


def _fits(value: Any, allowed: list[Any], wanted: type, inner: type | None) -> bool | None:
    """Return False if a value is to be compared as the described type, True if as a variable name, None if as neither.

    It is a variable's name if it has the type of the allowed values, and these are not of the described type. The types
    of a list's items are checked, too, unless an allowed value is not a list; the contents of items are not.

    Args:
        value: The value of an argument.
        allowed: The allowed values.
        wanted: The described type.
        inner: The described type of the items of a list; None if it is not described.
    """
    found = _type_fits(value, allowed, wanted)
    if inner is None or not isinstance(value, list) or wanted is not list:
        return found
    patterns = (one for one in allowed if type(one) is list)
    any_other = any(type(one) is not list for one in allowed)
    if any_other or any(all(_type_fits(item, one, inner) is not None for item in value) for one in patterns):
        return found
    return None


def _type_fits(value: Any, allowed: list[Any], wanted: type) -> bool | None:
    usual = next((type(one) for one in allowed if one != _LEFT_OUT), None)
    if type(value) is wanted:
        return usual is not None and usual is not wanted
    return True if usual is not None and type(value) is usual else None


def _plain(value: Any) -> Any:
    """Return a string without case, spaces and punctuation that comparison ignores; any other value unchanged."""
    return _MARKS.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value


def _items(value: Any, argument: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple | str | dict):
        raise Unscored(f"what `{argument}` may be is {show_type(value)}, not a list")
    return list(value)


def _mapping_is_allowed(value: Any, allowed: Sequence[Any]) -> bool:
    """Return True if a mapping matches one of the `allowed` mappings, in which each key has a list of allowed
    values.
    """
    return any(_is_like(value, one) for one in allowed if one != _LEFT_OUT)


def _is_like(value: Any, pattern: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(pattern, dict):
        raise Unscored(f"a mapping is compared with mappings, and one of the two is {show_type(pattern)}")
    for key, inner in value.items():
        if key not in pattern or _plain(inner) not in [_plain(one) for one in _listed(pattern[key], str(key))]:
            return False
    return all(key in value or _LEFT_OUT in _listed(inner, str(key)) for key, inner in pattern.items())


def _mappings_are_allowed(values: Any, patterns: Any) -> bool:
    """Return True if the list `values` has as many mappings as the allowed list `patterns`, and each matches the one at
    its position there.
    """
    return len(values) == len(patterns) and all(
        _mapping_is_allowed(one, [pattern]) for one, pattern in zip(values, patterns, strict=True)
    )
