"""The types of the language, their assignability, and checks of values at run time.

A type is a name with arguments: ``Text``, ``List[Text]``, ``Dict[Text, Any]``. ``Any`` is the type of data whose
shape is only known when a record is read; it is compatible with every type, and the value itself is then checked at run
time (gradual typing). A type variable stands for one type within one signature.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from itertools import chain
from typing import Annotated, Any, TypeAlias

from msgspec import Struct


class Named(Struct, frozen=True):
    """A marker in a Python annotation that states the name of the type in the scoring language."""

    name: str


# The annotations for the signatures of primitives; a type checker sees the plain Python types.
Score: TypeAlias = Annotated[float, Named("Score")]
# A row of input, an image or a label: values by name.
Record: TypeAlias = Mapping[str, Any]
Point: TypeAlias = Annotated[tuple[float, float], Named("Point")]
Box: TypeAlias = Annotated[tuple[float, float, float, float], Named("Box")]
Polygon: TypeAlias = Annotated[list[tuple[float, float]], Named("Polygon")]
Mask: TypeAlias = Annotated[Any, Named("Mask")]
Image: TypeAlias = Annotated[Any, Named("Image")]


class Type(Struct, frozen=True):
    """A type of the scoring language, such as ``List[Text]``: a name with types as arguments, or a type variable.

    Examples:
        >>> str(Type("List", (TEXT,)))
        'List[Text]'
    """

    name: str
    args: tuple[Type, ...] = ()
    variable: bool = False

    def __str__(self) -> str:
        if self.name == "Union":
            return " | ".join(str(member) for member in self.args)
        if not self.args:
            return self.name
        return f"{self.name}[{', '.join(str(arg) for arg in self.args)}]"


ANY = Type("Any")
TEXT = Type("Text")
NUMBER = Type("Number")
BOOL = Type("Bool")
NONE = Type("None")
SCORE = Type("Score")
# The type of a step that already has an error: it suppresses consequential errors.
POISON = Type("Poison")

Bindings = dict[str, Type]


def list_type(item: Type) -> Type:
    """Return the type ``List[item]``."""
    return Type("List", (item,))


def union_of(members: tuple[Type, ...]) -> Type:
    """Return the union of some types, in which unions among them are flattened; that of one type is the type itself.

    Examples:
        >>> str(union_of((TEXT, union_of((NUMBER, TEXT)))))
        'Text | Number'
    """
    flat = (part for member in members for part in (member.args if member.name == "Union" else (member,)))
    parts = tuple(dict.fromkeys(flat))
    return parts[0] if len(parts) == 1 else Type("Union", parts)


def assignable(source: Type, target: Type, bindings: Bindings | None = None) -> bool:
    """Return whether a value of the type ``source`` is valid where ``target`` is required; the types that variables in
    the target stand for are added to ``bindings``.

    Examples:
        >>> assignable(TEXT, ANY), assignable(ANY, TEXT), assignable(TEXT, NUMBER)
        (True, True, False)
        >>> assignable(list_type(NUMBER), list_type(ANY))
        True
    """
    if target.variable:
        return _bind(source, target.name, bindings)
    if ANY in (source, target) or POISON in (source, target) or source == target:
        if source == ANY and bindings is not None:
            _bind_all_to_any(target, bindings)
        return True
    if source.name == "Union":
        return all(assignable(member, target, bindings) for member in source.args)
    if target.name == "Union":
        return any(assignable(source, member, bindings) for member in target.args)
    if source == SCORE and target == NUMBER:
        return True
    if source.name != target.name or len(source.args) != len(target.args):
        return False
    return all(assignable(a, b, bindings) for a, b in zip(source.args, target.args, strict=True))


def _bind(source: Type, name: str, bindings: Bindings | None) -> bool:
    if bindings is None:
        return True
    known = bindings.get(name, POISON)
    if known != POISON and assignable(source, known):
        return True
    widens = assignable(known, source)  # true for the first binding, and after a type that had an error
    if widens:
        bindings[name] = source
    return widens


def _bind_all_to_any(target: Type, bindings: Bindings) -> None:
    for arg in target.args:
        if arg.variable:
            bindings.setdefault(arg.name, ANY)
        else:
            _bind_all_to_any(arg, bindings)


def substitute(kind: Type, bindings: Mapping[str, Type]) -> Type:
    """Return the type with its variables replaced by the types they are bound to; unbound ones become ``Any``."""
    if kind.variable:
        return bindings.get(kind.name, ANY)
    if not kind.args:
        return kind
    return Type(kind.name, tuple(substitute(arg, bindings) for arg in kind.args))


def type_of(value: object, depth: int = 8) -> Type:
    """Return the type of a plain value for an error message; types nested more than `depth` levels deep are ``Any``.

    Examples:
        >>> str(type_of(["a", "b"])), str(type_of(True)), str(type_of({"a": 1}))
        ('List[Text]', 'Bool', 'Dict[Text, Number]')
    """
    if depth == 0:
        return ANY
    if value is None:
        return NONE
    if isinstance(value, str):
        return TEXT
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, (int, float)):
        return NUMBER
    if isinstance(value, (list, tuple)):
        return list_type(_common(value, depth - 1))
    if isinstance(value, (set, frozenset)):
        return Type("Set", (_common(value, depth - 1),))
    if isinstance(value, dict):
        return Type("Dict", (_common(value, depth - 1), _common(value.values(), depth - 1)))
    return ANY


def _common(values: Any, depth: int) -> Type:
    kinds = {type_of(value, depth) for value in list(values)[:8]}
    return kinds.pop() if len(kinds) == 1 else ANY


def show_type(value: object, depth: int = 8) -> str:
    """Return the name of a value's type for messages; that of its Python class if the language has no such type.

    Examples:
        >>> show_type("abc"), show_type(None), show_type(object())
        ('Text', 'nothing', 'a value of the class `object`')
    """
    kind = type_of(value, depth)
    if kind == ANY:
        return f"a value of the class `{type(value).__name__[:60]}`"
    return "nothing" if kind == NONE else str(kind)


def show_value(value: object, longest: int = 60) -> str:
    """Return a short description of a value: texts and numbers as they are, other values by their type.

    Python's `repr` of other values may be very long, and that of objects contains an address that differs in each run.

    Examples:
        >>> show_value("abc"), show_value(2.5), show_value([1, 2]), show_value(10**20, 12)
        ("'abc'", '2.5', 'List[Number]', '100000000000…')
        >>> show_value(object()), show_value(10**5000)
        ('a value of the class `object`', 'a number of thousands of digits')
    """
    if isinstance(value, int) and value.bit_length() > _LONG:
        return "a number of thousands of digits"
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = repr(value[: longest + 1] if isinstance(value, str) else value)
        return text if len(text) <= longest + 2 * isinstance(value, str) else text[:longest] + "…"
    return show_type(value, 3)


# Python refuses to print whole numbers of more than a few thousand digits.
_LONG = 10_000


def misfit(value: object, kind: Type) -> tuple[str, object] | None:
    """Return the path and the content of the first part of a value that does not fit the type `kind`; None if all fit.

    Examples:
        >>> misfit(["a", 3], list_type(TEXT)), misfit("a", union_of((TEXT, list_type(TEXT)))), misfit({"a": [1]}, ANY)
        (('[1]', 3), None, None)
    """
    fits = checker(kind)
    if fits is None:
        return None
    if not fits(value):
        return "", value
    if kind.name == "Union":
        checks = [(member, checker(member)) for member in kind.args]
        found = [misfit(value, member) for member, check in checks if check is None or check(value)]
        return None if None in found else found[0]
    parts: Iterator[tuple[str, object, Type]] = iter(())
    if isinstance(value, dict) and len(kind.args) == 2:
        parts = ((f"[{show_value(key)}]", item, kind.args[1]) for key, item in value.items())
    elif isinstance(value, (list, tuple)) and len(kind.args) == 1:
        parts = ((f"[{place}]", item, kind.args[0]) for place, item in enumerate(value))
    elif isinstance(value, (set, frozenset)) and len(kind.args) == 1:
        parts = (("", item, kind.args[0]) for item in value)
    for where, item, wanted in parts:
        inner = misfit(item, wanted)
        if inner is not None:
            return where + inner[0], inner[1]
    return None


def is_number(value: object) -> bool:
    """Return whether a value is a number in the sense of JSON, so not a boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "Text": lambda value: isinstance(value, str),
    "Number": is_number,
    "Score": is_number,
    "Bool": lambda value: isinstance(value, bool),
    "None": lambda value: value is None,
    "List": lambda value: isinstance(value, (list, tuple)),
    "Set": lambda value: isinstance(value, (set, frozenset)),
    "Dict": lambda value: isinstance(value, dict),
    "Box": lambda value: isinstance(value, (list, tuple)) and len(value) == 4 and all(map(is_number, value)),
    "Point": lambda value: isinstance(value, (list, tuple)) and len(value) == 2 and all(map(is_number, value)),
    "Polygon": lambda value: isinstance(value, (list, tuple)),
}


