"""A run as one file: whoever has it can score the run again, with none of its files, in any folder."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import scoring
from scoring.cli.main import main
from scoring.data.json_write import dumps_pretty
from scoring.engine.runs.manifest import sealed
from scoring.extensions.verification import bundle as bundles
from tests.support.golden import REPOSITORY
from tests.support.judge_server import JudgeServer
from tests.support.judged_files import write_files

SPECS = REPOSITORY / "specs"
FILES = REPOSITORY / "tests" / "cli" / "files"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with examples of each kind of task."""
    shutil.copytree(FILES, tmp_path / "desk")
    shutil.copytree(SPECS / "examples" / "suite", tmp_path / "desk" / "suite")
    shutil.copytree(SPECS / "examples" / "detection", tmp_path / "desk" / "images")
    monkeypatch.chdir(tmp_path / "desk")
    return tmp_path / "desk"


def label_maps(folder: Path) -> list[str]:
    numpy = pytest.importorskip("numpy")
    for side, shift in (("gold", 0), ("found", 1)):
        (folder / side / "deep").mkdir(parents=True)
        for number in range(3):
            values = (numpy.arange(24).reshape(4, 6) + number + shift) % 3
            numpy.save(folder / side / f"image {number}.npy", values)
    spec = "kind: task\nname: pixels\nversion: 1.0.0\nrecords: segmentation\nlabels: [road, sky]\n"
    metrics = "imports: {valor: valor@1}\nmetrics: [valor.segmentation]\n"
    (folder / "pixels.yaml").write_text(f"{spec}groundtruth: gold\npredictions: found\n{metrics}")
    return ["pixels.yaml"]


def parts_of_their_own(folder: Path) -> list[str]:
    for number, name in enumerate(("cities_a.jsonl", "cities_b.jsonl"), start=1):
        assert main(["score", "cities.yaml", name, "--parts", "parts", "--part", f"{number}/2"]) == 0
    assert main(["merge", "parts", "-o", "run"]) == 0
    return []


def suite_of_a_folder(folder: Path) -> list[str]:
    (folder / "answers").mkdir()
    for line in (folder / "suite" / "predictions.jsonl").read_text().splitlines():
        path = folder / "answers" / f"{json.loads(line)['task']}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(f"{line}\n")
    return ["suite/suite.yaml", "answers"]


def pattern(folder: Path) -> list[str]:
    return ["cities.yaml", "cities_*.jsonl", "--by", "document"]


def folder_of_rows(folder: Path) -> list[str]:
    (folder / "rows" / "lang=de").mkdir(parents=True)
    shutil.copy("cities_a.jsonl", folder / "rows" / "a.jsonl")
    shutil.copy("cities_b.jsonl", folder / "rows" / "lang=de" / "b.jsonl")
    return ["cities.yaml", "rows"]


def in_parts(folder: Path) -> list[str]:
    pytest.importorskip("pyarrow")
    return ["cities.yaml", "cities_*.jsonl", "--parts", "kept", "--scores", "parquet"]


RUNS: dict[str, Callable[[Path], list[str]]] = {
    "rows": lambda _: ["invoices.yaml", "answers.jsonl", "--limit", "4", "--seed", "3"],
    "an imported pack": lambda _: ["own.yaml", "colours.jsonl"],
    "references apart, as Parquet": lambda _: [
        *("capitals.yaml", "predictions.csv", "--references", "references.jsonl", "--scores", "parquet")
    ],
    "a pattern": pattern,
    "a folder of rows": folder_of_rows,
    "parts": in_parts,
    "parts scored one by one": parts_of_their_own,
    "a suite": lambda _: ["suite/suite.yaml", "suite/predictions.jsonl"],
    "a suite over a folder": suite_of_a_folder,
    "a suite of results": lambda _: ["suite/leaderboard.yaml"],
    "tasks without a suite": lambda _: ["suite/tasks", "suite/predictions.jsonl"],
    "images that the spec names": lambda _: ["images/task.yaml", "--html"],
    "images that are given": lambda _: [
        *("images/task.yaml", "images/results.json", "--references", "images/instances.json")
    ],
    "label maps": label_maps,
}


