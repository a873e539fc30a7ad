"""The frozen records that a declaration becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from scoring.effects import EFFECTS
from scoring.late import dataclass
from scoring.registry.annotations import SettingFault
from scoring.registry.docstring import Docstring
from scoring.values import Type
from scoring.version import DISTRIBUTION, VERSION

PrimitiveKind: TypeAlias = Literal["transform", "comparator", "rescorer", "combinator", "aggregator", "metric"]
Reads: TypeAlias = Literal["scores", "records"]
Trait: TypeAlias = Literal[
    "catches",
    "cases",
    "sides",
    "passes",
    "unweighted",
    "response_alone",
    "replaces",
    "either_way",
    "items",
    "queries",
    "formula",
]

REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class PipelineType:
    """What a pipeline parameter takes: two sides to a score (``scorer``), or one value to another (``transform``).

    An ``aggregate`` makes one score of several. ``source`` is the type of the value, or of the prediction;
    ``reference`` that of the other side. ``mapping`` says that the parameter takes a map of such pipelines by name,
    ``of_item`` that the pipeline is asked for each item of a list, which it may read.
    """

    form: Literal["scorer", "transform", "aggregate"]
    source: Type
    target: Type
    reference: Type
    mapping: bool = False
    of_item: bool = False

    def __str__(self) -> str:
        if self.form == "aggregate":
            return "Aggregator"
        text = f"Transform[{self.source}, {self.target}]" if self.form == "transform" else f"Scorer[{self._sides()}]"
        return f"Dict[Text, {text}]" if self.mapping else text

    def _sides(self) -> str:
        return str(self.source) if self.source == self.reference else f"{self.source}, {self.reference}"


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
        """Whether a spec must set it."""
        return self.default is REQUIRED and not self.variadic

    @property
    def bounds(self) -> str:
        """What its numbers must be, in words; "" where any will do.

        Examples:
            >>> Param("k", Type("Number"), "", low=1, is_whole=True).bounds
            'a whole number and at least 1'
        """
        whole = "a whole number" if self.is_whole else ""
        low = f"at least {self.low:g}" if self.low is not None else ""
        high = f"at most {self.high:g}" if self.high is not None else ""
        return " and ".join(part for part in (whole, low, high) if part)

    def is_within(self, value: Any) -> bool:
        """Whether a number, or each of a list, lies within the bounds; NaN lies within none, nothing in all."""
        if isinstance(value, list | tuple):
            return all(map(self.is_within, value))
        if value is None:
            return True
        if self.is_whole and isinstance(value, float):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


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


@dataclass(frozen=True, slots=True)
class Primitive:
    """One registered function with everything that is derived from its declaration.

    ``reads`` says what a metric looks at: the scores alone, or (for all that anyone knows) the records, too.
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
    uses: tuple[str, ...] = ()
    traits: tuple[Trait, ...] = ()
    topics: tuple[str, ...] = ()
    aka: tuple[str, ...] = ()
    distribution: Distribution | None = None
    batches: list[Callable[..., Any]] = field(default_factory=list, compare=False, repr=False)
    tables: list[Callable[..., Any]] = field(default_factory=list, compare=False, repr=False)
    rowwise: list[Callable[..., Any]] = field(default_factory=list, compare=False, repr=False)
    uppers: list[Callable[..., Any]] = field(default_factory=list, compare=False, repr=False)
    ranges: list[Callable[..., Any]] = field(default_factory=list, compare=False, repr=False)
    looks: list[Callable[..., bool]] = field(default_factory=list, compare=False, repr=False)
    checks: list[Callable[..., SettingFault | None]] = field(default_factory=list, compare=False, repr=False)
    stories: list[Callable[..., list[dict[str, Any]]]] = field(default_factory=list, compare=False, repr=False)

    @property
    def batch(self) -> Callable[..., Any] | None:
        """The batch form, if one was declared."""
        return self.batches[0] if self.batches else None

    @property
    def table(self) -> Callable[..., Any] | None:
        """The form for all pairs of two lists, if one was declared."""
        return self.tables[0] if self.tables else None

    @property
    def by_row(self) -> Callable[..., Any] | None:
        """The form for columns in which every pair has settings of its own, if one was declared."""
        return self.rowwise[0] if self.rowwise else None

    @property
    def upper(self) -> Callable[..., Any] | None:
        """What its score is at most, if a bound was declared."""
        return self.uppers[0] if self.uppers else None

    @property
    def asks_reference(self) -> Callable[..., bool] | None:
        """Whether it looks at the reference, from its settings, if that was declared."""
        return self.looks[0] if self.looks else None

    @property
    def bounds(self) -> Callable[..., Any] | None:
        """The range of its scores from its settings and from ranges in place of scores, if that was declared."""
        return self.ranges[0] if self.ranges else None

    @property
    def story(self) -> Callable[..., list[dict[str, Any]]] | None:
        """How it came to a score, in lines for `explain`, if that was declared."""
        return self.stories[0] if self.stories else None

    def fault(self, static: Mapping[str, Any], dynamic: Iterable[str]) -> SettingFault | None:
        """What its settings are wrong for together, or one of them in its own way, where a check was declared."""
        settings = self.settings(static, dynamic)
        return next(filter(None, (check(**settings) for check in self.checks)), None)

    def settings(self, static: Mapping[str, Any], dynamic: Iterable[str]) -> dict[str, Any]:
        """Every setting that is no pipeline: as given, by default, or None where only the record tells."""
        known = [param for param in self.params if not param.variadic and param.pipeline is None]
        settings = {param.name: static.get(param.name, param.default) for param in known}
        unknown = {name: None for name, value in settings.items() if name in dynamic or value is REQUIRED}
        return {**settings, **unknown}

    @property
    def is_quirk(self) -> bool:
        """Whether nothing but one benchmark needs it; such are in no list but their own."""
        return self.family == "upstream" or self.topics == ("quirks",)

    @property
    def is_own(self) -> bool:
        """Whether it is one of ours, and not of a package that was installed beside us."""
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
        return tuple(name for name in self.uses if name not in EFFECTS)

    def param(self, name: str) -> Param | None:
        """The parameter of that name."""
        return next((param for param in self.params if param.name == name), None)

    @property
    def asks_of_items(self) -> bool:
        """Whether it asks something for each item of a list."""
        return any(param.of_item or (param.pipeline is not None and param.pipeline.of_item) for param in self.params)

    @property
    def signature(self) -> str:
        """One line: inputs, output and parameters, as documentation shows it."""
        inputs = ", ".join(str(kind) for kind in self.inputs)
        params = ", ".join(_show_param(param) for param in self.params)
        called = f"{self.name}({params})" if params else self.name
        return f"{called}: {inputs} -> {self.output}"


def _show_param(param: Param) -> str:
    stars = {"": "", "positional": "*", "keyword": "**"}[param.variadic]
    kind = str(param.pipeline) if param.pipeline else str(param.type)
    if param.default is REQUIRED:
        return f"{stars}{param.name}: {kind}"
    return f"{stars}{param.name}: {kind} = {param.default!r}"
