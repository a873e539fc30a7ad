"""What an audit found, as a terminal shows it and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scoring.data.strict_json import dumps
from scoring.engine.audit.laws import LAWS, SYMMETRIC, Audit, Verdict
from scoring.report.style import Style
from scoring.report.table import table
from scoring.report.visible import shorten, visible

_SHOWN = 3
_WIDTH = 60
# What a broken law means, in the words of the reader.
_MEANING = {
    "reference": "the reference itself does not score 1",
    "empty": "an empty answer scores",
    "typos": "an answer with more typos scores higher",
    "case": "letters in the other case are scored otherwise",
    "whitespace": "more space is scored otherwise",
    "order": "another order of a list is scored otherwise",
    "keys": "another order of keys is scored otherwise",
    "numbers": "3 and 3.0 are scored otherwise",
}


def audit_text(audits: Sequence[Audit], declared: Iterable[str], style: Style) -> str:
    """A table of what holds, then the answers for which a law that must hold does not."""
    laws = list(audits[0].verdicts)
    rows = [[visible(found.name), *(_cell(found.verdicts[law]) for law in laws)] for found in audits]
    parts = [table(rows, ["scorer", *laws], style=style)]
    wanted = list(declared)
    broken = [(found, verdict) for found in audits for verdict in found.failed(wanted)]
    parts += [_broken(found, verdict, style) for found, verdict in broken]
    if not broken:
        parts.append(style.good("every law that must hold does"))
    parts.append(
        style.dim(
            "must hold: " + ", ".join([*LAWS, *wanted]) + "; the others say what a scorer overlooks, "
            f"`{SYMMETRIC}` whether answer and reference may change places"
        )
    )
    return "\n\n".join(parts)


def _cell(verdict: Verdict) -> str:
    if verdict.holds is None:
        return "–"
    return "yes" if verdict.holds else f"no, {len(verdict.broken)} of {verdict.tried}"


def _broken(found: Audit, verdict: Verdict, style: Style) -> str:
    head = f"{style.bad(visible(found.name))}  {_MEANING[verdict.law]}"
    return "\n".join([head, *_examples(verdict)])


def _examples(verdict: Verdict) -> Iterator[str]:
    for one in verdict.broken[:_SHOWN]:
        answer, reference = (visible(shorten(dumps(value), _WIDTH)) for value in (one.prediction, one.reference))
        yield f"  {answer} for {reference} gives {visible(shorten(one.found, 120))}"
    if len(verdict.broken) > _SHOWN:
        yield f"  … and {len(verdict.broken) - _SHOWN} more"


def audit_data(audits: Sequence[Audit], declared: Iterable[str]) -> dict[str, Any]:
    """The audit as plain data."""
    wanted = list(declared)
    return {
        "passed": not any(found.failed(wanted) for found in audits),
        "must_hold": [*LAWS, *wanted],
        "scorers": [
            {
                "scorer": found.name,
                "laws": [
                    {
                        "law": verdict.law,
                        "tried": verdict.tried,
                        "holds": verdict.holds,
                        "broken": [
                            {"answer": one.prediction, "reference": one.reference, "found": one.found}
                            for one in verdict.broken
                        ],
                    }
                    for verdict in found.verdicts.values()
                ],
            }
            for found in audits
        ],
    }
