"""The frozen data classes that describe a declared primitive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from scoring.registry.annotations import PipelineType, SettingFault
from scoring.registry.editions import OLDEST
from scoring.registry.effect import is_effect
from scoring.value_base import PartlyCompared
from scoring.values import Type
from scoring.version import DISTRIBUTION, VERSION

PrimitiveKind: TypeAlias = Literal["transform", "comparator", "rescorer", "combinator", "aggregator", "metric"]
Reads: TypeAlias = Literal["scores", "records"]
DeclaredBetter: TypeAlias = Literal["higher", "lower", "scores", "neither"] | float
"""Which values are better: the "higher" or the "lower" ones, those that are better of the "scores" that a figure
combines, or the nearest to a number; "neither" for a figure that is only descriptive."""
Trait: TypeAlias = Literal[
    "catches",  # if its pipeline `scorer` can't score, the number `otherwise` is its score
    "cases",  # the value of `on` selects the keyword pipeline with that name, or `default` if none has it
    "sides",  # its pipelines `prediction` and `reference` become steps of these sides; it is not called itself
    "passes",  # it counts passed records, so it is refused if `pass:` is missing
    "unweighted",  # an aggregator that ignores weights
    "response_alone",  # it never reads the reference (in a combinator, only its pipelines do): records may lack it
    "replaces",  # a transform that ignores the value that flows through it
    "either_way",  # a metric that a higher score may raise or lower, so that the extreme scores don't bound it
    "items",  # it iterates over the list `over` and calls the pipeline `score` for each item
    "queries",  # its programs are SQLite queries, so that the version of SQLite is part of signatures
    "formula",  # the text of its setting `formula` combines the scores of its named pipelines
    "by_value",  # it compares values, or items of lists, unchanged: values of different types never match
    "shares",  # a metric whose columns contain shares, from 0 to 1
    "of_tasks",  # a metric of the tasks of a suite, refused for the records of a task
]
"""A fact about a primitive for the compiler."""

REQUIRED: Any = object()


class Param(Struct, frozen=True):
    """One parameter of a primitive that a spec may set.

    ``is_path`` means that it takes a path into the record, ``of_score`` that it is compared with scores,
    ``compared`` that it selects a field's compared values for a metric, ``is_whole`` that its numbers must be whole,
    ``of_item`` that it is evaluated for each item of a list, ``is_folder`` that it names a folder relative to the spec.
    """

    name: str
    type: Type
    doc: str
    default: Any = REQUIRED
    choices: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    pipeline: PipelineType | None = None
    variadic: Literal["", "positional", "keyword"] = ""
    is_path: bool = False
    of_score: bool = False
    compared: bool = False
    is_whole: bool = False
    of_item: bool = False
    is_folder: bool = False

    @property
    def required(self) -> bool:
        """Whether a spec must set the parameter."""
        return self.default is REQUIRED and not self.variadic

    @property
    def bounds(self) -> str:
        """The constraints on the numbers that the parameter accepts, in words; "" if there are none.

        Examples:
            >>> Param("k", Type("Number"), "", low=1, is_whole=True).bounds
            'a whole number and at least 1'
        """
        whole = "a whole number" if self.is_whole else ""
        low = f"at least {self.low:g}" if self.low is not None else ""
        high = f"at most {self.high:g}" if self.high is not None else ""
        return " and ".join(part for part in (whole, low, high) if part)

    def is_within(self, value: Any) -> bool:
        """Return whether a number, or each in a list, is within the parameter's bounds: NaN never is, None always."""
        if isinstance(value, list | tuple):
            return all(map(self.is_within, value))
        if value is None:
            return True
        if isinstance(value, float) and (self.is_whole or value != value):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


class Docstring(Struct, frozen=True):
    """The parts of a primitive's docstring; ``examples`` is doctest text, ``source`` is the origin of the formula."""

    summary: str
    body: str = ""
    arguments: dict[str, str] = {}
    examples: str = ""
    source: str = ""
    raises: str = ""


class Distribution(Struct, frozen=True):
    """An installed package: its name in the package index, and its version.

    Examples:
        >>> str(Distribution("acme-metrics", "1.0"))
        'acme-metrics@1.0'
    """

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


def _form(name: str, doc: str) -> Any:
    """Return a property, with the docstring `doc`, that returns the primitive's function in `forms[name]`, or None."""
    return property(lambda primitive: primitive.forms.get(name), doc=doc)


