"""Runs and bundles: signed by their author, and no changed byte of them passes for it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.cli.main import main
from scoring.extensions.sharing.verbs.signing import statement
from tests.extensions.sharing.signing.keys import key_file, public_key, trust_file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A signed run, a bundle of it that is signed by another, and the same unsigned."""
    home = tmp_path_factory.mktemp("signed")
    spec = {"kind": "task", "name": "acme/answers", "version": "1.2.0", "score": "equal"}
    (home / "task.json").write_text(json.dumps(spec))
    rows = ({"id": n, "response": str(n), "reference": str(n % 3)} for n in range(5))
    (home / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        scoring.evaluate("task.json", "data.jsonl", output="run")
        scoring.evaluate("task.json", "data.jsonl", output="plain", limit=4)
        key_file(home / "key")
        key_file(home / "other", 1)
        scoring.packs.sign("run", key="key")
        scoring.runs.bundle("run", "run.zip")
        scoring.runs.bundle("plain", "plain.zip")
        scoring.packs.sign("plain.zip", key="other")
        trust_file(home / "trust.toml", 0)
        (home / "allowed").write_text(f"# authors\nann,team {public_key().text} a comment\n")
        yield home


def test_whose_a_run_is_stands_in_the_answer(folder: Path) -> None:
    found = scoring.runs.verify("run", trust="trust.toml")
    assert found.passed
    assert found.signed["author"] == "author-0"
    assert f"signed by author-0 ({public_key().fingerprint})" in found.text()
    assert scoring.runs.verify("run", trust="allowed").signed["author"] == "ann, team"


def test_a_bundle_carries_the_signature_of_its_run(folder: Path) -> None:
    found = scoring.runs.verify("run.zip", trust="trust.toml")
    assert (found.passed, found.signed["kind"], found.signed["author"]) == (True, "run", "author-0")


def test_a_bundle_has_a_signature_of_its_own_beside_it(folder: Path) -> None:
    found = scoring.runs.verify("plain.zip")
    assert (found.passed, found.signed["kind"], found.signed["state"]) == (True, "bundle", "unknown")
    assert not scoring.runs.verify("plain.zip", trust="trust.toml").passed


@pytest.mark.parametrize(
    ("run", "options", "code", "says"),
    [
        ("run", [], 0, "signed by a key you don't know"),
        ("run", ["--trust", "trust.toml"], 0, "signed by author-0"),
        ("plain", [], 0, "not signed"),
        ("plain", ["--trust", "trust.toml"], 1, "not signed"),
        ("plain.zip", ["--trust", "trust.toml"], 1, "signed by a key you don't know"),
        ("run", ["--trust", "gone.toml"], 2, "can't read gone.toml"),
    ],
)
def test_exit_codes(
    folder: Path, capsys: pytest.CaptureFixture[str], run: str, options: list[str], code: int, says: str
) -> None:
    assert main(["verify", run, *options]) == code
    said = capsys.readouterr()
    assert says in said.out + said.err


def test_a_signature_is_replayed_onto_nothing(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "plain", tmp_path / "plain")
    shutil.copy(folder / "run" / "manifest.json.sig", tmp_path / "plain" / "manifest.json.sig")
    found = scoring.runs.verify(tmp_path / "plain")
    assert (found.same, found.passed, found.signed["state"]) == (True, False, "broken")
    shutil.copy(folder / "plain.zip", tmp_path / "copied.zip")
    shutil.copy(folder / "run" / "manifest.json.sig", tmp_path / "copied.zip.sig")
    found = scoring.packs.signed_by(tmp_path / "copied.zip", trust=folder / "trust.toml")
    assert (found.state, found.why) == ("broken", "it is for `scoring-run`, not for `scoring-bundle`")


def test_a_run_that_was_changed_is_not_signed_again(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "plain", tmp_path / "run")
    with (tmp_path / "run" / "summary.json").open("a") as file:
        file.write("\n")
    with pytest.raises(scoring.InputError, match="not as it was written"):
        scoring.packs.sign(tmp_path / "run", key=folder / "key")


def test_a_run_that_is_scored_again_loses_the_signature_of_the_older_one(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "run", tmp_path / "run")
    scoring.evaluate("task.json", "data.jsonl", output=tmp_path / "run", force=True)
    assert scoring.packs.signed_by(tmp_path / "run").state == "none"


@pytest.mark.property
@given(data=st.data())
def test_no_changed_byte_of_a_signed_run_passes(folder: Path, data: st.DataObject) -> None:
    held = sorted(path for path in (folder / "run").iterdir() if path.suffix != ".sig")
    path = data.draw(st.sampled_from(held))
    content = path.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    by = data.draw(st.integers(1, 255))
    try:
        path.write_bytes(content[:at] + bytes([(content[at] + by) % 256]) + content[at + 1 :])
        assert _refused("run", folder)
    finally:
        path.write_bytes(content)


@pytest.mark.property
@given(at=st.integers(0), by=st.integers(1, 255))
def test_no_changed_byte_of_a_signed_bundle_passes(folder: Path, at: int, by: int) -> None:
    content = bytearray((folder / "plain.zip").read_bytes())
    content[at % len(content)] = (content[at % len(content)] + by) % 256
    (folder / "changed.zip").write_bytes(content)
    shutil.copy(folder / "plain.zip.sig", folder / "changed.zip.sig")
    assert _refused("changed.zip", folder)


def _refused(run: str, folder: Path) -> bool:
    try:
        return scoring.packs.signed_by(folder / run, trust=folder / "trust.toml").state == "broken"
    except scoring.InputError as error:
        return "\n" not in str(error)


def test_the_words_are_those_that_ssh_keygen_is_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sign", "run", "--statement"]) == 0
    said = capsys.readouterr().out
    assert said == statement("run")
    assert said.startswith("scoring statement 1\nkind: run\nname: acme/answers\nversion: 1.2.0\nsha256: ")


def test_what_can_be_signed_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("no bundle")
    for target, why in (
        (tmp_path, "holds no finished run"),
        (tmp_path / "gone", "can't read"),
        (tmp_path / "text.txt", "is not a bundle"),
        ("s3://bucket/run.zip", "is an address"),
    ):
        with pytest.raises(scoring.InputError, match=why):
            scoring.packs.sign(target, key=folder / "key")
