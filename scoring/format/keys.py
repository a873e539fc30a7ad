"""The table of keys: each key of a spec file is declared once, as an attribute of the model (`format/model.py`).

The JSON Schema, the reader that builds the model, the expressions that `scoring fmt` formats, the tables of the
documentation, and the refusal of a key for another kind of file are all derived from the declaration. So a new key
needs only one attribute, and the code that uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from msgspec import NODEFAULT, Struct, field
from msgspec.structs import replace

from scoring.diagnostics.diagnostic import Diagnostics
from scoring.format.nodes import SpecNode
from scoring.registry import plugins

JsonSchema: TypeAlias = dict[str, Any]
# The kind of a file: `rows` for a task over rows of a file, the word after `records:` for a task over a data set,
# `pack`, or the word after `kind:` of a kind that an extension provides.
FileKind: TypeAlias = str

ROWS: tuple[FileKind, ...] = ("rows",)
# For a key: all kinds of data sets. For a file: a data set of an unknown kind.
TABLE: FileKind = "table"
TABLES: tuple[FileKind, ...] = (TABLE,)
ANY_KIND: tuple[FileKind, ...] = (*ROWS, *TABLES, *plugins.OWN_KINDS, "pack")
# Our own kinds of data sets; other packages may add more.
DATA_SETS: tuple[FileKind, ...] = tuple(plugins.table_kinds(plugins.own))
TASKS: tuple[FileKind, ...] = (*ROWS, *DATA_SETS)
KINDS: tuple[FileKind, ...] = (*TASKS, *(plugin.name for plugin in plugins.own(plugins.KINDS)), "pack")
# The effect of a key on scores and figures, and so its part in the meaning from which signatures are computed:
# `value`: its value is part of the meaning, unless it is the default; nothing else needs to be done for such a key.
# `compiled`: the compiler creates its part of the meaning, such as the program of an expression.
# `path`: it is a path into the data. A plain path is part of the list of paths read, a computing one of the meaning.
# `inside`: the keys inside it state their effects themselves.
# `nothing`: it has no effect on scores and figures.
KeyMoves: TypeAlias = Literal["value", "compiled", "path", "inside", "nothing"]
# The parts of a file that may have keys of extensions; a field has them only if it has a scorer.
SectionPlace: TypeAlias = Literal["task", "pack", "suite", "definition", "field"]


class SpecPart(Struct, frozen=True):
    """The base of the parts of the model: what a mapping in a spec file is read into, with its keys as attributes."""


P = TypeVar("P", bound=SpecPart)


class ReadsValues(Protocol):
    """The methods of the builder of a model (`format/build.py`) that the forms of values use to read nodes."""

    diagnostics: Diagnostics

    @property
    def defined(self) -> Mapping[str, Any]:
        """The definitions of the file by name."""

    @property
    def edition(self) -> int:
        """The edition of the language that the file states, or the oldest one, in which its own names are free."""

    def make(self, owner: type[P], node: SpecNode, **attributes: Any) -> P:
        """Return an instance of `owner`, a class of the model, from `attributes` and the values of a mapping's keys."""

    def pipeline(self, node: SpecNode) -> Any:
        """Return the pipeline in a node."""

    def computed(self, node: SpecNode) -> Any:
        """Return the expression in the node of a computed value."""

    def source(self, node: SpecNode) -> Any:
        """Return where a field's value comes from: a pipeline that begins with a value, or consists of it."""

    def values(self, node: SpecNode) -> Any:
        """Return the computed values of records that a node declares, by name."""

    def aggregate(self, node: SpecNode) -> Any:
        """Return how field scores are combined, given its node: a pipeline for an aggregator, or a formula."""

    def metric(self, node: SpecNode) -> Any:
        """Return the entry of `metrics:` in a node: a metric, or a name with a metric or a formula over the data."""

    def formula(self, node: SpecNode) -> Any:
        """Return the formula in a node."""

    def scored(self, node: SpecNode) -> Any:
        """Return the scorer in a node: a pipeline, or a formula if the text can only be one."""

    def define(self, role: Any, word: str, node: SpecNode) -> Any:
        """Return, by name, the definitions in a mapping: each an expression, or a mapping with one under the key
        `word`."""

    def parameters(self, node: SpecNode) -> Any:
        """Return the parameters of a definition that a node declares."""

    def fields(self, node: SpecNode) -> Any:
        """Return the fields of a task that a node declares."""


class ValueForm(Struct, frozen=True):
    """The form of the values of a key: what may be written (a JSON Schema), and how it is read.

    Args:
        schema: Returns its JSON Schema in a file of one kind, without the key's description.
        read: Returns the value for the model, given the reader and the node of a value.
        inside: The classes of the model whose keys occur inside the value, each with the path to them: "" or "*".
        words: Names that some of these keys have inside this value, in place of their own.
    """

    schema: Callable[[FileKind], JsonSchema]
    read: Callable[[ReadsValues, SpecNode], Any]
    inside: tuple[tuple[str, type[SpecPart]], ...] = ()
    words: Mapping[str, str] = {}


