"""Names that are right elsewhere: what the messages say to write is of the language, and means steps that there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.compiler.programs import suggestions
from scoring.lang.parser import parse_pipeline
from scoring.lang.tree import Pipeline
from scoring.registry import registry

TABLE = tomllib.loads(Path(suggestions.__file__).with_name("suggestions.toml").read_text("utf-8"))
SHOWN = [
    *((text, "steps") for text in TABLE["steps"].values()),
    *((text, "metrics") for text in TABLE["metrics"].values()),
    *((found, "steps") for words in TABLE["parameters"].values() for found in re.findall(r"as in `([^`{]+)`", words)),
]


@pytest.mark.parametrize(("text", "kind"), SHOWN)
def test_what_is_shown_is_a_pipeline_of_known_steps(text: str, kind: str) -> None:
    read = parse_pipeline(text)
    assert isinstance(read, Pipeline)
    for step in read.steps:
        known = registry.metric(step.name) if kind == "metrics" else registry.get(step.name)
        assert known is not None, step.name
        assert {name for name, _ in step.kwargs} <= {one.name for one in known.params}
    task: dict[str, Any] = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}
    if kind == "metrics":
        assert scoring.load({**task, "metrics": [{"found": text}]})


@pytest.mark.parametrize("name", [*TABLE["steps"]])
def test_no_name_of_others_is_one_of_ours(name: str) -> None:
    assert not registry.knows(name)


@pytest.mark.parametrize("name", [*TABLE["metrics"]])
def test_no_metric_of_others_is_one_of_ours(name: str) -> None:
    assert registry.metric(name) is None
