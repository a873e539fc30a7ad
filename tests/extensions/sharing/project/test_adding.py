"""Packs are added one by one to a project whose specs import several that nobody has named yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.extensions.sharing.project.world import written

PACK = "kind: pack\nname: {name}\nversion: 1.0.0\nscorers: {{same: equal}}\n"
TASK = "kind: task\nname: t\nimports: {{p: p@1, q: q@1}}\nscore: any_of(p.same, q.same)\n".format()


def test_what_is_missing_beside_the_pack_that_is_added_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "pq":
        written(tmp_path / name / "pack.yaml", PACK.format(name=name))
    desk = written(tmp_path / "desk" / "t.yaml", TASK).parent
    written(desk / "d.jsonl", '{"response": "a", "reference": "a"}\n')
    monkeypatch.chdir(desk)
    assert main(["add", "../p"]) == 0
    shown = capsys.readouterr()
    assert "`p` 1.0.0 is added" in shown.out
    assert "t.yaml:3:22 imports `q`, which is not in the project yet: `scoring add ADDRESS` adds it" in shown.err
    assert main(["score", "t.yaml", "d.jsonl"]) == 1
    assert "no pack is called `q`" in "".join(capsys.readouterr())
    assert main(["lock"]) == 2
    assert "no pack `q` is shipped or installed" in capsys.readouterr().err
    assert main(["add", "../q"]) == 0
    assert "missing" not in "".join(capsys.readouterr())
    assert main(["score", "t.yaml", "d.jsonl"]) == 0
