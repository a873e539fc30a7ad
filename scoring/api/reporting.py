"""What checks, tests and audits found, as what other programs count: cases of JUnit, and findings with places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.diagnostics.source import Span
from scoring.format.load import Loader
from scoring.format.model import Defining, TaskSpec
from scoring.report.junit import JunitCase, cases_of, told

if TYPE_CHECKING:
    from scoring.engine.examples import Tried


def cases_of_files(
    files: Sequence[Path], tried: Mapping[Path, Sequence[Tried]], found: Iterable[Diagnostic], strict: bool = False
) -> dict[str, list[JunitCase]]:
    """A suite for each file: of one that was tested a case for each example, of another one for each finding in it.

    Args:
        files: The files, in their order.
        tried: The examples of those that were tested.
        found: What was found.
        strict: Whether warnings are failures.
    """
    others = [one for one in found if one.id != "example-failed"]
    suites = cases_of((str(path) for path in files if path not in tried), others, strict)
    for path, examples in tried.items():
        counts: dict[str, int] = {}
        suites[str(path)] = held = suites.get(str(path), [])
        for one in examples:
            counts[one.owner] = counts.get(one.owner, 0) + 1
            problems = () if one.problem is None else (told(one.finding()),)
            line = one.span.line if one.span is not None else 0
            held.append(JunitCase(f"{one.owner}, example {counts[one.owner]}", problems, line=line))
    return {str(path): suites.pop(str(path)) for path in files} | suites


def cases_of_scorers(found: Mapping[str, Any]) -> dict[str, list[JunitCase]]:
    """A suite for each scorer of an audit, with a case for each law; one that could not be tried is skipped."""
    messages = {(one["scorer"], one["law"]): one["message"] for one in found["findings"]}
    suites: dict[str, list[JunitCase]] = {}
    for scorer in found["scorers"]:
        suites[scorer["scorer"]] = [
            JunitCase(
                law["law"],
                (messages.get((scorer["scorer"], law["law"]), "does not hold"),) if law["is_broken"] else (),
                "nothing to try it with" if law["holds"] is None else "",
            )
            for law in scorer["laws"]
        ]
    return suites


def audit_findings(found: Sequence[Mapping[str, Any]], spec: str | Path) -> list[Diagnostic]:
    """The laws that must hold and do not as findings, each at what it is about in the spec's file.

    Args:
        found: What the audit says of each.
        spec: The file that was audited.
    """
    places = dict(_places(Path(spec))) if Path(spec).is_file() else {}
    return [_finding(one, places.get(one["scorer"], places.get(""))) for one in found]


def _finding(one: Mapping[str, Any], span: Span | None) -> Diagnostic:
    message = f"{one['scorer']}: {one['message']} ({one['law']}, {one['times']} of {one['tried']} tried)"
    return diagnostic("error", "audit-law", message, span, help=one["help"])


def _places(path: Path) -> Iterator[tuple[str, Span]]:
    """Where a file has its definitions and fields, by the names that an audit has for them, and itself."""
    spec = Loader().file(path, str(path)).spec
    if spec.span is not None:
        yield "", spec.span.source.span(spec.span.start, spec.span.start)
    for definition in spec.definitions.values() if isinstance(spec, Defining) else ():
        if definition.span is not None:
            yield definition.name, definition.span
    for field in spec.fields if isinstance(spec, TaskSpec) else ():
        if field.span is not None:
            yield field.name, field.span
