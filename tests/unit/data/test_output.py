"""Files are written where one looked, whole or not at all, and for those who may read them."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import scoring
from scoring.data import output, plain_files
from scoring.data.folders import matched, walked
from scoring.data.output import OpenFolder, write_file, write_whole
from scoring.engine.runs.folder import RunFolder
from scoring.errors import InputError

pytestmark = pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="this system holds no folders open")

SPEC = {"kind": "task", "name": "t", "score": "equal"}
ROWS = [{"id": 1, "response": "a", "reference": "a"}]


@pytest.fixture
def open_mask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def may_be_changed_by_all(folder: Path) -> list[Path]:
    """What everybody may change in a folder, at any depth."""
    return [path for path in folder.rglob("*") if path.stat().st_mode & stat.S_IWOTH]


@pytest.mark.usefixtures("open_mask")
def test_nothing_is_written_for_everybody_to_change_whatever_the_mask(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    (tmp_path / "data.jsonl").chmod(0o644)
    scoring.evaluate(SPEC, tmp_path / "data.jsonl", output=tmp_path / "run")
    assert may_be_changed_by_all(tmp_path) == []


def test_a_file_that_nobody_else_may_read_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text("kind: task\n")
    path.chmod(0o600)
    write_file(path, b"kind: pack\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_that_is_swapped_for_a_link_while_it_is_written_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    kept = tmp_path / "others" / "run.json"
    kept.write_text("somebody's own")
    with RunFolder(tmp_path / "run") as folder:
        folder.work.rename(tmp_path / "moved")
        folder.work.symlink_to(tmp_path / "others")
        folder.begin({"signature": "s"})
        folder.write_text("summary.json", "{}")
        folder.work.unlink()
        (tmp_path / "moved").rename(folder.work)
    assert os.listdir(tmp_path / "others") == ["run.json"]
    assert kept.read_text() == "somebody's own"
    assert (tmp_path / "run" / "summary.json").read_text() == "{}"


def test_a_link_that_is_put_in_place_between_the_look_and_the_write_is_replaced_and_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, path = tmp_path / "kept.txt", tmp_path / "new.txt"
    kept.write_text("somebody's own")
    looked = output.check_target

    def then_linked(target: Path) -> bool:
        found = looked(target)
        target.symlink_to(kept)
        return found

    monkeypatch.setattr(output, "check_target", then_linked)
    write_file(path, b"new")
    assert (kept.read_text(), path.read_text(), path.is_symlink()) == ("somebody's own", "new", False)


def test_a_device_that_becomes_a_file_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept.txt").write_text("somebody's own")
    monkeypatch.setattr(output, "check_target", lambda path: True)
    with pytest.raises(InputError, match="choose another name"):
        write_file(tmp_path / "kept.txt", b"new")
    assert (tmp_path / "kept.txt").read_text() == "somebody's own"


def test_temporary_names_are_no_two_times_the_same_and_leave_nothing(tmp_path: Path) -> None:
    names: set[str] = set()
    with OpenFolder(tmp_path) as folder:

        def write(file: BinaryIO) -> None:
            names.update(folder.names())
            file.write(b"a")

        for _ in range(3):
            write_whole(folder, "a.txt", write)
    assert len(names - {"a.txt"}) == 3
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a"])
def test_only_names_are_names_in_a_folder(tmp_path: Path, name: str) -> None:
    with OpenFolder(tmp_path) as folder, pytest.raises(OSError, match="Invalid argument"):
        folder.create(name)


def check_limit_on_size(tmp_path: Path, command: str) -> None:
    (tmp_path / "task.yaml").write_text("kind: task\nname: t\nscore: equal\n")
    (tmp_path / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "a"}\n' * 50)
    code = "import sys; from scoring.cli.main import main; sys.exit(main(sys.argv[1:]))"
    found = subprocess.run(
        [sys.executable, "-B", "-c", code, *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),  # no threads here
    )
    assert found.returncode == 2
    assert "file too large; raise the limit on the size of a file (`ulimit -f`)" in found.stderr
    assert found.stderr.count("\n") == 1
    assert not (tmp_path / "big.yaml").exists()


@pytest.mark.parametrize("command", ["score task.yaml data.jsonl -o run"])
def test_a_limit_on_the_size_of_files_is_told_with_the_next_step(tmp_path: Path, command: str) -> None:
    check_limit_on_size(tmp_path, command)


def test_a_walk_is_bounded_and_says_what_it_skipped(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    for number in range(20):
        (tmp_path / f"{number}.txt").touch()
    skipped: list[Any] = []
    assert len(list(walked(tmp_path, lambda path, why: skipped.append((path.name, why))))) == 20
    assert skipped == [("up", "it is a link to a folder, and links are not followed")]
    with pytest.raises(InputError, match="more than 10 files and folders are below"):
        list(walked(tmp_path, most=10))


def test_a_pattern_finds_what_the_shell_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import glob

    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.txt", "x/a.csv", "x/y/b.csv", "x/y/z/c.csv", ".h/a.csv", "x/.h/a.csv", "[a].csv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    relative = (
        "*.csv */*.csv **/*.csv x/**/*.csv ./*.csv x/* x/y*/b.csv [ab].csv ** */y/**/c.csv no/*.csv ?.csv .h/*.csv"
    )
    for pattern in (*relative.split(), f"{tmp_path}/**/*.csv"):
        found = [one for one in glob.glob(pattern, recursive=True) if Path(one).is_file()]
        assert matched(pattern) == sorted(found), pattern


def test_what_comes_through_a_pipe_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_files, "PATIENCE", 30.0)
    os.mkfifo(tmp_path / "data.jsonl")
    line = '{"id": 1, "response": "a", "reference": "a"}'
    code = f"import time; time.sleep(0.3); open('data.jsonl', 'w').write({line!r} + chr(10))"
    writer = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    try:
        assert scoring.evaluate(SPEC, tmp_path / "data.jsonl").metrics == {"mean": 1.0}
    finally:
        writer.wait(30)


@pytest.mark.parametrize("place", ["id", "response", "reference", "group"])
def test_a_number_of_5000_digits_ends_no_run(tmp_path: Path, place: str) -> None:
    row = {**ROWS[0], "group": "x", place: 10**5000}
    run = scoring.evaluate(SPEC, [row, {**ROWS[0], "id": 2, "group": "y"}], by="group", output=tmp_path / "run")
    assert run.text()
    assert len(run.summary["by"]["group"]) == 2
