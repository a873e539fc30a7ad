"""The typed program that a pipeline becomes: definitions inlined, arguments bound, every step checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from scoring.diagnostics.source import Span
from scoring.lang.tree import ITEM, Path
from scoring.registry.model import Primitive
from scoring.values import Type

ProgramForm: TypeAlias = Literal["scorer", "transform", "aggregate", "metric"]

FORMULA = "formula"
"""The trait of primitives that combine scores by a formula, and the name of that parameter."""


@dataclass(frozen=True, slots=True)
class BoundStep:
    """One bound primitive: plain arguments, arguments that are values of the row, and pipelines, by parameter name.

    Pipelines are a tuple for a variadic parameter, a dict for a map of them. ``checks`` has for each input the type its
    value must be checked for at run time, or None; ``step`` is the name under which the author called the primitive.
    """

    primitive: Primitive
    static: Mapping[str, Any] = field(default_factory=dict)
    dynamic: Mapping[str, Path] = field(default_factory=dict)
    nested: Mapping[str, Program | tuple[Program, ...] | Mapping[str, Program]] = field(default_factory=dict)
    checks: tuple[Type | None, ...] = ()
    span: Span | None = None
    step: str = ""

    def programs(self) -> Iterator[Program]:
        """Yield the pipelines that it was given."""
        for value in self.nested.values():
            yield from _programs(value)

    def paths(self) -> Iterator[Path]:
        """Yield the values of the row that it reads, and its pipelines; the item that it goes through is none of the
        row."""
        for name, path in self.dynamic.items():
            param = self.primitive.param(name)
            if path.root != ITEM or param is None or not param.of_item:
                yield path
        for name, given in self.nested.items():
            param = self.primitive.param(name)
            of_item = param is not None and param.pipeline is not None and param.pipeline.of_item
            for program in _programs(given):
                yield from (path for path in program.own_paths() if not (of_item and path.root == ITEM))

    @property
    def looks_at_reference(self) -> bool:
        """Whether the step, or a pipeline among its arguments, reads the value of the reference's side."""
        primitive = self.primitive
        if primitive.asks_reference is not None:
            return bool(primitive.asks_reference(**primitive.settings(self.static, self.dynamic)))
        alone = "response_alone" in primitive.traits
        return not alone or any(one._takes_reference for one in self.programs() if one.form == "scorer")

    @property
    def is_dynamic(self) -> bool:
        """Whether the step needs a value of the row, or creates rows itself."""
        return (
            bool(self.dynamic)
            or "items" in self.primitive.traits
            or any(program.is_dynamic for program in self.programs())
        )


def _never(value: Computed, row: Mapping[str, Any]) -> Any:
    raise LookupError(f"nothing computes {value.name}")


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """A value that is computed from a row: the path where it begins, and the steps that follow.

    ``name`` is its key among the row's `values`, which no two have that mean different things; a spec declares it, but
    for what stands in the place of an argument. ``before`` is every other computed value that it needs, each behind
    those that it needs itself; ``digest`` is that of its meaning, whatever its name. ``now`` computes a value of a row
    that does not hold it: where no task computes it before, and of items.
    """

    name: str
    head: Path
    program: Program
    is_declared: bool = True
    before: tuple[Computed, ...] = ()
    digest: str = ""
    now: Callable[[Computed, Mapping[str, Any]], Any] = field(default=_never, repr=False)

    @property
    def of_item(self) -> bool:
        """Whether the value differs for each item that an enclosing step goes through."""
        paths = (path for value in (*self.before, self) for path in (value.head, *value.program.own_paths()))
        return any(path.root == ITEM for path in paths)

    @property
    def whole(self) -> ComputedPath:
        """The path of all of it."""
        return ComputedPath("values", (self.name,), None, self)

    @property
    def text(self) -> str:
        """Its expression."""
        return self.program.text


_NO_VALUE: Any = None  # a path has defaults, so what follows it has one, too; it is always given


@dataclass(frozen=True, slots=True)
class ComputedPath(Path):
    """A path into a computed value, `values.letter`, which knows the value."""

    value: Computed = field(default=_NO_VALUE, compare=False, repr=False)

    @property
    def of_item(self) -> bool:
        """Whether the value differs for each item that an enclosing step goes through."""
        return self.value.of_item


