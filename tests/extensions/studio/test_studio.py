"""A studio asked as its page asks it: what it says of a text, of the records, and of what an edit moved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.studio import driving
from scoring.extensions.studio.server import StudioServer
from scoring.extensions.studio.verbs import open_studio
from tests.extensions.studio.asking import SPEC, asked, settled, write_files, written
from tests.support.judge_server import JudgeServer
from tests.support.judged_files import write_files as write_judged
from tests.support.waiting import wait_until

STRICT = SPEC.replace("zero_below(0.5)", "zero_below(0.95)")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_files(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="module")
def served(files: tuple[Path, Path]) -> Iterator[StudioServer]:
    with open_studio(*files) as studio:
        settled(studio)
        yield studio


def rows(studio: StudioServer, **query: Any) -> list[str]:
    return [row["id"] for row in asked(studio, "rows", **query)["rows"]]


def test_the_figures_are_those_of_a_run(served: StudioServer, files: tuple[Path, Path]) -> None:
    found, run = written(served, SPEC), scoring.evaluate(*files)
    metrics = {one["metric"]: (one["value"], one["interval"]) for one in found["figures"]["metrics"]}
    assert metrics == {one["metric"]: (one["value"], one["interval"]) for one in run.summary["metrics"]}
    groups = found["figures"]["groups"][0]
    assert (groups["by"], [one["group"] for one in groups["groups"]]) == ("country", ["a", "b", "c"])
    assert [one["metrics"][0]["interval"] for one in groups["groups"]] == [
        one["metrics"][0]["interval"] for one in run.summary["by"]["country"]
    ]
    assert (sum(found["distribution"]["counts"]), sum(found["distribution"]["passed"])) == (24, 12)
    assert found["threshold"] == 0.9


def test_a_mistake_is_told_with_its_fix_and_the_last_good_results_stay(served: StudioServer) -> None:
    good = written(served, SPEC)
    wrong = SPEC.replace("casefold", "casefol")
    told = asked(served, "edit", text=wrong)
    (finding,) = told["found"]
    assert finding["code"] == "unknown-name"
    (edit,) = finding["fixes"][0]["edits"]
    state = settled(served)
    assert (state["version"], state["figures"]) == (good["version"], good["figures"])
    lines = wrong.split("\n")
    start, end = edit["range"]["start"], edit["range"]["end"]
    lines[start["line"]] = "".join(
        (lines[start["line"]][: start["character"]], edit["newText"], lines[start["line"]][end["character"] :])
    )
    assert "\n".join(lines) == SPEC
    assert written(served, SPEC)["version"] == told["version"] + 1


def test_a_path_that_no_record_has_is_a_problem_beside_the_last_good_results(served: StudioServer) -> None:
    good = written(served, SPEC)
    asked(served, "edit", text=SPEC.replace("gold", "glod"))
    state = settled(served)
    assert "`glod`" in state["problem"]
    assert state["version"] == good["version"]
    assert written(served, SPEC + "# again\n")["problem"] is None


def test_what_may_come_next_and_what_stands_there(served: StudioServer) -> None:
    text = SPEC.replace("levenshtein", "lev")
    at = {"line": 3, "character": text.split("\n")[3].index("lev") + 3}
    labels = [one["label"] for one in asked(served, "complete", text=text, position=at)["found"]["items"]]
    assert "levenshtein" in labels[:5]
    told = asked(served, "hover", text=SPEC, position={"line": 3, "character": 27})["found"]
    assert told["code"].startswith("levenshtein: Text, Text -> Score")
    assert any("gives a value from 0 to 1" in line for line in told["lines"])


def test_records_are_sorted_filtered_and_handed_out_by_the_page(served: StudioServer) -> None:
    written(served, SPEC)
    assert rows(served, limit=3) == ["q00", "q01", "q02"]
    assert rows(served, offset=22) == ["q22", "q23"]
    assert rows(served, sort="id", descending=True, limit=2) == ["q23", "q22"]
    worst = asked(served, "rows", sort="score", limit=8)
    assert {row["score"] for row in worst["rows"][:6]} == {0.0}
    assert (worst["total"], len(worst["rows"])) == (24, 8)
    assert rows(served, search="BASEL") == ["q01", "q13"], "the answers that have the word, whatever its case"
    assert rows(served, search="basee") == []
    assert len(rows(served, verdict="passed")) == 12
    assert len(rows(served, **{"from": 0.7, "to": 0.85})) == 6
    assert rows(served, status="unparsed") == []
    assert len(asked(served, "rows", limit=1_000_000)["rows"]) == 24


def test_an_edit_says_which_records_moved_and_where_in_them(served: StudioServer) -> None:
    written(served, SPEC)
    state = written(served, STRICT)
    moved = asked(served, "rows", moved="down", against="edit", sort="change", descending=True)["rows"]
    assert state["movement"]["moved"] == state["movement"]["down"] == len(moved) == 6
    assert {(row["score"], row["before"] > 0.7) for row in moved} == {(0.0, True)}
    told = asked(served, "record", row=2, against="edit", full=False)
    assert [one["path"] for one in told["moved"]] == [["answer", "zero_below"], ["aggregate"]]
    assert told["moved"][0]["was"].startswith("0.8")
    (field,) = (line for line in told["lines"] if line["name"] == "answer")
    assert field["state"] == "moved"
    still = asked(served, "record", row=0, against="edit", full=False)
    assert still["moved"] == [], "what is written differs, and no value does"
    assert asked(served, "record", row=99)["problem"]


def test_a_threshold_is_held_against_labels(served: StudioServer) -> None:
    written(served, SPEC)
    assert settled(served)["labels"] == [["seen", "right"]]
    found = asked(served, "cut", threshold=0.75, label=["seen", "right"])
    assert (found["passes"], found["of"], found["rate"]) == (18, 24, 0.75)
    assert (found["hits"], found["wrong"], found["missed"], found["right"]) == (12, 6, 0, 6)
    assert (found["precision"], found["recall"], found["f1"]) == (12 / 18, 1.0, 0.8)
    assert "precision" not in asked(served, "cut", threshold=0.75, label=None)


def test_an_audit_is_run_on_what_stands_there(served: StudioServer) -> None:
    found = asked(served, "audit", text=SPEC)
    assert "passed" in found
    assert any(block["kind"] == "table" for block in found["blocks"])
    assert "mistakes" in asked(served, "audit", text="kind: task")["problem"]


@pytest.mark.parametrize("kind", ["spec", "run"])
def test_another_spec_or_a_run_beside_shows_what_moved(kind: str, files: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "strict.yaml"
    other.write_text(STRICT, encoding="utf-8")
    if kind == "run":
        scoring.evaluate(other, files[1], output=tmp_path / "run")
    with open_studio(*files, beside=other if kind == "spec" else tmp_path / "run") as studio:
        state = settled(studio, "beside")
        assert state["beside_problem"] is None
        assert (state["movement"]["moved"], state["movement"]["up"]) == (6, 6)
        told = asked(studio, "record", row=2, against="beside")
        assert told["moved"][0]["path"] == ["answer", "zero_below"]
        assert told["moved"][0]["was"].startswith("0.0")


def test_a_spec_that_has_mistakes_when_it_is_opened_is_mended_on_the_page(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    wrong, run = tmp_path / "wrong.yaml", tmp_path / "run"
    wrong.write_text(SPEC.replace("casefold", "casefol"), encoding="utf-8")
    scoring.evaluate(files[0], files[1], output=run)
    with open_studio(wrong, files[1], beside=run) as studio:
        state = settled(studio, "beside")
        assert "version" not in state
        assert asked(studio, "rows") == {"total": 0, "rows": []}
        assert written(studio, SPEC, "beside")["movement"]["moved"] == 0


def test_a_text_is_saved_as_the_file_had_its_lines_and_never_over_another_edit(tmp_path: Path) -> None:
    spec, data = write_files(tmp_path)
    spec.write_bytes(SPEC.replace("\n", "\r\n").encode())
    with open_studio(spec, data) as studio:
        assert asked(studio, "open")["text"] == SPEC
        assert asked(studio, "save", text=STRICT) == {"is_saved": True}
        assert spec.read_bytes() == STRICT.replace("\n", "\r\n").encode()
        spec.write_text("somebody else's", encoding="utf-8")
        assert asked(studio, "save", text=SPEC) == {"is_saved": False, "has_changed": True}
        assert spec.read_text("utf-8") == "somebody else's"
        assert asked(studio, "save", text=SPEC, overwrite=True)["is_saved"]
        assert asked(studio, "edit", text=STRICT)["found"] == []
    assert spec.read_bytes() == SPEC.replace("\n", "\r\n").encode(), "what is only typed is nowhere"


def test_what_hangs_is_given_up_and_the_last_good_text_is_scored_again(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_studio(*files) as studio:
        good = settled(studio)
        monkeypatch.setattr(driving, "HANGING", 0.0)  # every step takes too long, now
        asked(studio, "edit", text=STRICT)
        wait_until(lambda: "given up" in str(asked(studio, "state", against="edit")["problem"]))
        monkeypatch.setattr(driving, "HANGING", 120.0)
        assert written(studio, SPEC + "# on\n")["figures"] == good["figures"]


def test_a_judge_is_shown_its_questions_and_asked_on_a_click_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, data = write_judged(tmp_path, 5)
    with JudgeServer(lambda body: json.dumps({"verdicts": ["yes"]})) as judge:
        monkeypatch.setenv("SCORING_JUDGE_URL", judge.url)
        monkeypatch.setenv("SCORING_JUDGE_MODEL", "m")
        with open_studio(spec, data) as studio:
            state = settled(studio)
            assert state["asks_judge"]
            assert state["figures"]["counts"]["unscored"] == 4
            told = asked(studio, "record", row=1)
            (question,) = told["questions"]
            assert "Do the two answers mean the same?" in question["messages"][-1]["text"]
            assert judge.requests == []
            after = asked(studio, "judge", row=1)
            assert len(judge.requests) == 1
            assert ["1.0000", "bold"] in after["head"]
            asked(studio, "record", row=2)
            assert len(judge.requests) == 1


def test_pictures_that_a_record_names_are_shown_from_below_its_folder_alone(tmp_path: Path) -> None:
    images = pytest.importorskip("PIL.Image")
    (tmp_path / "in").mkdir()
    spec, data = write_files(tmp_path / "in")
    images.new("RGB", (9, 9), "red").save(tmp_path / "in" / "red.png")
    images.new("RGB", (9, 9), "red").save(tmp_path / "out.png")
    named = {"photo": "red.png", "other": {"file": "../out.png"}, "more": ["gone.jpg", "red.png"]}
    data.write_text(json.dumps({"id": 1, "response": "a", "gold": "a", "country": "a", **named}) + "\n", "utf-8")
    with open_studio(spec, data) as studio:
        settled(studio)
        found = asked(studio, "record", row=0)["pictures"]
    assert [one["path"] for one in found] == ["photo", "other.file", "more", "more"]
    assert [one["address"][:23] for one in found] == ["data:image/jpeg;base64,", "", "", "data:image/jpeg;base64,"]
    assert "outside" in found[1]["why"]
    assert "not in the folder" in found[2]["why"]


@pytest.mark.parametrize(
    ("spec", "data", "options", "said"),
    [
        ("none.yaml", "towns.jsonl", {}, "can't read"),
        ("towns.yaml", "none.jsonl", {}, "there is no such file"),
        ("towns.yaml", "-", {}, "from a file"),
        ("towns.yaml", "towns.jsonl", {"limit": 0}, "a limit"),
        ("towns.yaml", "towns.jsonl", {"port": 70_000}, "a port"),
        ("towns.yaml", "towns.jsonl", {"beside": "none"}, "no such spec"),
    ],
)
def test_what_can_not_be_opened_is_refused_at_once(
    files: tuple[Path, Path], spec: str, data: str, options: dict[str, Any], said: str
) -> None:
    folder = files[0].parent
    with pytest.raises(scoring.InputError, match=said):
        open_studio(folder / spec, data if data == "-" else folder / data, **options)
