"""A task takes over from the one that it extends whatever its own file does not state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError

BASE = """
kind: task
name: base
version: 1.0.0
doc: The rule.
values: {said: prediction | lower}
fields: {a: {prediction: said, score: equal}, b: levenshtein}
aggregate: a
metrics: [mean, mean(field="b")]
examples: [{response: X, reference: x, expect: 1}]
"""


def meaning(spec: Any) -> str:
    return str(scoring.load(spec).signature).split("|")[1]


def written(folder: Path, text: str, base: str = BASE) -> Path:
    (folder / "base.yaml").write_text(base)
    path = folder / "task.yaml"
    path.write_text(f"kind: task\nname: mine\nversion: 3.0.0\n{text}\n")
    return path


def test_mappings_are_merged_by_name_and_other_values_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, "extends: base.yaml\nfields: {b: indel}\naggregate: b")
    spec = scoring.load(path).spec
    assert [one.name for one in spec.fields] == ["a", "b"]
    assert spec.doc == "The rule."
    assert not spec.examples, "examples belong to the records of their own file"
    whole = tmp_path / "whole.yaml"
    whole.write_text(BASE.replace("levenshtein", "indel").replace("aggregate: a", "aggregate: b"))
    assert meaning(path) == meaning(whole)


@pytest.mark.parametrize(
    ("own", "fields"), [("score: equal\nvalues: {}\nmetrics: [mean]", ["answer"]), ("fields: {a: equal}", ["a", "b"])]
)
def test_a_single_answer_takes_the_place_of_fields(tmp_path: Path, own: str, fields: list[str]) -> None:
    assert [one.name for one in scoring.load(written(tmp_path, f"extends: base.yaml\n{own}")).spec.fields] == fields


def test_fields_take_the_place_of_a_single_answer(tmp_path: Path) -> None:
    base = "kind: task\nname: base\nversion: 1.0.0\nscore: equal\n"
    found = scoring.load(written(tmp_path, "extends: base.yaml\nfields: {x: equal, y: indel}", base))
    assert [one.name for one in found.spec.fields] == ["x", "y"]


def test_what_is_inherited_and_idle_is_no_finding_of_this_file(tmp_path: Path) -> None:
    path = written(tmp_path, "extends: base.yaml\nfields: {a: equal}\nmetrics: [mean]")
    assert scoring.check(path).findings == ()


def test_findings_say_in_which_of_the_files_they_are(tmp_path: Path) -> None:
    path = written(tmp_path, "extends: base.yaml\nfields: {a: nothing_such}")
    found = scoring.check(path).findings
    assert [(one.id, str(one.span)) for one in found] == [("unknown-name", f"{path}:5:13")]
    path = written(tmp_path, "extends: base.yaml", BASE.replace("levenshtein", "nothing_such"))
    (finding,) = scoring.check(path).findings
    assert str(finding.span).startswith(f"{tmp_path}/base.yaml:7:")


@pytest.mark.parametrize(
    ("text", "finding", "message"),
    [
        ("extends: other.yaml", "import-not-found", "there is no file `other.yaml`"),
        ("extends: ../../base.yaml", "import-outside", "is outside the folder"),
        ("extends: /etc/hostname.yaml", "import-outside", "is outside the folder"),
        ("extends: task.yaml", "cannot-extend", "in a circle"),
        ("extends: 5", "wrong-type", "expected text"),
    ],
)
def test_what_can_not_be_extended_is_refused(tmp_path: Path, text: str, finding: str, message: str) -> None:
    found = scoring.check(written(tmp_path, text)).findings
    assert (found[0].id, message in found[0].message) == (finding, True), found


def test_a_task_of_another_edition_is_not_extended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.extensions.names.extending.OLDEST", 2020)
    (finding,) = scoring.check(written(tmp_path, "extends: base.yaml\nedition: 2027")).findings
    assert finding.message == "this task has the edition 2027, the one that it extends 2020"
    assert scoring.check(written(tmp_path, "extends: base.yaml")).passed


def test_a_long_row_of_tasks_is_refused_in_bounded_work(tmp_path: Path) -> None:
    for number in range(2_000):
        text = f"kind: task\nname: t\nversion: 1.0.0\nextends: t{number + 1}.yaml\n"
        (tmp_path / f"t{number}.yaml").write_text(text)
    (finding,) = scoring.check(tmp_path / "t0.yaml").findings
    assert finding.message.endswith("one after another, and more than 20 do")


def test_a_path_of_another_folder_is_stated_anew(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "house.yaml").write_text(
        "kind: pack\nname: house\nversion: 1.0.0\nscorers: {near: lower | equal}\n"
    )
    base = "kind: task\nname: b\nversion: 1.0.0\nimports: {house: house.yaml}\nscore: house.near\n"
    (tmp_path / "rules" / "base.yaml").write_text(base)
    path = written(tmp_path, "extends: rules/base.yaml")
    with pytest.raises(SpecError, match=r"imports `house\.yaml` by a path of its own folder"):
        scoring.load(path)
    path = written(tmp_path, "extends: rules/base.yaml\nimports: {house: rules/house.yaml}")
    assert scoring.score(path, {"response": "A", "reference": "a"}).score == 1.0


def test_it_travels_whole(tmp_path: Path) -> None:
    task = scoring.load(written(tmp_path, "extends: base.yaml\nfields: {b: indel}"))
    sent = task.to_bytes()
    (tmp_path / "base.yaml").unlink()
    again = type(task).from_bytes(sent)
    assert again.signature == task.signature
    assert again.to_bytes() == sent
    assert scoring.score(again, {"response": "A", "reference": "a"}).score == 1.0


def test_a_run_is_scored_again_from_its_own_texts(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"response": "A", "reference": "a"}\n')
    path = written(tmp_path, "extends: base.yaml\nfields: {b: indel}")
    scoring.evaluate(path, data, output=tmp_path / "run", processes=2)
    (tmp_path / "base.yaml").write_text(BASE.replace("lower", "upper"))
    assert scoring.runs.verify(tmp_path / "run").passed


def test_extending_a_task_that_extends_one(tmp_path: Path) -> None:
    (tmp_path / "middle.yaml").write_text(
        "kind: task\nname: middle\nversion: 1.0.0\nextends: base.yaml\nrecord: {response: said}\n"
    )
    path = written(tmp_path, "extends: middle.yaml\nrecord: {reference: gold}")
    assert scoring.score(path, {"said": "A", "gold": "a"}).fields["a"].score == 1.0
