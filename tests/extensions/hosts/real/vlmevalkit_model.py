"""Run VLMEvalKit's own `run.py` with data sets that are scored by specs: `python FILE FOLDER ARGUMENTS…`.

The folder has for each data set NAME the spec ``NAME.yaml``, the rows ``NAME.rows.json`` and the answers
``NAME.answers.json``; the model `answers` has its answer to each question there.
"""

from __future__ import annotations

import json
import runpy
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pandas
import vlmeval
from vlmeval import dataset
from vlmeval.config import supported_VLM
from vlmeval.dataset.text_base import TextBaseDataset
from vlmeval.vlm.base import BaseModel

from scoring.extensions.hosts.modules.vlmevalkit import evaluate_hook

FOLDER = Path()


class Rows(TextBaseDataset):  # type: ignore[misc]  # without the package it is Any
    """A data set whose rows are those of a file."""

    TYPE = "VQA"

    def load_data(self, dataset: str) -> Any:
        return pandas.DataFrame(json.loads((FOLDER / f"{dataset}.rows.json").read_text("utf-8")))


class Answers(BaseModel):  # type: ignore[misc]  # without the package it is Any
    """A model whose answers are those of a file for each data set."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def generate_inner(self, message: list[dict[str, str]], dataset: str | None = None) -> Any:
        answers = json.loads((self.folder / f"{dataset}.answers.json").read_text("utf-8"))
        return answers[message[-1]["value"]]


def main() -> None:
    global FOLDER
    FOLDER = Path(sys.argv.pop(1))
    names = [path.name.removesuffix(".rows.json") for path in sorted(FOLDER.glob("*.rows.json"))]
    for name in names:
        hook = evaluate_hook(FOLDER / f"{name}.yaml", references_as="json")
        setattr(dataset, name.capitalize(), type(name.capitalize(), (Rows,), {"evaluate": hook}))
    supported_VLM["answers"] = partial(Answers, FOLDER)
    configured = {name: {"class": name.capitalize(), "dataset": name} for name in names}
    command = Path(vlmeval.__file__).parents[1] / "run.py"
    sys.argv[1:1] = ["--data", *names, "--data-config", json.dumps(configured), "--model", "answers"]
    sys.argv[0] = str(command)
    runpy.run_path(str(command), run_name="__main__")


if __name__ == "__main__":
    main()
