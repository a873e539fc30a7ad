"""Edits that a second reader drew up before asking: no raise may be too small, and none too great without need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import scoring
from tests.extensions.sharing.release.edits import draw_few


class Case(NamedTuple):
    """An edit of a file's body: what it needs, and the files beside it, before and after."""

    what: str
    part: str
    old: str
    new: str
    beside: dict[str, str] | None = None
    beside_new: dict[str, str] | None = None


TWO = "scorers:\n  a: {params: {x: 0.3, y: 0.6}, score: levenshtein | zero_below(x) | scale(by=y)}\n"
PIPES = "scorers:\n  a:\n    params: {{x: {{type: pipeline, default: equal}}, "
PIPES += "y: {{type: pipeline, default: levenshtein}}}}\n"
PIPES += '    score: combine("2 * p + q", p={}, q={})\n'
STEPS = "transforms:\n  a: {{params: {{x: {{type: pipeline, default: lower}}, y: {{type: pipeline, default: strip}}}}, "
STEPS += "transform: {} | {}}}\n"
LOWEST = "aggregates:\n  a: {params: {x: 0.3, y: 0.6}, aggregate: min | zero_below(x) | scale(by=y)}\n"
CUT = "aggregates:\n  a: {params: {x: 0.6, y: 0.6}, aggregate: min | zero_below(x) | scale(by=y)}\n"
SIDES = "imports: {{a: ./{}.yaml, b: ./{}.yaml}}\nscorers: {{s: sides(reference=a.gold) | equal}}\n"
PACKS = {
    f"{name}.yaml": f"kind: pack\nname: {name}\nversion: 1.0.0\nvalues: {{gold: record.{name}}}\n" for name in "pq"
}
JUDGE = """\
judges:
  h:
    inputs: {message: record.message, response: prediction}
    prompt: How good is it?
    reply: {integer: {minimum: 0, maximum: 5}}
    show: [message, response]
    gives: {n: "@"}
    score: n / 5
"""
EACH = "scorers: {s: 'each(over=record.r, score=has_word(item.w), join=min)'}\n"
FIRST = "scorers: {{s: 'combine(\"p + q\", {}, {})'}}\n"
NUMBER, ITEMS = "p=number | equal", "q=each(over=record.r, score=equal, join=min)"
ANY = "scorers: {{s: {{params: {{c: {}}}, score: to_list | without(c) | equal}}}}\n"
HELPED = "imports: {a: ./a.yaml}\nscorers: {s: a.t}\n"
OTHERS = {"a.yaml": "kind: pack\nname: a\nversion: 1.0.0\nscorers: {t: equal, u: lower | equal}\n"}
IDLE = {"a.yaml": OTHERS["a.yaml"].replace("lower", "upper")}
PACK_EDITS = [
    Case("two parameters change places in use", "major", TWO, TWO.replace("(x)", "(y)").replace("=y", "=x")),
    Case("one parameter used for both", "major", TWO, TWO.replace("by=y", "by=x")),
    Case("two pipelines change places in use", "major", PIPES.format("x", "y"), PIPES.format("y", "x")),
    Case("two transforms change places in use", "major", STEPS.format("x", "y"), STEPS.format("y", "x")),
    Case("an aggregate's parameters change places", "major", LOWEST, LOWEST.replace("(x)", "(y)").replace("=y", "=x")),
    Case("equal defaults change places in use", "major", CUT, CUT.replace("(x)", "(y)").replace("=y", "=x")),
    Case(
        "aliases of imports with values change places", "major", SIDES.format("p", "q"), SIDES.format("q", "p"), PACKS
    ),
    Case("a value of another place", "major", "values: {g: record.a}\n", "values: {g: record.b}\n"),
    Case("requires one distribution more", "minor", TWO, "requires: [packaging>=1]\n" + TWO),
    Case("requires one distribution less", "patch", "requires: [packaging>=1]\n" + TWO, TWO),
    Case("the pack is deprecated", "minor", TWO, "deprecated: {for: anls@1, since: 1.0.0}\n" + TWO),
    Case("a judge's prompt", "major", JUDGE, JUDGE.replace("How good", "How bad")),
    Case(
        "the order of what a judge is shown",
        "major",
        JUDGE,
        JUDGE.replace("[message, re", "[re").replace("se]", "se, message]"),
    ),
    Case("a judge's reply", "major", JUDGE, JUDGE.replace("maximum: 5", "maximum: 6")),
    Case("a judge's range", "major", JUDGE, JUDGE + "    range: [0, 0.5]\n"),
    Case("a judge's restarts", "major", JUDGE, JUDGE + "    restarts: 2\n"),
    Case("a judge's doc", "patch", JUDGE, JUDGE.replace("  h:\n", "  h:\n    doc: Good.\n")),
    Case("what no items score", "major", EACH, EACH.replace("min", "min, empty=1")),
    Case("what is read of items", "major", EACH, EACH.replace("item.w", "item.v")),
    Case("a pattern's flag", "major", "parsers: {s: 'find(\"[A-D]\")'}\n", "parsers: {s: 'find(\"(?i)[A-D]\")'}\n"),
    Case(
        "which match is taken",
        "major",
        "parsers: {s: 'find(\"[A-D]\")'}\n",
        'parsers: {s: \'find("[A-D]", pick="last")\'}\n',
    ),
    Case(
        "the order of a table",
        "major",
        'scorers: {s: \'replace_each({a="ab", ab="c"}) | equal\'}\n',
        'scorers: {s: \'replace_each({ab="c", a="ab"}) | equal\'}\n',
    ),
    Case(
        "a division that is undefined at 0",
        "major",
        "scorers: {s: 'combine(\"p / q\", p=equal, q=levenshtein)'}\n",
        "scorers: {s: 'combine(\"p / (q + 0.01)\", p=equal, q=levenshtein)'}\n",
    ),
    Case(
        "what is taken away changes places",
        "major",
        "scorers: {s: 'combine(\"p - q\", p=equal, q=levenshtein)'}\n",
        "scorers: {s: 'combine(\"q - p\", p=equal, q=levenshtein)'}\n",
    ),
    Case(
        "a private definition",
        "patch",
        "scorers: {_a: equal, b: lower | equal}\n",
        "scorers: {_a: levenshtein, b: lower | equal}\n",
    ),
    Case(
        "a parameter used twice, as its default",
        "major",
        "scorers: {s: {params: {x: 0.5}, score: 'levenshtein | zero_below(x) | zero_below(0.5, strict=true)'}}\n",
        "scorers: {s: {params: {x: 0.5}, score: 'levenshtein | zero_below(x) | zero_below(x, strict=true)'}}\n",
    ),
]


