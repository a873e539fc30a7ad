"""What a configuration of OpenCompass names: rows of a file as a data set, and a model that has its answers there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from datasets import Dataset, DatasetDict
from opencompass.datasets.base import BaseDataset
from opencompass.models.base import BaseModel


class RowsOfFile(BaseDataset):  # type: ignore[misc]  # without the package it is Any
    """The rows of a file of JSON Lines, as both splits."""

    @staticmethod
    def load(path: str, **_: Any) -> DatasetDict:
        rows = Dataset.from_list([json.loads(line) for line in Path(path).read_text("utf-8").splitlines()])
        return DatasetDict(train=rows, test=rows)


class AnswersOfFile(BaseModel):  # type: ignore[misc]  # without the package it is Any
    """A model whose `path` is a file with the answer to each prompt."""

    def __init__(self, path: str, **_: Any) -> None:
        super().__init__(path=path, tokenizer_only=True)
        self.answers: dict[str, str | None] = json.loads(Path(path).read_text("utf-8"))

    def generate(self, inputs: list[Any], max_out_len: int) -> list[str | None]:
        return [self.answers[str(one)] for one in inputs]

    def get_token_len(self, prompt: str) -> int:
        return len(prompt)
