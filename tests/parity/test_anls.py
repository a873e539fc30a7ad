"""ANLS and ANLS* against the golden vectors, the published tests of the official package, and our own sample."""

from __future__ import annotations

import contextlib
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.trees.tree import compare_nested
from scoring.result import Unscored
from tests.support.golden import read_jsonl, require_golden
from tests.support.trees import decode_tree, exactly

SAMPLE = Path(__file__).parent / "data" / "anls.jsonl"
TOLERANCE = 1e-9


def close(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return abs(found - expected) <= TOLERANCE


def nested(scores: dict[tuple[str, ...], float]) -> dict[str, Any]:
    """The scores of keys in the form of the official package: a node for each key, with the keys below it."""
    root: dict[str, Any] = {"children": {}}
    for path, score in scores.items():
        node = root
        for key in path:
            node = node["children"].setdefault(key, {"score": None, "children": {}})
        node["score"] = score
    return root["children"]


def same_keys(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    return found.keys() == expected.keys() and all(
        close(found[key]["score"], expected[key]["score"])
        and same_keys(found[key]["children"], expected[key]["children"])
        for key in found
    )


CLASSIC = [("score", "anls"), ("normalised_score", "anls_normalised"), ("docvqa_score", "docvqa")]


@pytest.mark.parametrize(("column", "name"), CLASSIC)
def test_every_classic_row(column: str, name: str) -> None:
    checked, wrong = 0, []
    for row in read_jsonl(require_golden("anls/anls.jsonl")):
        if row[column] is None:
            continue
        params: dict[str, Any] = {"threshold": row["tau"]}
        if name == "anls":
            params["case_sensitive"] = row["case_sensitive"]
        found = scoring.scorer(f"anls@1:{name}", **params).score(row["prediction"], row["references"])
        checked += 1
        if not close(found.value, row[column]):
            wrong.append((row["id"], found, row[column]))
    assert not wrong
    assert checked >= (267 if column == "docvqa_score" else 320)


def test_every_tree() -> None:
    star = scoring.scorer("anls@1:anls_star")
    checked = 0
    wrong: list[tuple[Any, ...]] = []
    for row in read_jsonl(require_golden("anls/anls_star.jsonl")):
        prediction, reference = decode_tree(row["prediction"]), decode_tree(row["reference"])
        outcome = star.score(prediction, reference)
        checked += 1
        if row["error"]:
            if outcome.status != "unscored":
                wrong.append((row["id"], "expected an error", outcome))
            continue
        accepted = [row["score"], *row.get("score_alternatives", ())]
        if not any(close(outcome.value, score) for score in accepted):
            wrong.append((row["id"], outcome, accepted))
            continue
        told = compare_nested(prediction, reference)
        if not close(told.score, outcome.value):
            wrong.append((row["id"], "evaluate disagrees", told.score, outcome.value))
        if row["stable"]["closest_gt"] and exactly(told.closest) != exactly(decode_tree(row["closest_gt"])):
            wrong.append((row["id"], "closest", told.closest, row["closest_gt"]))
        if row["stable"]["key_scores"] and not same_keys(nested(told.key_scores), row["key_scores"]):
            wrong.append((row["id"], "keys", told.key_scores, row["key_scores"]))
    assert not wrong
    assert checked == 1343


def shim(
    reference: Any, prediction: Any, return_gt: bool = False, return_key_scores: bool = False
) -> float | tuple[Any, ...]:
    """Ours behind the signature of the official package's function."""
    found = compare_nested(prediction, reference)
    more = ([found.closest] if return_gt else []) + ([found.key_scores] if return_key_scores else [])
    return (found.score, *more) if more else found.score


def test_the_published_tests_of_the_official_package_hold_for_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's distribution carries no tests; their cases are the rows with the tag `upstream-test`.

    Each case runs through the package's own name, once with our function in its place and once with its own.
    """
    package = importlib.import_module("anls_star")  # in the test extra, so its absence is a failure, not a skip
    official = package.anls_score
    rows = [row for row in read_jsonl(require_golden("anls/anls_star.jsonl")) if "upstream-test" in row["tags"]]
    assert len(rows) == 54
    monkeypatch.setattr(package, "anls_score", shim)
    for row in rows:
        reference, prediction = decode_tree(row["reference"]), decode_tree(row["prediction"])
        if row["error"]:
            with pytest.raises(Unscored):
                package.anls_score(reference, prediction)
            continue
        score, closest, keys = package.anls_score(reference, prediction, return_gt=True, return_key_scores=True)
        with (
            pytest.warns(UserWarning, match="list of options") if _is_option_list(reference, prediction) else _nothing()
        ):
            theirs = official(reference, prediction, return_gt=True, return_key_scores=True)
        assert close(score, theirs[0]), row["note"]
        assert exactly(closest) == exactly(theirs[1]), row["note"]
        assert same_keys(nested(keys), _plain(theirs[2])), row["note"]


def _is_option_list(reference: Any, prediction: Any) -> bool:
    is_texts = isinstance(reference, list) and all(isinstance(item, str) for item in reference)
    return is_texts and isinstance(prediction, str)


def _nothing() -> Any:
    return contextlib.nullcontext()


def _plain(keys: Any) -> dict[str, Any]:
    return {key: {"score": node.anls_score, "children": _plain(node.children)} for key, node in keys.items()}


def test_our_own_sample() -> None:
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        found = scoring.scorer(f"anls@1:{row['scorer']}", **row.get("params", {}))
        outcome = found.score(row["prediction"], row["reference"])
        assert outcome.status == row.get("status", "scored"), row
        assert close(outcome.value, row["score"]), (row, outcome)
    assert len(rows) >= 30
