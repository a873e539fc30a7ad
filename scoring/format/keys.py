"""The table of keys: how a key of a spec file is declared, once, as an attribute of the model (`format/model.py`).

From a declaration come the JSON Schema, the reader that builds the model, what `scoring fmt` writes anew, the tables of
the documentation, and the refusal of a key that is for another kind of file. So a new key costs one attribute, and
whatever reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from scoring.diagnostics.diagnostic import Diagnostics
from scoring.format.nodes import SpecNode
from scoring.registry import plugins
from scoring.registry.table_kind import table_kinds

T = TypeVar("T")

JsonSchema: TypeAlias = dict[str, Any]
# What a file can be: `rows` for a task over rows of a file, the word behind `records:` for one over a data set, `suite`
# or `pack`.
FileKind: TypeAlias = str

ROWS: tuple[FileKind, ...] = ("rows",)
# Of a key: for data sets of every kind. Of a file: a data set of a kind that nobody brings.
TABLE: FileKind = "table"
TABLES: tuple[FileKind, ...] = (TABLE,)
ANY_KIND: tuple[FileKind, ...] = (*ROWS, *TABLES, "suite", "pack")
# Our own kinds of data sets; other packages may bring more.
DATA_SETS: tuple[FileKind, ...] = tuple(table_kinds(plugins.own))
TASKS: tuple[FileKind, ...] = (*ROWS, *DATA_SETS)
KINDS: tuple[FileKind, ...] = (*TASKS, "suite", "pack")
# How a key moves scores and figures, and so where it stands in the meaning that signatures are made of:
# `value`: as it is written, unless that is its default; nothing else needs to be done for such a key.
# `compiled`: the compiler makes of it what stands there, such as a program of an expression.
# `path`: it says where data keep something. A plain path stands among what is read, one that computes in the meaning.
# `inside`: the keys inside it say so themselves.
# `nothing`: no score and no figure goes by it.
KeyMoves: TypeAlias = Literal["value", "compiled", "path", "inside", "nothing"]


class ReadsValues(Protocol):
    """The reader of a file (`format/build.py`), as the forms of values see it."""

    diagnostics: Diagnostics

    @property
    def defined(self) -> Mapping[str, Any]:
        """The definitions of the file by name."""

    def make(self, owner: type[T], node: SpecNode, **given: Any) -> T:
        """Return a part of the model from the keys of a mapping."""

    def pipeline(self, node: SpecNode) -> Any:
        """Return an expression."""

    def computed(self, node: SpecNode) -> Any:
        """Return the definition of a computed value."""

    def source(self, node: SpecNode) -> Any:
        """Return where a field takes a value from: a JMESPath as text, or a pipeline."""

    def values(self, node: SpecNode) -> Any:
        """Return the named values of records."""

    def aggregate(self, node: SpecNode) -> Any:
        """Return an expression, or a formula over fields."""

    def metric(self, node: SpecNode) -> Any:
        """Return an expression, or a name with a formula over the data or with an expression."""

    def formula(self, node: SpecNode) -> Any:
        """Return a formula."""

    def scored(self, node: SpecNode) -> Any:
        """Return an expression, or a text that can only be a formula."""

    def define(self, role: Any, word: str, node: SpecNode) -> Any:
        """Return the definitions of a section, whose long form is known by a word."""

    def parameters(self, node: SpecNode) -> Any:
        """Return the parameters of a definition."""

    def fields(self, node: SpecNode) -> Any:
        """Return the fields of a task."""

    def judges(self, node: SpecNode) -> Any:
        """Return the definitions that judge programs become."""


@dataclass(frozen=True)
class ValueForm:
    """The form of the value of a key.

    Args:
        schema: Its JSON Schema in a file of one kind, without the key's description.
        read: From the node of a value to what the model holds.
        inside: Classes of the model whose keys stand inside the value, by the way to them: "" or "*".
        words: Names that some of those keys have inside this value, in place of their own.
    """

    schema: Callable[[FileKind], JsonSchema]
    read: Callable[[ReadsValues, SpecNode], Any]
    inside: tuple[tuple[str, type[Any]], ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Key:
    """A key: its purpose, its allowed values, and its meaning.

    Args:
        name: As authors write it.
        attribute: Its attribute in the model.
        form: What its value may be.
        doc: What it means, in the first place for people who complete or hover it in an editor.
        moves: How it moves scores and figures.
        kinds: The kinds of file that have it; those of the class around it where none are named.
        required: The kinds of file in which it must be there.
        default: What stands where it is left out, for the documentation; None: nothing.
        prose: Whether it is for people alone; everything else must be read by somebody.
    """

    name: str
    attribute: str
    form: ValueForm
    doc: str
    moves: KeyMoves
    kinds: tuple[FileKind, ...]
    required: tuple[FileKind, ...] = ()
    default: Any = None
    prose: bool = False

    def is_for(self, kind: FileKind) -> bool:
        """Tell whether files of that kind may have the key."""
        return _is_among(kind, self.kinds)

    def is_required(self, kind: FileKind) -> bool:
        """Tell whether files of that kind must have the key."""
        return _is_among(kind, self.required)

    def schema(self, kind: FileKind) -> JsonSchema:
        """Its JSON Schema in a file of one kind."""
        found = {**self.form.schema(kind), "description": self.doc}
        return found if self.default is None else {**found, "default": self.default}


def _is_among(kind: FileKind, kinds: tuple[FileKind, ...]) -> bool:
    return kind in kinds or (TABLE in kinds and kind not in ANY_KIND)


def key(
    form: ValueForm,
    doc: str,
    *,
    moves: KeyMoves,
    kinds: tuple[FileKind, ...] = ANY_KIND,
    name: str = "",
    required: bool | tuple[FileKind, ...] = False,
    prose: bool = False,
    default: Any = MISSING,
    shown: Any = None,
) -> Any:
    """Declare a key, as the value of an attribute of a dataclass.

    Args:
        form: What its value may be.
        doc: What it means.
        moves: How it moves scores and figures; `value` is all that it takes to have it in the meaning.
        kinds: The kinds of file that have it, if the class around it is for several.
        name: How authors write it, if the attribute is called otherwise.
        required: Whether it must be there, or the kinds of file in which it must.
        prose: Whether it is for people alone.
        default: The attribute where the key is left out.
        shown: The default as the documentation shows it, if the attribute's is not that.
    """
    wanted = required if isinstance(required, tuple) else kinds if required else ()
    declared = {"key": Key(name, "", form, doc, moves, kinds, wanted, shown, prose)}
    if callable(default):
        return field(default_factory=default, metadata=declared)
    return field(default=default, metadata=declared) if default is not MISSING else field(metadata=declared)


def keys_of(owner: type[Any], kind: FileKind | None = None) -> tuple[Key, ...]:
    """Return the keys that a class of the model declares; with a kind, those that a file of that kind may have.

    Examples:
        >>> from scoring.format.sections import Intervals
        >>> [key.name for key in keys_of(Intervals)]
        ['method', 'confidence', 'resamples', 'cluster', 'strata']
    """
    if owner not in _KNOWN:
        _KNOWN[owner] = tuple(_declared(owner))
    return tuple(one for one in _KNOWN[owner] if kind is None or one.is_for(kind))


_KNOWN: dict[type[Any], tuple[Key, ...]] = {}


def _declared(owner: type[Any]) -> Iterator[Key]:
    for attribute in fields(owner):
        if "key" in attribute.metadata:
            found: Key = attribute.metadata["key"]
            plain = isinstance(attribute.default, (bool, int, float, str)) and attribute.default != ""
            default = attribute.default if plain and found.default is None else found.default
            yield replace(found, name=found.name or attribute.name, attribute=attribute.name, default=default)


def stated(part: Any) -> Any:
    """Return a part of the model as plain data by the names of its keys, without those that have no value.

    Examples:
        >>> from scoring.format.sections import TaskRows
        >>> stated(TaskRows(task="name"))
        {'task': 'name'}
    """
    if is_dataclass(part) and not isinstance(part, type):
        values = {one.name: stated(getattr(part, one.attribute)) for one in keys_of(type(part))}
        return {name: value for name, value in values.items() if value is not None}
    if isinstance(part, Mapping):
        return {name: stated(value) for name, value in part.items()}
    return part


def moving(part: Any, kind: FileKind) -> dict[str, Any]:
    """Return the keys of a part of the model whose values affect results, without those at their defaults.

    Examples:
        >>> from scoring.format.sections import Intervals
        >>> moving(Intervals(confidence=0.9, cluster="page"), "rows")
        {'confidence': 0.9}
    """
    defaults = {
        one.name: one.default_factory() if callable(one.default_factory) else one.default for one in fields(part)
    }
    found: dict[str, Any] = {}
    for one in keys_of(type(part), kind):
        value = getattr(part, one.attribute)
        if one.moves == "value" and value != defaults[one.attribute]:
            found[one.name] = stated(value)
        elif one.moves == "inside" and (held := moving(value, kind)):
            found[one.name] = held
    return found


def paths_in(part: Any, kind: FileKind) -> dict[str, str]:
    """Return the paths into data that the keys of a part of the model say, by the way to each.

    Examples:
        >>> from scoring.format.sections import Intervals
        >>> paths_in(Intervals(confidence=0.9, cluster="page"), "rows")
        {'cluster': 'page'}
    """
    found: dict[str, str] = {}
    for one in keys_of(type(part), kind):
        value = getattr(part, one.attribute)
        if one.moves == "path" and value is not None:
            found[one.name] = value
        elif one.moves == "inside":
            found |= {f"{one.name}.{name}": path for name, path in paths_in(value, kind).items()}
    return found


def object_schema(owner: type[Any], kind: FileKind, words: Mapping[str, str] | None = None) -> JsonSchema:
    """Return the JSON Schema of a mapping with the keys of a class, some of them under other names, and no others."""
    keys = [replace(one, name=(words or {}).get(one.name, one.name)) for one in keys_of(owner, kind)]
    required = [one.name for one in keys if one.is_required(kind)]
    return {
        **({"required": required} if required else {}),
        "properties": {one.name: one.schema(kind) for one in keys},
        "additionalProperties": False,
    }


@dataclass(frozen=True)
class KeyPlace:
    """The position of a key in a file: `intervals.method`, `fields.*.score`; `*` matches any name."""

    path: tuple[str, ...]
    owner: type[Any]
    key: Key
    kinds: tuple[FileKind, ...]

    @property
    def text(self) -> str:
        """The path as the documentation writes it."""
        return ".".join("<name>" if step == "*" else step for step in self.path)


def places(
    owner: type[Any],
    kinds: Collection[FileKind],
    before: tuple[str, ...] = (),
    words: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[KeyPlace]:
    """Yield every key of a class and of the classes inside it, each with the kinds of file that have it there.

    Args:
        owner: The class.
        kinds: The kinds of file that are asked about.
        before: The way to it.
        words: Names that some of its keys have there, in place of their own.
    """
    for one in keys_of(owner):
        own = tuple(kind for kind in kinds if one.is_for(kind))
        if own:
            path = (*before, words.get(one.name, one.name))
            yield KeyPlace(path, owner, one, own)
            for way, inner in one.form.inside:
                yield from places(inner, own, (*path, *filter(None, way.split("."))), one.form.words)