ONE = "score: equal\n"
BY = "score: equal\nby: [lang]\n"
CLUSTER = "score: equal\nintervals: {cluster: lang}\n"
JSON = "parse: json\nfields: {a: equal, b: equal}\n"
HELPER = "scorers: {e: {params: {at: 0.5}, score: levenshtein | zero_below(at)}}\n"
TASK_EDITS = [
    Case("a breakdown is read elsewhere", "major", BY, BY + "record: {lang: meta.lang}\n"),
    Case("a breakdown's place is written out", "minor", BY, BY + "record: {lang: lang}\n"),
    Case("clusters are read elsewhere", "major", CLUSTER, CLUSTER + "record: {lang: meta.lang}\n"),
    Case(
        "what a scorer reads is elsewhere",
        "major",
        "score: sides(reference=record.gold) | equal\n",
        "score: sides(reference=record.gold) | equal\nrecord: {gold: meta.gold}\n",
    ),
    Case("another part of the record", "minor", ONE, ONE + "record: {gold: meta.gold}\n"),
    Case("a breakdown by a value", "major", BY, BY + "values: {lang: prediction | lower}\n"),
    Case(
        "a breakdown by another value",
        "major",
        BY + "values: {lang: prediction | lower}\n",
        BY + "values: {lang: prediction | upper}\n",
    ),
    Case("a breakdown by another path", "major", BY + "values: {lang: record.a}\n", BY + "values: {lang: record.b}\n"),
    Case(
        "clusters by another value",
        "major",
        CLUSTER + "values: {lang: prediction | lower}\n",
        CLUSTER + "values: {lang: prediction | upper}\n",
    ),
    Case(
        "clusters by another path",
        "major",
        CLUSTER + "values: {lang: record.a}\n",
        CLUSTER + "values: {lang: record.b}\n",
    ),
    Case(
        "a value in a metric",
        "major",
        ONE + "metrics: [{m: sum(w) / count()}]\nvalues: {w: prediction | length}\n",
        ONE + "metrics: [{m: sum(w) / count()}]\nvalues: {w: reference | length}\n",
    ),
    Case(
        "1 for 1.0 in a list",
        "major",
        "score: to_list | without([1]) | equal\n",
        "score: to_list | without([1.0]) | equal\n",
    ),
    Case(
        "true for 1 in a list",
        "major",
        "score: to_list | without([1]) | equal\n",
        "score: to_list | without([true]) | equal\n",
    ),
    Case(
        "1 for 1.0 where a number is meant",
        "patch",
        "score: levenshtein | zero_below(1)\n",
        "score: levenshtein | zero_below(1.0)\n",
    ),
    Case(
        "a figure under another name",
        "major",
        ONE + "metrics: [mean, {a: sum(score)}]\n",
        ONE + "metrics: [mean, {b: sum(score)}]\n",
    ),
    Case(
        "figures in another order",
        "major",
        ONE + "metrics: [mean, coverage, weighted_mean]\n",
        ONE + "metrics: [mean, weighted_mean, coverage]\n",
    ),
    Case("fields in another order", "major", JSON, JSON.replace("a: equal, b: equal", "b: equal, a: equal")),
    Case("what is missing", "major", JSON, JSON + "on_missing: unscored\n"),
    Case("an optional field", "major", JSON, JSON.replace("b: equal", "b: {score: equal, optional: true}")),
    Case(
        "weights in the same proportion",
        "major",
        JSON,
        JSON.replace("a: equal, b: equal", "a: {score: equal, weight: 2}, b: {score: equal, weight: 2}"),
    ),
    Case(
        "weights written otherwise",
        "patch",
        JSON,
        JSON.replace("a: equal, b: equal", "a: {score: equal, weight: 1}, b: {score: equal, weight: 1.0}"),
    ),
    Case("weights of records", "major", ONE, ONE + "record: {weight: w}\n"),
    Case("resamples", "major", ONE, ONE + "intervals: {resamples: 1000}\n"),
    Case("a helper", "patch", ONE, "score: e\nscorers: {e: equal}\n"),
    Case("a parameter that was given", "major", "score: e(at=0.8)\n" + HELPER, "score: e\n" + HELPER),
    Case(
        "a helper file",
        "major",
        "imports: {h: ./h.yaml}\nscore: h.e\n",
        "imports: {h: ./h.yaml}\nscore: h.e\n",
        {"h.yaml": "kind: pack\nname: h\nversion: 1.0.0\nscorers: {e: equal}\n"},
        {"h.yaml": "kind: pack\nname: h\nversion: 1.0.0\nscorers: {e: lower | equal}\n"},
    ),
    Case(
        "further values that a part may have",
        "patch",
        ONE + "record: {f: {path: a, values: [x]}}\n",
        ONE + "record: {f: {path: a, values: [x, y]}}\n",
    ),
]


