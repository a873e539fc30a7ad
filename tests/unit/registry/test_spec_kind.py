"""A kind of file that another package provides is loaded, checked and refused as our own are."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.engine.features import unsupported_reason
from scoring.format.definitions import SpecFile
from scoring.format.forms import PATH, list_of
from scoring.format.keys import key
from scoring.format.model import class_of, file_kind_of
from scoring.plugin import SpecKind
from scoring.registry import plugins

SPEC = {"kind": "league", "name": "l", "version": "1.0.0", "clubs": ["a.yaml"]}


class LeagueSpec(SpecFile, frozen=True, kw_only=True):
    """Clubs that play against each other."""

    clubs: tuple[str, ...] = key(list_of(PATH), "The files of the clubs.", moves="compiled", required=True)
    by: tuple[str, ...] = key(list_of(PATH), "Attributes of the breakdowns.", moves="nothing", default=())


def _check(loaded: Any, dialect: str | None) -> tuple[Diagnostic, ...]:
    at = loaded.spec.spans["clubs"]
    return tuple(diagnostic("warning", "unused-import", f"nobody plays {club}", at) for club in loaded.spec.clubs)


def _nothing(*given: Any) -> Any:
    raise scoring.InputError("no ball")


LEAGUE = SpecKind(
    LeagueSpec, _check, _nothing, _nothing, _nothing, _nothing, _nothing, {"--limit": "leagues are whole"}
)


@pytest.fixture(autouse=True)
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package provides `kind: league`."""
    entry = plugins.PlugIn("league", f"{__name__}:LEAGUE", "sports", "1.0")
    monkeypatch.setattr(plugins, "_scanned", cache(lambda path: {"scoring.kinds": (entry,)}))
    monkeypatch.chdir(tmp_path)


def written(**more: Any) -> str:
    Path("league.yaml").write_text(json.dumps({**SPEC, **more}))
    return "league.yaml"


def test_its_keys_are_those_of_its_class() -> None:
    assert class_of("league") is LeagueSpec
    assert file_kind_of(LeagueSpec(kind="league", name="l", clubs=())) == "league"
    assert [(one.id, one.message) for one in scoring.check(written()).findings] == [
        ("unused-import", "nobody plays a.yaml")
    ]
    found = scoring.check(written(club=["b.yaml"])).findings
    assert [(one.id, one.message) for one in found] == [("unknown-key", "unknown key `club`")]


def test_its_compiler_and_its_refusals_are_asked() -> None:
    with pytest.raises(scoring.InputError, match="no ball"):
        scoring.evaluate(written(), [])
    with pytest.raises(scoring.SpecError, match="this is a league, not a task"):
        scoring.load(written())
    assert unsupported_reason("--limit", "league") == "leagues are whole"
    assert unsupported_reason("--seed", "league") is None