class Key(Struct, frozen=True):
    """One key of spec files: the files that may have it, the form of its value, and its meaning.

    Args:
        name: The name as written by authors.
        attribute: Its attribute in the model.
        form: The form of its value.
        doc: Its meaning, primarily for completion and hovering in editors.
        moves: Its effect on scores and figures.
        kinds: The kinds of files that may have it, among those of the class that declares it.
        required: The kinds of files that must have it.
        default: The default value for the documentation; None if there is nothing to show.
        prose: Whether it is only for people; the value of any other key must be read by some code.
        is_brought: Whether an extension brings it; the model then has its value under its name in `sections`.
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
    is_brought: bool = False

    def of(self, part: Any) -> Any:
        """Return the value of the key in `part`, a part of the model; None for an extension's key that is absent."""
        return part.sections.get(self.name) if self.is_brought else getattr(part, self.attribute)

    def is_for(self, kind: FileKind) -> bool:
        """Return whether a file of a kind may have the key."""
        return _is_among(kind, self.kinds)

    def is_required(self, kind: FileKind) -> bool:
        """Return whether a file of a kind must have the key."""
        return _is_among(kind, self.required)

    def schema(self, kind: FileKind) -> JsonSchema:
        """Return the JSON Schema of the key's value in a file of one kind, with its description and default."""
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
    default: Any = NODEFAULT,
    shown: Any = None,
) -> Any:
    """Declare a key, as the value of an attribute of a class of the model.

    Args:
        form: The form of its value.
        doc: Its meaning.
        moves: Its effect on scores and figures; with `value`, it is part of the meaning without any further code.
        kinds: The kinds of files that may have it, if the class is for several.
        name: Its name in files, if the attribute has another name.
        required: Whether it is required, or the kinds of files that require it.
        prose: Whether it is only for people.
        default: The value of the attribute if the key is left out, or a function that returns it.
        shown: The default as shown in the documentation, if it differs from that of the attribute.
    """
    wanted = required if isinstance(required, tuple) else kinds if required else ()
    return field(default_factory=_Declared(Key(name, "", form, doc, moves, kinds, wanted, shown, prose), default))


class _Declared(Struct, frozen=True):
    """What an attribute is, a key or the place of keys that extensions add, with its default or what makes it."""

    what: Key | SectionPlace | None
    default: Any

    def __call__(self) -> Any:
        """Return the default; msgspec calls this for an attribute that is not given."""
        if self.default is NODEFAULT:
            raise TypeError("a key without a default is missing")
        return self.default() if callable(self.default) else self.default


def keys_of(
    owner: type[SpecPart], kind: FileKind | None = None, among: Container[str] | None = None
) -> tuple[Key, ...]:
    """Return the keys that a class of the model declares; with a kind, only those for files of that kind.

    With `among`, extensions whose keys have other names than these are left out, and not imported.

    Examples:
        >>> from scoring.format.sections import Intervals
        >>> [key.name for key in keys_of(Intervals)]
        ['method', 'confidence', 'resamples', 'cluster', 'strata']
    """
    if owner not in _KNOWN:
        _KNOWN[owner] = tuple(_declared(owner))
    found = ((one,) if isinstance(one, Key) else _brought_keys(one, among) for one in _KNOWN[owner])
    return tuple(one for one in chain.from_iterable(found) if kind is None or one.is_for(kind))


def _keys_in(part: SpecPart, kind: FileKind | None = None) -> tuple[Key, ...]:
    return keys_of(type(part), kind, among=getattr(part, "sections", ()))


# The keys that each class declares, with the name of its place where it takes those of extensions.
_KNOWN: dict[type[SpecPart], tuple[Key | SectionPlace, ...]] = {}


def _declared(owner: type[SpecPart]) -> Iterator[Key | SectionPlace]:
    for attribute, found, default in _attributes(owner):
        if isinstance(found, Key):
            plain = isinstance(default, (bool, int, float, str)) and default != ""
            default = default if plain and found.default is None else found.default
            found = replace(found, name=found.name or attribute, attribute=attribute, default=default)
        if found is not None:
            yield found


def _attributes(owner: type[SpecPart]) -> Iterator[tuple[str, Key | SectionPlace | None, Any]]:
    names, given = owner.__struct_fields__, owner.__struct_defaults__
    for name, default in zip(names, (*[NODEFAULT] * (len(names) - len(given)), *given), strict=True):
        made = getattr(default, "factory", default)
        found = made if isinstance(made, _Declared) else _Declared(None, made)
        yield name, found.what, NODEFAULT if found.default is NODEFAULT else found()


def defaults_of(owner: type[SpecPart]) -> dict[str, Any]:
    """Return by name the defaults of the attributes of a class of the model; that of a required one is NODEFAULT.

    Examples:
        >>> from scoring.format.sections import Attribute
        >>> defaults_of(Attribute)
        {'path': NODEFAULT, 'values': None, 'doc': ''}
    """
    return {name: default for name, _, default in _attributes(owner)}


# ---- keys that extensions bring


