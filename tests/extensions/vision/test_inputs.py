"""What a manifest says of a folder of images."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.vision.files import label_maps
from scoring.extensions.vision.files.map_files import read_npy


def test_a_folder_of_images_must_stay_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    for side in ("truth", "found"):
        (tmp_path / side).mkdir()
        for name in "ab":
            np.save(tmp_path / side / f"{name}.npy", np.eye(4, dtype=np.int64))
    spec = {
        "kind": "task", "name": "t", "version": "1.0.0", "records": "segmentation", "labels": ["x"],
        "imports": {"valor": "valor@1"}, "metrics": ["valor.segmentation"],
    }  # fmt: skip
    sides: dict[str, Any] = {"data": tmp_path / "found", "references": tmp_path / "truth"}
    run = scoring.evaluate(spec, **sides)
    assert {entry["kind"] for entry in run.inputs} == {"folder"}

    def late(stream: Any) -> Any:
        np.save(tmp_path / "found" / "b.npy", np.zeros((4, 4), dtype=np.int64))
        return read_npy(stream)

    monkeypatch.setattr(label_maps, "read_npy", late)
    with pytest.raises(scoring.InputError, match="found changed while it was scored; score it again"):
        scoring.evaluate(spec, **sides)
