"""The page docs/dialects.md: the tasks of each name, and the records on which they differ, with all scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scoring.extensions.dialects.comparing import known_dialects
from scoring.extensions.dialects.scores import equal_up_to_rounding
from scoring.extensions.dialects.tables import TaskDialects, TaskProbe, task_dialects
from scoring.extensions.dialects.tasks import opened_tasks
from scoring.registry import plugins

_HEAD = """
<!-- Written by `scoring generate` from specs/cookbook/dialects.toml; changes here are lost. -->
# Dialects

Many benchmarks are scored by several rules that share a name: that of the authors, and those of the harnesses. Here
each rule is a task of its own, held to the code that it follows ([cookbook.md](cookbook.md)). Tasks of one name read
the same keys of a record, so that one file of answers can be scored by all: `scoring score SPEC DATA --dialects NAME`
prints the mean of each and the records on which they differ. Without a name, `--dialects` takes that of the task.

A plain name means the first task of its table, the rule of the authors wherever they score responses. A score in bold
differs from it; a dash is a record without a score. `⏎` is the end of a line. Scorers of a pack that share a name are
compared on pages of their own: {pages}.
"""


def dialects_page() -> str:
    """Return the text of the page docs/dialects.md, which compares the tasks of each name on their probes."""
    tables = task_dialects().values()
    paths = [Path(path).name for one in known_dialects(plugins.own) for path in one.pages]
    head = _HEAD.strip().replace("{pages}", ", ".join(f"[{path}]({path})" for path in paths))
    contents = "\n".join(f"- [{table.name}](#{table.name})" for table in tables)
    return "\n\n".join([head, contents, *("\n\n".join(_section(table)) for table in tables)]) + "\n"


def _section(table: TaskDialects) -> Iterator[str]:
    yield f"## {table.name}"
    yield table.doc
    plain = f" (what `{table.name}` means)"
    tasks = [f"- `{task}`{'' if at else plain}: {doc}" for at, (task, doc) in enumerate(table.tasks.items())]
    yield "\n".join([*tasks, *(f"- There is no `{name}`: {why}" for name, why in table.missing.items())])
    yield _probes(table)


def _probes(table: TaskDialects) -> str:
    lines = [
        "| probe | response | reference | " + " | ".join(f"`{name}`" for name in table.tasks) + " |",
        "|---|---|---|" + "---|" * len(table.tasks),
    ]
    for probe, scores in zip(table.probes, probe_scores(table), strict=True):
        same = [equal_up_to_rounding(score, scores[0]) for score in scores]
        texts = [_plain(score) if alike else f"**{_plain(score)}**" for score, alike in zip(scores, same, strict=True)]
        lines.append(f"| {' | '.join([probe.what, _code(probe.prediction), _reference(probe), *texts])} |")
    return "\n".join(lines)


def probe_scores(table: TaskDialects) -> list[list[float | None]]:
    """Return the scores of each probe of a table: one of each task, None where the task gives none."""
    tasks = opened_tasks(table.tasks).values()
    return [[task.score(probe.record).score for task in tasks] for probe in table.probes]


def _plain(score: float | None) -> str:
    return "–" if score is None else f"{score:.3f}".rstrip("0").rstrip(".")


def _reference(probe: TaskProbe) -> str:
    return ", ".join([_code(probe.reference), *(f"{key} {_code(value)}" for key, value in probe.more.items())])


def _code(value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    return f"`{text.replace(chr(10), '⏎')}`" if text else "(empty)"


def _json(value: Any) -> str:
    is_list = isinstance(value, Sequence) and len(value) == 1 and isinstance(value[0], str) and value[0]
    return str(value[0]) if is_list else json.dumps(value, ensure_ascii=False)