def checker(kind: Type) -> Callable[[Any], bool] | None:
    """Return a fast predicate that checks the outermost level of values for a type; None if every value passes."""
    if kind.variable or kind in (ANY, POISON):
        return None
    if kind.name == "Union":
        tests = [checker(member) for member in kind.args]
        known = [test for test in tests if test is not None]
        return (lambda value: any(test(value) for test in known)) if len(known) == len(tests) else None
    return _CHECKS.get(kind.name)


def levels(values: list[Any]) -> Iterator[tuple[list[Any], set[type]]]:
    """Yield the values at each level of nesting with the set of their classes: first the values, then their items, etc.

    Keys of mappings are in no level, and the items of a subclass of a built-in collection are not visited.

    Raises:
        RecursionError: when the values have more than sixteen levels.

    Examples:
        >>> [kinds == {dict} for _, kinds in levels([{"a": 1}])], [level for level, _ in levels([{"a": 1}, [2.5]])]
        ([True, False], [[{'a': 1}, [2.5]], [1, 2.5]])
    """
    level = values
    for _ in range(_LEVELS):
        kinds = set(map(type, level))
        yield level, kinds
        if HOLDERS.isdisjoint(kinds):
            return
        mappings = map(dict.values, of_classes(level, kinds, _MAPPINGS))
        level = [*chain.from_iterable(mappings), *chain.from_iterable(of_classes(level, kinds, _COLLECTIONS))]
    raise RecursionError("nested too deeply to be looked through together")


