"""The answers and references on which the scorers of a spec are audited: its examples, and given records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Any

from msgspec.structs import replace

from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.lint import calls_in
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Scope
from scoring.compiler.running.run import ScorerRunner
from scoring.compiler.tasks.task import CompiledTask
from scoring.extensions.audit.figures import MOST, audit_metrics, can_answer
from scoring.extensions.audit.laws import SLOW_STEPS, STEPS, AuditPair, try_laws
from scoring.extensions.audit.near import excused
from scoring.extensions.audit.rules import NO_RULES, AuditRules, rules_of
from scoring.extensions.audit.verdict import Audit, Declared, is_error, on_scale
from scoring.extensions.examples.running import compiled_examples, direct, example_row
from scoring.format.load import Loaded, Loader
from scoring.format.measures import metric_name
from scoring.format.model import FieldSpec, Pack
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Call, Pipeline, walk
from scoring.lazy_pattern import lazy_pattern
from scoring.ranges import UNIT, ScoreRange
from scoring.result import Outcome
from scoring.values import Record

SLOW = frozenset({"programs", "sympy"})
"""Effects and libraries of steps that may take seconds per call."""
SLOW_RECORDS = 20
"""The most records of a task with such a step."""
RESPONSES = "(response)"
"""The name for the whole way from a response to the record's score, if it is parsed, as a whole or by a field."""
QUESTIONS = ("question", "query", "prompt", "instruction", "input")
"""The keys of a record that may contain the question."""
_FILE = "the spec"


def examples_of(task: CompiledTask) -> list[dict[str, Any]]:
    """Return the examples of a task as records, each with an id such as "example 1"."""
    return [{"id": f"example {place}", **one.data} for place, one in enumerate(task.spec.examples, 1)]


def audit_task(task: CompiledTask, records: Iterable[Record] = ()) -> list[Audit]:
    """Return audits of the scorers of a task's fields, of the task as a whole if it has a parse stage or fields that
    compare what they make of the response, and of its metrics.

    Both the examples of the task and the given records are tried.
    """
    programs = {field.name: field.scorer.program for field in task.parts.fields}
    steps = _steps(programs.values())
    tried = list(records)[: None if steps > SLOW_STEPS else SLOW_RECORDS]
    examples = direct(task)
    owned = [(examples, record) for record in examples_of(task)] + [(task, record) for record in tried]
    pairs: dict[str, list[AuditPair]] = {field.name: [] for field in task.parts.fields}
    for owner, record in owned:
        for name, pair in _of_fields(owner, record):
            pairs[name].append(pair)
    scope, found = scope_of(task), []
    computed = [field.name for field in task.spec.fields if _is_computed(field)]
    for field in task.spec.fields:
        declared = Declared(((f"the field {field.name}", rules_of(field)), (_FILE, rules_of(task.spec))))
        if field.pipeline is not None and field.name not in computed:
            said = (*inherited(field.pipeline, scope), (None, excused([programs[field.name]])))
            declared = Declared((*declared.rules, *said))
            found.append(try_laws(field.name, pairs[field.name], declared, _steps([programs[field.name]])))
    if task.parts.parse is not None or computed:
        whole = [pair for owner, record in owned for pair in _of_response(owner, record)]
        parsing = inherited(task.spec.parse, scope) if task.spec.parse is not None else ()
        declared = Declared(((_FILE, rules_of(task.spec)), *parsing))
        found += [try_laws(RESPONSES, whole, declared, steps)] if whole else []
    return found + _of_metrics(task, owned, steps)


def _is_computed(field: FieldSpec) -> bool:
    """Return whether what a field compares is made of the response, so that its reference is no answer to it: such a
    field is tried by whole responses."""
    return field.prediction is not None and not _PLACE.match(print_pipeline(field.prediction))


_PLACE = lazy_pattern(r"(parsed|prediction)(\.\w+|\[-?\d+\])*\Z")


def _of_metrics(task: CompiledTask, owned: Sequence[tuple[CompiledTask, Record]], steps: int) -> list[Audit]:
    """Return audits of a task's metrics on the records of the last task in `owned`, or [] if the task needs a judge or
    responses can't be replaced.

    Args:
        task: The task.
        owned: Records, each with the task that scores it: the task itself, or one for its examples.
        steps: The limit on calls of the scorer; if it is low, fewer records are tried.
    """
    owner = owned[-1][0] if owned else task
    if task.asks_judge or not can_answer(owner):
        return []
    most = MOST if steps > SLOW_STEPS else MOST // 5
    records = [record for one, record in owned if one is owner][:most]
    answered = [(one, right) for one in records if (right := right_response(owner, one)) is not None]
    declared = declared_of(task)
    return audit_metrics(owner, answered, lambda metric: declared[metric.text])


def declared_of(task: CompiledTask) -> dict[str, Declared]:
    """Return the audit rules that are declared for each metric of a task, by the metric's expression."""
    scope, calls = scope_of(task), {metric_name(one): calls_in([one]) for one in task.spec.metrics}
    joining = task.spec.aggregate
    joined = inherited(joining, scope) if isinstance(joining, Pipeline) else []
    return {
        metric.text: Declared(
            (
                (_FILE, rules_of(task.spec)),
                *(said for call in calls.get(metric.text, ()) for said in inherited(call, scope)),
                *joined,
            )
        )
        for metric in task.metrics
    }


