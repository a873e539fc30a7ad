"""Write findings as SARIF 2.1.0, which code hosts and editors show next to the lines.

The text of a finding may quote an untrusted spec: braces are doubled as the standard requires, and nothing in it can
become a link. Paths are relative to the repository, or to the current folder if there is none, so that an uploaded file
contains no path of the machine.

Source:
    OASIS, Static Analysis Results Interchange Format (SARIF) 2.1.0, sections 3.11, 3.14, 3.19, 3.27 to 3.30, 3.49
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scoring.data.json_write import dumps_pretty
from scoring.diagnostics import catalog
from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Fix, Label
from scoring.diagnostics.source import Span
from scoring.diagnostics.visible import visible
from scoring.extensions.ci_reports.junit import finding_text
from scoring.version import VERSION

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "SRCROOT"


def sarif(found: Iterable[Diagnostic]) -> str:
    """Return the findings of one command as a SARIF log with one run; without findings the run has no results, which
    closes old alerts.

    Examples:
        >>> import json
        >>> log = json.loads(sarif([Diagnostic("unused-field", "warning", "no scorer for `a`")]))
        >>> log["version"], log["runs"][0]["results"][0]["ruleId"]
        ('2.1.0', 'unused-field')
    """
    ordered = Diagnostics(found).sorted()
    here = Path.cwd()
    # Paths are relative to the repository that contains the current folder, else to that folder.
    base = next((one for one in (here, *here.parents) if (one / ".git").exists()), here).resolve()
    ids = list(dict.fromkeys(one.id for one in ordered))
    run = {
        "tool": {"driver": {"name": "scoring", "semanticVersion": VERSION, "rules": [_rule(id) for id in ids]}},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {ROOT: {"description": {"text": "the root of the repository"}}},
        "results": [_result(one, ids.index(one.id), base) for one in ordered],
    }
    return dumps_pretty({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def sarif_report(findings: Iterable[Diagnostic], tried: Any = None, strict: bool = False) -> str:
    """Return the findings of a command as a SARIF log; the arguments that only other reports use are ignored."""
    return sarif(findings)


def _rule(id: str) -> dict[str, Any]:
    page, title = catalog.page(id), catalog.title(id)
    about: dict[str, Any] = {"id": id}
    if title:
        about["shortDescription"] = {"text": title}
    if page is not None:
        about["help"] = {"text": f"scoring explain {id}", "markdown": page}
    return about


def _result(one: Diagnostic, index: int, base: Path) -> dict[str, Any]:
    place = _place(one.span, base) if one.span is not None else None
    related = [_related(label, number, base) for number, label in enumerate(one.secondary) if label.span is not None]
    known = "\0".join([one.id, place["artifactLocation"]["uri"] if place else "", one.message])
    return {
        "ruleId": one.id,
        "ruleIndex": index,
        "level": one.severity,
        "message": {"text": _message(finding_text(one, one.message))},
        **({"locations": [{"physicalLocation": place}]} if place else {}),
        **({"relatedLocations": related} if related else {}),
        **({"fixes": fixes} if (fixes := [_fix(fix, base) for fix in one.fixes if fix.is_safe]) else {}),
        # Without line numbers, so that a finding that moved is still the same.
        "partialFingerprints": {"finding/v1": hashlib.sha256(known.encode("utf-8", "replace")).hexdigest()},
    }


def _related(label: Label, number: int, base: Path) -> dict[str, Any]:
    assert label.span is not None
    said = {"message": {"text": _message(label.text)}} if label.text else {}
    return {"id": number, "physicalLocation": _place(label.span, base), **said}


def _fix(fix: Fix, base: Path) -> dict[str, Any]:
    place = _place(fix.span, base)
    replacement = {"deletedRegion": place["region"], "insertedContent": {"text": fix.text}}
    return {"artifactChanges": [{"artifactLocation": place["artifactLocation"], "replacements": [replacement]}]}


def _message(text: str) -> str:
    """Return a text made safe for a message: braces doubled, without links or control characters."""
    lines = (visible(line) for line in text.split("\n"))
    return "\n".join(lines).replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _place(span: Span, base: Path) -> dict[str, Any]:
    source = span.source

    def position(offset: int) -> tuple[int, int]:
        line, _ = source.line_column(offset)
        before = source.text[source.line_start(line) : min(max(offset, 0), len(source.text))]
        return line, len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1

    (line, column), (end_line, end_column) = position(span.start), position(max(span.end, span.start))
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {"artifactLocation": _artifact(source.name, base), "region": region}


def _artifact(name: str, base: Path) -> dict[str, Any]:
    """Return the SARIF location of the file ``name``: its path relative to ``base``, or its name if it is outside."""
    place = Path(os.path.abspath(name.replace("\0", "")))
    for root in (base, Path(os.path.abspath(base))):
        if place.is_relative_to(root):
            return {"uri": _quoted(place.relative_to(root).as_posix()), "uriBaseId": ROOT}
    return {"uri": _quoted(place.name or "spec")}


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogatepass"), safe="/")