class SpecSection(Struct, frozen=True):
    """A key of spec files that an extension adds by a plug-in of the group ``scoring.sections`` with the key's name.

    Args:
        places: The parts of a file that may have it.
        form: The form of its value: its JSON Schema, and its reader.
        doc: Its meaning, for completion and for the documentation.
        moves: Its effect on scores and figures, in tasks, suites and fields: with ``value``, its value is part of the
            meaning; with ``nothing``, it has none. With ``compiled``, in tasks and packs, its value is a mapping from
            names to definitions, which the file then has.
        kinds: The kinds of files that may have it.

    Raises:
        ValueError: when it can't have this effect in one of these places.
    """

    places: tuple[SectionPlace, ...]
    form: ValueForm
    doc: str
    moves: Literal["value", "compiled", "nothing"]
    kinds: tuple[FileKind, ...] = ANY_KIND

    def __post_init__(self) -> None:
        fitting = {"value": {"task", "suite", "field"}, "compiled": {"task", "pack"}}.get(self.moves)
        if fitting is not None and not fitting.issuperset(self.places):
            raise ValueError(f"a section that moves {self.moves} belongs to {', '.join(sorted(fitting))} alone")


def search_sections() -> bool:
    """Search other packages for keys of spec files, which `keys_of` returns from then on; return whether there are any.

    This is only needed for a file with a key that is not one of our own.
    """
    return plugins.is_mentioned(plugins.SECTIONS) and bool(plugins.others(plugins.SECTIONS))


def brought(place: SectionPlace) -> Any:
    """Declare an attribute with the values, by name, of the keys that extensions add to a part of files."""
    return field(default_factory=_Declared(place, dict))


def _brought_keys(place: SectionPlace, among: Container[str] | None) -> tuple[Key, ...]:
    found = plugins.noticed(plugins.SECTIONS)
    return _keys_of_plugins(place, tuple(one for one in found if among is None or one.name in among))


@cache
def _keys_of_plugins(place: SectionPlace, found: tuple[plugins.PlugIn, ...]) -> tuple[Key, ...]:
    """Return the keys that the plug-ins `found` add to one part of a file, such as `task` or `field`."""
    by_name: dict[str, SpecSection] = {}
    for plugin in found:
        by_name.setdefault(plugin.name, plugin.load())
    return tuple(
        Key(name, name, one.form, one.doc, one.moves, one.kinds, is_brought=True)
        for name, one in by_name.items()
        if place in one.places
    )


def definitions_brought(part: Any) -> dict[str, Any]:
    """Return by name the definitions in those keys of a file's model that extensions add."""
    values = (one.of(part) for one in _keys_in(part) if one.is_brought and one.moves == "compiled")
    return {name: one for value in values if value is not None for name, one in value.items()}


# ---- what is in a part of the model


def stated(part: Any) -> Any:
    """Return a part of the model as plain data by the names of its keys, without those whose value is None.

    Examples:
        >>> from scoring.format.sections import Attribute
        >>> stated(Attribute("meta.lang"))
        {'path': 'meta.lang', 'doc': ''}
    """
    if isinstance(part, SpecPart):
        values = {one.name: stated(one.of(part)) for one in _keys_in(part)}
        return {name: value for name, value in values.items() if value is not None}
    if isinstance(part, Mapping):
        return {name: stated(value) for name, value in part.items()}
    return part


def moving(part: Any, kind: FileKind) -> dict[str, Any]:
    """Return by name the values of keys in a part of the model that affect scores by their value (`moves="value"`).

    Keys that have their default value are left out.

    Examples:
        >>> from scoring.format.sections import Intervals
        >>> moving(Intervals(confidence=0.9, cluster="page"), "rows")
        {'confidence': 0.9}
    """
    defaults = defaults_of(type(part))
    found: dict[str, Any] = {}
    for one in _keys_in(part, kind):
        value = one.of(part)
        if one.moves == "value" and value != defaults.get(one.attribute):
            found[one.name] = stated(value)
        elif one.moves == "inside" and (inner := moving(value, kind)):
            found[one.name] = inner
    return found


def paths_in(part: Any, kind: FileKind) -> dict[str, str]:
    """Return the paths into data that a part of the model contains, by the name of the key, dotted for a nested key.

    Examples:
        >>> from scoring.format.sections import Intervals
        >>> paths_in(Intervals(confidence=0.9, cluster="page"), "rows")
        {'cluster': 'page'}
    """
    found: dict[str, str] = {}
    for one in _keys_in(part, kind):
        value = one.of(part)
        if one.moves == "path" and value is not None:
            found[one.name] = value
        elif one.moves == "inside":
            found |= {f"{one.name}.{name}": path for name, path in paths_in(value, kind).items()}
    return found


def object_schema(owner: type[Any], kind: FileKind, words: Mapping[str, str] | None = None) -> JsonSchema:
    """Return the JSON Schema of a mapping with only the keys of `owner`, of which `words` renames some."""
    keys = [replace(one, name=(words or {}).get(one.name, one.name)) for one in keys_of(owner, kind)]
    required = [one.name for one in keys if one.is_required(kind)]
    return {
        **({"required": required} if required else {}),
        "properties": {one.name: one.schema(kind) for one in keys},
        "additionalProperties": False,
    }
