"""Ways to change a finished run, as data, and whether `scoring verify` and `scoring compare` see them.

``python -m tests.extensions.verification.tampering`` prints the table. A tampering leaves the digests of the folder as
they were, or, where it is *sealed again*, computes all of them anew, as a forger would: then only scoring again can
tell, so `compare`, which scores nothing, is not asked. What no reader can know is left to whoever wrote it: when a run
was made (`created`) says nothing that scoring again could contradict.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scoring.api.run import PAGE
from scoring.cli.main import main as scoring
from scoring.data.json_write import dumps_pretty
from scoring.engine.runs.manifest import sealed
from scoring.extensions.verification import repeating
from scoring.extensions.verification.read import StoredRun, read_run
from scoring.extensions.verification.repeating import Repeatable
from scoring.extensions.verification.texts import target_of
from tests.support.golden import REPOSITORY

SPECS = REPOSITORY / "specs"

Change = Callable[[Path, Path], object]
"""Changes the first folder; the second is that of another run of the same spec."""


@dataclass(frozen=True)
class Tampering:
    """One way to change a run.

    Args:
        name: What is done.
        change: Does it.
        resealed: Whether the digests are computed anew.
        kinds: The kinds of runs that it can be done to; all where empty.
    """

    name: str
    change: Change
    resealed: bool = False
    kinds: tuple[str, ...] = ()


# How a file is changed -----------------------------------------------------------------------------------------------


def _edited(path: Path, _: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _swapped(path: Path, other: Path) -> None:
    shutil.copy(other, path)


def _linked(path: Path, _: Path) -> None:
    elsewhere = path.parent.with_name("elsewhere")
    shutil.copy(path, elsewhere)
    path.unlink()
    path.symlink_to(elsewhere)


def _folder(path: Path, _: Path) -> None:
    path.unlink()
    path.mkdir()


WAYS: dict[str, Change] = {
    "edited": _edited,
    "removed": lambda path, _: path.unlink(),
    "emptied": lambda path, _: path.write_bytes(b""),
    "truncated": lambda path, _: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "last byte cut": lambda path, _: path.write_bytes(path.read_bytes()[:-1]),
    "NUL bytes in its place": lambda path, _: path.write_bytes(bytes(path.stat().st_size)),
    "NUL bytes behind it": lambda path, _: path.write_bytes(path.read_bytes() + bytes(64)),
    "white space behind it": lambda path, _: path.write_bytes(path.read_bytes() + b"\n"),
    "of another run": _swapped,
    "a link to a copy": _linked,
    "a folder of its name": _folder,
}


# What is changed within a file ---------------------------------------------------------------------------------------


def _json(name: str, change: Callable[[Any], Any]) -> Change:
    """Changes a JSON file, whose layout stays."""

    def changed(run: Path, _: Path) -> None:
        data = json.loads((run / name).read_text())
        found = change(data)
        (run / name).write_text(dumps_pretty(data if found is None else found))

    return changed


def _at(*path: Any, to: Any) -> Callable[[Any], None]:
    """Sets what stands at a path; ``to`` may be a function of what stands there."""

    def change(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = to(data[path[-1]]) if callable(to) else to

    return change


def _lines(change: Callable[[list[str]], list[str]]) -> Change:
    """Changes the lines of `scores.jsonl`."""

    def changed(run: Path, _: Path) -> None:
        path = run / "scores.jsonl"
        path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))

    return changed


def _line(**values: Any) -> Change:
    """Sets values in the first line of `scores.jsonl`."""
    return _lines(lambda lines: [json.dumps({**json.loads(lines[0]), **values}, separators=(",", ":")), *lines[1:]])


def _both(*changes: Change) -> Change:
    def changed(run: Path, other: Path) -> None:
        for change in changes:
            change(run, other)

    return changed


def _add(name: str, content: str = "x") -> Change:
    def added(run: Path, _: Path) -> None:
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text(content)

    return added


def _text(name: str, change: Callable[[str], str]) -> Change:
    return lambda run, _: (run / name).write_text(change((run / name).read_text()))


def _reseal(run: Path) -> None:
    """Compute all digests of a folder anew, as a forger would."""
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    files = {
        file.relative_to(run).as_posix(): file for file in sorted(run.rglob("*")) if file.is_file() and file != path
    }
    manifest["files"] = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
    lines = run / "scores.jsonl"
    if lines.is_file() and manifest.get("records"):
        content = lines.read_bytes()
        manifest["records"] = {"count": content.count(b"\n"), "sha256": hashlib.sha256(content).hexdigest()}
    path.write_text(dumps_pretty(sealed(manifest)))


def _parquet(name: str) -> Change:
    def changed(run: Path, _: Path) -> None:
        from pyarrow import compute, parquet

        table = parquet.read_table(run / name)
        place = table.schema.get_field_index("score")
        column = compute.subtract(1.0, table.column("score"))
        parquet.write_table(table.set_column(place, table.schema.field(place), column), run / name)

    return changed


def _upside_down(run: Path, _: Path) -> None:
    from pyarrow import parquet

    path = run / "scores.parquet"
    table = parquet.read_table(path)
    parquet.write_table(table.take(list(range(table.num_rows))[::-1]), path)


def _renamed(run: Path, _: Path) -> None:
    (run / "scores.jsonl").rename(run / "scores.json")


LINES = ("rows", "suite", "images")
MANIFEST, SUMMARY, TEXTS = "manifest.json", "summary.json", "texts.json"
_DIGEST_OF_X = hashlib.sha256(b"x").hexdigest()
SCORE = 0.123
SIGNATURE = "t@9|meaning:0000000000000000|seed:0|env:scoring 0.1.0"


def _manifest(*path: Any, to: Any) -> Change:
    return _json(MANIFEST, _at(*path, to=to))


def _summary(*path: Any, to: Any) -> Change:
    return _json(SUMMARY, _at(*path, to=to))


def _dropped(name: str) -> Change:
    return _json(MANIFEST, lambda data: data.pop(name) and None)


def _resolved(data: Any) -> None:
    data["spec"]["spec"]["doc"] = "Another spec."


def _first_primitive(data: Any) -> None:
    data["spec"]["primitives"][0]["revision"] += 1


def _first_release(data: Any) -> None:
    data["spec"]["primitives"][0]["distribution"] = "scoring-dsl@9.9"


def _first_input(key: str, value: Any) -> Change:
    return _json(MANIFEST, _at("inputs", -1, key, to=value))


def _value(data: Any) -> None:
    data["metrics"][0]["value"] = SCORE


def _as_before(data: Any) -> Any:
    return {**{key: value for key, value in data.items() if key not in ("seal", "files", "records")}, "format": 1}


def _relabelled(data: Any) -> None:
    """Another version in the signature, whose meaning stays."""
    data["signature"] = "official/benchmark@9.9.9" + data["signature"][data["signature"].index("|meaning:") :]


def _repacked(data: Any) -> None:
    """Another pack in the signature, whose meaning stays."""
    data["signature"] = data["signature"].replace("|env:", "|packs:official 9.9.9|env:")


def _spec_text(change: Callable[[str], str]) -> Change:
    """Changes the text of the spec that a run was compiled from, and the digest under which it stands."""

    def changed(data: Any) -> None:
        (first, *_), texts = data["spec"]["files"], data["texts"]
        text = change(texts.pop(first["text"]))
        first["text"] = hashlib.sha256(text.encode()).hexdigest()
        texts[first["text"]] = text

    return _json(TEXTS, changed)


PAGE_CHANGED = _text("report.html", lambda text: text.replace("0.", "9.", 1))


EDITS: tuple[Tampering, ...] = (
    Tampering("a file is added", _add("notes.txt")),
    Tampering("a hidden file is added", _add(".notes")),
    Tampering("a folder is added", _add("more/notes.txt")),
    Tampering("scores are added as Parquet", _add("scores.parquet"), kinds=LINES),
    Tampering("a part is added", _add("scores/part-00009.parquet")),
    Tampering("the scores have another name", _renamed, kinds=LINES),
    Tampering("the order of lines", _lines(lambda lines: lines[::-1]), kinds=LINES),
    Tampering("two lines change places", _lines(lambda lines: [lines[1], lines[0], *lines[2:]]), kinds=LINES),
    Tampering("a line stands twice", _lines(lambda lines: [*lines, lines[-1]]), kinds=LINES),
    Tampering("a line is dropped", _lines(lambda lines: lines[1:]), kinds=LINES),
    Tampering("an empty line", _lines(lambda lines: [*lines, ""]), kinds=LINES),
    Tampering("line breaks of Windows", _lines(lambda lines: [f"{line}\r" for line in lines]), kinds=LINES),
    Tampering("a score", _line(score=SCORE), kinds=LINES),
    Tampering("a status", _line(status="not_applicable"), kinds=LINES),
    Tampering("what was parsed", _line(parsed="else"), kinds=LINES),
    Tampering("an attribute", _line(attributes={"continent": "Asia"}), kinds=LINES),
    Tampering("where a record stood", _line(where="line 99"), kinds=LINES),
    Tampering("an id", _line(id="q99"), kinds=LINES),
    Tampering("a field's score", _line(fields={"answer": {"score": SCORE, "status": "scored"}}), kinds=LINES),
    Tampering("a key that no line has", _line(extra=1), kinds=LINES),
    Tampering("the scores of Parquet", _parquet("scores.parquet"), kinds=("columns",)),
    Tampering("the order of Parquet", _upside_down, kinds=("columns",)),
    Tampering("the scores of a part", _parquet("scores/part-00001.parquet"), kinds=("parts",)),
    Tampering("the page", PAGE_CHANGED, kinds=LINES),
    Tampering(
        "an export", _text("summary_and_keyword_stats.json", lambda text: text.replace("0", "1", 1)), kinds=("suite",)
    ),
    Tampering(
        "a task's result", _json("task_results.json", lambda data: data[0].update(score=SCORE)), kinds=("suite",)
    ),
    Tampering(
        "a plot", _text("plot_scores_of_records.svg", lambda text: text.replace("<svg", "<svg ", 1)), kinds=("images",)
    ),
    Tampering("the size of the spec", _json(MANIFEST, _at("inputs", 0, "bytes", to=lambda size: size + 1))),
    Tampering("the text of the spec", _spec_text(lambda text: text.replace("version: 1.", "version: 7.", 1))),
    Tampering("a comment in the text of the spec", _spec_text(lambda text: f"{text}# more\n")),
    Tampering("a text under the digest of another", _json(TEXTS, lambda data: data["texts"].update({"0" * 64: "x"}))),
    Tampering("a text that nothing names", _json(TEXTS, lambda data: data["texts"].update({_DIGEST_OF_X: "x"}))),
    Tampering("the seed of the texts", _json(TEXTS, _at("spec", "seed", to=lambda seed: seed + 1))),
    Tampering("the breakdowns of the texts", _json(TEXTS, _at("spec", "by", to=["id"]))),
    Tampering("the meaning of the texts", _json(TEXTS, _at("spec", "meaning", to="0" * 64))),
    Tampering("the summary's signature", _summary("signature", to=SIGNATURE)),
    Tampering("the summary's seed", _summary("seed", to=9)),
    Tampering("the headline", _json(SUMMARY, _value), kinds=("rows", "columns", "parts", "suite")),
    Tampering(
        "its interval", _summary("metrics", 0, "interval", to=[0.1, 0.2]), kinds=("rows", "columns", "parts", "suite")
    ),
    Tampering("the coverage", _summary("coverage", to=0.5), kinds=("rows", "columns", "parts")),
    Tampering("the counts", _summary("counts", to={"records": 1}), kinds=("rows", "columns", "parts", "suite")),
    Tampering("a group's figure", _summary("by", to={}), kinds=("rows", "columns", "parts", "suite")),
    Tampering("the reasons", _summary("reasons", to=[]), kinds=("rows", "columns")),
    Tampering("a key that no summary has", _json(SUMMARY, lambda data: data.update(extra=1))),
    Tampering("the manifest's signature", _manifest("signature", to=SIGNATURE)),
    Tampering("the meaning", _manifest("meaning", to="0000000000000000|seed:0")),
    Tampering("the environment", _manifest("env", to="scoring 9.9")),
    Tampering("the seed", _manifest("seed", to=9)),
    Tampering("the version of scoring", _manifest("versions", "scoring", to="9.9")),
    Tampering("the version of a library", _manifest("versions", "numpy", to="9.9")),
    Tampering("when it was made", _manifest("created", to="2001-01-01T00:00:00+00:00")),
    Tampering("the digest of the spec", _manifest("digests", "spec", to="0" * 64)),
    Tampering("the digest of the program", _manifest("digests", "program", to="0" * 64)),
    Tampering("the packs", _manifest("digests", "packs", to={"house": "0" * 64})),
    Tampering("the digest of an input", _first_input("sha256", "0" * 64)),
    Tampering("the size of an input", _first_input("bytes", 1)),
    Tampering("the name of an input", _first_input("name", "elsewhere.jsonl")),
    Tampering("the format of an input", _first_input("kind", "csv")),
    Tampering("the limit", _manifest("settings", "limit", to=1)),
    Tampering("the breakdowns", _manifest("settings", "by", to=["id"])),
    Tampering("the data", _manifest("settings", "data", to="elsewhere.jsonl")),
    Tampering("the resolved spec", _json(MANIFEST, _resolved)),
    Tampering("the resolved program", _manifest("spec", "program", to={})),
    Tampering("a primitive's revision", _json(MANIFEST, _first_primitive)),
    Tampering("the resolved libraries", _manifest("spec", "libraries", to={"numpy": "9.9"})),
    Tampering("a primitive's release", _json(MANIFEST, _first_release)),
    Tampering("what was told as the spec", _manifest("settings", "spec", to="elsewhere.yaml")),
    Tampering("a setting that no run has", _manifest("settings", "extra", to=1)),
    Tampering("the manifest's format", _manifest("format", to=1)),
    Tampering("a format that is to come", _manifest("format", to=99)),
    Tampering("the digest of a file", _json(MANIFEST, _at("files", SUMMARY, to="0" * 64))),
    Tampering("the digests of files", _dropped("files")),
    Tampering("the digest of the records", _manifest("records", to={"count": 1, "sha256": "0" * 64})),
    Tampering("the seal", _manifest("seal", to="0" * 64)),
    Tampering("no seal", _dropped("seal")),
    Tampering("the manifest's layout", _text(MANIFEST, lambda text: json.dumps(json.loads(text)))),
    Tampering("a key that stands twice", _text(MANIFEST, lambda text: text.replace("{", '{\n  "seed": 9,', 1))),
    Tampering("a key that no manifest has", _json(MANIFEST, lambda data: data.update(extra=1))),
    Tampering(
        "manifest and summary of another run",
        lambda run, other: [shutil.copy(other / name, run) for name in (MANIFEST, SUMMARY)],
    ),
    Tampering("scores and headline agree", _both(_line(score=SCORE), _json(SUMMARY, _value)), kinds=("rows",)),
    Tampering("signature and seed agree", _both(_summary("seed", to=9), _manifest("seed", to=9))),
)

_AGAIN = (
    "a file is added",
    "the order of lines",
    "two lines change places",
    "a line stands twice",
    "a line is dropped",
    "a score",
    "a status",
    "what was parsed",
    "an attribute",
    "where a record stood",
    "an id",
    "a field's score",
    "the scores of Parquet",
    "the order of Parquet",
    "the scores of a part",
    "the page",
    "an export",
    "a task's result",
    "a plot",
    "the size of the spec",
    "the text of the spec",
    "a comment in the text of the spec",
    "a text under the digest of another",
    "a text that nothing names",
    "the seed of the texts",
    "the breakdowns of the texts",
    "the meaning of the texts",
    "the summary's signature",
    "the summary's seed",
    "the headline",
    "its interval",
    "the coverage",
    "the counts",
    "a group's figure",
    "the reasons",
    "a key that no summary has",
    "the manifest's signature",
    "the meaning",
    "the environment",
    "the seed",
    "the version of scoring",
    "the version of a library",
    "the digest of the spec",
    "the digest of the program",
    "the packs",
    "the digest of an input",
    "the size of an input",
    "the name of an input",
    "the limit",
    "the breakdowns",
    "the data",
    "the resolved spec",
    "the resolved program",
    "a primitive's revision",
    "a primitive's release",
    "what was told as the spec",
    "a setting that no run has",
    "a key that no manifest has",
    "a format that is to come",
    "the resolved libraries",
    "scores and headline agree",
    "signature and seed agree",
    "manifest and summary of another run",
)

SEALED_AGAIN: tuple[Tampering, ...] = (
    *(Tampering(f"{one.name}, sealed again", one.change, True, one.kinds) for one in EDITS if one.name in _AGAIN),
    Tampering(
        "signature in manifest and summary, sealed again",
        _both(_manifest("signature", to=SIGNATURE), _summary("signature", to=SIGNATURE)),
        True,
    ),
    Tampering(
        "what the signature calls it, sealed again",
        _both(_json(MANIFEST, _relabelled), _json(SUMMARY, _relabelled)),
        True,
    ),
    Tampering(
        "which packs the signature names, sealed again",
        _both(_json(MANIFEST, _repacked), _json(SUMMARY, _repacked)),
        True,
    ),
    Tampering(
        "a run of before that says so, its page changed",
        _both(_json(MANIFEST, _as_before), PAGE_CHANGED),
        True,
        ("rows",),
    ),
)


def file_tamperings(run: Path) -> Iterator[Tampering]:
    """Every way to change every file of a run."""
    for path in sorted(path for path in run.rglob("*") if path.is_file()):
        name = path.relative_to(run).as_posix()
        for way, change in WAYS.items():
            if change is _swapped and path.read_bytes() == (run.with_name("two") / name).read_bytes():
                continue  # two runs of a spec are compiled from the same texts
            yield Tampering(f"{name}: {way}", lambda one, two, n=name, c=change: c(one / n, two / n))  # type: ignore[misc]


# Runs of each kind ---------------------------------------------------------------------------------------------------

RUNS: dict[str, list[str]] = {
    "rows": ["rows/capitals.yaml", "rows/{}.jsonl", "--references", "rows/gold.jsonl", "--html"],
    "columns": ["rows/capitals.yaml", "rows/{}.jsonl", "--references", "rows/gold.jsonl", "--scores", "parquet"],
    "parts": ["rows/whole.yaml", "rows/whole_{}.jsonl", "--parts", "parts_{}", "--scores", "parquet"],
    "suite": ["suite/suite.yaml", "suite/{}.jsonl", "--html"],
    "images": ["images/task.yaml", "images/{}.json", "--references", "images/instances.json", "--html"],
}


def write_runs(folder: Path, kind: str) -> None:
    """Two runs of a kind, `one` and `two`, in the current folder."""
    {"rows": _rows, "columns": _rows, "parts": _rows, "suite": _suite, "images": _data_set}[kind](folder)
    for name in ("one", "two"):
        command = ["score", *(part.format(name) for part in RUNS[kind]), "-o", name]
        code, said = _said(command)
        assert code == 0, said


def _rows(folder: Path) -> None:
    (folder / "rows").mkdir()
    gold = {"1": "Paris", "2": "Rome", "3": "Lima", "4": "Bern", "5": "Oslo"}
    places = ["Europe", "Europe", "America", "Europe", "Europe"]
    task = "kind: task\nname: capitals\nversion: 1.0.0\nrecord: {id: id, response: answer, reference: gold}\n"
    task += "score: casefold | levenshtein\nby: [continent]\n"
    for name in ("capitals", "whole"):
        (folder / "rows" / f"{name}.yaml").write_text(task.replace("capitals", name))
    references = [
        {"id": key, "gold": value, "continent": place} for (key, value), place in zip(gold.items(), places, strict=True)
    ]
    (folder / "rows" / "gold.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in references))
    answers = {"one": ["paris", "Roma", None, "Bern", "Osl"], "two": ["Paris", "Rome", "Lima", None, "Bergen"]}
    for name, given in answers.items():
        rows = [{"id": key, "answer": text} for key, text in zip(gold, given, strict=True)]
        (folder / "rows" / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        whole = [{**one, **two} for one, two in zip(references, rows, strict=True)]
        (folder / "rows" / f"whole_{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in whole))


def _suite(folder: Path) -> None:
    shutil.copytree(SPECS / "examples" / "suite", folder / "suite")
    spec = folder / "suite" / "suite.yaml"
    spec.write_text(spec.read_text() + "export: [megabench]\nintervals: {resamples: 100}\n")
    rows = (folder / "suite" / "predictions.jsonl").read_text().splitlines()
    (folder / "suite" / "one.jsonl").write_text("\n".join(rows) + "\n")
    (folder / "suite" / "two.jsonl").write_text("\n".join(rows[1:]) + "\n")


def _data_set(folder: Path) -> None:
    shutil.copytree(SPECS / "examples" / "detection", folder / "images")
    spec = folder / "images" / "task.yaml"
    # Every line of the table draws its intervals again, and they show a change in few draws as well as in many.
    spec.write_text(spec.read_text() + "  - valor.detection_curve\nintervals: {resamples: 100}\n")
    found = json.loads((folder / "images" / "results.json").read_text())
    (folder / "images" / "one.json").write_text(json.dumps(found))
    (folder / "images" / "two.json").write_text(json.dumps(found[1:]))


def _said(command: list[str]) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = scoring(command)
    return code, said.getvalue()


@dataclass(frozen=True)
class Line:
    """A line of the table."""

    kind: str
    name: str
    verify: bool
    compare: bool | None
    said: str


@contextlib.contextmanager
def scored_once(folder: Path) -> Iterator[Callable[[], None]]:
    """A run of which a known one says the same, but for digests, is not scored again until what is known is forgotten,
    and texts that are the same to the byte are not compiled again.

    Spec and data of the table stay as they are, so that no other scores could come out.
    """
    compiled = functools.cache(target_of)
    really = Repeatable.score
    known: dict[tuple[str, str, bool, bytes | None], Path] = {}

    def score(run: Repeatable, output: Path, **how: Any) -> StoredRun:
        told = {name: value for name, value in run.stored.manifest.items() if name not in ("seal", "files", "records")}
        what = (json.dumps(told), run.stored.layout, PAGE in run.stored.files, run.stored.texts)
        if what in known:
            shutil.copytree(known[what], output)
            return read_run(str(output))
        found = really(run, output, **how)
        known[what] = Path(tempfile.mkdtemp(dir=folder))
        shutil.copytree(output, known[what], dirs_exist_ok=True)
        return found

    def forget() -> None:
        known.clear()
        compiled.cache_clear()

    with patch.object(Repeatable, "score", score), patch.object(repeating, "target_of", compiled):
        yield forget


def tried(kind: str) -> Iterator[Line]:
    """Every tampering on a run of a kind, each on a fresh copy, through the command line."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        here = Path(name)
        write_runs(here, kind)
        clean = _said(["verify", "one"])
        assert clean[0] == 0, clean
        assert _said(["compare", "one", "two"])[0] == 0
        shutil.copytree("one", "kept")
        with scored_once(here) as forget:
            for _ in range(2):
                assert _said(["verify", "one"]) == clean
            yield from _tried(kind, here, clean[1], forget)