A = "kind: task\nname: a\nscore: equal\n"
BESIDE = {"t/a.yaml": A, "t/b.yaml": A.replace("a\n", "b\n", 1), "k.json": '{"a": {"k": 1}, "b": {"k": 2}}'}
GIVEN = "tasks: ./t\nattributes: ./k.json\n"
SUITE_EDITS = [
    Case("tasks in another order", "patch", "tasks: [t/a.yaml, t/b.yaml]\n", "tasks: [t/b.yaml, t/a.yaml]\n"),
    Case("a task less", "major", "tasks: [t/a.yaml, t/b.yaml]\n", "tasks: [t/a.yaml]\n"),
    Case("where rows name their task", "major", "tasks: ./t\n", "tasks: ./t\ndata: {task: of}\n"),
    Case("where rows hold records", "major", "tasks: ./t\n", "tasks: ./t\ndata: {records: rows}\n"),
    Case(
        "an attribute's value", "major", GIVEN, GIVEN, BESIDE, {**BESIDE, "k.json": '{"a": {"k": 1}, "b": {"k": true}}'}
    ),
    Case("a breakdown more", "minor", GIVEN, GIVEN + "by: [k]\n"),
    Case("groups", "major", GIVEN, GIVEN + "groups: {g: {k: 1}}\n"),
    Case("another headline", "major", GIVEN, GIVEN + "metrics: [micro]\n"),
    Case(
        "a figure under another name",
        "major",
        GIVEN + "metrics: [macro, {m: mean(score)}]\n",
        GIVEN + "metrics: [macro, {n: mean(score)}]\n",
    ),
    Case("what a task's score is", "major", GIVEN, GIVEN + "score: coverage\n"),
    Case(
        "where a task finds its responses",
        "major",
        GIVEN,
        GIVEN,
        BESIDE,
        {**BESIDE, "t/a.yaml": A + "record: {response: out}\n"},
    ),
    Case("a doc of a task", "", GIVEN, GIVEN, BESIDE, {**BESIDE, "t/a.yaml": A + "doc: Equal.\n"}),
]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not proved to be equal needs its part, whether an input is found that moves or none."""
    draw_few(monkeypatch, 2_500)


def judged_part(folder: Path, kind: str, case: Case) -> tuple[str, Sequence[str]]:
    before = case.beside or {}
    for side, body, beside in (("old", case.old, before), ("new", case.new, case.beside_new or before)):
        files = {"m.yaml": f"kind: {kind}\nname: m\nversion: 1.0.0\n{body}", **beside}
        for name, text in files.items():
            path = folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    judgement = scoring.check(folder / "new" / "m.yaml", against=folder / "old" / "m.yaml").judgement
    assert judgement is not None
    return judgement.part, judgement.lines()


@pytest.mark.parametrize("case", PACK_EDITS, ids=lambda case: case.what)
def test_an_edit_of_a_pack_needs_its_part(tmp_path: Path, case: Case) -> None:
    part, lines = judged_part(tmp_path, "pack", case)
    assert part == case.part, "\n".join(lines)


@pytest.mark.parametrize("case", TASK_EDITS, ids=lambda case: case.what)
def test_an_edit_of_a_task_needs_its_part(tmp_path: Path, case: Case) -> None:
    part, lines = judged_part(tmp_path, "task", case)
    assert part == case.part, "\n".join(lines)


@pytest.mark.parametrize("case", SUITE_EDITS, ids=lambda case: case.what)
def test_an_edit_of_a_suite_needs_its_part(tmp_path: Path, case: Case) -> None:
    part, lines = judged_part(tmp_path, "suite", case if case.beside else case._replace(beside=BESIDE))
    assert part == case.part, "\n".join(lines)
