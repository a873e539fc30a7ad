"""`scoring.diff`: what moves by which change, on data, of packs, tasks, suites and finished runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.visible import steady
from scoring.errors import InputError
from scoring.format.shipped import data_folder
from tests.support.git_repository import Repository
from tests.support.hostile_texts import HOSTILE_TEXTS, marks_up, steers, tags
from tests.support.locking import lock_project

OLD: dict[str, Any] = {
    "kind": "task",
    "name": "t",
    "parse": "json",
    "fields": {"a": "levenshtein | zero_below(0.8)", "b": "equal"},
    "aggregate": "a * b",
}
NEW = {**OLD, "fields": {"a": "levenshtein | zero_below(0.5)", "b": "lower | equal"}}
RECORDS = [
    {"id": "both", "response": {"a": "abc", "b": "X"}, "reference": {"a": "abd", "b": "x"}},
    {"id": "a", "response": {"a": "abc", "b": "x"}, "reference": {"a": "abd", "b": "x"}},
    {"id": "b", "response": {"a": "abc", "b": "X"}, "reference": {"a": "abc", "b": "x"}},
    {"id": "none", "response": {"a": "abc", "b": "x"}, "reference": {"a": "abc", "b": "x"}},
]
PACK = {
    "kind": "pack",
    "name": "close",
    "version": "1.0.0",
    "scorers": {
        "near": {"score": "levenshtein | zero_below(threshold)", "params": {"threshold": 0.8}},
        "same": "equal",
        "any_near": {"score": "any_of(same, near(threshold=least))", "params": {"least": 0.9}},
    },
}


def rows(found: scoring.specs.SpecDiff, name: str = "worst") -> dict[str, Any]:
    return {row["id"]: row for row in found.data["movement"][name]}


def write(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_parameters_that_change_places_move_what_they_stand_in() -> None:
    pipeline = {"type": "pipeline", "default": "equal"}
    for default, parts in ((0.5, "p=levenshtein | zero_below({}), q=indel | zero_below({})"), (pipeline, "p={}, q={}")):
        one, other = (
            {"score": f'combine("2 * p + q", {parts.format(*names)})', "params": {"x": default, "y": default}}
            for names in ("xy", "yx")
        )
        assert scoring.diff({**PACK, "scorers": {"s": one}}, {**PACK, "scorers": {"s": other}}).moves


def test_a_whole_number_is_no_other_number_where_a_step_takes_anything() -> None:
    one, other = ({"kind": "task", "name": "t", "score": f"to_list | without([{one}]) | equal"} for one in ("1", "1.0"))
    assert scoring.diff(one, other).moves


# ---- because of which change


def test_each_change_has_what_it_does_alone_and_last_and_together_is_what_is_left() -> None:
    found = scoring.diff(OLD, NEW, data=RECORDS)
    told = rows(found)
    assert set(told) == {"both", "a", "b"}
    # Neither change alone gives the record that needs both a score: all of it they do together.
    both = told["both"]
    assert [effect["alone"] for effect in both["because"]] == [0.0, 0.0]
    assert both["interaction"] == {"alone": both["difference"], "last": -both["difference"]}
    alone = [effect["alone"] for effect in told["a"]["because"]]
    assert sorted(alone) == [0.0, told["a"]["difference"]]
    assert told["a"]["interaction"] == {"alone": 0.0, "last": 0.0}


def test_figures_are_told_before_and_now_with_what_the_changes_do_together() -> None:
    (figure,) = scoring.diff(OLD, NEW, data=RECORDS).data["movement"]["figures"]
    ends = [scoring.evaluate(spec, RECORDS).metrics["mean"] for spec in (OLD, NEW)]
    assert [figure["old"], figure["new"]] == ends
    assert figure["interaction"]["alone"] == pytest.approx(1 / 6)


def test_one_change_takes_two_scorings_and_two_take_four() -> None:
    one = {**OLD, "fields": {**OLD["fields"], "b": "lower | equal"}}
    assert scoring.diff(OLD, one, data=RECORDS).data["movement"]["scorings"] == 2
    assert scoring.diff(OLD, NEW, data=RECORDS).data["movement"]["scorings"] == 4


def test_what_moves_nothing_is_never_scored_by_itself() -> None:
    new = {**NEW, "version": "2.0.0", "doc": "more"}
    assert scoring.diff(OLD, new, data=RECORDS).data["movement"]["scorings"] == 4


@pytest.mark.parametrize(("scorings", "effects"), [(2, 0), (4, 1), (6, 2), (8, 3), (100, 8)])
def test_many_changes_are_taken_together_within_the_bound_and_that_is_said(scorings: int, effects: int) -> None:
    names = "abcdefgh"
    old = {"kind": "task", "name": "t", "fields": dict.fromkeys(names, "levenshtein | zero_below(0.8)")}
    new = {"kind": "task", "name": "t", "fields": dict.fromkeys(names, "levenshtein | zero_below(0.5)")}
    data = [{"response": dict.fromkeys(names, "abc"), "reference": dict.fromkeys(names, "abd")}]
    found = scoring.diff(old, new, data=data, scorings=scorings)
    movement = found.data["movement"]
    assert movement["scorings"] <= scorings
    assert len(movement["because"]) <= max(effects, 2)
    assert movement["is_grouped"] == (0 < len(movement["because"]) < 8)
    assert ("are grouped" in found.text()) == movement["is_grouped"]


def test_changes_that_can_only_be_made_together_are_one() -> None:
    old = {"kind": "task", "name": "t", "score": "words | to_set | equal"}
    new = {"kind": "task", "name": "t", "score": "number | within(0.1)"}
    found = scoring.diff(old, new, data=[{"response": "1", "reference": "1.05"}])
    assert len(found.data["movement"]["because"]) == 1


@pytest.mark.parametrize("processes", [1, 2])
def test_any_number_of_processes_tells_the_same(processes: int) -> None:
    data = [{**record, "id": f"{record['id']}{number}"} for number in range(30) for record in RECORDS]
    one = scoring.diff(OLD, NEW, data=data, worst=1000)
    other = scoring.diff(OLD, NEW, data=data, worst=1000, processes=processes)
    assert one.data == other.data


# ---- records without a score


def test_a_record_that_has_no_score_any_more_is_no_zero() -> None:
    old = {"kind": "task", "name": "t", "score": "equal"}
    new = {"kind": "task", "name": "t", "parse": "number", "score": "equal"}
    data = [{"id": "word", "response": "a", "reference": "a"}, {"id": "number", "response": "1", "reference": 1}]
    found = scoring.diff(old, new, data=data)
    row = rows(found, "status_moves")["word"]
    assert (row["old"]["status"], row["new"]["status"], row["difference"]) == ("scored", "unparsed", None)
    assert found.data["movement"]["statuses"] == {"scored → unparsed": 1}
    assert "word" in found.text()


def test_what_counts_without_a_score_is_told_as_that() -> None:
    old = {"kind": "task", "name": "t", "parse": "json", "score": "equal"}
    found = scoring.diff(old, {**old, "on_unparsed": "zero"}, data=[{"id": 1, "response": "{", "reference": 1}])
    assert found.data["movement"]["statuses"] == {"unparsed → unparsed, counts 0": 1}


# ---- packs


def test_the_scorers_of_a_pack_that_move_score_the_data() -> None:
    new = json.loads(json.dumps(PACK))
    new["scorers"]["near"]["params"]["threshold"] = 0.5
    data = [{"id": 1, "response": "abc", "reference": "abd"}, {"id": 2, "response": "a", "reference": "a"}]
    found = scoring.diff(PACK, new, data=data)
    assert found.changes == ["`near.threshold` 0.8 → 0.5"]
    assert [row["id"] for row in found.data["movement"]["worst"]] == ["1"]


def test_a_pack_without_a_scorer_that_moves_scores_nothing() -> None:
    with pytest.raises(InputError, match="a task that imports it"):
        scoring.diff(PACK, {**PACK, "doc": "more"}, data=[{"response": "a", "reference": "a"}])


def test_a_change_of_an_imported_pack_is_told_once_for_all_that_use_it(tmp_path: Path) -> None:
    for place, threshold in (("old", 0.8), ("new", 0.5)):
        inner = {**PACK, "scorers": {"near": {"score": "levenshtein | zero_below(x)", "params": {"x": threshold}}}}
        write(tmp_path / place / "inner.json", inner)
        outer = {"kind": "pack", "name": "outer", "version": "1.0.0", "imports": {"i": "./inner.json"}}
        write(
            tmp_path / place / "outer.json",
            {**outer, "scorers": {"one": "i.near", "two": "lower | i.near", "no": "equal"}},
        )
    found = scoring.diff(tmp_path / "old/outer.json", tmp_path / "new/outer.json")
    (change,) = found.data["changes"]
    assert (change["text"], change["parts"]) == ("`close.near.x` 0.8 → 0.5", ["one", "two"])


def test_a_prompt_is_told_line_by_line_and_its_words_for_people_move_nothing(tmp_path: Path) -> None:
    text = (data_folder("specs") / "rubrics/pack.yaml").read_text("utf-8")
    for name, old, new in (("asked", "Explain first", "Think first"), ("told", "1 where a response", "One where it")):
        (tmp_path / f"{name}.yaml").write_text(text.replace(old, new), "utf-8")
    found = scoring.diff("rubrics", tmp_path / "asked.yaml")
    (change,) = found.data["changes"]
    assert (change["place"], change["parts"]) == ("judges.criterion_met.prompt", ["criterion_met"])
    (side,) = found.data["sides"]
    assert [row["new"] for row in side["rows"] if row["mark"] != "same"] == ["- Think first, then decide."]
    assert not scoring.diff("rubrics", tmp_path / "told.yaml").moves


# ---- suites


def suite(folder: Path, weekday: str = "lower | equal", **more: Any) -> Path:
    for name, score in (("weekday", weekday), ("floor", "levenshtein | zero_below(0.8)")):
        write(folder / "tasks" / f"{name}.yaml", {"kind": "task", "name": name, "score": score})
    return write(folder / "suite.json", {"kind": "suite", "name": "s", "tasks": "./tasks", **more})


SUITE_DATA = [
    {"id": 1, "task": "weekday", "response": "Monday", "reference": "monday"},
    {"id": 2, "task": "floor", "response": "grund", "reference": "ground"},
]


def test_nothing_changes_between_a_suite_and_itself(tmp_path: Path) -> None:
    assert scoring.diff(suite(tmp_path / "a"), suite(tmp_path / "b")).changes == []


def test_a_suite_tells_tasks_that_come_and_go_and_those_that_changed(tmp_path: Path) -> None:
    old = suite(tmp_path / "old")
    new = suite(tmp_path / "new", weekday="equal", metrics=["micro", "macro"])
    write(tmp_path / "new/tasks/more.yaml", {"kind": "task", "name": "more", "score": "equal"})
    found = scoring.diff(old, new)
    assert {change["place"] for change in found.data["changes"] if change["moves"]} >= {
        "tasks.more",
        "metrics",
        "tasks.weekday.score.lower",
    }
    assert scoring.diff(new, old).moves


def test_records_of_a_suite_move_because_of_a_change_of_their_task(tmp_path: Path) -> None:
    found = scoring.diff(suite(tmp_path / "old"), suite(tmp_path / "new", weekday="equal"), data=SUITE_DATA)
    (row,) = found.data["movement"]["worst"]
    assert (row["id"], row["difference"], row["because"][0]["alone"]) == ("weekday/1", -1.0, -1.0)
    assert [figure["metric"] for figure in found.data["movement"]["figures"]] == ["macro", "micro"]


# ---- runs


def test_two_runs_tell_what_was_recorded_and_the_changes_of_their_specs(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS), "utf-8")
    for name, spec in (("old", OLD), ("new", NEW)):
        scoring.evaluate(write(tmp_path / f"{name}.json", spec), data, output=tmp_path / name)
    found = scoring.diff(tmp_path / "old", tmp_path / "new")
    again = scoring.diff(OLD, NEW, data=RECORDS)
    assert found.data["movement"] | {"scorings": 4} == again.data["movement"]
    assert sorted(found.changes) == sorted(again.changes)


def test_two_runs_whose_specs_are_gone_are_told_by_their_programs(tmp_path: Path) -> None:
    for name, spec in (("old", OLD), ("new", NEW)):
        scoring.evaluate(write(tmp_path / "t.json", spec), RECORDS, output=tmp_path / name)
        (tmp_path / "t.json").unlink()
    found = scoring.diff(tmp_path / "old", tmp_path / "new")
    assert set(found.changes) == {
        "`fields.a.score.zero_below.threshold` 0.8 → 0.5",
        "`fields.b.score.lower` is new: lower",
    }
    assert (found.moved, found.data["movement"]["because"]) == (3, [])
    assert [why.partition(": ")[0] for why in found.data["recorded"]] == [str(tmp_path / "old"), str(tmp_path / "new")]
    assert "the programs recorded in the runs are compared, not their specs:\n" in found.text()


@pytest.mark.parametrize("specs_are_there", [True, False])
def test_what_two_runs_read_elsewhere_is_told(tmp_path: Path, specs_are_there: bool) -> None:
    data = [{"id": n, "response": "a", "other": "b", "reference": "a", "gold": "b"} for n in range(3)]
    (tmp_path / "data.json").write_text(json.dumps(data))
    for name, record in (("old", {"reference": "gold"}), ("new", {"response": "other"})):
        spec = {"kind": "task", "name": "t", "version": "1.0.0", "record": record, "score": "equal"}
        path = write(tmp_path / f"{name}.json", spec)
        scoring.evaluate(path, tmp_path / "data.json", output=tmp_path / name)
        if not specs_are_there:
            path.unlink()
    found = scoring.diff(tmp_path / "old", tmp_path / "new")
    assert found.moves
    assert {part for one in found.data["changes"] for part in one["parts"]} == {"reads.reference", "reads.response"}
    assert "2 changes move what is read" in found.text()
    assert "the rules are the same, but they read something else from a record" in found.text()


def test_a_primitive_of_another_revision_is_told_of_two_runs(tmp_path: Path) -> None:
    for name, revision in (("old", 1), ("new", 2)):
        folder = Path(scoring.evaluate(OLD, RECORDS).write(tmp_path / name))
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        manifest["spec"]["program"]["fields"][1]["score"]["join"][1] = revision
        manifest["spec"]["meaning"] = name
        (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    found = scoring.diff(tmp_path / "old", tmp_path / "new")
    assert found.changes == ["`fields.b.score.equal.revision` is new: 2"]


@pytest.mark.parametrize("program", ["x", {"fields": [{"name": "a", "score": {"join": [1]}}]}, {"fields": 3}])
def test_a_manifest_of_a_stranger_is_refused_in_a_line(tmp_path: Path, program: Any) -> None:
    for name in ("old", "new"):
        folder = Path(scoring.evaluate(OLD, RECORDS).write(tmp_path / name))
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        manifest["spec"] = {"program": program, "spec": manifest["spec"]["spec"], "meaning": name}
        (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(InputError, match=r"program|scored by"):
        scoring.diff(tmp_path / "old", tmp_path / "new")


def test_a_pack_that_many_tasks_of_a_suite_import_changes_once(tmp_path: Path) -> None:
    for place, threshold in (("old", 0.8), ("new", 0.5)):
        inner = {**PACK, "scorers": {"near": {"score": "levenshtein | zero_below(x)", "params": {"x": threshold}}}}
        write(tmp_path / place / "close.yaml", inner)
        for name in "abc":
            task = {"kind": "task", "name": name, "imports": {"c": "../close.yaml"}, "score": "c.near"}
            write(tmp_path / place / f"tasks/{name}.yaml", task)
        write(tmp_path / place / "suite.yaml", {"kind": "suite", "name": "s", "tasks": "./tasks"})
    data = [{"id": 1, "task": name, "response": "abc", "reference": "abd"} for name in "ab"]
    found = scoring.diff(tmp_path / "old/suite.yaml", tmp_path / "new/suite.yaml", data=data)
    (change,) = found.data["changes"]
    assert (change["text"], change["parts"]) == ("`close.near.x` 0.8 → 0.5", ["tasks.a", "tasks.b", "tasks.c"])
    assert (found.moved, found.data["movement"]["scorings"]) == (2, 2)


def test_a_step_in_anothers_place_stands_beside_it() -> None:
    old, new = ({"kind": "task", "name": "t", "score": f"{step} | strip | equal"} for step in ("lower", "upper"))
    (side,) = scoring.diff(old, new).data["sides"]
    assert side["rows"][0] == {"mark": "changed", "old": "lower", "new": "upper"}


def test_only_packs_break_who_imports_them() -> None:
    task = {**OLD, "scorers": {"one": "equal"}, "fields": {"a": "one", "b": "equal"}}
    new = {**OLD, "fields": {"a": "equal", "b": "equal"}}
    assert not any(change["breaks"] for change in scoring.diff(task, new).data["changes"])
    assert not scoring.diff(task, new).moves


# ---- where the sides come from, and what is refused


def test_shipped_packs_are_named_by_version() -> None:
    assert scoring.diff("anls@1", "anls").changes == []


def test_a_file_is_compared_with_what_it_was_at_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path / "repository")
    task = {"kind": "task", "name": "t", "imports": {"c": "./close.json"}, "score": "c.near"}
    repository.commit({"packs/close.json": json.dumps(PACK), "packs/task.json": json.dumps(task)}, tag="v1")
    new = json.loads(json.dumps(PACK))
    new["scorers"]["near"]["params"]["threshold"] = 0.5
    write(repository.path / "packs/close.json", new)
    monkeypatch.chdir(repository.path)
    assert scoring.diff("main:packs/close.json", "packs/close.json").changes == ["`near.threshold` 0.8 → 0.5"]
    monkeypatch.chdir(repository.path / "packs")
    assert scoring.diff("v1:./task.json", "task.json").changes == ["`close.near.threshold` 0.8 → 0.5"]


def test_a_pack_at_an_address_is_a_side(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit({"packs/close.json": json.dumps(PACK)}, tag="v1.0.0")
    new = json.loads(json.dumps(PACK))
    new["scorers"]["same"] = "lower | equal"
    found = scoring.diff(f"git+{repository.address}@v1.0.0#packs", new)
    assert found.data["changes"][0]["parts"] == ["same", "any_near"]


def test_the_project_of_a_revision_is_that_of_the_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path / "repository")
    monkeypatch.chdir(repository.path)
    task = {"kind": "task", "name": "t", "imports": {"c": "close@1"}, "score": "c.near"}
    write(Path("packs/close.json"), PACK)
    write(Path("specs/t.json"), task)
    Path("scoring.toml").write_text('[packs]\nclose = { folder = "packs" }\n')
    lock_project()
    repository.commit({".gitignore": ".scoring\n"}, tag="v1.0.0")
    repository.git("rm", "-r", "--quiet", "--cached", ".scoring")
    new = json.loads(json.dumps(PACK)) | {"version": "1.1.0"}
    new["scorers"]["near"]["params"]["threshold"] = 0.5
    write(Path("packs/close.json"), new)
    lock_project(upgrade=True)
    assert scoring.diff("v1.0.0:specs/t.json", "specs/t.json").changes == ["`close.near.threshold` 0.8 → 0.5"]
    shutil.rmtree(".scoring")  # what the folder showed then is as good
    assert scoring.diff("v1.0.0:specs/t.json", "v1.0.0:specs/t.json").changes == []


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ("--output=x:packs/close.json", "not a revision"),
        ("nowhere:packs/close.json", "no revision `nowhere`"),
        ("main:packs/none.json", "no file"),
        ("main:../outside.json", "can't be a path"),
        ("main:link.json", "symbolic link"),
        ("close.json@", "no such file"),
    ],
)
def test_what_no_revision_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, message: str
) -> None:
    repository = Repository(tmp_path / "repository")
    (repository.path / "link.json").symlink_to("/etc/passwd")
    repository.commit({"packs/close.json": json.dumps(PACK)})
    monkeypatch.chdir(repository.path)
    with pytest.raises((InputError, scoring.SpecError), match=message):
        scoring.diff(old, "packs/close.json")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scorings": 1}, "2 or more"),
        ({"worst": -1}, "0 or more"),
        ({"limit": 3}, "--data"),
        ({"references": "x.jsonl"}, "--data"),
        ({"worst": 3}, "`worst` is for records that are scored; name them, too: --data FILE"),
        ({"scorings": 2}, "--data"),
        ({"processes": 2}, "--data"),
    ],
)
def test_what_has_no_effect_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scoring.diff(OLD, NEW, **given)


def test_a_pack_and_a_task_are_not_compared() -> None:
    with pytest.raises(InputError, match="two of one kind"):
        scoring.diff(PACK, OLD)


def test_data_that_can_be_read_once_are_scored_as_often_as_it_takes() -> None:
    assert scoring.diff(OLD, NEW, data=iter(RECORDS)).moved == 3


@pytest.mark.parametrize("form", ["text", "html", "markdown"])
def test_hostile_texts_of_specs_steer_nothing(form: Any) -> None:
    for text in HOSTILE_TEXTS.values():
        old, new = (
            {"kind": "task", "name": "t", "score": f'replace(old={json.dumps(one)}, new="") | equal'}
            for one in (text, text * 2)
        )
        try:
            found = scoring.diff(old, new)
        except scoring.SpecError:  # half a character is in no spec
            continue
        drawn = found.text(form)
        assert {"text": lambda text: steers(steady(text)), "html": tags, "markdown": marks_up}[form](drawn) == []


def test_a_comment_in_markdown_folds_its_details() -> None:
    drawn = scoring.diff(OLD, NEW, data=RECORDS).text("markdown")
    assert drawn.count("<details>") == drawn.count("</details>") == 2
    assert drawn.index("what moves") < drawn.index("moved furthest") < drawn.index("<details>")


@pytest.mark.parametrize("width", [80])
def test_both_columns_fit_a_terminal(width: int) -> None:
    from scoring.diagnostics.visible import width as wide

    long = 'replace(old="{}", new="x") | equal'
    old, new = ({"kind": "task", "name": "t", "score": long.format(sign * 90)} for sign in ("日本", "a b "))
    assert max(map(wide, scoring.diff(old, new).text().splitlines())) <= width
