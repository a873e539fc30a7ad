"""Names that are right elsewhere: what the messages say to write is of the language, and means steps that there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from scoring.compiler.programs import suggestions
from scoring.lang.parser import parse_pipeline
from scoring.lang.tree import Pipeline
from scoring.registry import registry

TABLE = tomllib.loads(Path(suggestions.__file__).with_name("suggestions.toml").read_text("utf-8"))
SHOWN = [
    *TABLE["steps"].values(),
    *(found for words in TABLE["parameters"].values() for found in re.findall(r"as in `([^`{]+)`", words)),
]


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_shown_is_a_pipeline_of_known_steps(text: str) -> None:
    read = parse_pipeline(text)
    assert isinstance(read, Pipeline)
    for step in read.steps:
        known = registry.get(step.name)
        assert known is not None, step.name
        assert {name for name, _ in step.kwargs} <= {one.name for one in known.params}


@pytest.mark.parametrize("name", [*TABLE["steps"]])
def test_no_name_of_others_is_one_of_ours(name: str) -> None:
    assert not registry.knows(name)
