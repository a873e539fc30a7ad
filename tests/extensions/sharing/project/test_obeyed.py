"""A lock that is there is obeyed on every road."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.extensions.sharing.project.world import TASK, pack, project, written
from tests.support.locking import lock_project


@pytest.fixture
def synced(tmp_path: Path) -> Path:
    folder = project(tmp_path)
    lock_project(folder)
    return folder


def found(folder: Path) -> list[str]:
    return [str(one.message) for one in scoring.check(folder / "task.yaml").findings]


def score(folder: Path) -> float:
    """Of a pair whose similarity is 0.75: nothing with the threshold 0.8, and 0.75 with 0.5."""
    records = [{"response": "abcd", "reference": "abcx"}]
    value: float = scoring.evaluate(folder / "task.yaml", records).summary["metrics"][0]["value"]
    return value


def test_a_project_without_a_lock_is_told_to_sync(tmp_path: Path) -> None:
    assert [one.id for one in scoring.check(project(tmp_path) / "task.yaml").findings] == ["not-locked"]


def test_a_locked_pack_is_read_from_the_store_where_its_source_is_gone(synced: Path) -> None:
    (synced.parent / "shapes" / "pack.yaml").unlink()
    assert found(synced) == []
    assert score(synced) == 0


def test_a_change_without_a_version_is_told_with_what_moved(synced: Path) -> None:
    written(synced.parent / "shapes" / "pack.yaml", pack(threshold=0.5))
    said = "`close` 1.0.0 was changed without a new version: `close_text.threshold` 0.8 → 0.5"
    assert found(synced) == [said]
    with pytest.raises(scoring.SpecError, match=r"threshold` 0[.]8 → 0[.]5"):
        lock_project(synced)
    with pytest.raises(scoring.SpecError, match=r"threshold` 0[.]8 → 0[.]5"):
        scoring.load(synced / "task.yaml")


def test_documentation_may_change(synced: Path) -> None:
    written(synced.parent / "shapes" / "pack.yaml", pack(doc="Other words."))
    assert found(synced) == []
    assert [move.moved for move in lock_project(synced).moves] == [()]
    assert not lock_project(synced).written


def test_a_new_version_waits_for_an_upgrade(synced: Path) -> None:
    written(synced.parent / "shapes" / "pack.yaml", pack("1.1.0", 0.5))
    assert found(synced) == []
    assert score(synced) == 0
    (move,) = lock_project(synced, upgrade=True).moves
    assert (move.before, move.after, move.moved) == (("1.0.0",), ("1.1.0",), ("`close_text.threshold` 0.8 → 0.5",))


def test_an_import_that_no_locked_version_fits_is_refused(synced: Path) -> None:
    written(synced / "task.yaml", TASK.replace("close@1", "close@2"))
    assert found(synced) == ["no version of `close` in scoring.lock fits `2`"]


def test_a_pack_that_is_not_locked_is_refused(synced: Path) -> None:
    written(synced / "task.yaml", TASK.replace("c: close@1", "c: close@1, a: anls@1"))
    assert "`anls` is not in scoring.lock" in found(synced)
    lock_project(synced)
    assert "`anls` is not in scoring.lock" not in found(synced)


def test_frozen_writes_nothing_and_refuses_what_does_not_fit(synced: Path) -> None:
    assert not lock_project(synced, frozen=True).written
    written(synced / "other.yaml", TASK.replace("close@1", "anls@1").replace("c.close_text", "c.anls"))
    before = (synced / "scoring.lock").read_bytes()
    with pytest.raises(scoring.SpecError, match=r"`anls` 1\.0\.0 is not in it"):
        lock_project(synced, frozen=True)
    assert (synced / "scoring.lock").read_bytes() == before
