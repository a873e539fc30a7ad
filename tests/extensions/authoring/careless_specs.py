"""Twenty specs as a careless author or a language model would write them: several mistakes in each."""

from __future__ import annotations

CARELESS: dict[str, str] = {
    "capitals.yaml": """\
kind: Task
name: capitals
version: 1.0
score: lowercase | exact_match
pass: score = 1
""",
    "receipts.yaml": """\
# receipts of a shop
kind: task
name: receipts
parse: jsn
fields:
  vendor: lower && equal   # names
  total: {scorer: within(relative=1%), wieght: 2}
  date: strip() .equal
aggregate: average
pass: score => 0.8
""",
    "quiz.yaml": """\
name: quiz
scorer: choice_letter -> equal
metric: [mean]
""",
    "sums.yaml": """\
kind: task
name: sums
score: find_number | number | within(tolerance: 0.01)
on_unparsed: Zero
metrics: mean
""",
    "emails.yaml": """\
kind: task
name: emails
score: find("(\\w+)@example") | lower() | equal
interval: {confidence: 95%, method: Wilson}
""",
    "titles.yaml": """\
kind: task
name: titles
fields:
  - title: casefold | levenshtein
  - year: equal
aggregate: 0.7 * title + 0,3 * year
pass: title > 0.8 && year == 1
""",
    "labels.yaml": """\
kind: task
name: labels
score: strip, lower, equal
metrics: accuracy(threshold=.5)
""",
    "answers.yaml": """\
kind: task
name: answers
record: {response: output.text, Reference: gold}
score: 'collapse_spaces | casefold | eqaul
""",
    "choice.yaml": """\
kind: task
name: choice
fields: {a: equal, b: equal}
aggregate: b > 0.5 ? a : 0
on_missing: zeros
""",
    "python.yaml": """\
kind: task
name: python
fields: {a: equal, b: levenshtein}
aggregate: a if b > 0.5 else 0
pass: not a or b >= 50%
""",
    "near.yaml": """\
kind: pack
name: near
scorer:
  close: {score: levenshtien | cutoff(t), parms: {t: 0.8}}
  same: lower | equal |
""",
    "words.yaml": """\
kind: pack
name: words
version: '1'
transform: {clean: lowr | strip | remove_punctation}
scorers:
  tokens: clean | words | bag_f1)
""",
    "both.yaml": """\
kind: task
name: both
score: 0.5 * levenshtein + 0.5 * equal
pass: score >= 0.8;
""",
    "brackets.yaml": """\
kind: task
name: brackets
score: any_of(equal, lower | equal
examples:
  - {response: a, reference: A, score: 1}
""",
    "json.json": """\
{
  'kind': 'task',
  "name": "json",
  "score": "lower | eqaul",
}
""",
    "fields.json": """\
{
  "kind": "task",
  "name": "fields",
  "parse": "json",
  "fields": {
    "vendor": {"scorer": "casefold && equal", "weight": "2"},
    "total": {"score": "within(relative=1%)", "optional": True}
  }
  "metrics": "mean"
}
""",
    "block.yaml": """\
kind: task
name: block
score: |
  lowr
  | strip
  || equal
intervalls:
  method: bootstrap
""",
    "quoted.yaml": """\
kind: task
name: quoted
score: "find(r\\"\\d+\\") | equal"
pas: score >= 0.5
""",
    "smart.yaml": """\
kind: task
name: smart
score: find(“[0-9]+”) | equal
metrics: ["mean", "strict: mean(score)"]
""",
    "chained.yaml": """\
kind: task
name: chained
score: lower.strip.equal
pass: 1
metrics:
  - men
""",
}