def are_lists_of_texts(values: list[Any]) -> bool:
    """Return whether all values are lists of nothing but texts; joining them is faster than a look at each item."""
    if not set(map(type, values)) <= {list}:
        return False
    try:
        return all(text is not None for text in map("".join, values))
    except TypeError:
        return False


def of_classes(values: list[Any], kinds: Set[type], wanted: Set[type]) -> list[Any]:
    """Return the values whose class is in `wanted`, given the set `kinds` of the classes of all values."""
    if kinds.isdisjoint(wanted):
        return []
    return values if kinds <= wanted else [value for value in values if type(value) in wanted]


HOLDERS = frozenset((dict, list, tuple, set, frozenset))
"""The classes of values that contain other values."""
AS_IT_IS: frozenset[type] = frozenset((str, int, bool, type(None)))
"""The classes of values that are always plain, as most values are."""
_MAPPINGS = frozenset((dict,))
_COLLECTIONS = HOLDERS - _MAPPINGS
# The number of levels of a column that are examined together.
_LEVELS = 16


def same_value(one: object, other: object) -> bool:
    """Return whether two values are equal, where booleans are not numbers: true is not 1, in collections either.

    Examples:
        >>> same_value(1, 1.0), same_value(True, 1), same_value([{"a": 0}], [{"a": False}])
        (True, False, False)
    """
    if one != other:
        return False
    waiting = [(one, other)]
    while waiting:
        # The two are equal in Python, so only booleans that it equates with numbers are left to find.
        one, other = waiting.pop()
        if one is other or type(one) is type(other) in _ONE_KIND:
            continue
        if isinstance(one, bool) is not isinstance(other, bool):
            return False
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            twins = {key: key for key in other}
            waiting.extend((key, twins[key]) for key in one)
            waiting.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, Set) and isinstance(other, Set):
            twins = {item: item for item in other}
            waiting.extend((item, twins[item]) for item in one)
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            waiting.extend(zip(one, other, strict=True))
    return True


_ONE_KIND = {str, int, float, bool, type(None)}


def key_of(value: Any) -> Any:
    """Return a hashable key that is equal only for equal values: true is not 1, inside lists, sets and mappings either.

    Examples:
        >>> key_of([1, {"a": True}]) == key_of([1.0, {"a": True}]), key_of([True]) == key_of([1])
        (True, False)
    """
    if isinstance(value, bool):
        return bool, value
    if isinstance(value, (list, tuple)):
        return list, tuple(map(key_of, value))
    if isinstance(value, dict):
        return dict, frozenset((key_of(key), key_of(one)) for key, one in value.items())
    if isinstance(value, (set, frozenset)):
        return set, frozenset(map(key_of, value))
    return value


def numbered(*columns: Iterable[Hashable]) -> list[list[int]]:
    """Return the columns with each value replaced by an integer, which is the same for equal values in any column."""
    numbers: dict[Hashable, int] = {}
    return [[numbers.setdefault(value, len(numbers)) for value in column] for column in columns]