def score(desk: Path, kind: str) -> None:
    if kind == "an imported pack":
        house = "kind: pack\nname: house\nversion: 1.0.0\nscorers: {close: lower | levenshtein}\n"
        (desk / "house_own.yaml").write_text(house)
        (desk / "own.yaml").write_text(
            "kind: task\nname: colours\nversion: 1.0.0\nimports: {house: ./house_own.yaml}\nscore: house.close\n"
        )
        (desk / "colours.jsonl").write_text('{"id": 1, "response": "Red", "reference": "red"}\n')
    given = RUNS[kind](desk)
    assert not given or main(["score", *given, "-o", "run"]) == 0


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_is_verified_where_none_of_its_files_is(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    score(desk, kind)
    assert main(["bundle", "run", "-o", str(tmp_path / "x.zip")]) == 0
    assert main(["bundle", "run", "-o", str(tmp_path / "again.zip")]) == 0
    assert (tmp_path / "x.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    written = {path.name: path.read_bytes() for path in (desk / "run").rglob("*") if path.is_file()}
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(desk)
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert all(str(tmp_path).encode() not in archive.read(name) for name in archive.namelist())
    capsys.readouterr()
    assert main(["verify", "x.zip", "--processes", "2"]) == 0
    assert "verified" in capsys.readouterr().out
    assert main(["verify", "x.zip", "-o", "once more"]) == 0
    again = {path.name: path.read_bytes() for path in (tmp_path / "once more").rglob("*") if path.is_file()}
    manifests = [json.loads(held.pop("manifest.json")) for held in (written, again)]
    assert [one["settings"] for one in manifests[:1]] == [one["settings"] for one in manifests[1:]]
    if kind not in ("parts", "images that the spec names"):  # whose Parquet is one file now, and whose page is not made
        assert again == written


def test_a_newcomer_verifies_with_another_home_and_folder(desk: Path, tmp_path: Path) -> None:
    score(desk, "rows")
    assert main(["bundle", "run"]) == 0
    elsewhere = tmp_path / "newcomer" / "home"
    elsewhere.mkdir(parents=True)
    shutil.move(desk / "run.zip", elsewhere.parent / "theirs.zip")
    shutil.rmtree(desk)
    command = [sys.executable, "-m", "scoring", "verify", "../theirs.zip"]
    env = {"HOME": str(elsewhere), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, cwd=elsewhere, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "verified: 4 records and every figure came out again\nnot signed\n"), (
        done.stderr
    )


def test_what_came_through_a_pipe_is_given_as_a_file(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = Path("cities_a.jsonl").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    scoring.evaluate("cities.yaml", "-", output="run")
    with pytest.raises(scoring.InputError, match="came through a pipe and were not kept; say where they are with"):
        scoring.runs.bundle("run")
    Path("kept.txt").write_bytes(content)
    assert scoring.runs.verify("run", data="kept.txt").same
    assert scoring.runs.verify("run", data="cities_b.jsonl").changed == [
        "cities_b.jsonl, given for - (records) is not the file that was scored"
    ]
    made = scoring.runs.bundle("run", data="kept.txt")
    assert made.data["left_out"] == []
    Path("kept.txt").unlink()
    assert scoring.runs.verify("run.zip").same


def test_what_was_in_memory_is_bundled_once_it_was_seen_to_come_out_again(desk: Path) -> None:
    records = [json.loads(line) for line in Path("cities_a.jsonl").read_text().splitlines()]
    scoring.evaluate("cities.yaml", records, output="run")
    assert scoring.runs.verify("run", data="cities_a.jsonl").same
    with pytest.raises(scoring.InputError, match="run does not come out again"):
        scoring.runs.bundle("run", data="cities_b.jsonl")
    scoring.runs.bundle("run", data="cities_a.jsonl")
    assert scoring.runs.verify("run.zip").same


def test_a_spec_that_was_given_as_data_is_repeated_from_the_manifest(desk: Path) -> None:
    spec = {"kind": "task", "name": "t", "record": {"response": "answer", "reference": "gold"}, "score": "equal"}
    scoring.evaluate(spec, "cities_a.jsonl", output="run")
    assert scoring.runs.verify("run").same
    scoring.runs.bundle("run")
    assert scoring.runs.verify("run.zip").same


def test_without_data_a_bundle_has_their_digests(desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    score(desk, "references apart, as Parquet")
    made = scoring.runs.bundle("run", tmp_path / "x.zip", with_data=False)
    assert [one["name"] for one in made.data["left_out"]] == ["predictions.csv", "references.jsonl"]
    assert not any("predictions.csv" in name for name in made.data["members"])
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    bundle = tmp_path / "x.zip"
    assert scoring.runs.verify(bundle).changed == [
        "predictions.csv (predictions) is gone",
        "references.jsonl (references) is gone",
    ]
    assert scoring.runs.verify(bundle, root=desk).same
    assert scoring.runs.verify(bundle, data=desk / "predictions.csv", references=desk / "references.jsonl").same
    swapped = scoring.runs.verify(bundle, data=desk / "references.jsonl", references=desk / "references.jsonl")
    assert "is not the file that was scored" in swapped.changed[0]


def test_a_judged_run_is_verified_from_the_replies_that_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec, data = (str(path.relative_to(tmp_path)) for path in write_files(tmp_path, 10))
    monkeypatch.setenv("SCORING_JUDGE_KEY", "secret")
    with JudgeServer() as server:
        judge = scoring.judges.JudgeOptions(url=server.url, model="m", cache="calls.sqlite")
        scoring.evaluate(spec, data, output="run", judge=judge, limit=6)
        scoring.evaluate(spec, data, output="more", judge=judge)
    scoring.runs.bundle("run", "x.zip")
    with zipfile.ZipFile("x.zip") as archive:
        calls = archive.read("judge.jsonl").splitlines()
    assert len(calls) == 4, "of the ten in the cache"
    Path("calls.sqlite").unlink()
    with pytest.raises(scoring.InputError, match="the replies of the run's judge are not here"):
        scoring.runs.bundle("run", "y.zip")
    assert scoring.runs.verify("x.zip").same


def test_files_are_looked_for_where_they_are_said_to_be(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("images that the spec names", "a suite over a folder", "references apart, as Parquet"):
        score(desk, kind)
        (tmp_path / "else").mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / "else")
        assert scoring.runs.verify(desk / "run").changed
        assert scoring.runs.verify(desk / "run", root=desk).same, kind
        assert scoring.runs.verify(desk / "run", root="../desk", processes=2).same, kind
        shutil.rmtree(desk / "run")
        monkeypatch.chdir(desk)
    score(desk, "images that the spec names")
    shutil.copytree("images", tmp_path / "moved")
    monkeypatch.chdir(tmp_path / "else")
    results, truth = "../moved/results.json", "../moved/instances.json"
    assert scoring.runs.verify(desk / "run", data=results, references=truth).same
    with pytest.raises(scoring.InputError, match="--root nowhere is no folder"):
        scoring.runs.verify(desk / "run", root="nowhere")
    monkeypatch.chdir(desk)
    assert main(["score", "suite/leaderboard.yaml", "-o", "board"]) == 0
    with pytest.raises(scoring.InputError, match="was scored without data of a file; leave out --data"):
        scoring.runs.verify("board", data="answers.jsonl")


@pytest.mark.parametrize(
    "after",
    [
        "version: 1.0.0\nscorers: {near: levenshtein | at_least(0.99)}",
        "version: 1.1.0\nscorers: {near: levenshtein | at_least(0.99)}",
        "version: 1.0.0\ndoc: New.\nscorers: {near: levenshtein | at_least(0.8)}",
        "",
    ],
)
def test_a_pack_that_is_another_one_now_or_gone_is_bundled_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    monkeypatch.chdir(tmp_path)
    head, before = "kind: pack\nname: close\n", "version: 1.0.0\nscorers: {near: levenshtein | at_least(0.8)}"
    Path("close.yaml").write_text(head + before)
    Path("t.yaml").write_text("kind: task\nname: t\nimports: {close: ./close.yaml}\nscore: close.near\n")
    Path("d.jsonl").write_text('{"response": "abcdefgh1", "reference": "abcdefgh2"}\n')
    assert main(["score", "t.yaml", "d.jsonl", "-o", "run"]) == 0
    Path("close.yaml").write_text(head + after) if after else Path("close.yaml").unlink()
    Path("t.yaml").unlink()
    assert main(["verify", "run"]) == 0
    assert main(["bundle", "run"]) == 0
    assert main(["verify", "run.zip"]) == 0
    assert main(["verify", "run", "-o", "again"]) == 0
    assert Path("again/scores.jsonl").read_bytes() == Path("run/scores.jsonl").read_bytes()


def test_a_bundle_is_not_written_over_and_is_made_of_folders_alone(desk: Path) -> None:
    score(desk, "rows")
    scoring.runs.bundle("run")
    with pytest.raises(scoring.InputError, match="is there already; choose another name or add --force"):
        scoring.runs.bundle("run")
    scoring.runs.bundle("run", force=True)
    with pytest.raises(scoring.InputError, match="a bundle is made of a run's folder"):
        scoring.runs.bundle("run.zip", "x.zip")
    Path("answers.jsonl").write_text("{}\n")
    with pytest.raises(scoring.InputError, match="is not the file that was scored"):
        scoring.runs.bundle("run", "x.zip")
    assert not Path("x.zip").exists()


Zip = Callable[[zipfile.ZipFile, dict[str, bytes]], None]


def _of(members: dict[str, bytes], **more: bytes) -> dict[str, bytes]:
    return {**members, **more}


def rewritten(source: Path, change: Callable[[dict[str, bytes]], list[tuple[Any, bytes]]]) -> Path:
    """A bundle with other members than it was made with."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    target = source.with_name("hostile.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in change(members):
            archive.writestr(name, content)
    return target


def stated(members: dict[str, bytes], name: str, content: bytes) -> list[tuple[Any, bytes]]:
    """The members with one more, which `bundle.json` states."""
    import hashlib

    head = json.loads(members["bundle.json"])
    head["members"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return [*{**members, "bundle.json": json.dumps(head).encode()}.items(), (name, content)]


def symlink(members: dict[str, bytes]) -> list[tuple[Any, bytes]]:
    found = stated(members, "data/link", b"/etc/passwd")
    info = zipfile.ZipInfo("data/link")
    info.external_attr, info.create_system = 0o120777 << 16, 3
    return [*found[:-1], (info, b"/etc/passwd")]


def changed_head(held: dict[str, bytes], **more: Any) -> list[tuple[Any, bytes]]:
    head = {**json.loads(held["bundle.json"]), **more}
    return [*{**held, "bundle.json": json.dumps(head).encode()}.items()]


HOSTILE: dict[str, tuple[Callable[[dict[str, bytes]], list[tuple[Any, bytes]]], str]] = {
    "a path that climbs": (lambda m: stated(m, "../../evil", b"x"), "could lead elsewhere"),
    "a path that climbs within": (lambda m: stated(m, "data/../../evil", b"x"), "could lead elsewhere"),
    "an absolute path": (lambda m: stated(m, "/tmp/evil", b"x"), "could lead elsewhere"),
    "a path of Windows": (lambda m: stated(m, "C:\\evil", b"x"), "could lead elsewhere"),
    "an empty part": (lambda m: stated(m, "data//x", b"x"), "could lead elsewhere"),
    "a dot": (lambda m: stated(m, "data/./x", b"x"), "could lead elsewhere"),
    "a long name": (lambda m: stated(m, "data/" + "a/" * 600 + "x", b"x"), "could lead elsewhere"),
    "a line break in a name": (lambda m: stated(m, "data/a\nb", b"x"), "could lead elsewhere"),
    "a folder": (lambda m: [*m.items(), ("data/empty/", b"")], "could lead elsewhere"),
    "a symlink": (symlink, "is not a plain file"),
    "one name twice": (lambda m: [*m.items(), ("run/summary.json", b"{}")], "two members are called 'run/s"),
    "a file below a file": (lambda m: stated(m, "run/summary.json/x", b"x"), "it can't be unpacked"),
    "a member that is not stated": (lambda m: [*m.items(), ("more", b"x")], "bundle.json and the member 'more' do not"),
    "a member that is missing": (lambda m: [p for p in m.items() if p[0] != "run/summary.json"], "do not agree"),
    "an edited member": (
        lambda m: [*_of(m, **{"run/summary.json": m["run/summary.json"][::-1]}).items()],
        "is not what was packed",
    ),
    "no head": (lambda m: [p for p in m.items() if p[0] != "bundle.json"], "it has no bundle.json"),
    "a head that is not JSON": (lambda m: [*_of(m, **{"bundle.json": b"["}).items()], "its bundle.json is not JSON"),
    "a deep head": (lambda m: [*_of(m, **{"bundle.json": b"[" * 100_000}).items()], "nested deeper than|not JSON"),
    "a head of another format": (
        lambda m: changed_head(m, scoring_run_bundle=9),
        "its format is 9; this version reads 1",
    ),
    "no members": (lambda m: changed_head(m, members=None), "does not say which members"),
    "members that are odd": (lambda m: changed_head(m, members={"a": 1}), "does not say which members"),
    "data elsewhere": (lambda m: changed_head(m, given={"data": "/etc/passwd"}), "/etc/passwd is not in it"),
    "data that climb": (lambda m: changed_head(m, given={"data": "../x"}), "../x is not in it"),
    "moved by a list": (lambda m: changed_head(m, moved=["x"]), "is not in order: "),
    "data that are an object": (
        lambda m: changed_head(m, given={"data": {}}),
        "is not in order: a key is missing or of another kind",
    ),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_bundle_is_refused_in_one_line(
    desk: Path, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    score(desk, "rows")
    scoring.runs.bundle("run", tmp_path / "x.zip")
    change, message = HOSTILE[what]
    hostile = rewritten(tmp_path / "x.zip", change)
    before = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    with pytest.raises(scoring.InputError, match=message):
        scoring.runs.verify(hostile)
    assert main(["verify", str(hostile)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "this is a bug" not in said
    assert sorted(tmp_path.rglob("*")) == before


def test_bombs_are_refused_before_they_are_unpacked(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(desk, "rows")
    scoring.runs.bundle("run", tmp_path / "x.zip")
    monkeypatch.setattr(bundles, "SMALL", 1 << 20)
    bomb = rewritten(tmp_path / "x.zip", lambda m: stated(m, "data/zeros", bytes(2 << 20)))
    with pytest.raises(scoring.InputError, match="would unpack to 2,"):
        scoring.runs.verify(bomb)
    # One whose index says less than it holds is cut where it said that it ends.
    content = bomb.read_bytes()
    size = struct.pack("<I", 2 << 20)
    assert content.count(size) == 2
    bomb.write_bytes(content.replace(size, struct.pack("<I", 1000)))
    with pytest.raises(scoring.InputError, match="is not a bundle of a run"):
        scoring.runs.verify(bomb)
    # A member that is compressed itself is measured as it would be read, whoever reads it, and several together.
    for packed in (gzip.compress(bytes(2 << 20)), pyarrow.compress(bytes(2 << 20), "zstd", asbytes=True)):
        inner = rewritten(tmp_path / "x.zip", partial(stated, name="data/0/zeros", content=packed))
        with pytest.raises(scoring.InputError, match="'data/0/zeros' is compressed, and would unpack to more than 1,"):
            scoring.runs.verify(inner)
    half = gzip.compress(bytes(600_000))
    both = rewritten(tmp_path / "x.zip", lambda m: stated(dict(stated(m, "data/0/a", half)), "data/0/b", half))
    with pytest.raises(scoring.InputError, match="'data/0/b' is compressed"):
        scoring.runs.verify(both)
    monkeypatch.setattr(bundles, "MAX_MEMBERS", 3)
    with pytest.raises(scoring.InputError, match="it has 6 members; the limit is 3"):
        scoring.runs.verify(tmp_path / "x.zip")


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"{}", b"PK\x05\x06" + bytes(18), b"PK\x05\x06" + b"\xff" * 18, bytes(70_000)]
)
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(scoring.InputError, match="is not a bundle of a run"):
        scoring.runs.verify(tmp_path / "x.zip")


def test_no_byte_of_a_bundle_can_be_changed_unseen(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score(desk, "rows")
    scoring.runs.bundle("run", tmp_path / "x.zip")
    capsys.readouterr()
    content = (tmp_path / "x.zip").read_bytes()
    for place in range(0, len(content), 97):
        changed = bytearray(content)
        changed[place] ^= 0x20
        (tmp_path / "y.zip").write_bytes(changed)
        # What it says nothing with may change: a date, the mark of a system.
        assert main(["verify", str(tmp_path / "y.zip")]) in (0, 2)
        said = capsys.readouterr()
        assert "is not a bundle of a run" in said.err or said.out.startswith("verified: 4 records")


@pytest.mark.parametrize(
    "name", ["/dev/zero", "../desk/answers.jsonl", "https://example.invalid/x.jsonl", "memory://x"]
)
def test_a_bundle_makes_nobody_read_what_lies_elsewhere(desk: Path, tmp_path: Path, name: str) -> None:
    score(desk, "rows")
    path = desk / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["inputs"][1]["name"] = manifest["settings"]["data"] = name
    path.write_text(dumps_pretty(sealed(manifest)))
    scoring.runs.bundle("run", "x.zip", with_data=False, data="answers.jsonl")
    (line,) = scoring.runs.verify("x.zip").changed
    assert "is gone" in line
    assert scoring.runs.verify("x.zip", data="answers.jsonl").data["signature"] is None


def test_a_hostile_run_folder_is_one_line(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(desk, "rows")
    for name in ("manifest.json", "summary.json", "scores.jsonl", "texts.json"):
        content = (desk / "run" / name).read_bytes()
        for odd in (b"[" * 100_000, b'{"a":' * 900 + b"1" + b"}" * 900, b"1" * 5_000, b"\xff", b"null"):
            (desk / "run" / name).write_bytes(odd)
            capsys.readouterr()
            for command in (["verify", "run"], ["compare", "run", "run"], ["bundle", "run", "-o", "y.zip"]):
                assert main(command) in (1, 2), (name, odd[:9])
                assert "this is a bug" not in capsys.readouterr().err, (name, odd[:9])
        (desk / "run" / name).write_bytes(content)
    os.mkfifo(desk / "run" / "pipe")
    assert main(["verify", "run"]) == 2
    assert "pipe is not a plain file" in capsys.readouterr().err
    (desk / "run" / "pipe").unlink()
    path = desk / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["inputs"][1]["name"] = "/dev/zero"
    path.write_text(dumps_pretty(sealed(manifest)))
    assert scoring.runs.verify("run").changed == ["/dev/zero (records) is gone"]


def test_a_run_at_an_address_is_bundled(desk: Path, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.pipe_file("/desk/cities.jsonl", Path("cities_a.jsonl").read_bytes())
    scoring.evaluate("cities.yaml", "memory://desk/cities.jsonl", output="memory://desk/run")
    made = scoring.runs.bundle("memory://desk/run", tmp_path / "x.zip")
    store.rm("/desk", recursive=True)
    assert made.data["left_out"] == []
    assert scoring.runs.verify(tmp_path / "x.zip").same
    store.pipe_file("/desk/x.zip", (tmp_path / "x.zip").read_bytes())
    assert scoring.runs.verify("memory://desk/x.zip").same
    store.rm("/desk", recursive=True)


@pytest.mark.parametrize("value", ["x", 7, 1.5, ["a"], [7], {"a": 1}], ids=str)
def test_odd_values_in_a_manifest_are_one_line(desk: Path, value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    score(desk, "rows")
    path = desk / "run" / "manifest.json"
    text = path.read_text()
    places: list[tuple[Any, ...]] = [("settings", name) for name in (*json.loads(text)["settings"], "judge", "state")]
    places += [("digests",), ("digests", "packs"), ("spec",), ("spec", "primitives"), ("inputs", 1, "read"), ("task",)]
    places += [("spec", "packs"), ("task", "name"), ("task", "version")]
    for place in places:
        manifest = inner = json.loads(text)
        for name in place[:-1]:
            inner = inner[name]
        inner[place[-1]] = value
        path.write_text(dumps_pretty(sealed(manifest)))
        for command in (["verify", "run"], ["compare", "run", "run"], ["bundle", "run", "-o", "y.zip", "--force"]):
            assert main(command) in (0, 1, 2), (place, value)
            assert "this is a bug" not in capsys.readouterr().err, (place, value)


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("records", "count", 3),
        ("records", "sha256", "0" * 64),
        ("settings", "references", "gold.jsonl"),
        ("settings", "input_format", "csv"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_seen_whatever_its_seal(
    desk: Path, part: str, key: str, value: Any
) -> None:
    score(desk, "rows")
    path = desk / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest[part][key] != value
    manifest[part][key] = value
    path.write_text(dumps_pretty(sealed(manifest)))
    assert not scoring.runs.verify("run").same


def test_what_takes_folders_says_how_a_bundle_becomes_one(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(desk, "rows")
    scoring.runs.bundle("run", "x.zip")
    assert main(["compare", "x.zip", "run"]) == 2
    assert "`scoring verify x.zip -o FOLDER` makes one" in capsys.readouterr().err
    assert main(["verify", "x.zip", "-o", "run"]) == 2
    # It replaces no run, so it must not advise an option that it does not have.
    assert capsys.readouterr().err == "scoring: run is not empty; choose another folder\n"