def in_dependency_order(paths: Iterable[Path]) -> tuple[Computed, ...]:
    """Return the computed values that some paths need, each once, after those that it needs itself."""
    found: dict[str, Computed] = {}
    for path in paths:
        if isinstance(path, ComputedPath):
            found.update((one.name, one) for one in (*path.value.before, path.value))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled pipeline: a chain for each side, the joining step, and the rescorers.

    A transform has only its prediction chain. An aggregate or a metric has only the joining step and rescorers.
    """

    form: ProgramForm
    prediction: tuple[BoundStep, ...] = ()
    reference: tuple[BoundStep, ...] = ()
    join: BoundStep | None = None
    rescorers: tuple[BoundStep, ...] = ()
    output: Type = field(default_factory=lambda: Type("Any"))
    text: str = ""
    span: Span | None = None

    def nodes(self) -> Iterator[BoundStep]:
        """Yield the steps of this program without nested ones, in the order in which they run."""
        yield from self.prediction
        yield from self.reference
        if self.join is not None:
            yield self.join
        yield from self.rescorers

    def written_nodes(self) -> Iterator[BoundStep]:
        """Its nodes and those of every nested program."""
        for node in self.nodes():
            yield node
            for program in node.programs():
                yield from program.written_nodes()

    def all_nodes(self) -> Iterator[BoundStep]:
        """Yield the same, and then those of the computed values that it needs."""
        yield from self.written_nodes()
        for value in self.computed():
            yield from value.program.written_nodes()

    def computed(self) -> tuple[Computed, ...]:
        """The computed values that the program needs, each after those that it needs itself."""
        return in_dependency_order(sorted(self.own_paths(), key=str))

    @property
    def is_dynamic(self) -> bool:
        """Whether any step needs a value of the row."""
        return any(node.is_dynamic for node in self.nodes())

    @property
    def reads_reference(self) -> bool:
        """Whether scores depend on the record's reference, directly or through a value that is read from the row."""
        return self.names_reference or self._takes_reference

    @property
    def names_reference(self) -> bool:
        """Whether a step reads the record's reference from the row."""
        return any(path.root == "reference" for path in self.paths())

    @property
    def _takes_reference(self) -> bool:
        if self.join is None:
            return True
        replaced = any("replaces" in node.primitive.traits for node in self.reference)
        return self.join.looks_at_reference and not replaced

    @property
    def reference_steps(self) -> tuple[BoundStep, ...]:
        """The steps of the reference's side on which a score depends; unused ones may lack their input."""
        if self.join is None or not self.join.looks_at_reference:
            return ()
        places = [place for place, node in enumerate(self.reference) if "replaces" in node.primitive.traits]
        return self.reference[places[-1] :] if places else self.reference

    def own_paths(self) -> set[Path]:
        """Return the values of the row that it reads itself."""
        return {path for node in self.nodes() for path in node.paths()}

    def paths(self) -> set[Path]:
        """Return all paths that the program reads, including those of its computed values."""
        found = self.own_paths()
        for value in self.computed():
            found |= {value.head, *value.program.own_paths()}
        return found


def _programs(given: Program | tuple[Program, ...] | Mapping[str, Program]) -> Iterable[Program]:
    if isinstance(given, Program):
        return (given,)
    return given if isinstance(given, tuple) else given.values()


def primitives_of(programs: Iterable[Program]) -> list[Primitive]:
    """Return every primitive that some programs use, once, by name; a metric may share its name with a step."""
    found = {(p.name, p.kind): p for program in programs for p in (node.primitive for node in program.all_nodes())}
    return [found[key] for key in sorted(found)]


def uses(effect: str, programs: Iterable[Program]) -> bool:
    """Tell whether any primitive of some programs declares that it uses an effect or a library."""
    return any(effect in node.primitive.uses for program in programs for node in program.all_nodes())


def keep_order(rescorers: Sequence[BoundStep]) -> bool:
    """Tell whether rescorers keep the order of scores, and never give less than 0."""
    return all(
        "monotone" in node.primitive.laws and node.primitive.range[0] >= 0.0 and not node.is_dynamic
        for node in rescorers
    )


def lift_attempts(program: Program) -> tuple[Program, float | None]:
    """Return the program inside an enclosing step that catches failures, and the score of failures.

    The inner program keeps its batch form, which a call from inside a primitive would lose.
    """
    otherwise: float | None = None
    while (inner := _wrapped(program)) is not None:
        join = program.join
        assert join is not None
        # The innermost one decides: what it catches never reaches those around it.
        param = join.primitive.param("otherwise")
        otherwise = float(join.static.get("otherwise", param.default if param else 0.0))
        program = inner
    return program, otherwise


def _wrapped(program: Program) -> Program | None:
    """Return the pipeline inside a step that catches its failures, where that is all there is."""
    join = program.join
    if join is None or "catches" not in join.primitive.traits or "otherwise" in join.dynamic:
        return None
    if program.prediction or program.reference or program.rescorers:
        return None
    inner = join.nested.get("scorer")
    return inner if isinstance(inner, Program) else None
