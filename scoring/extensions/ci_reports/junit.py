"""Write the results of checks and examples as JUnit XML, which CI systems count and show.

There is no standard; the output is the subset that Jenkins, GitLab and GitHub's reporters all read. It may contain any
text of a spec, so characters that XML can't represent are written as escapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from msgspec import Struct

from scoring.api.specs import Checked
from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics
from scoring.diagnostics.visible import visible
from scoring.lazy_pattern import lazy_pattern

# In addition to control characters and surrogates, which `visible` writes as escapes.
_NO_XML = lazy_pattern("[\ufffe\uffff]")


class JunitCase(Struct, frozen=True):
    """One test case: an example that was run, or a finding."""

    name: str  # its name within its suite
    problems: tuple[str, ...] = ()  # the failures, each of one or more lines; empty if it passed
    skipped: str = ""  # the reason why it was not run; "" if it was
    notes: tuple[str, ...] = ()  # findings that are not failures, each of one or more lines
    line: int = 0  # line number in the file, counted from 1; 0 if unknown


def junit_report(findings: Iterable[Diagnostic], tried: Any = None, strict: bool = False) -> str:
    """Return the JUnit report of a command.

    Args:
        findings: The findings of the command, which are the test cases if there is no result.
        tried: The result of the command, whose test cases are reported; None if there is none.
        strict: Whether warnings are failures, too.

    Examples:
        >>> "no scorer for" in junit_report([Diagnostic("unused-field", "warning", "no scorer for `a`")])
        True
    """
    if isinstance(tried, Checked):
        return junit(_tried(tried, strict))
    return junit(cases_of((), findings, strict) if tried is None else tried.cases())


def junit(suites: Mapping[str, Sequence[JunitCase]]) -> str:
    """Return test cases, grouped by the file or scorer to which they belong, as one JUnit XML document.

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
    """Return test cases by file: one for each finding, or a single one that passes for a file without findings.

    Findings without a file come under the name `findings`. A warning is a failure only if ``strict``.

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


def _tried(checked: Checked, strict: bool) -> dict[str, list[JunitCase]]:
    """Return the test cases of spec files that were checked or whose examples were run, by file.

    A file whose examples were run has a case for each example, any other file one for each finding.
    """
    others = [one for one in checked.findings if one.id != "example-failed"]
    suites = cases_of((str(path) for path in checked.files if path not in checked.tried), others, strict)
    for path, examples in checked.tried.items():
        counts: Counter[str] = Counter()
        held = suites.setdefault(str(path), [])
        for one in examples:
            counts[one.owner] += 1
            problems = () if one.problem is None else (finding_text(one.finding()),)
            line = one.span.line if one.span is not None else 0
            held.append(JunitCase(f"{one.owner}, example {counts[one.owner]}", problems, line=line))
    return {str(path): suites.pop(str(path)) for path in checked.files} | suites


def _found(one: Diagnostic, strict: bool) -> JunitCase:
    said, fails = (finding_text(one),), strict or one.severity == "error"
    return JunitCase(one.id, said if fails else (), "", () if fails else said, one.span.line if one.span else 0)


def finding_text(one: Diagnostic, head: str = "") -> str:
    """Return a finding as lines of text: `head`, by default the message with its position, then the label, help and
    notes."""
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
