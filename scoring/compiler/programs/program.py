"""The typed program that a pipeline is compiled to: definitions are inlined, arguments bound, and all steps checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from scoring.diagnostics.source import Span
from scoring.lang.formula import Formula
from scoring.lang.printer import value_text
from scoring.lang.tree import ITEM, Path
from scoring.registry.model import Primitive
from scoring.value_base import PartlyCompared
from scoring.values import Type

ProgramForm: TypeAlias = Literal["scorer", "transform", "aggregate", "metric"]

FORMULA = "formula"
"""The trait of primitives that combine scores by a formula, and the name of that parameter."""


class BoundStep(PartlyCompared, frozen=True, eq=False):
    """A call of a primitive with its arguments by parameter name: constants (``static``), paths into the row
    (``dynamic``) and pipelines (``nested``).

    Pipelines are a tuple for a variadic parameter, and a dict for a map of pipelines. ``checks`` has for each input the
    type that its value must be checked for at run time, or None; ``step`` is the name under which the author called the
    primitive. ``callers`` are the calls of definitions that it came from, the outermost first: where each was written,
    and by which name.
    """

    aside = ("callers",)
    primitive: Primitive
    static: Mapping[str, Any] = {}
    dynamic: Mapping[str, Path] = {}
    nested: Mapping[str, Program | tuple[Program, ...] | Mapping[str, Program]] = {}
    checks: tuple[Type | None, ...] = ()
    span: Span | None = None
    step: str = ""
    callers: tuple[tuple[Span | None, str], ...] = ()

    def programs(self) -> Iterator[Program]:
        """Yield the pipelines among the arguments."""
        for value in self.nested.values():
            yield from _programs(value)

    def paths(self) -> Iterator[Path]:
        """Yield the paths into the row that the step and its pipelines read, except those to an item of a list over
        which the step itself iterates."""
        for name, path in self.dynamic.items():
            if path.root != ITEM or not self._is_of_item(name):
                yield path
        for name, programs in self.nested.items():
            of_item = self._is_of_item(name)
            for program in _programs(programs):
                yield from (path for path in program.own_paths() if not (of_item and path.root == ITEM))

    def _is_of_item(self, name: str) -> bool:
        """Tell whether the step evaluates its parameter ``name`` for each item of a list over which it iterates."""
        param = self.primitive.param(name)
        return param is not None and (param.of_item or (param.pipeline is not None and param.pipeline.of_item))

    @property
    def asks_item(self) -> bool:
        """Whether the step depends on the current item of a list over which a step around it iterates."""
        paths = (path for name, path in self.dynamic.items() if not self._is_of_item(name))
        nested = (value for name, value in self.nested.items() if not self._is_of_item(name))
        nodes = (node for programs in nested for program in _programs(programs) for node in program.nodes())
        return any(map(is_of_item, paths)) or any(node.asks_item for node in nodes)

    @property
    def looks_at_reference(self) -> bool:
        """Whether the step, or a pipeline among its arguments, uses the value of the reference."""
        primitive = self.primitive
        if primitive.asks_reference is not None:
            return bool(primitive.asks_reference(**primitive.settings(self.static, self.dynamic)))
        alone = "response_alone" in primitive.traits
        return not alone or any(one.takes_reference for one in self.programs() if one.form == "scorer")

    @property
    def is_dynamic(self) -> bool:
        """Whether the step needs the row of the record, for an argument or because it iterates over items."""
        return (
            bool(self.dynamic)
            or "items" in self.primitive.traits
            or any(program.is_dynamic for program in self.programs())
        )


def _never(value: Computed, row: Mapping[str, Any]) -> Any:
    raise LookupError(f"nothing computes {value.name}")


class Computed(Struct, frozen=True, eq=False):
    """A value that is computed from a row: the path where it begins (``head``), and the steps that follow.

    ``name`` is its key among the row's `values`, which is unique; it is declared in the spec, or the text of an
    expression that is written as an argument. ``before`` has all other computed values that it needs, in an order in
    which they can be computed; ``digest`` is that of its meaning, independent of the name. ``now`` computes the value
    for a row that does not have it yet, as outside of a task and for the items of a list.
    """

    name: str
    head: Path
    program: Program
    is_declared: bool = True
    before: tuple[Computed, ...] = ()
    digest: str = ""
    now: Callable[[Computed, Mapping[str, Any]], Any] = _never

    @property
    def of_item(self) -> bool:
        """Whether the value depends on the current item of a list over which an enclosing step iterates."""
        program = self.program
        paths = (self.head,) if program.formula is None else program.formula.paths
        return any(map(is_of_item, paths)) or any(node.asks_item for node in program.nodes())

    @property
    def whole(self) -> ComputedPath:
        """The path to the value itself, not to a part of it."""
        return ComputedPath("values", (self.name,), value=self)

    @property
    def text(self) -> str:
        """The expression that computes the value."""
        return self.program.text


class ComputedPath(Path, frozen=True, eq=False, kw_only=True):
    """A path into a computed value, such as `values.letter`, with a reference to the value."""

    aside = ("span", "value")
    value: Computed


def is_of_item(path: Path) -> bool:
    """Tell whether a path leads to the current item of a list, or to a value that is computed from it."""
    return path.root == ITEM or (isinstance(path, ComputedPath) and path.value.of_item)


def in_dependency_order(paths: Iterable[Path]) -> tuple[Computed, ...]:
    """Return the computed values that some paths read, directly or not, each once and after those that it needs."""
    found: dict[str, Computed] = {}
    for path in paths:
        if isinstance(path, ComputedPath):
            found.update((one.name, one) for one in (*path.value.before, path.value))
    return tuple(found.values())


class RowFormula(PartlyCompared, frozen=True, eq=False):
    """A compiled formula that computes a value from a row: its tree, the paths that it reads, and its evaluation."""

    aside = ("evaluate",)
    node: Formula
    paths: frozenset[Path]
    evaluate: Callable[[Any], Any]


class Program(Struct, frozen=True):
    """A compiled pipeline: a chain of steps for each side, the joining step, which compares both, and the rescorers,
    which change the score.

    A transform has only the chain ``prediction``. An aggregate or a metric has only a joining step and rescorers. The
    program of a value that is a formula has only the ``formula``.
    """

    form: ProgramForm
    prediction: tuple[BoundStep, ...] = ()
    reference: tuple[BoundStep, ...] = ()
    join: BoundStep | None = None
    rescorers: tuple[BoundStep, ...] = ()
    output: Type = field(default_factory=lambda: Type("Any"))
    text: str = ""
    span: Span | None = None
    formula: RowFormula | None = None

    @property
    def changes_nothing(self) -> bool:
        """Whether the program has neither steps nor a formula, so that the computed value is what its path reads."""
        return not self.prediction and self.formula is None

    def nodes(self) -> Iterator[BoundStep]:
        """Yield the steps of this program in the order in which they run, without those of pipelines in arguments."""
        yield from self.prediction
        yield from self.reference
        if self.join is not None:
            yield self.join
        yield from self.rescorers

    def written_nodes(self) -> Iterator[BoundStep]:
        """Yield the steps of this program and of the pipelines in their arguments, at any depth."""
        for node in self.nodes():
            yield node
            for program in node.programs():
                yield from program.written_nodes()

    def all_nodes(self) -> Iterator[BoundStep]:
        """Yield the steps of this program, of pipelines in their arguments, and of computed values that it needs."""
        yield from self.written_nodes()
        for value in self.computed():
            yield from value.program.written_nodes()

    def computed(self) -> tuple[Computed, ...]:
        """Return the computed values that the program needs, each after those that it needs itself."""
        return in_dependency_order(sorted(self.own_paths(), key=str))

    @property
    def is_dynamic(self) -> bool:
        """Whether any step needs the row of the record."""
        return any(node.is_dynamic for node in self.nodes())

    @property
    def reads_reference(self) -> bool:
        """Whether scores depend on the record's reference, as the second input or through a path."""
        return self.names_reference or self.takes_reference

    @property
    def names_reference(self) -> bool:
        """Whether any step reads the record's reference by a path."""
        return any(path.root == "reference" for path in self.paths())

    @property
    def takes_reference(self) -> bool:
        """Whether scores depend on the value that flows in as the reference."""
        if self.join is None:
            return True
        replaced = any("replaces" in node.primitive.traits for node in self.reference)
        return self.join.looks_at_reference and not replaced

    @property
    def reference_steps(self) -> tuple[BoundStep, ...]:
        """The steps on the reference on which the score depends; it is empty if the joining step ignores the
        reference.
        """
        if self.join is None or not self.join.looks_at_reference:
            return ()
        positions = [position for position, node in enumerate(self.reference) if "replaces" in node.primitive.traits]
        return self.reference[positions[-1] :] if positions else self.reference

    def own_paths(self) -> set[Path]:
        """Return the paths that its steps read, without those that only the computed values among them read."""
        read = frozenset() if self.formula is None else self.formula.paths
        return {path for node in self.nodes() for path in node.paths()} | read

    def paths(self) -> set[Path]:
        """Return all paths that the program reads, including those of its computed values."""
        found = self.own_paths()
        for value in self.computed():
            found |= {value.head, *value.program.own_paths()}
        return found


