"""A task over a data set travels with the labels of its file."""

from __future__ import annotations

from pathlib import Path

import scoring


def test_labels_of_a_file_travel(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("cat\ndog\n")
    (tmp_path / "task.yaml").write_text(
        "kind: task\nname: t\nrecords: classification\nlabels: labels.txt\nmetrics: [label_roc_auc]\n"
    )
    task = scoring.load(tmp_path / "task.yaml")
    data = task.to_bytes()
    (tmp_path / "labels.txt").unlink()
    found = scoring.Task.from_bytes(data)
    assert found.signature == task.signature
    assert found.spec.labels == ("cat", "dog")
