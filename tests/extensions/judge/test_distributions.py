"""A primitive of others is held to the judge that it declares, and to the programs that it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.registry.test_distributions import SCORE, scored

JUDGED = SCORE.replace(
    "from contextlib import nullcontext as answered\n",
    "from scoring.extensions.judge.asking.scripted import ScriptedJudge\n"
    "from scoring.extensions.judge.protocol import use_judge\n"
    "answered = lambda: use_judge(ScriptedJudge(['yes']))\n",
)


def test_a_judge_behind_a_helper_is_named_where_it_is_declared(tmp_path: Path) -> None:
    found = scored(tmp_path, "acme/asking", uses='(uses=("judge",))', program=JUDGED)
    assert (found["score"], found["asks"]) == (1.0, True)
    assert "|judge:scripted+" in found["line"]


@pytest.mark.parametrize(
    ("name", "does", "effect"), [("asking", "asks a judge", "judge"), ("sandboxed", "runs programs", "programs")]
)
def test_an_undeclared_effect_is_refused_with_the_declaration_to_add(
    name: str, does: str, effect: str, tmp_path: Path
) -> None:
    found = scored(tmp_path, f"acme/{name}", program=JUDGED)
    assert found["score"] is None
    assert found["reason"] == (
        f'`acme/{name}` {does}, which it does not declare: write `@primitive(uses=("{effect}",))`'
    )
