"""The frozen records that a declaration becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from scoring.registry.annotations import PipelineType, SettingFault
from scoring.registry.effect import is_effect
from scoring.values import Type
from scoring.version import DISTRIBUTION, VERSION

PrimitiveKind: TypeAlias = Literal["transform", "comparator", "rescorer", "combinator", "aggregator", "metric"]
Reads: TypeAlias = Literal["scores", "records"]
DeclaredBetter: TypeAlias = Literal["higher", "lower", "scores", "neither"] | float
"""Which values are better: "higher" or "lower" ones, those that are better of the "scores" that the figure is made of,
or those nearest to a number; "neither" for a figure that only describes."""
Trait: TypeAlias = Literal[
    "catches",  # where its pipeline `scorer` can't score, the number `otherwise` is its score
    "cases",  # the value `on` chooses the keyword pipeline of that name, and `default` where none has it
    "sides",  # its pipelines `prediction` and `reference` become steps of these sides; it is not called itself
    "passes",  # it counts what passes, so it is refused where nothing says what does
    "unweighted",  # an aggregator that looks at no weights
    "response_alone",  # it never looks at the reference, or of a combinator only its pipelines do: records may lack it
    "replaces",  # a transform that never looks at the value that flows through it
    "either_way",  # a metric that a higher score may raise or lower, so that no two scores bound it
    "items",  # it goes through the list `over` and asks the pipeline `score` for each item
    "queries",  # its programs are queries of SQLite, whose version stands in signatures
    "formula",  # the text of its setting `formula` joins the scores of its named pipelines
    "by_value",  # it compares values, or items of lists, as they are: two of different types never match
    "shares",  # a metric whose columns hold shares, from 0 to 1
    "of_tasks",  # a metric of the tasks of a suite, refused over the records of one
]
"""Facts about a primitive that the compiler uses."""

REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter that a spec may set.

    ``is_path`` says that it takes a JMESPath into the record, ``of_score`` that scores are compared with it,
    ``compared`` that it says which of the values that the task compares are read, ``is_whole`` that its numbers have
    no fraction, ``of_item`` that it is read for each item of a list, ``is_folder`` that it names a folder beside the
    spec.
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
        """The bounds of its numbers in words; "" if there are none.

        Examples:
            >>> Param("k", Type("Number"), "", low=1, is_whole=True).bounds
            'a whole number and at least 1'
        """
        whole = "a whole number" if self.is_whole else ""
        low = f"at least {self.low:g}" if self.low is not None else ""
        high = f"at most {self.high:g}" if self.high is not None else ""
        return " and ".join(part for part in (whole, low, high) if part)

    def is_within(self, value: Any) -> bool:
        """Tell whether a number, or each number of a list, is within the bounds; NaN never is, None always."""
        if isinstance(value, list | tuple):
            return all(map(self.is_within, value))
        if value is None:
            return True
        if self.is_whole and isinstance(value, float):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


@dataclass(frozen=True, slots=True)
class Docstring:
    """The parts of a docstring; ``examples`` is doctest text, ``source`` the origin of the formula."""

    summary: str
    body: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    examples: str = ""
    source: str = ""
    raises: str = ""


@dataclass(frozen=True, slots=True)
class Distribution:
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
    """Return a form of a primitive that was declared next to its function, None if there is none."""
    return property(lambda primitive: primitive.forms.get(name), doc=doc)


@dataclass(frozen=True, slots=True)
class Primitive:
    """One registered function with everything that is derived from its declaration.

    ``reads`` says what a metric looks at: the scores alone, or (for all that anyone knows) the records, too;
    ``better`` which of its values are better, None for what is no metric and gives no distances.
    ``uses``, ``traits``, ``topics`` and ``aka`` are as declared; ``distribution`` is what was installed to bring the
    primitive, None for one that no distribution brings.
    """

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
    distribution: Distribution | None = None
    forms: dict[str, Callable[..., Any]] = field(default_factory=dict, compare=False, repr=False)

    batch = _form("batch", "Its form for whole columns, if one was declared.")
    table = _form("table", "The form for all pairs of two lists, likewise.")
    by_row = _form("rowwise", "The form for columns in which every pair has settings of its own.")
    upper = _form("upper", "What its score is at most.")
    asks_reference = _form("asks_reference", "Whether it looks at the reference, from its settings.")
    bounds = _form("bounds", "The range of its scores from its settings and from ranges in place of scores.")
    story = _form("tells", "How it came to a score, in lines for `explain`.")

    def fault(self, static: Mapping[str, Any], dynamic: Iterable[str]) -> SettingFault | None:
        """Return what its settings are wrong for together, or one of them in its own way, where a check was
        declared."""
        check = self.forms.get("checks")
        return None if check is None else check(**self.settings(static, dynamic))

    def settings(self, static: Mapping[str, Any], dynamic: Iterable[str]) -> dict[str, Any]:
        """Return every setting that is not a pipeline: the given value, the default, or None if only the record
        determines it."""
        known = [param for param in self.params if not param.variadic and param.pipeline is None]
        settings = {param.name: static.get(param.name, param.default) for param in known}
        unknown = {name: None for name, value in settings.items() if name in dynamic or value is REQUIRED}
        return {**settings, **unknown}

    @property
    def is_quirk(self) -> bool:
        """Whether only one benchmark needs the primitive; such primitives are left out of the general lists."""
        return self.family == "upstream" or self.topics == ("quirks",)

    @property
    def page(self) -> str:
        """The place in the reference that describes it, as a link from the folder of the pages."""
        return f"upstream.md#{self.name}" if self.is_quirk else f"reference/{self.family}.md#{self.name}"

    @property
    def is_own(self) -> bool:
        """Whether the primitive belongs to this distribution rather than to another package."""
        return self.function.__module__.partition(".")[0] == "scoring"

    @property
    def release(self) -> Distribution:
        """The release that it comes from; a module that no distribution brings has no version."""
        if self.is_own:
            return Distribution(DISTRIBUTION, VERSION)
        return self.distribution or Distribution(self.function.__module__, "none")

    @property
    def libraries(self) -> tuple[str, ...]:
        """The distributions whose version can move its results."""
        return tuple(name for name in self.uses if not is_effect(name))

    def param(self, name: str) -> Param | None:
        """Return the parameter of that name."""
        return next((param for param in self.params if param.name == name), None)

    @property
    def asks_of_items(self) -> bool:
        """Whether the primitive evaluates an expression for each item of a list."""
        return any(param.of_item or (param.pipeline is not None and param.pipeline.of_item) for param in self.params)

    @property
    def signature(self) -> str:
        """One line: inputs, output and parameters, as documentation shows it."""
        inputs = ", ".join(str(kind) for kind in self.inputs)
        params = ", ".join(_show_param(param) for param in self.params)
        called = f"{self.name}({params})" if params else self.name
        return f"{called}: {inputs} -> {self.output}"


STARS = {"": "", "positional": "*", "keyword": "**"}
"""The prefix of the name of a variadic parameter."""


def _show_param(param: Param) -> str:
    stars = STARS[param.variadic]
    kind = str(param.pipeline) if param.pipeline else str(param.type)
    if param.default is REQUIRED:
        return f"{stars}{param.name}: {kind}"
    return f"{stars}{param.name}: {kind} = {param.default!r}"