def sample(records: Iterable[Record], most: int, seed: int) -> tuple[list[Record], int]:
    """Return a random sample of at most `most` records, in their order, and the number of all records.

    Examples:
        >>> sample([{"id": n} for n in range(1000)], 3, seed=0) == sample([{"id": n} for n in range(1000)], 3, seed=0)
        True
    """
    generator, kept, read = Random(seed), list[tuple[int, Record]](), 0
    for record in records:
        if read < most:
            kept.append((read, record))
        elif (position := generator.randrange(read + 1)) < most:
            kept[position] = read, record
        read += 1
    return [record for _, record in sorted(kept, key=itemgetter(0))], read


def scope_of(task: CompiledTask) -> Scope:
    """Return the scope of a task's file: the names that its expressions can use, with their definitions."""
    return Linker(task.parts.loader, Findings()).scope(task.parts.loaded)


def inherited(pipeline: Pipeline, scope: Scope) -> list[tuple[None, AuditRules]]:
    """Return the audit rules declared by the definitions that a pipeline uses, directly or indirectly, nearest first;
    each is paired with None instead of the name of a part of the audited file."""
    found: list[tuple[None, AuditRules]] = []
    seen: set[tuple[tuple[str, str], str]] = set()
    waiting = [(pipeline, scope)]
    while waiting:
        one, names = waiting.pop(0)
        for node in walk(one):
            definition = names.definition(node.name) if isinstance(node, Call) else None
            if definition is None or (key := (definition[1].key, definition[0].name)) in seen:
                continue
            seen.add(key)
            found.append((None, rules_of(definition[0])))
            if definition[1].key != scope.key:  # rules of another file apply to all its definitions
                found.append((None, rules_of(definition[1])))
            waiting.append((definition[0].pipeline, definition[1]))
    return found


def _of_fields(task: CompiledTask, record: Record) -> Iterator[tuple[str, AuditPair]]:
    result, row, question = task.score(record), task.row(record), question_of(record)
    for field in task.parts.fields:
        part = result.fields[field.name]
        scored = _scored(field.scorer, row)
        error = is_error(field.scorer.range)
        yield field.name, AuditPair(part.prediction, part.reference, scored, question, None, task.asks_judge, error)


def _of_response(task: CompiledTask, record: Record) -> Iterator[AuditPair]:
    """Yield a pair whose answer is a whole response to a record, if a right response can be found."""
    reference = task.parts.reader.reference(record)

    def score(response: Any, _: Any) -> Outcome:
        return _as_share(task.score_parts(response, reference, record=record).outcome, task.range)

    right = right_response(task, record)
    if right is not None:
        question = question_of(record)
        yield AuditPair(None, reference, score, question, right, task.asks_judge, is_error(task.range))


def right_response(task: CompiledTask, record: Record) -> Any:
    """Return a response to a record that gets the best possible score: the record's own, or one made of its reference;
    None if none does."""
    reader = task.parts.reader
    reference = reader.reference(record)
    several: Sequence[Any] = reference if isinstance(reference, list) else ()
    made = [reader.response(record), reference, *several[:2]]
    if reference is not None:
        text = reference if isinstance(reference, str) else json.dumps(reference, default=str)
        made += [text, f"Answer: {text}", f"The answer is {text}"]
    for response in made:
        if response is not None:
            value = task.score_parts(response, reference, record=record).score
            if isinstance(value, (int, float)) and on_scale(task.range, value) == 1.0:
                return response
    return None


def question_of(record: Record) -> Any:
    """Return the question of a record, the string under the first of the keys in `QUESTIONS`; None if there is none."""
    return next((record[name] for name in QUESTIONS if isinstance(record.get(name), str)), None)


def audit_pack(loaded: Loaded, loader: Loader) -> list[Audit]:
    """Return audits of each scorer of a pack that has examples.

    Raises:
        SpecError: when the pack does not compile.
    """
    assert isinstance(loaded.spec, Pack)
    scope, found = Linker(loader, Findings()).scope(loaded), []
    for definition, examples in groupby(compiled_examples(loaded.spec, loaded, loader, "scorer"), key=itemgetter(0)):
        pairs, said = [], NO_RULES
        for _, example, program in examples:
            scorer, row = ScorerRunner(program), example_row(example.data)
            scored, error, said = _scored(scorer, row), is_error(scorer.range), said.joined(excused([program]))
            pairs.append(AuditPair(row["prediction"], row["reference"], scored, is_error=error))
        own = ((f"the scorer {definition.name}", rules_of(definition)), (_FILE, rules_of(loaded.spec)))
        declared = Declared((*own, *inherited(definition.pipeline, scope), (None, said)))
        found.append(try_laws(definition.name, pairs, declared, _steps([program])))
    return found


def _steps(programs: Iterable[Program]) -> int:
    """Return the limit on calls of a scorer that consists of the given programs; it is lower if a call may take
    long."""
    steps = (node.primitive for program in programs for node in program.all_nodes())
    return SLOW_STEPS if any(not SLOW.isdisjoint(one.uses) for one in steps) else STEPS


def _scored(scorer: ScorerRunner, row: Mapping[str, Any]) -> Callable[[Any, Any], Outcome]:
    def score(prediction: Any, reference: Any) -> Outcome:
        found = scorer.outcome(prediction, reference, {**row, "prediction": prediction, "reference": reference})
        return _as_share(found, scorer.range)

    return score


def _as_share(outcome: Outcome, limits: ScoreRange) -> Outcome:
    """Return an outcome with its score moved from the range `limits` to the scale from 0 to 1, which the laws use."""
    if limits == UNIT or not isinstance(outcome.value, (int, float)):
        return outcome
    return replace(outcome, value=on_scale(limits, outcome.value))
