"""Names of plug-ins in a suite are checked when its file is read."""

from __future__ import annotations

import pytest

import scoring
from scoring.format.build import build_spec
from scoring.format.read_yaml import read_yaml


def test_names_of_plug_ins_are_checked_when_the_file_is_read() -> None:
    text = "kind: suite\nname: a\ntasks: {path: ., dialect: megabnch}\nexport: [megabench, nowhere]\n"
    with pytest.raises(scoring.SpecError) as caught:
        build_spec(read_yaml(text))
    assert [(one.id, str(one.span).split(":", 1)[1]) for one in caught.value.diagnostics] == [
        ("unknown-value", "3:27"),
        ("unknown-value", "4:21"),
    ]
    assert caught.value.diagnostics[0].primary.text == "did you mean `megabench`?"
