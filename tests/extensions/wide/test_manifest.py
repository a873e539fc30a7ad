"""A manifest seals a run in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.runs.test_folder import check_digests


@pytest.mark.parametrize("how", [{"parts": "parts"}, {"parts": "parts", "scores": "parquet"}])
def test_a_manifest_of_parts_has_the_digest_of_every_other_file(tmp_path: Path, how: dict[str, Any]) -> None:
    check_digests(tmp_path, how)
