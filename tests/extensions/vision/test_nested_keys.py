"""Keys of another kind of data set are refused."""

from __future__ import annotations

from pathlib import Path

from scoring.api import check_file


def test_a_nested_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    metrics = "imports: {valor: valor@1}\nmetrics: [valor.roc_auc]\n"
    path.write_text(f"kind: task\nname: a\nrecords: classification\nsettings: {{geometry: box}}\n{metrics}")
    assert [str(one.message) for one in check_file(path)] == [
        "`settings.geometry` is not for a task with `records: classification`"
    ]
