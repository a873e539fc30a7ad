"""A manifest seals the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.api.test_figures_by_hand import check_order_of_moves
from tests.unit.api.test_inputs import check_replaced
from tests.unit.engine.runs.test_folder import check_digests


@pytest.mark.parametrize("how", [{"html": True}])
def test_a_manifest_of_a_page_has_the_digest_of_every_other_file(tmp_path: Path, how: dict[str, Any]) -> None:
    check_digests(tmp_path, how)


def test_the_manifest_is_moved_to_its_place_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = ["scores.jsonl", "summary.json", "texts.json", "report.html"]
    check_order_of_moves(tmp_path, monkeypatch, files, html=True)


def test_a_file_that_is_replaced_meanwhile_leaves_the_digest_of_what_was_scored(tmp_path: Path) -> None:
    check_replaced(tmp_path, html=True)
