"""CodeBLEU gives what the official code gave: `code_vectors.py` has run it."""

from __future__ import annotations

import pytest

import scoring
from tests.parity.test_ring import score, vectors


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("language", ["java", "python"])
def test_codebleu_is_that_of_the_official_code(language: str, part: int) -> None:
    pytest.importorskip(f"tree_sitter_{language}", reason="the extra `code` is not installed")
    weights = [float(place == part) for place in range(4)]
    scorer = scoring.scorer(f'codebleu(language="{language}", weights={weights})')
    rows = [row for row in vectors("codebleu") if row["language"] == language]
    for row in rows:
        found = score(scorer, row["prediction"], row["references"])
        assert found == pytest.approx(row["figures"][part], abs=1e-12), row
    assert len(rows) >= 60
