"""`frame.scoring.score` with the real polars, eager and lazy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

polars = pytest.importorskip("polars")

from tests.extensions.hosts.real.table_cases import FORMS, made, right_or_refused  # noqa: E402
from tests.support.host_cases import Answers  # noqa: E402


def refused(name: str, answers: Answers) -> str | None:
    """Why polars can't be right, which makes text of values of several types."""
    if answers == "mixed":
        return "chat messages that are written as text"
    return r"the column `reference\.city` holds texts" if name == "landmark" else None


@pytest.mark.parametrize(("name", "answers"), FORMS)
def test_every_record_is_as_by_the_command_or_all_are_refused(name: str, answers: Answers, tmp_path: Path) -> None:
    case = made(name, answers, tmp_path)
    frame, lazy = polars.read_ndjson(case.data), polars.scan_ndjson(case.data)

    def added(found: Any) -> dict[str, list[Any]]:
        return {name: found[name].to_list() for name in found.columns if name not in frame.columns}

    right_or_refused(case, lambda: added(frame.scoring.score(case.spec)), refused(name, answers))
    if answers != "mixed" and name != "landmark":
        right_or_refused(case, lambda: added(lazy.scoring.score(case.spec).collect()), None)


@pytest.mark.parametrize("answers", ["texts", "messages"])
def test_references_of_several_types_are_right_as_json(answers: Answers, tmp_path: Path) -> None:
    case = made("landmark", answers, tmp_path)
    frame = polars.read_ndjson(case.data, schema_overrides={"reference": polars.String})
    found = frame.scoring.score(case.spec, references_as="json")
    case.check(found["score"].to_list())
    assert abs(found["score"].mean() - case.headline) < 1e-15


def test_a_lazy_frame_may_be_filtered_and_narrowed_behind_the_scores() -> None:
    frame = polars.DataFrame({"answer": ["Rome", "Paris", None], "gold": ["rome"] * 3})
    scored = frame.lazy().scoring.score({"kind": "task", "name": "t", "score": "lower | equal"}, response="answer",
                                        reference="gold")  # fmt: skip
    assert scored.collect_schema()["score"] == polars.Float64
    assert scored.select("score").collect()["score"].to_list() == [1.0, 0.0, None]
    assert scored.filter(polars.col("score") == 1).select("answer").collect()["answer"].to_list() == ["Rome"]
    assert scored.collect().schema == scored.collect_schema()
    assert scored.filter(polars.col("gold") == "x").collect().height == 0
