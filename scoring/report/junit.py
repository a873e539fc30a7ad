"""Results of checks and examples as JUnit XML, which CI runners count and show.

There is no standard; what is written is what Jenkins, GitLab and GitHub's reporters read in common. Any text of a spec
may stand in it, so characters that XML does not have are written as escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics
from scoring.diagnostics.visible import visible

# Beside controls and surrogates, which `visible` writes as escapes.
_NO_XML = re.compile("[\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class JunitCase:
    """One thing that was tried."""

    name: str  # what it is called within its suite
    problems: tuple[str, ...] = ()  # what was found, one line or several each; none where it passed
    skipped: str = ""  # why it was not tried; "" where it was
    notes: tuple[str, ...] = ()  # what was found that is no failure, likewise
    line: int = 0  # where it stands, from 1; 0 where nowhere


def junit(suites: Mapping[str, Sequence[JunitCase]]) -> str:
    """Return the cases of each file, or of each scorer, as one document.

    Examples:
        >>> print(junit({"a.yaml": [JunitCase("near, example 1"), JunitCase("near, example 2", ("1.0 is not 0.0",))]}))
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="scoring" tests="2" failures="1" errors="0" skipped="0">
          <testsuite name="a.yaml" tests="2" failures="1" errors="0" skipped="0">
            <testcase classname="a.yaml" name="near, example 1"/>
            <testcase classname="a.yaml" name="near, example 2">
              <failure message="1.0 is not 0.0">1.0 is not 0.0</failure>
            </testcase>
          </testsuite>
        </testsuites>
    """
    everything = [case for cases in suites.values() for case in cases]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="scoring" {_counts(everything)}>']
    for name, cases in suites.items():
        lines.append(f'  <testsuite name="{_quoted(name)}" {_counts(cases)}>')
        for case in cases:
            lines += _case(name, case)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"])


def cases_of(files: Iterable[str], found: Iterable[Diagnostic], strict: bool = False) -> dict[str, list[JunitCase]]:
    """Return a suite for each file that was checked, with what was found in it; what is of no such file has one of
    its own.

    A warning is no failure, unless ``strict`` makes it one, as it does for exit codes.

    Examples:
        >>> [*cases_of(["a.yaml"], [Diagnostic("unused-field", "warning", "no scorer for `a`")])]
        ['a.yaml', 'findings']
    """
    by_file: dict[str, list[Diagnostic]] = {name: [] for name in files}
    for one in Diagnostics(found).sorted():
        by_file.setdefault(one.span.source.name if one.span else "findings", []).append(one)
    return {
        name: [_found(one, strict) for one in held] or [JunitCase("nothing found")] for name, held in by_file.items()
    }


def _found(one: Diagnostic, strict: bool) -> JunitCase:
    said, fails = (told(one),), strict or one.severity == "error"
    return JunitCase(one.id, said if fails else (), "", () if fails else said, one.span.line if one.span else 0)


def told(one: Diagnostic, head: str = "") -> str:
    """Return a finding in lines: what is wrong and where, if no other head is given, and what would help."""
    lines = [head or str(one), one.primary.text, *(f"help: {text}" for text in one.help)]
    return "\n".join(line for line in [*lines, *(f"note: {text}" for text in one.note)] if line)


def _case(suite: str, case: JunitCase) -> list[str]:
    line = f' file="{_quoted(suite)}" line="{case.line}"' if case.line else ""
    head = f'    <testcase classname="{_quoted(suite)}" name="{_quoted(case.name)}"{line}'
    if case.skipped:
        inside = f'<skipped message="{_quoted(case.skipped)}"/>'
    elif case.problems:
        first = case.problems[0].partition("\n")[0]
        inside = f'<failure message="{_quoted(first)}">{_lines(case.problems)}</failure>'
    elif case.notes:
        inside = f"<system-out>{_lines(case.notes)}</system-out>"
    else:
        return [f"{head}/>"]
    return [f"{head}>", f"      {inside}", "    </testcase>"]


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(_text(line) for text in texts for line in text.split("\n"))


def _counts(cases: Sequence[JunitCase]) -> str:
    failed = sum(bool(case.problems) and not case.skipped for case in cases)
    skipped = sum(bool(case.skipped) for case in cases)
    return f'tests="{len(cases)}" failures="{failed}" errors="0" skipped="{skipped}"'


def _text(text: str) -> str:
    return escape(_NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text)))


def _quoted(text: str) -> str:
    return _text(text).replace('"', "&quot;")
