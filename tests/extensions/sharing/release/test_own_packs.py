"""Our own packs are held to what we ask of others."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.extensions.sharing.release.checks import incomplete
from scoring.extensions.sharing.release.versions import Definitions, Edition
from scoring.format.load import Loader
from scoring.format.locate import bundled_packs
from scoring.format.model import Pack

PACKS = [path for paths in bundled_packs().values() for path in paths]


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.parent.name)
def test_a_stranger_has_to_guess_nothing_of_it(path: Path) -> None:
    loader = Loader()
    loaded = loader.file(path)
    assert isinstance(loaded.spec, Pack)
    assert [str(one) for one in incomplete(loaded.spec, Definitions(Edition(loaded, loader)))] == []


def test_one_of_them_could_be_released() -> None:
    (path,) = bundled_packs()["anls"]
    found = scoring.packs.release(path, dry_run=True)
    assert (found.passed, found.findings) == (True, ())
