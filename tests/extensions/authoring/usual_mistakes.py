"""Usual mistakes in spec files: a file with one mistake, the finding, and the file after `check --fix`."""

from __future__ import annotations

from typing import NamedTuple


class UsualMistake(NamedTuple):
    """A file with a mistake: its name, its text, the ids of its findings, and the text after its repair."""

    file: str
    broken: str
    ids: tuple[str, ...]
    mended: str


TASK, FIELDS = "kind: task\nname: z\n", "kind: task\nname: z\nfields: {a: equal, b: equal}\n"
PACK, SUITE = "kind: pack\nname: p\nversion: 1.0.0\n", "kind: suite\nname: s\nversion: 1.0.0\n"
JSON = '{"kind": "task", "name": "z", '


def _in(head: str, file: str, rows: tuple[tuple[str, str, str], ...]) -> list[UsualMistake]:
    return [UsualMistake(file, head + old, tuple(ids.split()), head + new) for old, ids, new in rows]


_KEYS = _in(
    TASK,
    "task.yaml",
    (
        ("scor: equal\n", "unknown-key", "score: equal\n"),
        ("scorer: equal  # of the whole\n", "unknown-key", "score: equal  # of the whole\n"),
        ("Score: equal\n", "unknown-key", "score: equal\n"),
        ('"scoer": equal\n', "unknown-key", '"score": equal\n'),
        ("fields: {a: {scorer: equal}}\n", "unknown-name", "fields: {a: {score: equal}}\n"),
        ("fields: {a: {score: equal, wieght: 2}}\n", "unknown-key", "fields: {a: {score: equal, weight: 2}}\n"),
        (
            "score: equal\nintervalls: {confidence: 0.9}\n",
            "unknown-key",
            "score: equal\nintervals: {confidence: 0.9}\n",
        ),
        ("score: equal\nintervals: {confidnce: 0.9}\n", "unknown-key", "score: equal\nintervals: {confidence: 0.9}\n"),
        ("score: equal\nversoin: 1.0.0 # ours\n", "unknown-key", "score: equal\nversion: 1.0.0 # ours\n"),
        (
            "score: equal\nexamples:\n  - {response: a, reference: a, score: 1}\n",
            "missing-key",
            "score: equal\nexamples:\n  - {response: a, reference: a, expect: 1}\n",
        ),
    ),
)
_VALUES = _in(
    TASK,
    "task.yaml",
    (
        ("score: equal\non_missing: zeroo\n", "unknown-value", "score: equal\non_missing: zero\n"),
        ("score: equal\non_unparsed: 'Unscored'\n", "unknown-value", "score: equal\non_unparsed: 'unscored'\n"),
        ("score: equal\nintervals: {method: wilsn}\n", "unknown-value", "score: equal\nintervals: {method: wilson}\n"),
        ("fields: {a: {score: equal, weight: 70%}}\n", "wrong-type", "fields: {a: {score: equal, weight: 0.7}}\n"),
        ("fields: {a: {score: equal, weight: '2'}}\n", "wrong-type", "fields: {a: {score: equal, weight: 2}}\n"),
        ("fields: {a: {score: equal, optional: yes}}\n", "wrong-type", "fields: {a: {score: equal, optional: true}}\n"),
        ("score: equal\nmetrics: mean\n", "wrong-type", "score: equal\nmetrics: [mean]\n"),
        ("score: equal\npass: 0.5\n", "wrong-type", "score: equal\npass: score >= 0.5\n"),
        ("score: equal\ndoc: 5\n", "wrong-type", 'score: equal\ndoc: "5"\n'),
        (
            "fields:\n  - a: equal # one\n  - b: levenshtein # two\n",
            "wrong-type",
            "fields:\n    a: equal # one\n    b: levenshtein # two\n",
        ),
        (
            'score: equal\nmetrics: [mean, "hit: mean(score)"]\n',
            "wrong-type",
            "score: equal\nmetrics: [mean, hit: mean(score)]\n",
        ),
    ),
)
_STEPS = _in(
    TASK,
    "task.yaml",
    (
        ("score: eqaul\n", "unknown-name", "score: equal\n"),
        ("score: lowr | equal\n", "unknown-name", "score: lower | equal\n"),
        ("score: exact_match\n", "unknown-name", "score: equal\n"),
        ("score: lower.equal\n", "unknown-name", "score: lower | equal\n"),
        ("score: levenshtein.cutoff(0.8)\n", "unknown-name", "score: levenshtein | zero_below(0.8)\n"),
        ("score: [lower, eqaul]\n", "unknown-name", "score: [lower, equal]\n"),
        ("score: 'lowr | equal'\n", "unknown-name", "score: 'lower | equal'\n"),
        ('score: "lowr | equal"\n', "unknown-name", 'score: "lower | equal"\n'),
        ("score: |-\n  lowr\n  | equal\n", "unknown-name", "score: |-\n  lower\n  | equal\n"),
        ("score: >-\n  lower |\n  eqaul\n", "unknown-name", "score: >-\n  lower |\n  equal\n"),
        ("doc: é😀ß\nscore: lowr | equal # é😀\n", "unknown-name", "doc: é😀ß\nscore: lower | equal # é😀\n"),
        ("doc: x\r\nscore: lowr | equal\r\n", "unknown-name", "doc: x\r\nscore: lower | equal\r\n"),
        (
            "score: levenshtein | zero_below(treshold=0.5)\n",
            "unknown-parameter",
            "score: levenshtein | zero_below(threshold=0.5)\n",
        ),
        ("parse: jsn\nfields: {a: equal}\n", "unknown-name", "parse: json\nfields: {a: equal}\n"),
        ("score: equal\nmetrics: [meen]\n", "unknown-name", "score: equal\nmetrics: [mean]\n"),
        (
            "score: 0.5 * levenshtein + 0.5 * equal\n",
            "unknown-field unknown-field",
            'score: combine("0.5 * levenshtein + 0.5 * equal", levenshtein=levenshtein, equal=equal)\n',
        ),
    ),
)
_PIPELINES = _in(
    TASK,
    "task.yaml",
    (
        ("score: lower && equal\n", "syntax-operator", "score: lower | equal\n"),
        ("score: lower || equal # both\n", "syntax-operator", "score: lower | equal # both\n"),
        ("score: lower -> equal\n", "syntax-operator", "score: lower | equal\n"),
        ("score: lower, equal\n", "syntax-missing-pipe", "score: lower| equal\n"),
        ("score: lower equal\n", "syntax-missing-pipe", "score: lower | equal\n"),
        ("score: lower | equal |\n", "syntax-empty-step", "score: lower | equal\n"),
        ("score: lower | | equal\n", "syntax-empty-step", "score: lower |   equal\n"),
        ("score: casefold() .equal\n", "syntax-method-call", "score: casefold() |equal\n"),
        ('score: find("abc) | equal\n', "syntax-unclosed-text", 'score: find("abc") | equal\n'),
        ("score: any_of(equal, levenshtein\n", "syntax-unclosed-bracket", "score: any_of(equal, levenshtein)\n"),
        ("score: any_of(equal, lower | equal\n", "syntax-unclosed-bracket", "score: any_of(equal, lower | equal)\n"),
        ("score: lower | equal)\n", "syntax-unopened-bracket", "score: lower | equal\n"),
        ('score: find("(\\d+)") | equal\n', "syntax-escape", 'score: find(r"(\\d+)") | equal\n'),
        ("score: within(relative=5%)\n", "syntax-number", "score: within(relative=0.05)\n"),
        ("score: levenshtein | at_least(.5)\n", "syntax-number", "score: levenshtein | at_least(0.5)\n"),
        ("score: “equal”\n", "syntax-character", "score: equal\n"),
    ),
)
_FORMULAS = _in(
    FIELDS,
    "task.yaml",
    (
        ("aggregate: a / b if b > 0.5 else 0\n", "syntax-operator", "aggregate: if(b > 0.5, a / b, 0)\n"),
        ("aggregate: 'b > 0.5 ? a : 0'\n", "syntax-operator", "aggregate: 'if(b > 0.5, a, 0)'\n"),
        ("aggregate: b > 0.5 ? a : 0\n", "yaml-colon", "aggregate: 'if(b > 0.5, a, 0)'\n"),
        ("aggregate: 0.7 * a + 0,3 * b\n", "syntax-number", "aggregate: 0.7 * a + 0.3 * b\n"),
        ("pass: score => 0.5\n", "syntax-operator", "pass: score >= 0.5\n"),
        ("pass: score >= 50%\n", "syntax-number", "pass: score >= 0.5\n"),
        ("pass: a == 1 && b == 1\n", "syntax-operator", "pass: a == 1 and b == 1\n"),
        ("pass: a == 1 AND b == 1\n", "syntax-operator", "pass: a == 1 and b == 1\n"),
        ("pass: a = 1\n", "syntax-single-equals", "pass: a == 1\n"),
        ("pass: a === 1\n", "syntax-operator", "pass: a == 1\n"),
        ("pass: a <> 1\n", "syntax-operator", "pass: a != 1\n"),
        ("aggregate: 0.5 * (a + b\n", "syntax-unclosed-bracket", "aggregate: 0.5 * (a + b)\n"),
        ("aggregate: mx(a, b)\n", "unknown-function", "aggregate: max(a, b)\n"),
    ),
)
_YAML = _in(
    TASK,
    "task.yaml",
    (
        ("score: 'lower | equal\n", "syntax-yaml", "score: 'lower | equal'\n"),
        ('score: "find(r\\"\\d+\\") | equal"\n', "syntax-yaml", "score: 'find(r\"\\d+\") | equal'\n"),
        (
            "score: levenshtein | at_least(threshold: 0.5)\n",
            "yaml-colon",
            "score: levenshtein | at_least(threshold=0.5)\n",
        ),
        ("fields: {a: any_of(equal, levenshtein)}\n", "yaml-comma", "fields: {a: 'any_of(equal, levenshtein)'}\n"),
        ("score: | lower | equal\n", "yaml-pipe", "score: lower | equal\n"),
    ),
)
_FILES = [
    UsualMistake("quiz.yaml", "name: z\nscore: equal\n", ("missing-key",), "kind: task\nname: z\nscore: equal\n"),
    UsualMistake("quiz.yaml", "kind: task\nscore: equal\n", ("missing-key",), "kind: task\nname: quiz\nscore: equal\n"),
    UsualMistake(
        "quiz.yaml", "kind: tsk\nname: z\nscore: equal\n", ("unknown-value",), "kind: task\nname: z\nscore: equal\n"
    ),
    UsualMistake(
        "p.yaml",
        "kind: pack\nname: p\nscorers: {near: levenshtein}\n",
        ("missing-key",),
        "kind: pack\nname: p\nversion: 0.1.0\nscorers: {near: levenshtein}\n",
    ),
]
_PACKS = _in(
    PACK,
    "p.yaml",
    (
        ("scorer: {near: levenshtein}\n", "unknown-key", "scorers: {near: levenshtein}\n"),
        ("scorers: {near: levenshtien}\n", "unknown-name", "scorers: {near: levenshtein}\n"),
        (
            "scorers:\n  near: levenshtein && at_least(0.5) # close\n",
            "syntax-operator",
            "scorers:\n  near: levenshtein | at_least(0.5) # close\n",
        ),
        (
            "scorers:\n  near: {score: levenshtein | zero_below(t), parms: {t: 0.5}}\n",
            "unknown-key",
            "scorers:\n  near: {score: levenshtein | zero_below(t), params: {t: 0.5}}\n",
        ),
        ("transforms: {clean: lowr | strip}\n", "unknown-name", "transforms: {clean: lower | strip}\n"),
    ),
)
_SUITES = _in(
    SUITE,
    "specs/examples/suite/s.yaml",
    (
        ("task: ./tasks\n", "unknown-key", "tasks: ./tasks\n"),
        ("tasks: ./tasks\nmetrics: [macr]\n", "unknown-name", "tasks: ./tasks\nmetrics: [macro]\n"),
        ("tasks: ./tasks\nmetrics: macro\n", "wrong-type", "tasks: ./tasks\nmetrics: [macro]\n"),
    ),
)
_JSON = _in(
    JSON,
    "task.json",
    (
        ('"scor": "equal"}', "unknown-key", '"score": "equal"}'),
        ('"score": "lowr | equal"}', "unknown-name", '"score": "lower | equal"}'),
        ('"score": "lower && equal"}', "syntax-operator", '"score": "lower | equal"}'),
        ('"score": equal}', "syntax-json", '"score": "equal"}'),
        ('score: "equal"}', "syntax-json", '"score": "equal"}'),
        ("'score': 'equal'}", "syntax-json", '"score": "equal"}'),
        ('"score": "equal",}', "syntax-json", '"score": "equal"}'),
        ('"score": "equal" "version": "1.0.0"}', "syntax-json", '"score": "equal", "version": "1.0.0"}'),
        (
            '"fields": {"a": {"score": "equal", "weight": "2"}}}',
            "wrong-type",
            '"fields": {"a": {"score": "equal", "weight": 2}}}',
        ),
        ('"score": "find(\\"a) | equal"}', "syntax-unclosed-text", '"score": "find(\\"a\\") | equal"}'),
        (
            '"fields": {"a": {"score": "equal", "optional": True}}}',
            "syntax-json",
            '"fields": {"a": {"score": "equal", "optional": true}}}',
        ),
    ),
)
USUAL = [*_KEYS, *_VALUES, *_STEPS, *_PIPELINES, *_FORMULAS, *_YAML, *_FILES, *_PACKS, *_SUITES, *_JSON]
