"""What a pack may require: distributions with ranges; a pack of an address that takes a shipped name says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.extensions.sharing.project.world import written

PACK = "kind: pack\nname: {}\nversion: 1.0.0\nrequires: {}\nscorers: {{same: equal}}\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(written(tmp_path / "desk" / "t.txt", "").parent)
    return tmp_path


@pytest.mark.parametrize(
    "required",
    [
        "-r /etc/passwd", "--index-url=http://evil.example", "x @ file:///etc", "git+https://e.org/x", "./x", "/etc/x",
        "numpy[all]", "numpy; python_version>'3'", "numpy>=1 --hash=a", "numpy==1.*.*", "", "numpy 1",
    ],
)  # fmt: skip
def test_what_is_no_plain_requirement_is_refused_when_a_pack_is_added(
    desk: Path, capsys: pytest.CaptureFixture[str], required: str
) -> None:
    written(desk / "p" / "pack.yaml", PACK.format("close", f'["{required}"]'))
    assert main(["add", "../p"]) == 2
    assert "is not a plain requirement; write a distribution with its version range" in capsys.readouterr().err
    assert not Path("scoring.toml").exists()


def test_a_plain_requirement_is_taken(desk: Path) -> None:
    written(desk / "p" / "pack.yaml", PACK.format("close", "[numpy, 'packaging>=20, <1000']"))
    assert main(["add", "../p"]) == 0


def test_a_pack_that_takes_the_name_of_a_shipped_one_says_so(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(desk / "p" / "pack.yaml", PACK.format("megabench", "[]"))
    assert main(["add", "../p"]) == 0
    assert "`megabench` from folder ../p replaces the shipped or installed pack of that name" in capsys.readouterr().err
    assert main(["lock"]) == 0
    assert "in place of" not in "".join(capsys.readouterr())


def test_a_pack_of_another_name_says_nothing(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(desk / "p" / "pack.yaml", PACK.format("close", "[]"))
    assert main(["add", "../p", "--as", "megabenchen"]) == 0
    assert "in place of" not in "".join(capsys.readouterr())
