"""Hugging Face evaluate's own `compute`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("evaluate")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `compute`; only texts can be in the columns."""
    module = scoring.platforms.hf_evaluate(spec, name="said", references_as="json")
    found = module.compute(
        predictions=[one.response for one in records],
        references=[None if one.reference is MISSING else one.reference for one in records],
    )
    return Seen(found["feedback"], found["said"])


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path, "texts", as_json=True)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("hf_evaluate", run, as_json=True)


def test_a_file_with_its_type_is_loaded_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import evaluate

    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    spec = tmp_path / "towns.yaml"
    spec.write_text("kind: task\nname: towns\nscore: lower | equal\n", encoding="utf-8")
    file = tmp_path / "towns.py"
    file.write_text(f"import scoring\n\nTowns = type(scoring.platforms.hf_evaluate({str(spec)!r}))\n", encoding="utf-8")
    module = evaluate.load(str(file))
    assert module.compute(predictions=["Paris", "Rome"], references=["paris", "paris"])["towns"] == 0.5
    module.add(prediction="Paris", reference="paris")
    module.add_batch(predictions=["Paris", None], references=["paris", "paris"])
    found = module.compute()
    assert found["towns"] == 1.0
    assert found["feedback"][2]["reason"] == "the record has no response"


def test_predictions_may_be_chat_messages() -> None:
    module = scoring.platforms.hf_evaluate({"kind": "task", "name": "town", "score": "lower | equal"})
    chats = [
        [{"role": "user", "content": "Of France?"}, {"role": "assistant", "content": said}] for said in ("Paris", "x")
    ]
    assert module.compute(predictions=chats, references=["paris", "paris"])["town"] == 0.5