def _tried(kind: str, here: Path, clean: str, forget: Callable[[], None]) -> Iterator[Line]:
    known = [one for one in (*EDITS, *SEALED_AGAIN) if not one.kinds or kind in one.kinds]
    for one in (*file_tamperings(here / "one"), *known):
        shutil.rmtree("one")
        Path("elsewhere").unlink(missing_ok=True)
        shutil.copytree("kept", "one")
        one.change(here / "one", here / "two")
        if one.resealed and "of before" not in one.name:
            _reseal(here / "one")
        if os.path.isdir("one") and _content(here / "one") == _content(here / "kept"):
            raise AssertionError(f"{one.name} changes nothing")
        if one.name.endswith(": edited"):  # each file that is edited is there while the run is scored again
            forget()
        code, said = _said(["verify", "one"])
        compared = None if one.resealed else _said(["compare", "one", "two"])
        seen = code != 0 or said != clean
        assert "this is a bug" not in said + (compared[1] if compared else ""), said
        yield Line(kind, one.name, seen, compared and compared[0] != 0, said)


def _content(folder: Path) -> dict[str, bytes | str]:
    return {
        path.relative_to(folder).as_posix(): f"link {path.readlink()}" if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def main(kinds: list[str]) -> int:
    """Print the table; gives the exit code."""
    seen: list[bool] = []
    for kind in kinds or RUNS:
        lines = list(tried(kind))
        verified = [line.verify for line in lines]
        compared = [line.compare for line in lines if line.compare is not None]
        for line in lines:
            if not line.verify or line.compare is False:
                print(f"  UNSEEN  {kind}: {line.name}  verify {line.verify}  compare {line.compare}")
        print(f"{kind:<8} verify {_share(verified)}   compare {_share(compared)}")
        seen += [*verified, *compared]
    print(_share(seen))
    return int(not all(seen))


def _share(seen: list[bool]) -> str:
    return f"found {sum(seen)} of {len(seen)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