def _programs(nested: Program | tuple[Program, ...] | Mapping[str, Program]) -> Iterable[Program]:
    if isinstance(nested, Program):
        return (nested,)
    return nested if isinstance(nested, tuple) else nested.values()


def primitives_of(programs: Iterable[Program]) -> list[Primitive]:
    """Return every primitive that some programs use, once each, sorted by name."""
    found = {(p.name, p.kind): p for program in programs for p in (node.primitive for node in program.all_nodes())}
    return [found[key] for key in sorted(found)]


def uses(effects: Set[str], programs: Iterable[Program]) -> bool:
    """Tell whether any primitive in some programs declares one of the effects, or of the libraries, ``effects``."""
    return not all(effects.isdisjoint(node.primitive.uses) for program in programs for node in program.all_nodes())


def keep_order(rescorers: Sequence[BoundStep]) -> bool:
    """Tell whether all rescorers preserve the order of scores, and none returns a score below 0."""
    return all(
        "monotone" in node.primitive.laws and node.primitive.range[0] >= 0.0 and not node.is_dynamic
        for node in rescorers
    )


def lift_attempts(program: Program) -> tuple[Program, float | None]:
    """Return the inner pipeline of a program that does nothing but catch this pipeline's failures, with the score of a
    failure; for any other program, the program itself and None.

    The inner program keeps its batch form, which it would lose if it were called from inside a primitive.
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
    """Return the pipeline whose failures a program catches, if it does nothing else; None for any other program."""
    join = program.join
    if join is None or "catches" not in join.primitive.traits or "otherwise" in join.dynamic:
        return None
    if program.prediction or program.reference or program.rescorers:
        return None
    inner = join.nested.get("scorer")
    return inner if isinstance(inner, Program) else None


def show_path(path: Path) -> str:
    """Return a path as authors write it; that of an unnamed computed value as the expression that computes it."""
    if isinstance(path, ComputedPath) and len(path.segments) == 1:
        return path.value.name if path.value.is_declared else path.value.text
    return value_text(path)
