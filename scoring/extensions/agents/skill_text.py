"""Hold the prose of the skill and of the index around the tables that the registry gives."""

from __future__ import annotations

SKILL = """\
---
name: scoring
description: Write, check and repair spec files that say how answers of AI models are scored (scoring-dsl). Use it to \
turn a benchmark's rule, a rubric or metric code into a spec, to mend one, or to say why a record got its score.
---
<!-- Written by `scoring generate` from the registry; changes here are lost. -->
# Write specs for `scoring`

A spec is a YAML file that says how a model's response is compared with a reference, and what is reported. It is checked
and typed before a record is read. Never guess a name: every step, key and metric stands below.

## The loop

1. Take the shape below that is nearest, and change it. Write two or more `examples:`, one of them with a wrong answer.
2. `scoring check task.yaml --format json`: exit 0 is clean. Each of `diagnostics` has `id`, `message`, `location` and
   `fixes`; a fix is `text` to put between the offsets `location.start.offset` and `location.end.offset`;
   `title` says it in words, and of several the first is the likeliest.
   `scoring check task.yaml --fix` applies all that have one sensible answer. `scoring explain ID` tells more.
3. `scoring test task.yaml` runs the examples. An example that fails shows what it gave.
4. `scoring explain task.yaml data.jsonl --record ID` shows the value after each stage.
5. `scoring score task.yaml data.jsonl -o run` scores; a row is `{{"id", "response", "reference", …}}`, or where
   `record:` says. `scoring audit task.yaml data.jsonl` finds answers that score and should not.

Three rounds of 2 are enough. Search by words: `scoring list --about "word error rate"`; one name:
`scoring explain NAME`; a known benchmark: `scoring list tasks`, then `scoring new --from NAME`.
The tools `check`, `explain`, `score` and `list` of `scoring mcp` do the same for an agent.

## Expressions

- A **pipeline** goes from left to right: transforms of both sides, one comparator, rescorers.
  `casefold | levenshtein | zero_below(0.5)`. There is no `&&`, `.method()` or `=>`; texts stand in quotes, patterns
  in `r"…"`; arguments are `name=value`.
- `sides(prediction=…, reference=…)` transforms one side alone; it comes before the comparator.
- Several right answers: `any_reference(…)` around the whole scorer. Items of a list: `map_items(…)`.
- A **formula** stands under `aggregate`, `pass`, in fields and in metrics: `0.7 * a + 0.3 * b`, `and`, `or`, `not`,
  `if(c, a, b)`, `min`, `max`, `mean`, `sum`, `abs`, `log`, `length`. Inside a pipeline: `combine("0.5 * a + 0.5 * b",
  a=levenshtein, b=equal)`.
- **Paths**: `record.x`, `prediction` (the raw response), `parsed.x`, `reference.x`, `context.x`, `values.x`, `item.x`
  (in `each`). JMESPath stands under `record:` alone.
- `parse: json` takes an object, so a list needs a field. A field compares `parsed.NAME` with `reference.NAME`.
- A comparator gives 0 to 1, a distance more: end it with `exp_decay`, `at_most`, or `zero_below`.
- Metrics are calls, or names of formulas over the data: `wer: sum(edits) / sum(words)`,
  `macro: mean(per(record.domain, mean(score)))`. The first one is the headline.
- Failures are never 0 by themselves: `unparsed` and `unscored` records are counted apart; `on_unparsed: zero` says
  that no answer counts 0.
- In `examples:` stand `response`, `reference`, the declared parts of the record by their names, and `expect`: a
  score, a status (`unparsed`), or a mapping of fields. Those of a scorer are lists: `[prediction, reference, score]`.
- In YAML an expression with `: `, ` #`, or a leading quote, `{{`, `[`, `*`, `&`, `!` or `-` stands in quotes or after
  `|-`.

## Keys of a task

{keys}

Definitions to use by name stand under `scorers`, `parsers`, `transforms`, `aggregates`: an expression, or a mapping of
`score`, `parse`, `transform` or `aggregate` with `params` and `examples`. `kind: pack` shares them: `imports: {{house:
./house.yaml}}`, then `house.NAME`. `kind: suite` joins tasks. Tasks over images have `records:`.

## Shapes

{shapes}

## Steps by family, with their types

{steps}

## Aggregators (`aggregate:`, `join=`)

{aggregators}

## Metrics

{metrics}
"""

INDEX = """
# scoring

> The scoring language for AI benchmarks: a small YAML file says how answers are scored; it is checked, typed and
> compiled, and every number carries its recipe.

Install `scoring-dsl`, then `scoring check`, `test`, `explain`, `score`. To write a spec, read
[the skill](skills/scoring/SKILL/) first: every key, step and metric, ten shapes, and the loop of
`scoring check --format json`, fixes, `scoring test` and `scoring score`. `scoring list --about "words"` searches,
`scoring explain NAME` explains, and `scoring mcp` serves an agent the same as tools.
"""
