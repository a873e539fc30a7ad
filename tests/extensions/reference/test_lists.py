"""Lists of what there is, as tables."""

from __future__ import annotations

import pytest

import scoring
from scoring.registry import plugins


def test_what_there_is_is_a_table() -> None:
    pytest.importorskip("pandas")
    found = scoring.specs.listing("packs")
    assert next(iter(found.to_pandas()["name"])) == "anls"
    assert "<table" in found._repr_html_()
    assert repr(found) == f"<Listing: {len(found.data)} packs>"
    with pytest.raises(scoring.InputError, match="there is no pack, kind, topic or family `nothing`"):
        scoring.specs.listing("nothing")


def test_the_packs_of_a_project_are_held_against_their_sources_by_another_extension(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(plugins.PLUG_INS["scoring.services"], "pack-states")
    told = "^--outdated needs an extension that provides `pack-states`, and none is installed$"
    with pytest.raises(scoring.InputError, match=told):
        scoring.specs.listing("packs", outdated=True)
