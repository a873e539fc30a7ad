"""The pairs on which the scorers of a spec are audited: its examples, and records where there are some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scoring.compiler.compile import compile_definition
from scoring.compiler.link import Linker
from scoring.compiler.messages import Findings
from scoring.compiler.record import RecordReader
from scoring.compiler.resolve import Resolver
from scoring.compiler.run import ScorerRunner
from scoring.compiler.task import CompiledTask
from scoring.engine.audit.laws import Audit, AuditPair, audit
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack
from scoring.result import Outcome

Record = Mapping[str, Any]


def audit_task(task: CompiledTask, records: Iterable[Record] = ()) -> list[Audit]:
    """Audit the scorer of each field.

    Args:
        task: The compiled task; its examples are always tried.
        records: Records to try, too.
    """
    # An example names the parts of a record by their own names, wherever the data keeps them.
    names = {name: name for name in task.spec.record}
    direct = CompiledTask(replace(task.parts, reader=RecordReader(names, task.spec.by)))
    examples = [{"id": "example", **example.data} for example in task.spec.examples]
    pairs: dict[str, list[AuditPair]] = {field.name: [] for field in task.parts.fields}
    for name, pair in (*_of_records(direct, examples), *_of_records(task, records)):
        pairs[name].append(pair)
    return [audit(name, found) for name, found in pairs.items()]


def _of_records(task: CompiledTask, records: Iterable[Record]) -> Iterator[tuple[str, AuditPair]]:
    for record in records:
        result, row = task.score(record), task.row(record)
        for field in task.parts.fields:
            part = result.fields[field.name]
            yield field.name, AuditPair(part.prediction, part.reference, _scored(field.scorer, row))


def audit_pack(loaded: Loaded, loader: Loader) -> list[Audit]:
    """Audit every scorer of a pack that has examples.

    Raises:
        SpecError: when the pack does not compile.
    """
    assert isinstance(loaded.spec, Pack)
    findings = Findings()
    scope = Linker(loader, findings).scope(loaded)
    resolver = Resolver(findings)
    found = []
    for definition in loaded.spec.definitions.values():
        if definition.role != "scorer":
            continue
        pairs = []
        for example in definition.examples:
            data = example.data
            program = compile_definition(definition, scope, resolver, dict(data.get("params") or {}))
            findings.diagnostics.raise_errors()
            row = {
                "record": data.get("record") or {},
                "context": data.get("context"),
                "prediction": data.get("prediction"),
                "reference": data.get("reference"),
            }
            scorer = ScorerRunner(program)
            pairs.append(AuditPair(data.get("prediction"), data.get("reference"), _scored(scorer, row)))
        if pairs:
            found.append(audit(definition.name, pairs))
    return found


def _scored(scorer: ScorerRunner, row: Mapping[str, Any]) -> Callable[[Any, Any], Outcome]:
    def score(prediction: Any, reference: Any) -> Outcome:
        return scorer.outcome(prediction, reference, {**row, "prediction": prediction, "reference": reference})

    return score
