"""Some forty specs as a careless author or a language model would write them: several mistakes in each."""

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
    # drawn before their fixes were tried: keys, values and arguments of others, mappings, numbers as conditions
    "address.yaml": """\
kind: task
name: address
parse: json
fields:
  city: {scoer: casefold | equal, wight: 2}
  zip: {metric: equal, optionl: true}
aggregate: mean
""",
    "two-steps.yaml": """\
kind: task
name: two-steps
parse: json
fields:
  a: {scorer: equal, weights: 3, description: the first}
  b: {strip: {}, equal: {}}
aggregate: mean
pass: a
""",
    "sums-of-others.yaml": """\
name: sums-of-others
scoring: number | within(atol=0.1)
group_by: [record.level]
on_missing: fail
""",
    "threshold.yaml": """\
kind: task
name: threshold
grader: equal(ignore_case=true)
by: level
threshold: 0.5
""",
    "argument-threshold.yaml": """\
kind: task
name: argument-threshold
score: lower | levenshtein(threshold=0.8)
on_error: skip
intervals: {method: exact}
""",
    "truths.yaml": """\
kind: task
name: truths
fields: {a: equal, b: equal, c: levenshtein}
aggregate: mean
pass: a and b and not c
""",
    "choice-of-truths.yaml": """\
kind: task
name: choice-of-truths
fields: {a: equal, b: equal}
aggregate: if(a, b, 0)
on_unparsed: ignore
""",
    "json-keys.json": """\
{
  "kind": "task",
  "name": "json-keys",
  "parse": "json",
  "fields": {"x": {"scorer": "equal", "wieght": 2}, "y": {"score": "equal", "required": false}},
  "aggregate": "mean",
  "metric": ["mean"]
}
""",
    "json-values.json": """\
{
  "kind": "task",
  "name": "json-values",
  "score": "number | within(rel_tol=0.05)",
  "on_missing": "0",
  "metric": "mean",
  "intervals": {"method": "bootstrap"}
}
""",
    "chosen.yaml": """\
kind: task
name: chosen
score: find("[0-9]+", pick="final") | equal
better: {mean: max}
metrics: [mean]
""",
    "sides.yaml": """\
kind: task
name: sides
prediction: output.text
score: casefold | equal(case_sensitive=False)
success: score
""",
    "definitions.yaml": """\
kind: pack
name: definitions
version: 1.0.0
scorers:
  near: {scorer: levenshtein | zero_below(t), params: {t: 0.5}}
  same: {doc: the same, expr: lower | equal}
""",
    "interval-of-others.yaml": """\
kind: task
name: interval-of-others
score: number | within(tol=0.5)
intervals: {method: gaussian}
breakdown: [record.kind]
""",
    "score-as-truth.yaml": """\
kind: task
name: score-as-truth
fields: {a: equal, b: levenshtein}
aggregate: 0.5 * a + 0.5 * b
pass: score or a
metrics: [mean, accuracy]
""",
    "average.yaml": """\
kind: task
name: average
score: words | bag_f1
metrics: [f1(average="mean")]
on_missing: ignore
""",
    "grader.yaml": """\
kind: task
name: grader
evaluator: [strip, equal]
metric: mean
intervals: {method: wilson_score, level: 0.9}
""",
    "nested.yaml": """\
kind: task
name: nested
score: any_of(equal(ignore_case=true), number | within(abs_tol=1))
target: gold
on_error: 0
""",
    "sides-of-fields.yaml": """\
kind: task
name: sides-of-fields
parse: json
fields:
  a: {prediction: parsed.a, comparator: equal, weigth: 2}
  b: {output: parsed.b, scorer: equal, opt: true}
aggregate: mean
pass: not (a or b)
""",
    "form.yaml": """\
kind: task
name: form
score: normalize_unicode(form="compatibility") | equal
on_missing: drop
passing_score: 1
""",
    "nothing-meant.yaml": """\
kind: task
name: nothing-meant
score: words | map(lower, f=stem) | bag_f1
pass: score
metric: [mean, std]
""",
    "scorer-by-default.yaml": """\
kind: task
name: scorer-by-default
parse: json
fields:
  x: {match: equal, wegiht: 1, required: false}
aggregate: mean
""",
    "which.yaml": """\
kind: task
name: which
score: find("x(.)", which="last") | equal
success: score
""",
    "scoring.yaml": """\
kind: task
name: scoring
parse: json
fields:
  t: {scoring: within(rtol=1%), weigt: 2, desc: total}
  n: lower | equal
aggregate: mean
""",
    "record-twice.yaml": """\
kind: task
name: record-twice
label: gold
output: out.text
score: equal
""",
}
