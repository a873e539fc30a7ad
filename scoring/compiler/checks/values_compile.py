"""Computed values of a record: compile their programs on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, count
from typing import Any, TypeAlias

from msgspec.structs import replace

from scoring.compiler.checks.value_names import ROOT_NAMES, begins_with_value, declared_value, flow_of, value_names
from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.formulas.formula_parts import WORDS
from scoring.compiler.identity.meaning import computed_meaning
from scoring.compiler.programs.messages import MAX_DEPTH, Findings, comma_list
from scoring.compiler.programs.program import (
    Computed,
    ComputedPath,
    Program,
    RowFormula,
    in_dependency_order,
    show_path,
)
from scoring.compiler.programs.scope import Flow, PlainValue, Scope
from scoring.compiler.programs.stages import RowValues
from scoring.diagnostics.source import Span
from scoring.format.definitions import ValueSpec
from scoring.format.load import digest_of
from scoring.lang.evaluation import evaluation
from scoring.lang.formula import Field, Formula, formula_from_data, operands, with_operands
from scoring.lang.formula_printer import print_formula
from scoring.lang.parser import parse_formula
from scoring.lang.places import Segments
from scoring.lang.printer import print_pipeline, value_text
from scoring.lang.tree import OF_RECORD, ROOTS, Call, FormulaText, Path, Pipeline
from scoring.result import Unscored
from scoring.values import ANY, BOOL, NUMBER, TEXT, Type, list_type

Compile: TypeAlias = Callable[[Pipeline, Scope, Flow], Program]

_TYPES = {"number": NUMBER, "truth": BOOL, "text": TEXT, "list": list_type(ANY)}


def _now(value: Computed, row: RowValues) -> Any:
    from scoring.compiler.running.values_run import compute_now  # what only checks a spec computes nothing

    return compute_now(value, row)


class _NamedValues(Mapping[str, tuple[Path, Type]]):
    """The values that a formula may name, each with its path and type; a value is compiled when it is looked up."""

    def __init__(self, computed: ComputedValues, scope: Scope) -> None:
        read = (name for name, bound in scope.params.items() if isinstance(bound, Path))
        self._computed, self._scope, self._names = computed, scope, dict.fromkeys([*value_names(scope), *read])

    def __getitem__(self, name: str) -> tuple[Path, Type]:
        if name not in self._names:
            raise KeyError(name)
        param = self._scope.params.get(name)
        path = param if isinstance(param, Path) else self._computed.path_of_name(name, self._scope, None)
        # What has a mistake stands for anything: it is not told again wherever it is named.
        return (Path("values", (name,)), ANY) if path is None else (path, flow_of(path).type)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class ComputedValues:
    """The compiler of the computed values of one spec, which finds them by path or by name; ``chain`` compiles the
    steps of a value.

    ``root`` is the scope of the task, if any: what a pack reads of `values` and does not declare, the task has to.
    """

    def __init__(self, chain: Compile, findings: Findings, root: Scope | None) -> None:
        self._root = root
        self._chain = chain
        self._findings = findings
        self._made: dict[tuple[tuple[str, str], str], Computed | None] = {}
        self._active: list[tuple[tuple[str, str], str]] = []
        self._digests: dict[str, str] = {}

    def declared(self, scope: Scope) -> list[ComputedPath]:
        """Return the paths of all values that a file declares, except those with a mistake."""
        made = ((name, self._value(spec, scope)) for name, spec in scope.values.items())
        return [_path_of(value, (), scope.values[name].span) for name, value in made if value is not None]

    def value_paths(self, scope: Scope) -> dict[str, tuple[Path, Type]]:
        """Return the computed values that formulas of a file may name, each with its path and type; those of imports as
        `alias.name`."""
        return dict(_NamedValues(self, scope))

    def path(self, path: Path, scope: Scope) -> Path | None:
        """Return a path, as a `ComputedPath` if it begins with `values`; None, after reporting an error, if there is no
        such value."""
        if path.root != "values" or isinstance(path, ComputedPath):
            return path
        segments = path.segments
        found = declared_value(segments, scope)
        if found is None and self._root is not None and scope.key != self._root.key:
            found = declared_value(segments, self._root)
        if found is not None:
            spec, own, rest = found
            value = self._value(spec, own)
            return None if value is None else _path_of(value, rest, path.span)
        if self._root is None:
            return path  # of a pack by itself: whoever uses it has to declare the value
        self._unknown(path, scope)
        return None

    def argument(self, written: Path | FormulaText, scope: Scope) -> Path | PlainValue | None:
        """Return what a path or a formula stands for as an argument: a path, that of a computed value for a formula, or
        the constant that a formula without values of the record gives; None after reporting an error."""
        if isinstance(written, Path):
            return self.path(written, scope)
        found = self._of_formula(parse_formula(written.fragment), scope, written.text, is_declared=False)
        return _path_of(found, (), written.span) if isinstance(found, Computed) else found

    def path_of_name(self, name: str, scope: Scope, span: Span | None) -> Path | None:
        """Return the path that a bare name such as `letter`, `letter.start` or `alias.letter` reads; None if it names
        no value.
        """
        segments = tuple(name.split("."))
        if declared_value(segments, scope) is not None:
            return self.path(Path("values", segments, span), scope)
        return Path("parsed", (), span) if name in ROOT_NAMES else None

    def begun(self, pipeline: Pipeline, scope: Scope) -> tuple[Path, tuple[Call, ...]] | None:
        """Split a pipeline that begins with a value into the path of this value and the steps that follow; return None,
        after reporting an error, for a wrong path."""
        head: Path | PlainValue | None
        if pipeline.head is not None:
            head, steps = self.argument(pipeline.head, scope), pipeline.steps
            if isinstance(head, PlainValue):
                self._constant(pipeline.head.span)
                return None
        else:
            first, *others = pipeline.steps
            known = scope.params.get(first.name)
            head = known if isinstance(known, Path) else self.path_of_name(first.name, scope, first.span)
            steps = tuple(others)
        return None if head is None else (head, steps)

    def made(self, pipeline: Pipeline, scope: Scope) -> Path | None:
        """Return the path to the result of a pipeline that begins with a value; None after reporting an error."""
        begun = self.begun(pipeline, scope)
        if begun is None or not begun[1]:
            return None if begun is None else begun[0]
        value = self.value_of(begun[0], begun[1], scope, print_pipeline(pipeline), pipeline.span)
        return None if value is None else _path_of(value, (), pipeline.span)

    def value_of(
        self, head: Path, steps: tuple[Call, ...], scope: Scope, text: str, span: Span | None, name: str = ""
    ) -> Computed | None:
        """Return the value that ``steps`` compute from the path ``head``, called ``name`` or, by default, ``text``,
        which is its expression; None after reporting an error in the steps."""
        errors, flow = self._errors(), flow_of(head)
        if steps:
            program = replace(self._chain(Pipeline(steps, span), scope, flow), text=text)
        else:
            program = Program("transform", output=flow.type, text=text, span=span)
        if self._errors() > errors:
            return None
        return self._computed(name or text, head, program, is_declared=bool(name))

    def _value(self, spec: ValueSpec, scope: Scope) -> Computed | None:
        key = scope.key, spec.name
        if key in self._active:
            circle = " -> ".join(f"`{name}`" for _, name in [*self._active[self._active.index(key) :], key])
            message = f"`{spec.name}` is computed from itself: {circle}"
            self._findings.error(
                "definition-cycle", message, spec.span, help="let one of them begin with the record alone"
            )
            return None
        if key not in self._made:
            if len(self._active) >= MAX_DEPTH:
                self._findings.error(
                    "spec-too-large",
                    f"values of values are more than {MAX_DEPTH} deep",
                    spec.span,
                    help="write each behind those that it begins with",
                )
                return None
            self._active.append(key)
            self._made[key] = self._declared(spec, scope)
            self._active.pop()
        return self._made[key]

    def _declared(self, spec: ValueSpec, scope: Scope) -> Computed | None:
        is_own = self._root is None or scope.key == self._root.key
        name, written = spec.name if is_own else f"{scope.label}.{spec.name}", spec.pipeline
        if not isinstance(written, Pipeline):
            found = self._of_formula(written, scope, name, is_declared=True)
            if isinstance(found, PlainValue):
                self._constant(written.span)
            return found if isinstance(found, Computed) else None
        if not begins_with_value(written, scope):
            self._nothing_yet(spec.name, written.steps[0], scope, written.steps[0].span or spec.span)
            return None
        begun = self.begun(written, scope)
        if begun is None:
            return None
        value = self.value_of(*begun, scope, print_pipeline(written), written.span, name)
        if value is not None and value.of_item:
            message = f"`{spec.name}` is computed once for each record, and an item is another one for each step"
            help_text = "where the item is, a parameter may be a pipeline: `n=item.words | length`"
            self._findings.error("argument-type", message, written.span or spec.span, help=help_text)
            return None
        return value

    def _of_formula(
        self, formula: Formula, scope: Scope, name: str, *, is_declared: bool
    ) -> Computed | PlainValue | None:
        """Return the value that a formula over the record computes, called ``name``, or the constant that it is; None
        after reporting an error."""
        errors, roots = self._errors(), OF_RECORD if is_declared else ROOTS
        known = _with_parameters(formula, scope)
        compiler = FormulaCompiler({}, self._findings, values=_NamedValues(self, scope), noun="value", roots=roots)
        compiled = compiler.value(known)
        if self._errors() > errors:
            return None
        if not compiled.paths:
            return self._evaluated(compiled, formula.span)
        # What a record holds may be anything; other kinds of results are checked.
        evaluate = evaluation(compiled.node, WORDS) if compiled.kind == "any" else compiled.evaluate
        made = RowFormula(compiled.node, compiled.paths, evaluate)
        text, type_ = print_formula(formula), _TYPES.get(compiled.kind, ANY)
        program = Program("transform", output=type_, text=text, span=formula.span, formula=made)
        return self._computed(name, min(compiled.paths, key=show_path), program, is_declared=is_declared)

    def _evaluated(self, compiled: Compiled, span: Span | None) -> PlainValue | None:
        """Return the value of a formula that reads nothing; None after reporting that it has none."""
        try:
            found = compiled.evaluate({})
        except Unscored as error:
            self._findings.error("formula-type", f"this has no value: {error}", span)
            return None
        return PlainValue(int(found) if isinstance(found, float) and found.is_integer() else found)

    def _constant(self, span: Span | None) -> None:
        help_text = "a formula of a value reads the record"
        self._findings.error("formula-type", "this is the same for all records", span, help=help_text)

    def _nothing_yet(self, name: str, first: Call, scope: Scope, span: Span | None) -> None:
        """Report the computed value ``name``, whose pipeline begins with a step (``first``), not with a value; suggest
        a value's name."""
        from scoring.diagnostics.meant import Advice
        from scoring.diagnostics.suggest import nearest

        known = [other for other in (*ROOTS, *value_names(scope)) if other != name]
        is_step = first.name in scope.candidates(first.name)
        similar = None if is_step else nearest(first.name, known)
        advice = f"write `prediction | {first.name}`, or `reference`, `parsed`, `record.name`, `context.name`"
        self._findings.error(
            "wrong-stage",
            f"`{name}` begins with the step `{first.name}`, but there is no value yet that it could work on",
            first.name_span or span,
            f"did you mean `{similar}`?" if similar else "begin with a value of the record",
            help=(
                Advice.of(advice, first.name_span, f"prediction | {first.name}", is_sure=False),
                f"values of this file: {comma_list(scope.values)}",
            ),
        )

    def _errors(self) -> int:
        return sum(found.severity == "error" for found in self._findings.diagnostics)

    def _computed(self, name: str, head: Path, program: Program, *, is_declared: bool) -> Computed:
        before = in_dependency_order([head, *sorted(program.own_paths(), key=str)])
        digest = digest_of(computed_meaning(head, program))
        # One text can mean two things: inside a definition, its parameters are part of it.
        names = chain([name], (f"{name} ({number})" for number in count(2)))
        unique = next(one for one in names if self._digests.setdefault(one, digest) == digest)
        return Computed(unique, head, program, is_declared, before, digest, _now)

    def _unknown(self, path: Path, scope: Scope) -> None:
        known = value_names(scope)
        name = ".".join(map(str, path.segments))
        if self._root is not None and scope.key != self._root.key:
            self._findings.error(
                "missing-input",
                f"`{scope.label}` reads `{value_text(path)}`, which this task does not declare",
                path.span,
                help=f"add `{path.segments[0]}: <what it is computed from>` under `values:`",
            )
            return
        help_text = f"values: {comma_list(known)}" if known else "declare it under `values:`"
        self._findings.unknown("unknown-name", f"there is no value `{name}`", path.span, name, known, help_text)


def _with_parameters(formula: Formula, scope: Scope) -> Formula:
    """Return a formula with the names of the enclosing definition's parameters replaced by their constants."""
    if isinstance(formula, Field):
        bound = scope.params.get(formula.name)
        known = None if not isinstance(bound, PlainValue) else formula_from_data(bound.value, formula.span)
        return formula if known is None else known
    return with_operands(formula, [_with_parameters(part, scope) for part in operands(formula)])


def _path_of(value: Computed, rest: Segments, span: Span | None) -> ComputedPath:
    return ComputedPath("values", (value.name, *rest), span, value=value)
