"""No text of a stranger steers whoever reads what a command prints: every command, every form, sixty texts.

The texts stand where they can: in arguments, names of files, keys, ids, responses, references, groups, labels, in specs
and so in the excerpts that findings show.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring import api
from scoring.cli.main import main
from scoring.diagnostics.render.formats import FORMATS
from scoring.format.shipped import data_folder
from scoring.registry.plugins import COMMANDS
from scoring.report.render import FORMS, render
from tests.extensions.judge.hostile_servers import listening, ok
from tests.support.hostile_texts import HOSTILE_TEXTS, controls, marks_up, steers, tags

Capture = pytest.CaptureFixture[str]
TEXTS = tuple(HOSTILE_TEXTS.values())
COLOURS = HOSTILE_TEXTS["colours"]
# What a file can hold; half a character has no bytes.
WRITTEN = tuple(text for text in TEXTS if "\ud800" not in text)

# Where an argument may be hostile; `{}` is the text.
ARGUMENTS = [
    ["{}"],
    ["check", "{}"],
    ["check", "{}", "--format", "concise"],
    ["check", "{}", "--format", "json"],
    ["check", "{}", "--format", "github"],
    ["check", "--{}"],
    ["check", "task.yaml", "--dialect", "{}"],
    ["score", "{}", "data.jsonl"],
    ["score", "task.yaml", "{}"],
    ["score", "task.yaml", "data.jsonl", "--references", "{}"],
    ["score", "task.yaml", "data.jsonl", "--by", "{}"],
    ["score", "task.yaml", "data.jsonl", "--input-format", "{}"],
    ["score", "task.yaml", "data.jsonl", "--engine", "{}"],
    ["score", "task.yaml", "data.jsonl", "--part", "{}"],
    ["score", "task.yaml", "data.jsonl", "--limit", "{}"],
    ["score", "task.yaml", "data.jsonl", "--judge-model", "{}", "--judge-url", "{}"],
    ["score", "task.yaml", "data.jsonl", "--dialects", "{}"],
    ["merge", "{}"],
    ["completion", "{}"],
    ["compare", "{}", "run"],
    ["compare", "run", "run", "--cluster", "{}"],
    ["diff", "{}", "task.yaml"],
    ["diff", "task.yaml", "task.yaml", "--data", "{}"],
    ["verify", "{}"],
    ["verify", "run", "--data", "{}"],
    ["verify", "{}.yaml"],
    ["verify", "run", "--trust", "{}"],
    ["cite", "{}"],
    ["cite", "{}@1", "--format", "bibtex"],
    ["sign", "{}", "--key", "{}"],
    ["sign", "{}.yaml", "--statement"],
    ["sign", "--new-key", "{}/key"],
    ["verify", "{}", "-o", "again"],
    ["bundle", "{}"],
    ["test", "{}"],
    ["audit", "{}"],
    ["audit", "task.yaml", "{}"],
    ["audit", "task.yaml", "--invariant", "{}"],
    ["conformance", "{}"],
    ["conformance", "cases", "--rule", "{}"],
    ["release", "{}", "-n"],
    ["release", "pack.yaml", "-n", "--against", "{}"],
    ["release", "pack.yaml", "-n", "--accept", "{}"],
    ["release", "pack.yaml", "--date", "{}"],
    ["release", "pack.yaml", "--wheel", "wheels", "--distribution", "{}"],
    ["release", "pack.yaml", "--to", "s3://{}@host/x"],
    ["lock", "{}"],
    ["lock", "{}"],
    ["add", "{}"],
    ["remove", "{}"],
    ["upgrade", "{}"],
    ["site", "{}"],
    ["serve", "{}"],
    ["lsp", "{}"],
    ["studio", "{}", "{}"],
    ["mcp", "{}"],
    ["export", "{}", "run", "-o", "x"],
    ["export", "openmetrics", "{}", "-o", "x"],
    ["explain", "{}"],
    ["explain", "task.yaml", "data.jsonl", "--record", "{}"],
    ["list", "{}"],
    ["list", "packs", "--as", "{}"],
    ["fmt", "{}"],
    ["new", "{}", "x.yaml"],
    ["new", "task", "{}/x/y.yaml"],
    ["init", "ci", "{}", "x", "--min", "mean=0"],
    ["init", "ci", "--requirement", "{}"],
    ["convert", "{}"],
    ["convert", "metrics.json", "--name", "{}"],
    ["judge", "calibrate", "run", "--labels", "{}"],
    ["judge", "agree", "{}", "{}"],
    ["judge-cache", "list", "{}"],
    ["judge-cache", "import", "{}", "{}"],
    ["generate", "--root", "{}"],
]


def record(number: int, text: str) -> dict[str, Any]:
    return {
        "id": f"{text} {number}",
        "answer": text,
        "gold": text if number % 2 else f"{text}!",
        "group": text,
        text: {text: [text]},
    }


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a task, records that hold every text everywhere, and two runs."""
    folder = tmp_path_factory.mktemp("world")
    write_task(folder / "task.yaml")
    rows = [record(number, text) for number, text in enumerate(TEXTS)]
    lines = [json.dumps(row) for row in rows] + ['{"id": "\u202e", "id": 2}', "\x1b[2J{", json.dumps({"id": TEXTS[1]})]
    (folder / "data.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "other.jsonl").write_text("".join(f"{json.dumps({**row, 'answer': 'else'})}\n" for row in rows), "utf-8")
    (folder / "pack.yaml").write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n")
    write_hostile_task(folder / "hostile.yaml")
    (folder / "cases").mkdir()
    shutil.copy(data_folder("specs") / "conformance" / "joining.json", folder / "cases")
    (folder / "metrics.json").write_text(
        json.dumps({"field_score_function": dict.fromkeys(WRITTEN, "exact_str_match")})
    )
    for run, data in (("run", "data.jsonl"), ("two", "other.jsonl")):
        assert main(["score", str(folder / "task.yaml"), str(folder / data), "-o", str(folder / run), "--html"]) in (
            0,
            3,
        )
    return folder


def write_hostile_task(path: Path) -> None:
    """The task, its scorers changed by steps whose arguments are hostile."""
    steps = " | ".join(f"replace(old={json.dumps(text)}, new={json.dumps(text + text)})" for text in WRITTEN)
    spec = {
        "kind": "task",
        "name": "t",
        "record": {"id": "id", "response": "answer", "reference": "gold"},
        "fields": {"exact": f"{steps} | equal", "near": "indel"},
        "by": ["group", *[f'"{text}"' for text in ("a|b", "<b>")]],
        "metrics": ["mean"],
        "doc": " ".join(WRITTEN),
    }
    path.write_text(json.dumps(spec), "utf-8")


def write_task(path: Path) -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "record": {"id": "id", "response": "answer", "reference": "gold"},
        "fields": {"exact": "equal", "near": "levenshtein"},
        "by": ["group"],
        "metrics": ["mean"],
    }
    path.write_text(json.dumps(spec), "utf-8")


