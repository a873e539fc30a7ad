"""A service that several modules ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.golden import REPOSITORY

TOWNS = """\
kind: task
name: demo/towns
parse: json
record: {reference: gold}
fields: {town: lower | equal, zip: equal}
pass: score >= 1
"""
REWARDED = """\
kind: task
name: demo/rewarded
parse: json
record: {reference: gold}
fields: {town: lower | equal, zip: equal}
reward: {range: [-1, 1], unparsed: -1}
"""


@pytest.fixture(scope="session")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small task."""
    path = tmp_path_factory.mktemp("served") / "towns.yaml"
    path.write_text(TOWNS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def port(towns: Path) -> Iterator[int]:
    """The port of a service of the small task and of the quickstart's, with a body's limit of a megabyte."""
    pytest.importorskip("starlette", reason="a service needs the extra `serve`")
    pytest.importorskip("httptools", reason="a service needs the extra `serve`")
    from scoring.extensions.serving.verbs import scoring_service

    rewarded = towns.with_name("rewarded.yaml")
    rewarded.write_text(REWARDED, encoding="utf-8")
    specs = [towns, rewarded, REPOSITORY / "specs" / "quickstart" / "invoices.yaml"]
    service = scoring_service(specs, port=0, processes=1, max_body="1MB", max_rows=1_000, seconds=20)
    service.app.patience = 2.0
    with service:
        yield service.port