class Primitive(PartlyCompared, frozen=True, eq=False):
    """One registered function with all properties that are derived from its declaration.

    ``reads`` is the data that a metric reads: only the scores, or possibly the records, too; ``better`` states which of
    its values are better, None for a primitive that is not a metric and does not return distances. ``uses``,
    ``traits``, ``topics`` and ``aka`` are as declared; ``since`` is the edition of the language with which its name
    came; ``distribution`` is the installed distribution of the primitive, None if it is not part of one.
    """

    aside = ("forms",)
    name: str
    kind: PrimitiveKind
    family: str
    function: Callable[..., Any]
    inputs: tuple[Type, ...]
    output: Type
    params: tuple[Param, ...]
    doc: Docstring
    revision: int = 1
    laws: tuple[str, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    location: str = ""
    reads: Reads = "records"
    better: DeclaredBetter | None = None
    uses: tuple[str, ...] = ()
    traits: tuple[Trait, ...] = ()
    topics: tuple[str, ...] = ()
    aka: tuple[str, ...] = ()
    since: int = OLDEST
    distribution: Distribution | None = None
    forms: dict[str, Callable[..., Any]] = field(default_factory=dict)

    batch = _form("batch", "Its form for whole columns, if one was declared.")
    table = _form("table", "The form for all pairs of two lists, likewise.")
    by_row = _form("rowwise", "The form for columns in which every pair has settings of its own.")
    upper = _form("upper", "What its score is at most.")
    asks_reference = _form("asks_reference", "Whether it looks at the reference, from its settings.")
    bounds = _form("bounds", "The range of its scores from its settings and from ranges in place of scores.")
    prepares = _form("prepares", "Its settings, prepared for all records.")
    story = _form("explains", "How it came to a score, in lines for `explain`.")

    def fault(self, static: Mapping[str, Any], dynamic: Iterable[str]) -> SettingFault | None:
        """Return the problem that the primitive's check finds in a call's settings (see `settings`); None if valid."""
        check = self.forms.get("checks")
        return None if check is None else check(**self.settings(static, dynamic))

    def settings(self, static: Mapping[str, Any], dynamic: Iterable[str]) -> dict[str, Any]:
        """Return a call's settings by name, with defaults, without pipelines; None for one that depends on the record.

        `static` are the call's constant settings, `dynamic` the names of those that depend on the record.
        """
        known = [param for param in self.params if not param.variadic and param.pipeline is None]
        settings = {param.name: static.get(param.name, param.default) for param in known}
        unknown = {name: None for name, value in settings.items() if name in dynamic or value is REQUIRED}
        return {**settings, **unknown}

    @property
    def is_quirk(self) -> bool:
        """Whether only one benchmark needs the primitive; if so, the reference lists it separately."""
        return self.topics == ("quirks",) or (self.is_own and "/" in self.name)

    @property
    def page(self) -> str:
        """The link to the primitive's description in the reference, relative to the folder of the documentation."""
        page = "upstream.md" if self.is_quirk else f"reference/{self.family}.md"
        return f"{page}#{self.name.replace('/', '')}"

    @property
    def is_own(self) -> bool:
        """Whether the primitive is one of our own, not another package's."""
        return self.function.__module__.partition(".")[0] == "scoring"

    @property
    def release(self) -> Distribution:
        """The release of the package with the primitive; for a module without one, the version is "none"."""
        if self.is_own:
            return Distribution(DISTRIBUTION, VERSION)
        return self.distribution or Distribution(self.function.__module__, "none")

    @property
    def libraries(self) -> tuple[str, ...]:
        """The names of the distributions whose version can change the primitive's results."""
        return tuple(name for name in self.uses if not is_effect(name))

    def param(self, name: str) -> Param | None:
        """Return the parameter with a name, None if there is none."""
        return next((param for param in self.params if param.name == name), None)

    @property
    def asks_of_items(self) -> bool:
        """Whether the primitive evaluates one of its parameters for each item of a list."""
        return any(param.of_item or (param.pipeline is not None and param.pipeline.of_item) for param in self.params)

    @property
    def signature(self) -> str:
        """The inputs, output and parameters in one line, as shown in the documentation."""
        inputs = ", ".join(str(kind) for kind in self.inputs)
        params = ", ".join(shown_param(param) for param in self.params)
        called = f"{self.name}({params})" if params else self.name
        return f"{called}: {inputs} -> {self.output}"


STARS = {"": "", "positional": "*", "keyword": "**"}
"""The prefix of a parameter's name by its variadic kind."""


def shown_param(param: Param) -> str:
    """Return a parameter with its type and default, as in the signature of its primitive."""
    stars = STARS[param.variadic]
    kind = str(param.pipeline) if param.pipeline else str(param.type)
    if param.default is REQUIRED:
        return f"{stars}{param.name}: {kind}"
    return f"{stars}{param.name}: {kind} = {param.default!r}"