@pytest.fixture
def said(world: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Callable[..., str]:
    """Runs a command in the world and gives all that it printed."""
    monkeypatch.chdir(world)
    monkeypatch.delenv("NO_COLOR", raising=False)
    capsys.readouterr()

    def run(*arguments: str) -> str:
        code = main(arguments)
        printed = capsys.readouterr()
        assert code in (0, 1, 2, 3), arguments
        return f"{printed.out}\n{printed.err}"

    return run


def test_the_table_is_long_and_names_every_command() -> None:
    assert len(HOSTILE_TEXTS) >= 60
    assert {words[0] for words in ARGUMENTS if words[0] != "{}"} == set(COMMANDS)
    assert sum(1 for text in TEXTS if steers(text) or marks_up(text)) >= 45


@pytest.mark.parametrize("words", ARGUMENTS, ids=" ".join)
def test_an_argument_steers_nothing(words: list[str], said: Callable[..., str]) -> None:
    for text in TEXTS:
        printed = said(*(word.replace("{}", text) for word in words))
        if words[-1] == "github":
            printed = without_commands(printed)
        assert steers(printed) == [], text


def without_commands(printed: str) -> str:
    """What the format for GitHub prints, without what it may: one command in each line, of these two."""
    return "\n".join(
        line.replace("::", "", 1) if line.startswith(("::error ", "::warning ")) else line
        for line in printed.split("\n")
    )


@pytest.mark.parametrize("command", ["check", "test", "fmt", "lock", "audit", "explain", "convert", "score", "list"])
def test_the_name_of_a_file_steers_nothing(command: str, said: Callable[..., str], tmp_path: Path) -> None:
    for number, text in enumerate(WRITTEN):
        if "\x00" in text:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        name = folder / f"{text.replace('/', '-')}.yaml"
        for content in (
            "kind: task\nname: t\nscore: equal | nothing\n",
            "kind: task\nname: t\nscore: equal\n",
            "a: [\n",
        ):
            name.write_text(content, "utf-8")
            data = [str(folder / f"{text.replace('/', '-')}.jsonl")] if command == "score" else []
            for path in data:
                Path(path).write_text('{"id": 1, "response": "a", "reference": "a"}\n{', "utf-8")
            assert steers(said(command, str(name), *data)) == [], text


@pytest.mark.parametrize(
    "command",
    [
        ["score", "task.yaml", "data.jsonl"],
        ["score", "task.yaml", "data.jsonl", "--dialects"],
        ["compare", "run", "two"],
        ["diff", "task.yaml", "hostile.yaml", "--data", "data.jsonl", "--all"],
        ["diff", "run", "two"],
        ["verify", "run"],
        ["audit", "task.yaml", "data.jsonl"],
        ["judge", "agree", "run", "two"],
        ["judge", "calibrate", "run", "--labels", "group"],
        ["bundle", "run", "-o", "bundle.zip", "--force"],
    ],
    ids=" ".join,
)
def test_what_records_hold_steers_nothing_in_any_form(command: list[str], said: Callable[..., str]) -> None:
    assert steers(said(*command)) == []
    for form, markup in (("html", tags), ("markdown", marks_up)):
        printed = said(*command, "--as", form)
        assert (steers(printed), markup(printed)) == ([], []), form
    printed = said(*command, "--json")
    assert steers(printed) == []
    # What is taken out stands there as JSON writes it, so it still is the JSON that it was.
    if printed.strip().startswith(("{", "[")):
        json.JSONDecoder().raw_decode(printed.strip())


def test_each_record_is_explained_in_every_form_and_steers_nothing(said: Callable[..., str]) -> None:
    for number, text in enumerate(TEXTS):
        for more in ([], ["--as", "markdown"], ["--json"]):
            printed = said("explain", "task.yaml", "data.jsonl", "--record", f"{text} {number}", *more)
            assert steers(printed) == [], text
            assert "markdown" not in more or marks_up(printed) == [], text


def test_what_a_judge_server_and_its_model_say_steers_nothing(said: Callable[..., str], tmp_path: Path) -> None:
    reply = {"integer": {"minimum": 0, "maximum": 9}}
    rate = {"prompt": "How good?", "reply": reply, "inputs": {"text": "prediction"}, "show": ["text"]}
    judges = {"rate": {**rate, "gives": {"n": "@"}, "score": "n / 9"}}
    pack = {"kind": "pack", "name": "rating", "version": "1.0.0", "judges": judges}
    (tmp_path / "rating.yaml").write_text(json.dumps(pack))
    task = {"kind": "task", "name": "t", "imports": {"r": "./rating.yaml"}, "score": "r.rate"}
    (tmp_path / "task.yaml").write_text(json.dumps(task))
    (tmp_path / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": ""}\n')
    files = [str(tmp_path / "task.yaml"), str(tmp_path / "data.jsonl")]
    for number, text in enumerate(WRITTEN):
        completion = {"choices": [{"message": {"content": text}}]}
        bodies = [json.dumps({"error": {"message": text}}), text, json.dumps(completion)]
        for body, status in zip(bodies, ("400 Bad", "401 Who", "200 OK"), strict=True):
            with listening(ok(body.encode(), status=status)) as place:
                judge = ["--judge-url", f"http://{place}/v1", "--judge-model", text]
                kept = ["--judge-cache", str(tmp_path / f"{number}.db")]
                printed = said("score", *files, *judge, *kept)
                assert status == "200 OK" or f"({status[:3]})" in printed
                assert steers(printed) == [], (text, status)
        assert steers(said("judge-cache", "list", kept[1])) == [], text
        assert steers(said("judge-cache", "export", kept[1])) == [], text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "command",
    [
        ["score", "task.yaml", "data.jsonl"],
        ["compare", "run", "two"],
        ["explain", "task.yaml", "data.jsonl", "--record", f"{COLOURS} {TEXTS.index(COLOURS)}"],
        ["check", "colours.json"],
        ["score", COLOURS, HOSTILE_TEXTS["hidden"]],
    ],
    ids=lambda command: command[0],
)
def test_colours_of_a_terminal_are_ours_alone(command: list[str], world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where colours are on, a colour of the data would pass for one of ours."""
    monkeypatch.chdir(world)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    spec = {"kind": "task", "name": "t", "score": "equal", **dict.fromkeys(WRITTEN, 1)}
    Path("colours.json").write_text(json.dumps(spec), "utf-8")
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, Terminal())
    main(command)
    printed = "\n".join(getattr(sys, stream).getvalue() for stream in ("stdout", "stderr"))
    monkeypatch.undo()
    assert not re.search("\x1b\\[(?:8|28|31;1)m", printed)
    assert steers(re.sub("\x1b\\[(?:0|1|2|31|32|33|1;3[1-6])m", "", printed)) == []


def test_the_files_that_a_person_opens_are_free_of_it(world: Path) -> None:
    page = (world / "run" / "report.html").read_text("utf-8")
    assert (controls(page), tags(page)) == ([], [])


def test_a_printed_page_is_the_page(said: Callable[..., str], world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = said("compare", "run", "two", "--as", "html").strip()
    monkeypatch.chdir(world)
    page = render(scoring.compare("run", "two").document(), "html").strip()
    assert printed == re.sub(r"##(?=\[|vso)", r"#\\u0023", page)  # commands of CI runners alone are taken apart


@pytest.mark.parametrize("form", FORMS)
def test_forms_from_python_are_free_of_it_too(form: Any, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world)
    for found in (
        scoring.evaluate("task.yaml", "data.jsonl"),
        scoring.compare("run", "two"),
        scoring.runs.verify("run"),
    ):
        printed = render(found.document(), form)
        assert controls(printed) == []
        assert form != "markdown" or marks_up(printed) == []
        assert form not in ("html", "notebook") or tags(printed) == []


PLACES = {
    "an unknown key": lambda text: {"kind": "task", "name": "t", "score": "equal", text: 1},
    "a name": lambda text: {"kind": "task", "name": text, "score": "equal"},
    "a version": lambda text: {"kind": "task", "name": "t", "version": text, "score": "equal"},
    "an expression": lambda text: {"kind": "task", "name": "t", "score": text},
    "a text in an expression": lambda text: {"kind": "task", "name": "t", "score": f"equal | {json.dumps(text)}"},
    "a field": lambda text: {"kind": "task", "name": "t", "fields": {text: "equal | nothing"}},
    "a good field": lambda text: {"kind": "task", "name": "t", "fields": {text: "equal", "b": "nothing"}},
    "a path": lambda text: {"kind": "task", "name": "t", "record": {"id": text}, "score": "equal"},
    "an import": lambda text: {"kind": "task", "name": "t", "imports": {"a": text}, "score": "a.x"},
    "an alias": lambda text: {"kind": "task", "name": "t", "imports": {text: "anls@1"}, "score": "equal"},
    "a definition": lambda text: {"kind": "pack", "name": "t", "version": "1", "scorers": {text: "nothing"}},
    "a parameter": lambda text: {
        "kind": "pack",
        "name": "t",
        "version": "1",
        "scorers": {"a": {"params": {text: 1}, "score": "x"}},
    },
    "an example": lambda text: {
        "kind": "pack",
        "name": "t",
        "version": "1",
        "scorers": {"a": {"score": "equal", "examples": [[text, "b", 1]]}},
    },
    "a metric": lambda text: {"kind": "task", "name": "t", "score": "equal", "metrics": [text]},
    "a condition": lambda text: {"kind": "task", "name": "t", "score": "equal", "pass": text},
    "a kind": lambda text: {"kind": text, "name": "t", "score": "equal"},
}


def noted(found: list[Any], one: Any) -> Any:
    found.append(one)
    return one


# JMESPath warns developers of an old way to write texts, which warnings in tests would turn into errors.
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("place", PLACES)
def test_what_a_spec_holds_steers_nothing_in_any_layout(
    place: str, said: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command checks a spec once, and prints what it finds in each layout."""
    path = tmp_path / "spec.json"
    check = scoring.check
    for text in TEXTS:
        path.write_text(json.dumps(PLACES[place](text), ensure_ascii="\ud800" in text), "utf-8")
        found: list[Any] = []
        monkeypatch.setattr(api, "check", lambda found=found, **of: found[0] if found else noted(found, check(**of)))
        for layout in FORMATS:
            for command in ("check", "test") if layout == "text" else ("check",):
                printed = said(command, str(path), "--format", layout)
                if layout == "github":
                    printed = without_commands(printed)
                if layout == "json":
                    json.JSONDecoder().raw_decode(printed)
                assert steers(printed) == [], (text, layout)


def test_comments_and_texts_over_several_lines_stay_behind_their_gutter(
    said: Callable[..., str], tmp_path: Path
) -> None:
    path = tmp_path / "spec.yaml"
    for text in ("::error::FORGED", "##[error]FORGED", "FORGED error[x]: y"):
        path.write_text(f"kind: task\nname: t\n# {text}\n{text!r}: |\n  a\n  {text}\nscore: nothing\n", "utf-8")
        assert steers(said("check", str(path))) == [], text


def test_a_task_that_is_converted_to_the_terminal_steers_nothing(said: Callable[..., str]) -> None:
    assert steers(said("convert", "metrics.json", "--name", "t")) == []


def test_exceptions_of_the_api_are_safe_to_print(world: Path) -> None:
    for text in WRITTEN:
        for wrong in (
            lambda text=text: scoring.load(text),
            lambda text=text: scoring.evaluate(world / "task.yaml", text),
        ):
            with pytest.raises((scoring.SpecError, scoring.InputError)) as raised:
                wrong()
            assert steers(str(raised.value)) == [], text
