"""The verb that holds this implementation to the specification."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scoring.api.arguments import verb
from scoring.api.result import Result
from scoring.data.json_write import plain
from scoring.diagnostics.suggest import did_you_mean
from scoring.errors import InputError
from scoring.extensions.conformance.cases import ConformanceCase, conformance_cases
from scoring.extensions.conformance.documents import conformance_document
from scoring.extensions.conformance.running import unmet_parts


class ConformanceReport(Result):
    """The result of running conformance cases: how many there are, and those whose outcome is not as their rules
    require."""

    @property
    def passed(self) -> bool:
        """Whether every case came out as its rules require."""
        return not self.failures

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The cases that came out otherwise, each with its place, its rules and the parts that differ."""
        found: list[dict[str, Any]] = self.data["failures"]
        return found


@verb
def conformance(folder: str | Path | None = None, *, rule: Sequence[str] = ()) -> ConformanceReport:
    """Run the cases of the specification, each of which quotes the rules by which its outcome was worked out.

    Args:
        folder: A folder with JSON files of cases; by default those that are shipped.
        rule: The ids of rules, such as ``E-5``: only the cases that quote one of them are run.

    Raises:
        InputError: when the folder has no cases, or no case quotes a rule.
        SpecError: when a file of cases is not in order.

    Examples:
        >>> conformance(rule=["E-5"]).passed
        True
    """
    wanted = [rule] if isinstance(rule, str) else list(rule)
    cases = list(conformance_cases(None if folder is None else Path(folder)))
    known = {name for case in cases for name in case.rules}
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, sorted(known), "docs/specification.md has the rules")
            raise InputError(f"no case quotes a rule `{name}`; {hint}")
    chosen = [case for case in cases if not wanted or not set(wanted).isdisjoint(case.rules)]
    failures = [failure for case in chosen if (failure := _failure(case))]
    rules = {name for case in chosen for name in case.rules}
    data = {"cases": len(chosen), "rules": len(rules), "failures": failures}
    about = f"{len(chosen)} cases, {len(failures)} failed"
    return ConformanceReport(data, about, conformance_document, rows="failures")


def _failure(case: ConformanceCase) -> dict[str, Any] | None:
    """Return a case that does not come out as its rules require, as plain data; None if it does."""
    found = unmet_parts(case)
    if not found:
        return None
    place = f"{case.span.source.name}:{case.span.line}"
    parts = [{key: plain(value) for key, value in one._asdict().items()} for one in found]
    return {"case": case.name, "place": place, "rules": list(case.rules), "differences": parts}
