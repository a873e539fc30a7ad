"""How findings look in each format."""

from __future__ import annotations

import json

import pytest

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Label, diagnostic
from scoring.diagnostics.render.formats import FORMATS, render_diagnostics
from scoring.diagnostics.source import Source

SPEC = Source("specs/docvqa.yaml", "score: lower | iou | cut(9)\n\n\nx: 1\nend: 日本 numbr\n")
PACK = Source("p.yaml", "a: b")


def one(start: int, end: int, label: str = "", **more: object) -> Diagnostic:
    return diagnostic("error", "some-id", "the message", SPEC.span(start, end), label, **more)  # type: ignore[arg-type]


def drawn(*found: Diagnostic) -> str:
    return render_diagnostics(found).rsplit("\n\nFound", 1)[0] + "\n"


def test_a_finding_with_advice() -> None:
    found = diagnostic(
        "error",
        "unknown-name",
        "nothing is called `iuo`",
        SPEC.span(15, 18),
        "did you mean `iou`?",
        help="write it like this:\nscore: iou",
        note="a rule",
    )
    assert (
        drawn(found)
        == """\
error[unknown-name]: nothing is called `iuo`
 --> specs/docvqa.yaml:1:16
  |
1 | score: lower | iou | cut(9)
  |                ^^^ did you mean `iou`?
help: write it like this:
      score: iou
note: a rule
"""
    )


def test_several_labels_on_a_line_hang_below_it() -> None:
    labels = [Label(SPEC.span(7, 12), "this step produces Text"), Label(SPEC.span(21, 27), "later")]
    assert (
        drawn(one(15, 18, "expected Box", secondary=labels))
        == """\
error[some-id]: the message
 --> specs/docvqa.yaml:1:16
  |
1 | score: lower | iou | cut(9)
  |        -----   ^^^   ------ later
  |        |       |
  |        |       expected Box
  |        this step produces Text
"""
    )


def test_labels_on_other_lines_and_in_other_files() -> None:
    labels = [Label(SPEC.span(30, 31), "here too"), Label(PACK.span(0, 1), "in the pack"), Label(None, "no place")]
    assert (
        drawn(one(7, 12, "first", secondary=labels))
        == """\
error[some-id]: the message
 --> specs/docvqa.yaml:1:8
  |
1 | score: lower | iou | cut(9)
  |        ^^^^^ first
...
4 | x: 1
  | - here too
 ::: p.yaml:1:1
  |
1 | a: b
  | - in the pack
"""
    )


def test_carets_stand_under_wide_characters() -> None:
    start = SPEC.text.index("numbr")
    assert drawn(one(start, start + 5)).splitlines()[-2:] == ["5 | end: 日本 numbr", "  |           ^^^^^"]


def test_tabs_and_combining_marks_keep_carets_in_place() -> None:
    source = Source("a", "\te\u0301: x")
    assert drawn(diagnostic("error", "e", "m", source.span(5, 6))).splitlines()[-2:] == [
        "1 |     e\u0301: x",
        "  |        ^",
    ]


def test_a_span_over_several_lines_is_underlined_on_its_first() -> None:
    assert drawn(one(21, 40)).splitlines()[-1] == "  |                      ^^^^^^"


def test_an_empty_span_and_the_end_of_the_file_get_a_caret() -> None:
    assert drawn(one(len(SPEC.text), len(SPEC.text))).splitlines()[-2:] == ["6 |", "  | ^"]


def test_a_long_line_is_cut_around_the_place() -> None:
    source = Source("a", "x" * 5000 + "HERE" + "y" * 5000)
    lines = drawn(diagnostic("error", "e", "m", source.span(5000, 5004))).splitlines()
    assert len(lines[3]) < 160
    assert lines[3].index("HERE") == lines[4].index("^^^^")


def test_control_characters_never_reach_the_terminal() -> None:
    source = Source("a\x1b]0;x\x07", "a: \x1b[31m\u202e")
    found = diagnostic("error", "e", "m\x1b[2J\r", source.span(3, 4), "l\x07", help="h\x1b", note="n\x9b")
    for name in ("text", "concise"):
        assert not set(render_diagnostics([found], name)) & set("\x1b\x07\r\x9b\u202e"), name


def test_the_summary_counts_errors_warnings_and_files() -> None:
    warning = diagnostic("warning", "w", "m", PACK.span(0, 1))
    assert render_diagnostics([one(0, 1), one(2, 3), warning]).endswith("\n\nFound 2 errors and 1 warning in 2 files")
    assert render_diagnostics([warning]).endswith("Found 1 warning in 1 file")
    assert (
        render_diagnostics([Diagnostic("e", "error", "m", Label(None, "why"))]) == "error[e]: m\n  why\n\nFound 1 error"
    )
    assert render_diagnostics([]) == ""


def test_colour_only_adds_escapes() -> None:
    found = [one(7, 12, "first", secondary=[Label(SPEC.span(15, 18), "second")], help="h")]
    import re

    colored = render_diagnostics(found, color=True)
    assert "\x1b[1;31merror[some-id]\x1b[0m" in colored
    assert re.sub("\x1b\\[[0-9;]*m", "", colored) == render_diagnostics(found)


def test_concise_is_one_line_each() -> None:
    found = [one(15, 18, "did you mean `x`?"), diagnostic("warning", "w", "two\nlines")]
    assert render_diagnostics(found, "concise") == (
        "warning[w] two lines\nspecs/docvqa.yaml:1:16: error[some-id] the message: did you mean `x`?"
    )


def test_json_has_both_ends() -> None:
    found = [one(15, 18, "l", secondary=[Label(None, "s")], help="h")]
    assert json.loads(render_diagnostics(found, "json")) == {
        "errors": 1,
        "warnings": 0,
        "diagnostics": [
            {
                "id": "some-id",
                "severity": "error",
                "message": "the message",
                "label": "l",
                "location": {
                    "file": "specs/docvqa.yaml",
                    "start": {"line": 1, "column": 16, "offset": 15},
                    "end": {"line": 1, "column": 19, "offset": 18},
                },
                "related": [{"location": None, "label": "s"}],
                "help": ["h"],
                "note": [],
                "fixes": [],
            }
        ],
    }


def test_github_escapes_what_would_end_a_command() -> None:
    source = Source("a,b:c.yaml", "xy\nz")
    error = diagnostic("error", "e", "100% of\nit", source.span(0, 2), "l")
    found = [error, diagnostic("warning", "w", "m", source.span(0, 4))]
    assert render_diagnostics(found, "github").splitlines() == [
        "::error file=a%2Cb%3Ac.yaml,line=1,endLine=1,col=1,endColumn=2,title=e::100%25 of%0Ait%0Al",
        "::warning file=a%2Cb%3Ac.yaml,line=1,endLine=2,title=w::m",
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_lone_surrogates_can_be_printed(name: str) -> None:
    source = Source("a", "x\ud800")
    found = Diagnostics([diagnostic("error", "e", "m \udc00", source.span(1, 2), "\ud800")])
    assert render_diagnostics(found, name).encode("utf-8")
