"""Run lmms-eval's own command with a model that has its answers in a file: `python FILE ANSWERS ARGUMENTS…`."""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from lmms_eval.api.model import lmms
from lmms_eval.models import MODEL_REGISTRY_V2
from lmms_eval.models.registry_v2 import ModelManifest

NAME = "tests.extensions.hosts.real.lmms_model"
ANSWERS = "SCORING_TESTS_ANSWERS"


class AnswersOfFile(lmms):  # type: ignore[misc]  # without the package it is Any
    """A model whose answer to each prompt stands in a file of JSON."""

    def __init__(self, **_: Any) -> None:
        super().__init__()
        self.answers: dict[str, str | None] = json.loads(Path(os.environ[ANSWERS]).read_text("utf-8"))

    def generate_until(self, requests: list[Any]) -> list[str | None]:
        return [self.answers[one.args[0]] for one in requests]

    def loglikelihood(self, requests: list[Any]) -> list[Any]:
        raise NotImplementedError

    def generate_until_multi_round(self, requests: list[Any]) -> list[Any]:
        raise NotImplementedError


def main() -> None:
    os.environ[ANSWERS] = sys.argv.pop(1)
    manifest = ModelManifest(model_id="answers-of-file", simple_class_path=f"{NAME}.AnswersOfFile")
    MODEL_REGISTRY_V2.register_manifest(manifest)
    runpy.run_module("lmms_eval", run_name="__main__")


if __name__ == "__main__":
    main()
